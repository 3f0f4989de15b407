"""`mutual` blocks: inductive types, or definitions and theorems, that may mention each other.

The bodies of definitions are elaborated with variables for all functions of the block. Functions that call each other
are compiled together; a function that the others call, but that does not call them, is declared before them.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `MutualDef.lean`, `PreDefinition/Main.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from minilean.commands.command_state import CommandState, runs
from minilean.commands.declaration_body import instantiate_pis
from minilean.commands.declarations import add_elaborated, check_modifiers, complete, declare_local
from minilean.commands.elaboration import Elaborated, elaborate
from minilean.commands.local_functions import LocalFunction, with_local_functions
from minilean.commands.section_variables import used_variables
from minilean.commands.structure_groups import declare_types
from minilean.elab.recursion.mutual_structural import compile_mutual
from minilean.elab.recursion.mutual_well_founded import Hints, compile_mutual_well_founded
from minilean.elab.recursion.preprocess import StructuralError
from minilean.elab.recursion.recursion import Compiled, compile_recursion
from minilean.elab.term import Elab
from minilean.kernel.expr import Const, Expr, FVar, Lam, Sort, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.kernel.instantiate import replace as replace_terms
from minilean.kernel.level import level_params, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import Recursion
from minilean.meta.meta_m import MetaM
from minilean.syntax import ast
from minilean.syntax.names_of import identifiers

_INVALID = (
    "invalid mutual block: either all elements of the block must be inductive/structure declarations, or they must "
    "all be definitions/theorems/abbrevs"
)
_KINDS = ("def", "theorem", "lemma", "abbrev", "instance")


@dataclass(frozen=True, slots=True)
class _Member:
    """A definition of a block: `value` is closed and mentions the functions of the block as constants."""

    decl: ast.Decl
    name: str
    made: Elaborated
    value: Expr
    calls: frozenset[str]


@runs(ast.MutualCmd)
def declare_mutual(state: CommandState, block: ast.MutualCmd) -> None:
    """Declare the members of a block together.

    Raises:
        MetaError: The block mixes types with definitions, or a member is refused.
    """
    types = [c for c in block.commands if isinstance(c, ast.InductiveCmd | ast.StructureCmd)]
    if types and len(types) == len(block.commands):
        declare_types(state, types)
        return
    decls = [command for command in block.commands if isinstance(command, ast.Decl)]
    if len(decls) < len(block.commands) or any(decl.kind not in _KINDS for decl in decls):
        raise MetaError(_INVALID)
    _declare_definitions(state, decls)


def _declare_definitions(state: CommandState, decls: Sequence[ast.Decl]) -> None:
    members = _elaborated(state, [with_local_functions(decl) for decl in decls])
    made: dict[str, Elaborated] = {}
    for group in _in_order(members):
        for name, result in zip((one.name for one in group), _compiled(state, group), strict=True):
            made[name] = result
        for one in group:
            add_elaborated(state, one.decl, one.name, made[one.name])
        state.env.memo.clear()
    for one in members:
        if made[one.name].written is not None and one.decl.kind not in ("theorem", "lemma"):
            state.env.recursions[one.name] = made[one.name].written  # type: ignore[assignment]
    for one in members:
        complete(state, one.decl, one.name, made[one.name])


def _elaborated(state: CommandState, decls: Sequence[ast.Decl]) -> list[_Member]:
    """Elaborate the headers, and then the bodies with the headers of all functions."""
    names: list[str] = []
    for decl in decls:
        check_modifiers(decl)
        name = state.full_name(decl.name)
        if not decl.name or decl.type is None:
            raise UnsupportedError("a declaration without a name or without a type in a `mutual` block")
        if name in names or state.env.find(name) is not None:
            raise MetaError(f"`{name}` has already been declared")
        names.append(name)
    headers = [elaborate(state, replace(decl, value=None), group={}) for decl in decls]
    group = {name: header.type for name, header in zip(names, headers, strict=True)}
    bodies = [
        elaborate(state, decl, name, _declared_inside(state, decl, decls), group)
        for name, decl in zip(names, decls, strict=True)
    ]
    if any(one.level_params != headers[0].level_params for one in (*headers, *bodies)):
        raise UnsupportedError("functions of different universes in a `mutual` block")
    return _over_used_variables(state, decls, names, bodies)


def _declared_inside(
    state: CommandState, decl: ast.Decl, decls: Sequence[ast.Decl]
) -> tuple[LocalFunction, ...]:
    """Declare the functions after `where`, before the block; they may not call its functions."""
    own = {one.name.rpartition(".")[2] for one in decls}
    for function in decl.local:
        if any(name.rpartition(".")[2] in own for name in identifiers(function.value)):
            raise UnsupportedError(f"mutual recursion of `{function.name}` with the definitions around it")
    return declare_local(state, decl) if decl.local else ()


def _over_used_variables(
    state: CommandState, decls: Sequence[ast.Decl], names: Sequence[str], bodies: Sequence[Elaborated]
) -> list[_Member]:
    """Return the members over the section variables that some member mentions, with constants for the functions."""
    m = MetaM(state.env)
    count = len(bodies[0].variables)
    first = bodies[0].value
    assert first is not None
    variables, _ = m.intro_binders(first, count)
    types = [instantiate_pis(one.type, variables) for one in bodies]
    values = [beta_apply(one.value, variables) for one in bodies if one.value is not None]
    theorems = [decl.kind in ("theorem", "lemma") for decl in decls]
    if all(theorems):
        used = used_variables(state, m, variables, (), types, theorem=True)
        _check_taken(m, variables, used, values)
    else:
        used = used_variables(state, m, variables, (), [*types, *values])
        if any(theorems) and (used or state.scope.included):
            raise UnsupportedError(
                "theorems and definitions of a `mutual` block over variables of the section"
            )
    types = [m.mk_pi(used, type_) for type_ in types]
    universes: set[str] = set()
    for sub in (sub for term in (*types, *values) for sub in subterms(term)):
        for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
            level_params(level, universes)
    params = tuple(param for param in bodies[0].level_params if param in universes)
    found = []
    for name, decl, one, type_, value in zip(names, decls, bodies, types, values, strict=True):
        for other in names:
            assert type(value) is Lam
            value = instantiate1(value.body, mk_apps(_constant(other, params), used))
        value = m.mk_lambda(used, value)
        calls = frozenset(sub.name for sub in subterms(value) if type(sub) is Const and sub.name in names)
        bound = one.num_binders - count + len(used)
        made = replace(one, level_params=params, type=type_, num_binders=bound)
        found.append(_Member(decl, name, made, value, calls))
    return found


def _check_taken(m: MetaM, variables: Sequence[FVar], used: Sequence[FVar], proofs: Sequence[Expr]) -> None:
    """Refuse proofs with a section variable that the theorems do not take: Lean does not show it to them."""
    hidden = [x for x in variables if x not in used]
    found = {sub for proof in proofs for sub in subterms(proof)}
    for x in hidden:
        if x in found:
            raise MetaError(f"Unknown identifier `{m.local(x).name}`")


def _constant(name: str, params: Sequence[str]) -> Const:
    const = mk_const(name, tuple(mk_param(param) for param in params))
    assert type(const) is Const
    return const


def _in_order(members: Sequence[_Member]) -> list[list[_Member]]:
    """Return the members in groups that call each other, each after those that it calls."""
    reach: dict[str, set[str]] = {one.name: set(one.calls) for one in members}
    for middle in reach:
        for name in reach:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    groups: list[list[_Member]] = []
    done: set[str] = set()
    while len(done) < len(members):
        for one in members:
            own = {one.name, *(other for other in reach[one.name] if one.name in reach[other])}
            if one.name not in done and reach[one.name] <= done | own:
                groups.append([other for other in members if other.name in own])
                done |= own
    return groups


def _compiled(state: CommandState, group: Sequence[_Member]) -> list[Elaborated]:
    """Compile functions that call each other; return them without the calls."""
    first = group[0]
    if not first.calls & {one.name for one in group}:
        return [replace(first.made, value=first.value)]
    params = first.made.level_params
    el = state.elaborator(params, auto_bound=False)
    el.m.auxiliary_prefix = first.name
    el.scope = el.m.scope = state.scope
    m = el.m
    functions: list[tuple[str, FVar, Expr]] = []
    own: dict[str, FVar] = {one.name: m.push_local(one.name, one.made.type, hidden=True) for one in group}
    for one in group:
        value = _with_variables(one.value, params, own)
        functions.append((one.name, own[one.name], value))
    if len(group) == 1:
        name, self_var, value = functions[0]
        compiled = [
            compile_recursion(el, name, self_var, value, first.decl.termination, first.made.num_binders)
        ]
    else:
        compiled = _compile_group(el, group, functions)
    return [
        replace(one.made, value=result.value, written=_written(one, result, [o.name for o in group]))
        for one, result in zip(group, compiled, strict=True)
    ]


def _compile_group(
    el: Elab, group: Sequence[_Member], functions: Sequence[tuple[str, FVar, Expr]]
) -> list[Compiled]:
    hints = {one.name: one.decl.termination for one in group if one.decl.termination is not None}
    if any(not hint.structural for hint in hints.values()):
        return _by_measures(el, group, functions)
    only = {one.name: _position(one) for one in group if one.name in hints}
    try:
        values, positions = compile_mutual(el.m, functions, only)
    except StructuralError as error:
        names = "\n  ".join(one.name for one in group)
        text = f"fail to show termination for\n  {names}\nwith errors\nfailed to infer structural recursion:\n{error}"
        if only or el.m.env.find("WellFounded.fix") is None:
            raise MetaError(text) from None
        try:
            return _by_measures(el, group, functions)
        except BudgetError:
            raise
        except UnsupportedError as other:
            raise MetaError(f"{other}\n\n{text}") from None
    return [
        Compiled(value, written, position)
        for value, (_, _, written), position in zip(values, functions, positions, strict=True)
    ]


def _by_measures(
    el: Elab, group: Sequence[_Member], functions: Sequence[tuple[str, FVar, Expr]]
) -> list[Compiled]:
    values = compile_mutual_well_founded(
        el, functions, [Hints(one.decl.termination, one.made.num_binders) for one in group]
    )
    return [Compiled(value, written, None) for value, (_, _, written) in zip(values, functions, strict=True)]


def _position(one: _Member) -> int:
    """Return the position of the argument that `termination_by structural` names."""
    hints = one.decl.termination
    assert hints is not None
    names: list[str] = []
    value = one.value
    while type(value) is Lam:
        names.append(value.name)
        value = value.body
    bound = one.made.num_binders
    names[bound : bound + len(hints.names)] = hints.names
    if not isinstance(hints.measure, ast.Ident) or hints.measure.name not in names:
        raise MetaError(
            "The termination measure of a structurally recursive function must be one of the parameters"
        )
    return names.index(hints.measure.name)


def _with_variables(value: Expr, params: Sequence[str], own: Mapping[str, FVar]) -> Expr:
    """Replace the constants of functions by variables."""
    consts = {_constant(name, params): x for name, x in own.items()}
    return replace_terms(value, lambda sub, _depth: consts.get(sub) if type(sub) is Const else None)


def _written(one: _Member, compiled: Compiled, names: Sequence[str]) -> Recursion:
    arity, inner = 0, one.value
    while type(inner) is Lam:
        arity, inner = arity + 1, inner.body
    return Recursion(one.made.level_params, one.value, arity, compiled.position, None, tuple(names))
