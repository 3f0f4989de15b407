"""Headers of inductive types and structures: parameters and universe, the same for all types of a block.

Source: Lean 4 `src/Lean/Elab/MutualInductive.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.commands.command_state import CommandState
from minilean.elab.binders import push_binders
from minilean.elab.display import show
from minilean.elab.pending import AutoBoundError
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    Expr,
    FVar,
    Pi,
    Sort,
)
from minilean.kernel.instantiate import abstract, instantiate
from minilean.kernel.level import (
    is_never_zero,
    is_zero,
)
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast

VALID_SORTS = "\n\nHint: Examples of valid sorts include `Type _`, `Sort _`, and `Prop`"
_MUTUAL = "Invalid mutually inductive types: "


def elab_headers(
    state: CommandState, commands: Sequence[ast.InductiveCmd]
) -> tuple[Elab, list[FVar], list[FVar], list[Expr]]:
    """Return the elaborator, the section variables, the parameters, and the sort of each type over them.

    Raises:
        MetaError: The types do not have the same parameters and the same universe.
    """
    el, variables, params, first = elab_parameters(state, commands[0])
    m = el.m
    unknown = m.new_sort_mvar() if any(command.type is None for command in commands) else None
    sorts: list[Expr] = []
    for i, command in enumerate(commands):
        sort = first if i == 0 else _following_header(el, commands[0].name, command, params)
        if sort is None:
            assert unknown is not None
            sort = unknown
        sorts.append(sort)
    for sort in sorts:
        if not _ends_in_a_sort(m, sort):
            raise MetaError(
                f"Invalid resulting type: Expected a sort or an indexed family of sorts{VALID_SORTS}"
            )
    for sort in sorts[1:]:
        own, preceding = sort_of(m, sort), sort_of(m, sorts[0])
        if not is_def_eq(m, own, preceding):
            raise MetaError(
                f"{_MUTUAL}The resulting type of this declaration\n  {show(m, own, 2)}\ndiffers from a preceding one"
                f"\n  {show(m, preceding, 2)}\n\nNote: All inductive types declared in the same `mutual` block must "
                "belong to the same type universe"
            )
    return el, variables, params, sorts


def _ends_in_a_sort(m: Meta, type_: Expr) -> bool:
    """Return whether a type former's type ends in a sort, perhaps behind definitions."""
    old = m.lctx
    type_ = whnf(m, m.instantiate_mvars(type_))
    while type(type_) is Pi:
        type_ = whnf(m, m.intro_binders(type_)[1])
    m.lctx = old
    return type(type_) is Sort


def _following_header(
    el: Elab, preceding: str, command: ast.InductiveCmd, params: Sequence[FVar]
) -> Expr | None:
    """Return the written sort of a further type of a group, over the parameters of the first one."""
    m = el.m
    old = m.lctx
    try:
        own = push_auto_bound(el, command.binders)
        type_ = None if command.type is None else el.elab_type(command.type)
        el.synthesize()
        if len(own) != len(params):
            raise MetaError(
                f"{_MUTUAL}`{command.name}` has {len(own)} parameter(s), but the preceding type `{preceding}` has "
                f"{len(params)}\n\nNote: All inductive types declared in the same `mutual` block must have the same "
                "parameters"
            )
        for i, (x, param) in enumerate(zip(own, params, strict=True)):
            _check_same_parameter(m, x, param, own[:i], params[:i])
        return None if type_ is None else instantiate_vars(m.instantiate_mvars(type_), own, params)
    finally:
        m.lctx = old


def push_auto_bound(el: Elab, written: Sequence[ast.Binder]) -> list[FVar]:
    """Push binders, after those of undeclared names in them."""
    auto: tuple[ast.Binder, ...] = ()
    while True:
        try:
            return push_binders(el, auto + tuple(written))
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))


def _check_same_parameter(
    m: Meta, x: FVar, param: FVar, before: Sequence[FVar], params: Sequence[FVar]
) -> None:
    own, expected = m.local(x), m.local(param)
    if own.name != expected.name:
        raise MetaError(
            f"{_MUTUAL}Parameter names `{own.name}` and `{expected.name}` differ but were expected to match"
        )
    type_ = instantiate_vars(m.instantiate_mvars(own.type), before, params)
    if not is_def_eq(m, type_, expected.type):
        raise MetaError(
            f"{_MUTUAL}Parameter `{own.name}` has type\n  {show(m, type_, 2)}\nof sort "
            f"`{show(m, infer_type(m, type_))}` but is expected to have type\n  {show(m, expected.type, 2)}\nof sort "
            f"`{show(m, infer_type(m, expected.type))}`"
        )


def elab_parameters(
    state: CommandState, command: ast.InductiveCmd | ast.StructureCmd
) -> tuple[Elab, list[FVar], list[FVar], Expr | None]:
    """Return the elaborator, the section variables and the parameters of a type, and its sort if written."""
    auto: tuple[ast.Binder, ...] = ()
    indices: tuple[ast.Binder, ...] = ()
    while True:
        el = state.elaborator(command.level_params, auto_bound=not state.trusted)
        el.scope = el.m.scope = state.scope.of(state.full_name(command.name))
        params: list[FVar] | None = None
        try:
            variables = push_binders(el, state.scope.variables)
            params = push_binders(el, auto + command.binders)
            old = el.m.lctx
            unnamed = push_binders(el, indices)
            type_ = None if command.type is None else el.elab_type(command.type)
            el.synthesize()
            if type_ is not None and unnamed:
                type_ = el.m.mk_pi(unnamed, el.m.instantiate_mvars(type_))
                el.m.lctx = old
            return el, variables, params, type_
        except AutoBoundError as error:
            if len(auto) + len(indices) > 30:
                raise
            new = ast.Binder((error.name,), None, "implicit")
            if params is None:
                auto = (*auto, new)
            else:
                # a name that occurs only in the type of the type is an index
                indices = (*indices, new)


def check_universe(state: CommandState, m: Meta, type_: Expr) -> None:
    """Refuse a universe such as `Sort u`, which may or may not be `Prop`."""
    sort = m.instantiate_mvars(type_)
    while type(sort) is Pi:
        sort = sort.body
    if state.trusted or type(sort) is not Sort:
        return
    level = m.instantiate_level(sort.level)
    if not is_zero(level) and not is_never_zero(level):
        raise MetaError(
            "Invalid universe polymorphic resulting type: The resulting universe is not `Prop`, but it may "
            f"be `Prop` for some parameter values:\n  {show(m, sort, 2)}\n\nHint: A possible solution is to "
            "use levels of the form `max 1 _` or `_ + 1` to ensure the universe is of the form `Type _`"
        )


def instantiate_vars(e: Expr, xs: Sequence[FVar], values: Sequence[Expr]) -> Expr:
    """Replace variables by values."""
    return instantiate(abstract(e, xs), values)


def sort_of(m: Meta, type_: Expr) -> Expr:
    """Return the sort at the end of a type former's type."""
    type_ = m.instantiate_mvars(type_)
    while type(type_) is Pi:
        type_ = type_.body
    return type_
