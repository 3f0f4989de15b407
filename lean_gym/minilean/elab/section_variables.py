"""`variable`: what is declared for all that follows in a section, and which of it a declaration takes.

Source: Lean 4 `src/Lean/Elab/BuiltinCommand.lean`, `src/Lean/Elab/DeclUtil.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lean_gym.minilean.elab.binders import push_binders
from lean_gym.minilean.elab.command_state import CommandState
from lean_gym.minilean.elab.pending import AutoBoundError
from lean_gym.minilean.elab.term import Elab
from lean_gym.minilean.kernel.expr import IMPLICIT, Expr, FVar, Sort
from lean_gym.minilean.kernel.traversal import subterms
from lean_gym.minilean.meta.context import LocalContext
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.occurrences import collect_mvars
from lean_gym.minilean.syntax import ast


def add_variables(state: CommandState, binders: tuple[ast.Binder, ...]) -> None:
    """`variable`: checked here, elaborated again in every declaration that uses them."""
    auto: tuple[ast.Binder, ...] = ()
    while True:
        variables = state.scope.variables + auto + binders
        try:
            push_binders(state.elaborator((), auto_bound=not state.trusted), variables)
            break
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
    state.scopes[-1] = replace(state.scope, variables=variables)


def used_variables(
    state: CommandState,
    m: Meta,
    variables: Sequence[FVar],
    binders: Sequence[FVar],
    terms: Sequence[Expr],
    *,
    included: bool = False,
) -> list[FVar]:
    """The variables that terms and binders need; with `included` those that `include` asked for as well."""
    if not variables:
        return []
    needed: set[int] = set()
    todo = [m.instantiate_mvars(t) for t in terms]
    if included:
        todo += [x for x in variables if m.local(x).name in state.scope.included]
    todo += [m.instantiate_mvars(m.local(x).type) for x in binders]
    while todo:
        term = todo.pop()
        for sub in subterms(term):
            if type(sub) is FVar and sub.id not in needed:
                needed.add(sub.id)
                if sub.id in m.lctx:
                    todo.append(m.instantiate_mvars(m.local(sub).type))
    used = []
    for x in variables:
        decl = m.local(x)
        if x.id in needed:
            used.append(x)
        elif decl.info == 3 and all(
            s.id in needed for s in subterms(m.instantiate_mvars(decl.type)) if type(s) is FVar
        ):
            needed.add(x.id)
            used.append(x)
    return used


def bind_unknown_types(el: Elab, auto: Sequence[FVar]) -> list[FVar]:
    """Variables `α✝` for the types that automatically bound variables still lack."""
    m = el.m
    found: list[FVar] = []
    for x in auto:
        for mvar in collect_mvars(m.instantiate_mvars(m.local(x).type)):
            sort = m.instantiate_mvars(m.mvar_decl(mvar).type)
            if type(sort) is not Sort:
                continue
            alpha, lctx = LocalContext().push("α✝", sort, IMPLICIT)
            m.mctx.assign(mvar.id, alpha)
            m.lctx = lctx.replace_all([lctx.get(alpha), *m.lctx])
            found.append(alpha)
    return found[::-1]
