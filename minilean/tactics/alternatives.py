"""`cases` and `induction`, with and without alternatives.

Source: Lean 4 `src/Lean/Elab/Tactic/Induction.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.declaration import Constructor, Recursor
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app_fn,
)
from minilean.meta.errors import BudgetError, MetaError, together
from minilean.meta.infer import is_prop
from minilean.meta.whnf import whnf_reducible
from minilean.syntax import ast
from minilean.tactics.cases import Branch, cases_fvar, eliminate, generalize_term
from minilean.tactics.constructors import Major, explicit_fields, major_of
from minilean.tactics.eliminator import Principle, eliminate_using, read_principle
from minilean.tactics.functional import KINDS, functional_targets, unfold_cases
from minilean.tactics.hypotheses import assert_hypothesis
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, retag


@runs(ast.Cases)
def tac_cases(t: Tactics, stx: ast.Cases) -> None:
    """`cases h : e with | c x y => tacs` and `induction x using r generalizing y with ...`."""
    if stx.using is None and len(stx.targets) != 1:
        raise MetaError(
            "Missing eliminator: An eliminator must be provided when multiple induction targets are specified and no "
            "default eliminator has been registered\n\nHint: Write `using <eliminator-name>` to specify an "
            f"eliminator, or register a default eliminator with the attribute `[{stx.kind}_eliminator]`"
        )
    m = t.m
    if stx.kind in KINDS:
        name, principle, xs = functional_targets(t, stx)
        order, branches = _by_principle(t, stx, principle, xs)
        unfold_cases(t, name, branches)
        _finish(t, stx, order, branches)
        return
    xs = []
    for eq_name, term in stx.targets:
        xs.append(_target_variable(t, term, eq_name, stx.kind))
        m.lctx = m.mvar_decl(t.main).lctx
    using = stx.using or _default_eliminator(t, xs[0], stx.kind)
    if using is not None:
        order, branches = _by_principle(t, stx, read_principle(t, using), xs)
    else:
        branches, order = _split(t, xs[0], stx)
    _finish(t, stx, order, branches)


def _by_principle(
    t: Tactics, stx: ast.Cases, principle: Principle, xs: Sequence[FVar]
) -> tuple[dict[str, str], list[Branch]]:
    """Apply a principle; return its alternatives and their goals."""
    order = {a.name: a.name for a in principle.alternatives.values()}
    flags = {a.name: list(a.explicit) for a in principle.alternatives.values()}
    names = _given_names(stx, order, flags)
    return order, eliminate_using(t, principle, xs, names, stx.kind, _generalized(t, stx, xs))


def _finish(t: Tactics, stx: ast.Cases, order: dict[str, str], branches: list[Branch]) -> None:
    """Run the alternatives on the goals of the branches, or leave these open."""
    rest = list(t.goals)
    if stx.alts is None:
        t.goals = [*(b.goal for b in branches), *rest]
        return
    _run_alternatives(t, stx, list(order), branches, rest)


def _default_eliminator(t: Tactics, target: FVar, kind: str) -> ast.Term | None:
    """Return the eliminator that `@[induction_eliminator]` or `@[cases_eliminator]` marks for the type of a target."""
    m = t.m
    fn = get_app_fn(whnf_reducible(m, m.instantiate_mvars(m.local(target).type)))
    name = m.env.eliminators.get((kind, fn.name)) if type(fn) is Const else None
    return None if name is None else ast.Ident(f"_root_.{name}")


def _target_variable(t: Tactics, term: ast.Term, eq_name: str | None, kind: str) -> FVar:
    m = t.m
    if isinstance(term, ast.Ident) and eq_name is None:
        local = m.lctx.by_name(term.name)
        if local is not None:
            if local.value is not None:
                return generalize_term(t, local.fvar, local.name, None)
            return local.fvar
    e = t.term(term)
    if type(e) is FVar and eq_name is None:
        return e
    type_ = t.infer(e)
    if is_prop(m, type_) and eq_name is None:
        return assert_hypothesis(t, "x✝", type_, e)
    name = "h✝" if eq_name == "_" else eq_name
    return generalize_term(t, e, "x✝", name)


def _split(t: Tactics, major: FVar, stx: ast.Cases) -> tuple[list[Branch], dict[str, str]]:
    """Split by the constructors of the type of `major`.

    Returns:
        The branches, and the constructor of each alternative by the name of the alternative.
    """
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, stx.kind)
    induct = stx.kind == "induction"
    order = {c.rpartition(".")[2]: c for c in info.decl.constructors}
    flags = {short: _nameable(t, info, c, induct) for short, c in order.items()}
    names = _given_names(stx, order, flags)
    if not induct:
        return cases_fvar(t, major, names), order
    seen: list[Expr] = []
    for index in (*info.indices, major):
        if type(index) is not FVar:
            raise MetaError(
                "Invalid target: Index in target's type is not a variable (consider using the `cases` tactic "
                f"instead)\n  {t.show(index)}"
            )
        if index in seen:
            raise MetaError(
                f"Invalid target: Target (or one of its indices) occurs more than once\n  {t.show(index)}"
            )
        seen.append(index)
    general = _generalized(t, stx, [*info.indices, major])
    return eliminate(t, major, names, True, "induction", general), order


def _nameable(t: Tactics, info: Major, ctor: str, induct: bool) -> list[bool]:
    """Return a flag for each variable of an alternative, fields and then hypotheses: whether it is explicit."""
    decl = t.m.env.find(ctor)
    assert isinstance(decl, Constructor)
    flags = explicit_fields(decl)
    if induct:
        rec = t.m.env.find(f"{info.decl.name}.rec")
        assert isinstance(rec, Recursor)
        minor = rec.type
        for _ in range(rec.num_params + 1 + info.decl.constructors.index(ctor)):
            minor = minor.body  # type: ignore[attr-defined]
        minor = minor.type  # type: ignore[attr-defined]
        while type(minor) is Pi:
            minor = minor.body
            flags.append(True)
        del flags[-decl.num_fields :]
    return flags


def _generalized(t: Tactics, stx: ast.Cases, targets: Sequence[Expr]) -> list[FVar]:
    """Return the variables that `generalizing` names.

    Raises:
        MetaError: The targets depend on one of them, or one of them depends on the targets and is generalized anyway.
    """
    m = t.m
    xs: list[FVar] = []
    dependents = [d.fvar for d in t.dependents(targets)]
    for name in stx.generalizing:
        x = t.hypothesis(name).fvar
        if x in targets or any(type(y) is FVar and t.mentions(m.local(y).type, {x.id}) for y in targets):
            raise MetaError(
                f"Variable `{name}` cannot be generalized because the induction target depends on it"
            )
        if x in dependents or x in xs:
            raise MetaError(
                f"Unnecessary `generalizing` argument: Variable `{name}` is generalized automatically"
            )
        xs.append(x)
    return xs


def _given_names(
    stx: ast.Cases, order: dict[str, str], flags: dict[str, list[bool]]
) -> dict[str, Sequence[str]]:
    """Return the names that the alternatives give to their variables, by the value of the alternative in `order`.

    Args:
        stx: The tactic.
        order: All alternatives: the key of the result by the name of the alternative.
        flags: A flag for each variable of an alternative, true if it is explicit; without `@` only those get names.

    Raises:
        MetaError: An alternative is unknown, occurs twice, or names too many variables.
    """
    heads = [(head, given, alt.explicit) for alt in stx.alts or () for head, given in alt.ctors]
    written = {head for head, _, _ in heads}
    missing = [] if "_" in written else [_not_provided(name) for name in order if name not in written]
    seen: list[str] = []
    unknown: list[str] = []
    for i, (head, _, _) in enumerate(heads):
        if head == "_":
            if i != len(heads) - 1:
                raise MetaError(
                    "Invalid occurrence of the wildcard alternative `| _ => ...`: It must be the last alternative"
                )
        elif head in seen:
            raise together([MetaError(f"Duplicate alternative name `{head}`"), *missing])
        else:
            seen.append(head)
            unknown += [] if head in order else [head]
    if unknown:
        unhandled = [f"`{name}`" for name in order if name not in seen]
        said = f"Expected {_or_list(unhandled)}" if unhandled else "There are no unhandled alternatives"
        raise together([MetaError(f"Invalid alternative name `{unknown[0]}`: {said}"), *missing])
    names: dict[str, Sequence[str]] = {}
    for head, given, everything in heads:
        for short in [head] if head != "_" else [name for name in order if name not in seen]:
            own = [explicit or everything for explicit in flags[short]]
            if len(given) > sum(own):
                raise MetaError(
                    f"Too many variable names provided at alternative `{short}`: "
                    f"{len(given)} provided, but {sum(own)} expected"
                )
            todo = iter(given)
            names[order[short]] = [next(todo, "_") if named else "_" for named in own]
    return names


def _or_list(words: list[str]) -> str:
    if len(words) < 3:
        return " or ".join(words)
    return ", ".join(words[:-1]) + f", or {words[-1]}"


def _run_alternatives(
    t: Tactics, stx: ast.Cases, names: list[str], branches: list[Branch], rest: list[MVar]
) -> None:
    """Run the alternatives in the order in which they are written; `names` are those of all of them."""
    reachable = {branch.ctor.rpartition(".")[2]: branch.goal for branch in branches}
    todo = list(names)
    left: list[MVar] = []
    errors: list[MetaError] = []

    def enter(name: str) -> list[MVar]:
        """Return the goals of an alternative, after the tactic that `with` puts before all alternatives."""
        if name not in reachable:
            return []
        t.goals = [reachable[name]]
        if stx.pre is not None:
            t.run(stx.pre)
            t.prune()
        return list(t.goals)

    for alt in stx.alts or ():
        for head, _ in alt.ctors:
            if head == "_" and not todo:
                raise MetaError("Wildcard alternative is not needed")
            for name in list(todo) if head == "_" else [head]:
                todo.remove(name)
                goals = enter(name)
                if not goals and head != "_":
                    raise MetaError(f"Alternative `{name}` is not needed")
                for goal in goals:
                    try:
                        left += _run_alternative(t, alt, goal)
                    except BudgetError:
                        raise
                    except MetaError as error:
                        errors.append(
                            error
                        )  # report it with those of the other alternatives, which are still tried
    missing = [_not_provided(name) for name in todo if enter(name)]
    if missing or errors:
        raise together([*errors, *missing])
    t.goals = [*left, *rest]


def _not_provided(name: str) -> MetaError:
    return MetaError(f"Alternative `{name}` has not been provided")


def _run_alternative(t: Tactics, alt: ast.CaseAlt, goal: MVar) -> list[MVar]:
    """Run the block after `=>`; return the goals left by a hole there or by an alternative without `=>`."""
    if alt.body is None:
        if alt.hole is not None and alt.hole.startswith("?") and alt.hole != "?_":
            retag(t, goal, alt.hole[1:])
        return [goal]
    t.goals = [goal]
    t.m.lctx = t.m.mvar_decl(goal).lctx
    t.run_block(alt.body)
    t.prune()
    if t.goals:
        raise t.unsolved()
    return []
