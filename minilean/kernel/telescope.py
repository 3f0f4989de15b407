"""Telescopes: binders of a function type as free variables, and functions of such variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from minilean.kernel.expr import DEFAULT, IMPLICIT, Binding, Const, Expr, Pi, get_app
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.kernel.typechecker import TypeChecker

_ANNOTATIONS: Final = {"outParam": 1, "semiOutParam": 1, "optParam": 2, "autoParam": 2}
"""Constants that only tell the elaborator something about a binder, with their number of arguments."""


class Local(NamedTuple):
    """A free variable with the name, type and kind of its binder."""

    fvar: Expr
    name: str
    type: Expr
    info: int


def new_local(checker: TypeChecker, name: str, type_: Expr, info: int = DEFAULT) -> Local:
    """Return a fresh variable."""
    return Local(checker.new_local(name, type_), name, type_, info)


def binder_local(checker: TypeChecker, binder: Binding) -> Local:
    """Return a fresh variable for the binder of an inductive declaration, its type without Lean's annotations.

    Source: `mk_local_for` of Lean 4 `src/kernel/inductive.cpp`, `Expr.consumeTypeAnnotations` (4.35).
    """
    type_ = binder.type
    while True:
        head, args = get_app(type_)
        if type(head) is not Const or _ANNOTATIONS.get(head.name) != len(args):
            return new_local(checker, binder.name, type_, binder.info)
        type_ = args[0]


def open_pis(checker: TypeChecker, e: Expr) -> tuple[list[Local], Expr]:
    """Return the binders of a function type as fresh variables, and the term below them."""
    telescope = []
    while type(e) is Pi:
        local = binder_local(checker, e)
        telescope.append(local)
        e = instantiate1(e.body, local.fvar)
    return telescope, e


def close(make: Callable[[str, Expr, Expr, int], Expr], telescope: Sequence[Local], body: Expr) -> Expr:
    """Bind the free variables of `telescope` in `body`, with `mk_pi` or `mk_lam`."""
    fvars = [local.fvar for local in telescope]
    body = abstract(body, fvars)
    for i in reversed(range(len(telescope))):
        local = telescope[i]
        body = make(local.name, abstract(local.type, fvars[:i]), body, local.info)
    return body


def hidden(local: Local) -> Local:
    """Return the variable with an explicit binder made implicit."""
    return local._replace(info=IMPLICIT) if local.info == DEFAULT else local
