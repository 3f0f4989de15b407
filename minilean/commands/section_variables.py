"""Section variables: `variable`, `include`, `omit`, and the variables that a declaration uses.

Source: Lean 4 `src/Lean/Elab/BuiltinCommand.lean` (elabVariable, replaceBinderAnnotation, elabInclude, elabOmit),
`src/Lean/Elab/MutualDef.lean` (withHeaderSecVars), `src/Lean/Elab/DeclUtil.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from minilean.commands.command_state import CommandState, runs
from minilean.elab.binders import flat, push_binders
from minilean.elab.display import show
from minilean.elab.pending import AutoBoundError
from minilean.elab.sorry import mentions_sorry, name_place
from minilean.elab.term import Elab
from minilean.kernel.expr import IMPLICIT, INST, Expr, FVar, Sort
from minilean.kernel.traversal import subterms
from minilean.meta.context import LocalContext
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast


@runs(ast.VariableCmd)
def run_variable(state: CommandState, command: ast.VariableCmd) -> None:
    """`variable`: add section variables to the scope."""
    add_variables(state, command.binders)


@runs(ast.VarsCmd)
def run_vars(state: CommandState, command: ast.VarsCmd) -> None:
    """`include` and `omit`."""
    if command.kind == "omit":
        omit_variables(state, command.names)
    else:
        include_variables(state, command.names)


def add_variables(state: CommandState, binders: tuple[ast.Binder, ...]) -> None:
    """`variable`: check the binders, which every declaration elaborates again, and add them to the scope."""
    known = state.scope.variables
    new: list[ast.Binder] = []
    for binder in flat(binders):
        changed = _annotated(known, binder)
        if changed is None:
            new.append(binder)
        else:
            known = changed
    auto: tuple[ast.Binder, ...] = ()
    while True:
        variables = (*known, *auto, *new)
        try:
            push_binders(state.elaborator((), auto_bound=not state.trusted), variables)
            break
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        except MetaError as error:
            if known is not state.scope.variables and not new:
                name = _bare_name(binders[-1])
                raise MetaError(_no_instance(name, str(error))) from None
            raise
    state.scopes[-1] = replace(state.scope, variables=variables)


def _bare_name(binder: ast.Binder) -> str | None:
    """Return the name in `(x)`, `{x}`, `⦃x⦄` or `[x]`, which may be that of a variable; `None` for other binders."""
    if binder.kind == "inst" and not binder.names:
        return binder.type.name if isinstance(binder.type, ast.Ident) else None
    return binder.names[0] if binder.type is None and binder.default is None else None


def _annotated(known: tuple[ast.Binder, ...], new: ast.Binder) -> tuple[ast.Binder, ...] | None:
    """Return the variables with the binder kind of one changed, if `new` is the name of one in other brackets."""
    name = _bare_name(new)
    # an automatically bound variable does not count: it has no position in the source
    places = [i for i, old in enumerate(known) if name is not None and name in old.names and old.end]
    if not places:
        return None
    old = known[places[-1]]
    if old.default is not None:
        raise MetaError("cannot update binder annotation of variables with default values/tactics")
    if old.kind == new.kind:
        raise MetaError("redundant binder annotation update")
    if new.kind == "inst" and old.type is None:
        raise MetaError(_no_instance(name, "variable was originally declared without an explicit type"))
    return (*known[: places[-1]], replace(old, kind=new.kind), *known[places[-1] + 1 :])


def _no_instance(name: str | None, why: str) -> str:
    return f"cannot update binder annotation of variable `{name}` to instance implicit:\n{why}"


def include_variables(state: CommandState, names: Iterable[str | ast.Binder]) -> None:
    """`include x y`: theorems take these variables even if their statements do not mention them."""
    places = {x: i for i, binder in enumerate(state.scope.variables) for x in binder.names}
    wanted = [x for x in names if isinstance(x, str)]
    for x in wanted:
        if x not in places:
            raise MetaError(f"invalid 'include', variable `{x}` has not been declared in the current scope")
    scope = state.scope
    omitted = scope.omitted.difference(places[x] for x in wanted)
    state.scopes[-1] = replace(scope, included=scope.included | frozenset(wanted), omitted=omitted)


def omit_variables(state: CommandState, omits: Sequence[str | ast.Binder]) -> None:
    """`omit x [C a]`: theorems do not take these variables."""
    scope = state.scope
    el = state.elaborator((), auto_bound=not state.trusted)
    m = el.m
    variables = push_binders(el, scope.variables)
    types = {i: el.elab_type(o.type) for i, o in enumerate(omits) if isinstance(o, ast.Binder) and o.type}
    el.synthesize()
    omitted: set[int] = set()
    used: set[int] = set()
    for place, x in enumerate(variables):
        decl = m.local(x)
        for i, omit in enumerate(omits):
            name = omit if isinstance(omit, str) else "".join(omit.names)
            mark = m.mctx.mark()
            fits = decl.name == name if name else is_def_eq(m, types[i], decl.type)
            m.mctx.rollback(mark)
            if not fits:
                continue
            if not scope.variables[place].end:
                raise MetaError(f"invalid `omit`, `{decl.name}` has not been declared in the current scope")
            omitted.add(place)
            used.add(i)
            break
    for i, omit in enumerate(omits):
        if i not in used:
            shown = omit if isinstance(omit, str) else state.source[omit.start : omit.end]
            raise MetaError(f"`{shown}` did not match any variables in the current scope")
    included = scope.included.difference(x for i in omitted for x in scope.variables[i].names)
    state.scopes[-1] = replace(scope, included=included, omitted=scope.omitted | omitted)
    if scope.lints("omit", False):
        text = "`omit` should be avoided in favor of restructuring your `variable` declarations"
        state.say("warning", text + _off("omit"))


def _off(linter: str) -> str:
    return f"\n\nNote: This linter can be disabled with `set_option linter.{linter} false`"


def _mentioned(m: Meta, terms: Iterable[Expr]) -> set[int]:
    """Return the ids of the local variables in these terms and, transitively, in the types of those."""
    needed: set[int] = set()
    todo = [m.instantiate_mvars(t) for t in terms]
    while todo:
        for sub in subterms(todo.pop()):
            if type(sub) is FVar and sub.id not in needed:
                needed.add(sub.id)
                if sub.id in m.lctx:
                    todo.append(m.instantiate_mvars(m.local(sub).type))
    return needed


def used_variables(
    state: CommandState,
    m: Meta,
    variables: Sequence[FVar],
    binders: Sequence[FVar],
    terms: Sequence[Expr],
    *,
    theorem: bool = False,
) -> list[FVar]:
    """Return the section variables that terms and binders need.

    A theorem also takes the variables of `include`, and instance variables over the taken ones except those of `omit`.

    Raises:
        MetaError: A theorem needs a variable of `omit`.
    """
    if not variables:
        return []
    scope = state.scope
    roots = [*terms, *(m.local(x).type for x in binders)]
    omitted: set[int] = set()
    if theorem:
        roots += [x for x in variables if m.local(x).name in scope.included]
        omitted = {variables[i].id for i in scope.omitted}
    needed = _mentioned(m, roots)
    used = []
    for x in variables:
        decl = m.local(x)
        if x.id in needed:
            if x.id in omitted:
                raise MetaError(f"cannot omit referenced section variable `{decl.name}`")
            used.append(x)
        elif (
            theorem
            and decl.info == INST
            and x.id not in omitted
            and all(s.id in needed for s in subterms(m.instantiate_mvars(decl.type)) if type(s) is FVar)
        ):
            needed.add(x.id)
            used.append(x)
    return used


def tell_unused(
    state: CommandState,
    m: Meta,
    decl: ast.Decl,
    used: Sequence[FVar],
    binders: Sequence[FVar],
    terms: Sequence[Expr],
) -> None:
    """Warn of variables that a theorem takes although neither its statement nor its proof needs them."""
    if state.report is None or mentions_sorry(terms) or not state.scope.lints("unusedSectionVars", True):
        return
    needed = _mentioned(m, [*terms, *(m.local(x).type for x in binders)])
    idle = []
    for x in used:
        local = m.local(x)
        if x.id not in needed:
            nameless = local.info == INST and local.name.endswith("✝")
            idle.append(f"[{show(m, m.instantiate_mvars(local.type))}]" if nameless else local.name)
    if not idle:
        return
    name = name_place(decl, state.source)[0]
    place = decl.start + len(state.source[decl.start : name].rstrip()) - len(decl.kind)
    lines = "".join(f"\n  {x}" for x in idle)
    text = (
        f"automatically included section variable(s) unused in theorem `{state.full_name(decl.name)}`:{lines}\n"
        "consider restructuring your `variable` declarations so that the variables are not in scope or "
        f"explicitly omit them:\n  omit {' '.join(idle)} in theorem ..."
    )
    state.log.append(("warning", text + _off("unusedSectionVars"), place))


def bind_unknown_types(el: Elab, auto: Sequence[FVar]) -> list[FVar]:
    """Bind the metavariables in the types of automatically bound variables; a type is named `α✝`."""
    m = el.m
    found: list[FVar] = []
    for x in auto:
        for mvar in collect_mvars(m.instantiate_mvars(m.local(x).type)):
            sort = m.instantiate_mvars(m.mvar_decl(mvar).type)
            if type(sort) is not Sort and (sort.has_fvar or sort.has_mvar):
                continue
            alpha, lctx = LocalContext().push("α✝" if type(sort) is Sort else "x✝", sort, IMPLICIT)
            m.mctx.assign(mvar.id, alpha)
            m.lctx = lctx.replace_all([lctx.get(alpha), *m.lctx])
            found.append(alpha)
    return found[::-1]
