"""Structures that mention themselves, as in `kids : List S`, and structures of a `mutual` block.

Each is declared as an inductive type with one constructor, and gets projections and defaults afterwards.

Source: Lean 4 `src/Lean/Elab/Structure.lean`, `MutualInductive.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from minilean.commands.attributes import add_attributes, add_class, add_instance
from minilean.commands.command_state import CommandState
from minilean.commands.derived import derive_instances
from minilean.commands.inductive import declare_inductives, implicit_params
from minilean.commands.inductive_checks import check_projections
from minilean.commands.inductive_headers import VALID_SORTS, elab_parameters
from minilean.elab.fields import all_fields
from minilean.elab.holes import check_no_holes
from minilean.elab.names import resolve_exact
from minilean.elab.structure_instances import PARENT_HINT
from minilean.elab.structures import add_projections
from minilean.elab.term import Elab
from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import Expr, FVar, Sort
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.syntax.names_of import identifiers


def mentions_itself(command: ast.StructureCmd) -> bool:
    """Return whether the name of a structure occurs in the types of its fields."""
    names = {command.name, command.name.rpartition(".")[2]}
    return any(name in names for binder in command.fields for name in identifiers(binder.type))


def declare_types(state: CommandState, commands: Sequence[ast.InductiveCmd | ast.StructureCmd]) -> None:
    """Declare types that may mention each other.

    Raises:
        MetaError: A type is refused; the environment may hold a part of the group.
    """
    for one in commands:
        if isinstance(one, ast.StructureCmd) and one.type is not None:
            el, _, _, type_ = elab_parameters(state, one)
            assert type_ is not None
            check_sort(el.m, type_)
    declare_inductives(
        state, [_as_inductive(state, one) if isinstance(one, ast.StructureCmd) else one for one in commands]
    )
    for one in commands:
        if isinstance(one, ast.StructureCmd):
            _complete(state, one)


def check_sort(m: Meta, type_: Expr) -> None:
    """Refuse a structure whose type takes indices."""
    if type(whnf(m, m.instantiate_mvars(type_))) is not Sort:
        raise MetaError(f"Invalid resulting type: Expected a sort{VALID_SORTS}")


def check_names(command: ast.StructureCmd, inherited: set[str]) -> None:
    """Refuse a field whose name is that of another one, or in `inherited`."""
    own: set[str] = set()
    for field in (f for binder in command.fields for f in binder.names):
        if field in inherited:
            raise MetaError(f"Field `{field}` has already been declared in a parent structure")
        if field in own:
            raise MetaError(f"Field `{field}` has already been declared")
        own.add(field)


def add_default(
    state: CommandState,
    m: Meta,
    name: str,
    params: Sequence[FVar],
    before: Sequence[FVar],
    field: FVar,
    value: Expr,
) -> None:
    """Define `S.f._default`, a function of the parameters and of the fields before `f`."""
    decl = state.env.find(name)
    assert decl is not None
    type_ = m.instantiate_mvars(m.local(field).type)
    key = f"{name}.{m.local(field).name}"
    xs = [*params, *before]
    closed = m.mk_lambda(xs, m.instantiate_mvars(value))
    full = implicit_params(m.mk_pi(xs, type_), len(params))
    state.env.kernel.add_definition(f"{key}._default", decl.level_params, full, closed, abbrev=True)
    state.env.reducibility[f"{key}._default"] = REDUCIBLE
    state.env.field_defaults[key] = len(xs)


def resolved(m: Meta, e: Expr, shortcuts: Mapping[FVar, Expr]) -> Expr:
    """Replace the local definitions of inherited fields in `e` by their values."""
    e = m.instantiate_mvars(e)
    for x, value in reversed(list(shortcuts.items())):
        e = instantiate1(abstract(e, [x]), value)
    return e


def _parents(state: CommandState, command: ast.StructureCmd) -> dict[str, str]:
    """Return the structures that a structure extends, by the names of the fields that they become.

    Raises:
        MetaError: One of them is no structure, or a field of theirs occurs in another one or in the type of a field.
    """
    found: dict[str, str] = {}
    inherited: set[str] = set()
    for stx in command.extends:
        head = stx
        while isinstance(head, ast.App | ast.Paren):
            head = head.fn if isinstance(head, ast.App) else head.term
        name = resolve_exact(state.env, state.scope, head.name) if isinstance(head, ast.Ident) else None
        if name is not None and name not in state.env.structures:
            raise MetaError(f"`{name}` is not a structure{PARENT_HINT}")
        if name is None:
            raise UnsupportedError(
                f"`extends` of what is no structure yet in the recursive structure `{command.name}`"
            )
        fields = all_fields(state.env, state.env.structures[name])
        if overlap := inherited.intersection(fields):
            raise UnsupportedError(f"`extends` of structures that share fields (`{min(overlap)}`)")
        inherited.update(fields)
        found[f"to{name.rpartition('.')[2]}"] = name
    if any(
        word.partition(".")[0] in inherited for binder in command.fields for word in identifiers(binder.type)
    ):
        raise UnsupportedError(f"a field over an inherited field in the recursive structure `{command.name}`")
    check_names(command, inherited | set(found))
    return found


def _as_inductive(state: CommandState, command: ast.StructureCmd) -> ast.InductiveCmd:
    """Return a structure as an inductive type, whose constructor takes the parents and the fields."""
    if any(binder.type is None for binder in command.fields):
        raise UnsupportedError(f"a field without a type in the recursive structure `{command.name}`")
    kind = "inst" if command.kind == "class" else "default"
    parents = zip(_parents(state, command), command.extends, strict=True)
    fields = tuple(ast.Binder((to,), type_, kind) for to, type_ in parents)
    fields += tuple(replace(binder, default=None) for binder in command.fields)
    start, end = command.start, command.end
    ctor = ast.Ctor(command.ctor_name or "mk", fields, None, start=start, end=end)
    header = command.name, command.level_params, command.binders, command.type
    return ast.InductiveCmd(*header, (ctor,), structure=True, start=start, end=end)


def _complete(state: CommandState, command: ast.StructureCmd) -> None:
    """Add what makes a structure of a declared type: projections, defaults, instances, attributes."""
    env, name = state.env, state.full_name(command.name)
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    ctor = env.find(decl.constructors[0])
    assert isinstance(ctor, Constructor)
    parents = _parents(state, command)
    names = [*parents, *(field for binder in command.fields for field in binder.names)]
    el = state.elaborator(decl.level_params, auto_bound=False)
    el.scope = el.m.scope = state.scope.of(name)
    m = el.m
    params, rest = m.intro_binders(ctor.type, decl.num_params)
    fields, _ = m.intro_binders(rest)
    if [m.local(x).name for x in fields] != names:
        raise UnsupportedError(f"a field with undeclared variables in the recursive structure `{name}`")
    sort = m.intro_binders(decl.type, decl.num_params)[1]
    check_projections(m, name, sort, fields)
    add_projections(env, name, tuple(names), command.kind == "class")
    env.structures[name] = replace(env.structures[name], parents=tuple(parents.items()))
    shortcuts = _inherited(el, fields[: len(parents)], parents)
    defaults: list[ast.Term | None] = [None for _ in parents]
    defaults += [binder.default for binder in command.fields for _ in binder.names]
    inside = m.lctx
    for i, (x, default) in enumerate(zip(fields, defaults, strict=True)):
        if isinstance(default, ast.By):
            env.field_defaults[f"{name}.{names[i]}"] = default
        elif default is not None:
            with m.with_lctx(inside.without({y.id for y in fields[i:]})):
                value = check_no_holes(el, el.elab_closed(default, inside.get(x).type))
            add_default(state, m, name, params, fields[:i], x, resolved(m, value, shortcuts))
    if command.kind == "class":
        add_class(state, name)
        for to in parents:
            add_instance(state, f"{name}.{to}", 1000)
    derive_instances(state, name, command.deriving)
    add_attributes(state, name, command.attrs)


def _inherited(el: Elab, xs: Sequence[FVar], parents: Mapping[str, str]) -> dict[FVar, Expr]:
    """Add local definitions for the inherited fields, and return them with their values."""
    m = el.m
    shortcuts: dict[FVar, Expr] = {}
    for x, name in zip(xs, parents.values(), strict=True):
        info = m.env.structures[name]
        known = {to for to, _ in info.parents}
        for inherited in all_fields(m.env, info):
            if inherited not in known:
                value = m.instantiate_mvars(el.elab_closed(ast.Proj(ast.Quoted(x), inherited)))
                type_ = m.instantiate_mvars(infer_type(m, value))
                shortcuts[m.push_local(inherited, type_, value=value)] = value
    return shortcuts
