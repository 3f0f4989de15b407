"""New defaults for inherited fields: `class Monad (m) extends Applicative m, Bind m where map f x := ..`.

The default of an inherited field `f` of a structure `S` is the definition `S.f._default`, a function of the parameters
of `S` and of the fields that it mentions, inherited ones and own ones alike.

Source: Lean 4 `src/Lean/Elab/Structure.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from minilean.commands.command_state import CommandState
from minilean.commands.structure_groups import resolved
from minilean.elab.holes import check_no_holes
from minilean.elab.term import Elab
from minilean.kernel.expr import Const, Expr, FVar, get_app, mk_apps
from minilean.kernel.instantiate import replace as replace_terms
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.metavars import Meta
from minilean.syntax import ast


def split_fields(
    command: ast.StructureCmd, inherited: set[str]
) -> tuple[ast.StructureCmd, list[tuple[str, ast.Term]]]:
    """Return a structure without the fields that only give an inherited field a new default, and these defaults."""
    again = [
        binder
        for binder in command.fields
        if binder.type is None and binder.default is not None and binder.names[0] in inherited
    ]
    own = tuple(binder for binder in command.fields if binder not in again)
    for binder in again:
        if isinstance(binder.default, ast.By):
            raise UnsupportedError(f"a tactic as new default for the inherited field `{binder.names[0]}`")
    return replace(command, fields=own), [(b.names[0], b.default) for b in again if b.default is not None]


def elab_new_defaults(
    el: Elab, given: Sequence[tuple[str, ast.Term]], shortcuts: Mapping[FVar, Expr]
) -> dict[FVar, Expr]:
    """Elaborate new defaults in the context of all fields.

    Args:
        el: The elaborator.
        given: Names of inherited fields, with their defaults.
        shortcuts: The local definitions of the inherited fields, with their values, which are projections.

    Returns:
        The value for each of the local definitions; the projections in it are replaced by these variables.
    """
    m = el.m
    by_name = {m.local(x).name: x for x in shortcuts}
    found = {}
    for name, stx in given:
        x = by_name[name]
        value = check_no_holes(el, el.elab_closed(stx, m.instantiate_mvars(m.local(x).type)))
        found[x] = _by_variables(m, value, shortcuts)
    return found


def _by_variables(m: Meta, e: Expr, shortcuts: Mapping[FVar, Expr]) -> Expr:
    """Write the local definitions of inherited fields for the projections that they stand for."""
    projections = [(get_app(m.instantiate_mvars(value)), x) for x, value in shortcuts.items()]

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if type(fn) is not Const:
            return None
        for (head, fixed), x in projections:
            if head is fn and len(args) >= len(fixed) and args[: len(fixed)] == fixed:
                return mk_apps(x, [replace_terms(arg, at) for arg in args[len(fixed) :]])
        return None

    return replace_terms(resolved(m, e, shortcuts), at)


def add_inherited_default(
    state: CommandState,
    m: Meta,
    name: str,
    params: Sequence[FVar],
    shortcuts: Mapping[FVar, Expr],
    own: Sequence[FVar],
    field: FVar,
    value: Expr,
) -> None:
    """Define `S.f._default` for an inherited field.

    Args:
        state: Gets the definition.
        m: In the context of the parameters, parents, inherited fields and own fields.
        name: The structure.
        params: Its parameters.
        shortcuts: The local definitions of the inherited fields, with their values.
        own: The structure's own fields.
        field: The local definition of the inherited field.
        value: Its default.

    Raises:
        UnsupportedError: The default uses a parent other than by its fields.
    """
    types = {x: _by_variables(m, m.local(x).type, shortcuts) for x in (*shortcuts, *own)}
    needed: set[FVar] = set()
    todo = [value, types[field]]
    while todo:
        new = {s for s in subterms(todo.pop()) if type(s) is FVar and s in types} - needed
        needed |= new
        todo += [types[x] for x in new]
    deps = [x for x in types if x in needed]
    known = {*params, *deps}
    base = [d for d in m.lctx if d.fvar in params]
    decls = [replace(m.local(x), type=types[x], value=None, info=0) for x in deps]
    if any(
        type(s) is FVar and s not in known for e in (value, *(types[x] for x in deps)) for s in subterms(e)
    ):
        raise UnsupportedError(
            f"a new default for the inherited field `{m.local(field).name}` that uses a parent whole"
        )
    decl = state.env.find(name)
    assert decl is not None
    full = f"{name}.{m.local(field).name}"
    with m.with_lctx(m.lctx.replace_all([*base, *decls])):
        xs = [*params, *deps]
        type_, closed = m.mk_pi(xs, types[field]), m.mk_lambda(xs, value)
    if state.env.find(f"{full}._default") is not None:
        raise MetaError(f"`{full}` has two defaults")
    state.env.kernel.add_definition(f"{full}._default", decl.level_params, type_, closed, abbrev=True)
    state.env.reducibility[f"{full}._default"] = REDUCIBLE
    state.env.field_defaults[full] = len(xs)
