"""`structure` and `class`: fields, parents and default values.

Source: Lean 4 `src/Lean/Elab/Structure.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from minilean.commands.attributes import add_attributes, add_class, add_instance
from minilean.commands.command_state import CommandState, runs
from minilean.commands.derived import derive_instances
from minilean.commands.inductive import (
    DeclaredType,
    finish_inductives,
)
from minilean.commands.inductive_checks import check_projections
from minilean.commands.inductive_headers import check_universe, elab_parameters
from minilean.commands.inherited_defaults import add_inherited_default, elab_new_defaults, split_fields
from minilean.commands.section_variables import used_variables
from minilean.commands.structure_groups import (
    add_default,
    check_names,
    check_sort,
    declare_types,
    mentions_itself,
    resolved,
)
from minilean.commands.universes import check_used
from minilean.elab.binders import push_binders
from minilean.elab.fields import all_fields
from minilean.elab.holes import check_no_holes
from minilean.elab.injectivity import add_injectivity
from minilean.elab.structure_instances import PARENT_HINT, no_structure
from minilean.elab.structures import add_projections
from minilean.elab.term import Elab
from minilean.kernel.expr import Const, Expr, FVar, MVar, Pi, Sort, get_app_fn, mk_apps, mk_sort
from minilean.kernel.level import ONE, Level, mk_max, simplify
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.whnf import whnf
from minilean.syntax import ast


@runs(ast.StructureCmd)
def declare_structure(state: CommandState, command: ast.StructureCmd) -> None:
    """Declare a structure with its projections, parents, defaults and derived instances."""
    name = state.full_name(command.name)
    if state.env.find(name) is not None:
        raise MetaError(f"`{name}` has already been declared")
    if mentions_itself(command):
        declare_types(state, [command])
        return
    el, variables, params, type_ = elab_parameters(state, command)
    m = el.m
    if type_ is not None:
        check_sort(m, type_)
    old = m.lctx
    parents, shortcuts = _push_parents(state, el, command)
    command, again = split_fields(command, {m.local(x).name for x in shortcuts})
    check_names(command, {m.local(x).name for x in (*shortcuts, *(x for x, _, _ in parents))})
    fields = [*(x for x, _, _ in parents), *push_binders(el, command.fields)]
    el.synthesize()
    defaulted = {name for binder in command.fields if binder.default is not None for name in binder.names}
    for x in fields:
        _check_known(m, m.local(x).name, m.instantiate_mvars(m.local(x).type), defaulted)
    new_defaults = elab_new_defaults(el, again, shortcuts)
    everything = m.lctx
    if shortcuts:
        m.lctx = m.lctx.replace_all(
            [replace(d, type=resolved(m, d.type, shortcuts)) for d in m.lctx if d.fvar not in shortcuts]
        )
    own = fields[len(parents) :]
    defaults = [(f, resolved(m, v, shortcuts)) for f, v in _field_defaults(state, el, command, own)]
    if type_ is None:
        type_ = mk_sort(_structure_level(state, m, fields))
    else:
        check_universe(state, m, type_)
        check_projections(m, name, m.instantiate_mvars(type_), fields)
    terms = [m.instantiate_mvars(m.local(f).type) for f in fields]
    terms += [value for _, value in defaults]
    used = used_variables(state, m, variables, params, terms)
    params = [*used, *params]
    full_type = m.mk_pi(params, type_)
    self_var = m.push_local(command.name, full_type)
    ctor_type = m.mk_pi(fields, mk_apps(self_var, params))
    ctor_name = f"{name}.{command.ctor_name or 'mk'}"
    with_fields = m.lctx
    m.lctx = old.add(m.local(self_var))
    declared = DeclaredType(name, full_type, self_var, [(ctor_name, ctor_type)], structure=True)
    finish_inductives(state, el, params, [declared])
    check_used(command.level_params, state.env.kernel.get(name).level_params)
    field_names = [to for _, to, _ in parents]
    field_names += [m_name for binder in command.fields for m_name in binder.names]
    add_projections(state.env, name, tuple(field_names), command.kind == "class")
    info = state.env.structures[name]
    state.env.structures[name] = replace(info, parents=tuple((to, parent) for _, to, parent in parents))
    add_injectivity(state.env, name)
    m.lctx = with_fields
    for f, value in defaults:
        add_default(state, m, name, params, fields[: fields.index(f)], f, value)
    for binder in command.fields:
        if isinstance(binder.default, ast.By):
            state.env.field_defaults.update({f"{name}.{f}": binder.default for f in binder.names})
    m.lctx = everything
    for x, value in new_defaults.items():
        add_inherited_default(state, m, name, params, shortcuts, own, x, value)
    m.lctx = old
    if command.kind == "class":
        add_class(state, name)
        for _, to, _ in parents:
            add_instance(state, f"{name}.{to}", 1000)
    derive_instances(state, name, command.deriving)
    add_attributes(state, name, command.attrs)


def _push_parents(
    state: CommandState, el: Elab, command: ast.StructureCmd
) -> tuple[list[tuple[FVar, str, str]], dict[FVar, Expr]]:
    """Introduce a field `toParent` for each parent, and local definitions for the inherited fields.

    Returns:
        The variable, field name and structure of each parent; the value of each local definition.
    """
    m = el.m
    parents: list[tuple[FVar, str, str]] = []
    shortcuts: dict[FVar, Expr] = {}
    seen: set[str] = set()
    for stx in command.extends:
        type_ = el.elab_type(stx)
        el.synthesize()
        type_ = m.instantiate_mvars(type_)
        fn = get_app_fn(type_)
        info = state.env.structures.get(fn.name) if type(fn) is Const else None
        if info is None:
            raise MetaError(no_structure(m, type_) + PARENT_HINT)
        names = all_fields(state.env, info)
        if overlap := seen & set(names):
            raise UnsupportedError(f"`extends` of structures that share fields (`{min(overlap)}`)")
        seen |= set(names)
        to = "to" + info.name.rpartition(".")[2]
        kind = 3 if command.kind == "class" else 0
        x = m.push_local(to, type_, kind)
        parents.append((x, to, info.name))
        known = {to for to, _ in info.parents}
        for name in names:
            if name in known:
                continue
            value = el.elab_closed(ast.Explicit(ast.Proj(ast.Quoted(x), name)))
            shortcut = m.push_local(name, m.instantiate_mvars(infer_type(m, value)), value=value)
            shortcuts[shortcut] = value
    return parents, shortcuts


def _check_known(m: Meta, field: str, type_: Expr, defaulted: Collection[str]) -> None:
    """Refuse a field whose type is undetermined, unless a default will tell it, or that of one of its binders."""
    if type(type_) is MVar and field not in defaulted:
        raise MetaError(f"Failed to infer type of field `{field}`")
    while type(type_) is Pi:
        if has_expr_mvar(type_.type):
            raise MetaError(f"Failed to infer type of binder `{type_.name}`")
        type_ = type_.body


def _field_defaults(
    state: CommandState, el: Elab, command: ast.StructureCmd, fields: Sequence[FVar]
) -> list[tuple[FVar, Expr]]:
    """Elaborate the default values of fields; a default may mention earlier fields."""
    m = el.m
    found: list[tuple[FVar, Expr]] = []
    flat = [(name, binder) for binder in command.fields for name in binder.names]
    inside = m.lctx
    for i, (x, (_, binder)) in enumerate(zip(fields, flat, strict=True)):
        if binder.default is None or isinstance(binder.default, ast.By):
            continue
        m.lctx = inside.without({y.id for y in fields[i:]})
        type_ = m.instantiate_mvars(inside.get(x).type)
        value = el.elab_closed(binder.default, type_)
        found.append((x, check_no_holes(el, value)))
    m.lctx = inside
    return found


def _structure_level(state: CommandState, m: Meta, fields: Sequence[FVar]) -> Level:
    level: Level = ONE
    for f in fields:
        sort = whnf(m, infer_type(m, m.instantiate_mvars(m.local(f).type)))
        assert type(sort) is Sort
        level = simplify(mk_max(level, m.instantiate_level(sort.level)))
    return level
