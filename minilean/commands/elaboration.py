"""Header and body of a declaration as terms, before the kernel sees them.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minilean.commands.command_state import CommandState
from minilean.commands.declaration_body import Body, Functions, elab_body, push_functions
from minilean.commands.declaration_header import Header, Task, check_binder_types, elab_header
from minilean.commands.local_functions import LocalFunction
from minilean.commands.section_variables import tell_unused, used_variables
from minilean.commands.universes import check_used, generalize_all
from minilean.elab.default_arguments import marked_type, values_of
from minilean.elab.holes import hole_error, open_holes
from minilean.kernel.expr import Expr, FVar, Lam, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply
from minilean.kernel.level import mk_param
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv, Recursion
from minilean.meta.meta_m import MetaM
from minilean.meta.occurrences import has_expr_mvar
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Elaborated:
    """Declaration for the kernel: `type` and `value` are closed; `written` is a recursive body before compilation."""

    level_params: tuple[str, ...]
    type: Expr
    value: Expr | None
    num_binders: int
    written: Recursion | None
    variables: tuple[str, ...] = ()
    """Names of the section variables that it takes."""


def elaborate(
    state: CommandState,
    decl: ast.Decl,
    full: str = "",
    local: Sequence[LocalFunction] = (),
    group: Mapping[str, Expr] | None = None,
) -> Elaborated:
    """Elaborate header and body.

    Args:
        state: The state, which is not changed.
        decl: The declaration; a bare statement has no value.
        full: The name by which the body may call itself.
        local: The functions inside it.
        group: For a member of a `mutual` block, the types of its functions by name. Type and value then abstract over
            all section variables, the value next over the functions; the types in `group` abstract over them too.
    """
    task = Task(state, decl, full, local, group)
    header = elab_header(task)
    functions = push_functions(task, header)
    body = elab_body(task, header, functions)
    if holes := open_holes(header.el):
        raise hole_error(header.el, holes)
    return _closed(task, header, functions, body)


def _closed(task: Task, header: Header, functions: Functions, body: Body) -> Elaborated:
    """Close a declaration over the section variables that it takes, its parameters and its universes."""
    state, decl, m = task.state, task.decl, header.el.m
    type_ = m.instantiate_mvars(body.type)
    taken = _taken_variables(task, header, type_, body.value)
    if task.is_theorem and body.value is not None and task.group is None:
        tell_unused(state, m, decl, taken, header.binders, [type_, body.value])
    fvars = [*taken, *header.binders]
    check_binder_types(m, taken)
    closed_type = marked_type(m, fvars, type_, header.defaults, task.full, state.source)
    terms = [closed_type]
    if body.value is not None:
        terms.append(m.mk_lambda([*taken, *functions.group, *header.binders], body.value))
    if body.written is not None:
        assert functions.own is not None
        terms.append(m.mk_lambda([*taken, functions.own], body.written))
    params, done = generalize_all(m, state.scope.levels + header.el.level_names, terms)
    if decl.value is not None or decl.kind == "axiom":
        check_used(decl.level_params, params)
    if any(has_expr_mvar(t) for t in done):
        raise MetaError("don't know how to synthesize placeholder")
    written = None
    if body.written is not None:
        hints = None
        if decl.termination is not None and not state.trusted:  # the library's cache has no place for syntax
            hints = (decl.termination, len(fvars))
        written = _as_written(state.env, task.full, params, done[2], len(taken), body.position, hints)
    value = done[1] if body.value is not None else None
    names = tuple(m.local(x).name for x in taken)
    return Elaborated(params, done[0], value, len(fvars), written, names)


def _taken_variables(task: Task, header: Header, type_: Expr, value: Expr | None) -> Sequence[FVar]:
    """Return the section variables that a declaration takes."""
    if task.group is not None:
        return header.variables
    if header.taken is not None:
        return header.taken
    terms = [type_]
    if value is not None and not task.is_theorem and task.decl.kind != "axiom":
        terms.append(value)
    terms += values_of(header.defaults)
    return used_variables(
        task.state, header.el.m, header.variables, header.binders, terms, theorem=task.is_theorem
    )


def _as_written(
    env: LeanEnv,
    full: str,
    params: tuple[str, ...],
    closed: Expr,
    used: int,
    position: int | None,
    hints: tuple[object, int] | None,
) -> Recursion:
    """Return a recursive body with calls to the constant; `closed` binds section variables and the function."""
    m = MetaM(env)
    xs, rest = m.intro_binders(closed, used)
    const = mk_const(full, tuple(mk_param(p) for p in params))
    body = beta_apply(rest, [mk_apps(const, xs)])
    arity = used
    inner = body
    while type(inner) is Lam:
        arity += 1
        inner = inner.body
    with m.with_lctx(m.lctx):
        return Recursion(
            params, m.mk_lambda(xs, body), arity, None if position is None else used + position, hints
        )
