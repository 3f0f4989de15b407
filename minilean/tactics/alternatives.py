"""`cases`, `induction` with and without alternatives, `by_cases`, `match`, `case`.

Source: Lean 4 `src/Lean/Elab/Tactic/Induction.lean`, `Match.lean`, `BuiltinTactic.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.holes import check_no_holes
from minilean.kernel.declaration import Constructor, Recursor
from minilean.kernel.expr import (
    PROP,
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.meta.errors import BudgetError, MetaError, together
from minilean.meta.infer import is_prop, sort_level
from minilean.meta.whnf import whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import refine
from minilean.tactics.cases import Branch, cases_fvar, eliminate, generalize_term
from minilean.tactics.constructors import Major, explicit_fields, major_of
from minilean.tactics.eliminator import eliminate_using, read_principle
from minilean.tactics.hypotheses import assert_hypothesis, rename_inaccessible
from minilean.tactics.registry import register
from minilean.tactics.state import Tactics, retag
from minilean.tactics.structuring import tac_bullet


def tac_cases(t: Tactics, stx: ast.Cases) -> None:
    """`cases h : e with | c x y => tacs` and `induction x using r generalizing y with ...`."""
    if stx.using is None and len(stx.targets) != 1:
        raise MetaError(
            "Eliminator must be provided when multiple targets are used (use 'using <eliminator-name>'), and no "
            "default eliminator has been registered using attribute `[eliminator]`"
        )
    m = t.m
    xs: list[FVar] = []
    for eq_name, term in stx.targets:
        xs.append(_target_variable(t, term, eq_name, stx.kind))
        m.lctx = m.mvar_decl(t.main).lctx
    using = stx.using or _default_eliminator(t, xs[0], stx.kind)
    if using is not None:
        principle = read_principle(t, using)
        order = {a.name: a.name for a in principle.alternatives.values()}
        flags = {a.name: list(a.explicit) for a in principle.alternatives.values()}
        names = _given_names(stx, order, flags)
        branches = eliminate_using(t, principle, xs, names, stx.kind, _generalized(t, stx, xs))
    else:
        branches, order = _split(t, xs[0], stx)
    rest = list(t.goals)
    if stx.alts is None:
        t.goals = [*(b.goal for b in branches), *rest]
        return
    _run_alternatives(t, stx, list(order), branches, rest)


def _default_eliminator(t: Tactics, target: FVar, kind: str) -> ast.Term | None:
    """What `@[induction_eliminator]` or `@[cases_eliminator]` registered for the target's type."""
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
    """Split by the type's constructors; also the names of all alternatives, with their constructors."""
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
    """For each variable of an alternative, fields and then hypotheses, whether it is explicit."""
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
    """What `generalizing` names.

    Raises:
        MetaError: The targets depend on it, or it depends on them, which is seen to without asking.
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
    """The names that the alternatives give, by what `order` has for the name of the alternative.

    Args:
        stx: The tactic.
        order: All alternatives.
        flags: For each variable of an alternative whether it is explicit: only those get names without `@`.

    Raises:
        MetaError: An alternative is unknown, there twice, or names too many variables.
    """
    heads = [(head, given, alt.explicit) for alt in stx.alts or () for head, given in alt.ctors]
    seen: list[str] = []
    unknown: list[str] = []
    for i, (head, _, _) in enumerate(heads):
        if head == "_":
            if i != len(heads) - 1:
                raise MetaError(
                    "Invalid occurrence of the wildcard alternative `| _ => ...`: It must be the last alternative"
                )
        elif head in seen:
            raise MetaError(f"Duplicate alternative name `{head}`")
        else:
            seen.append(head)
            unknown += [] if head in order else [head]
    if unknown:
        left = [f"`{name}`" for name in order if name not in seen]
        said = f"Expected {_or_list(left)}" if left else "There are no unhandled alternatives"
        raise MetaError(f"Invalid alternative name `{unknown[0]}`: {said}")
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
        """What is to be proved for an alternative, after what is run at the start of each."""
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
                        errors.append(error)  # the other alternatives can be tried all the same
    errors += [MetaError(f"Alternative `{name}` has not been provided") for name in todo if enter(name)]
    if errors:
        raise together(errors)
    t.goals = [*left, *rest]


def _run_alternative(t: Tactics, alt: ast.CaseAlt, goal: MVar) -> list[MVar]:
    """Run what stands behind `=>`; the goals that a hole there, or nothing, leaves."""
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


def tac_by_cases(t: Tactics, stx: ast.ByCases) -> None:
    """`by_cases h : p`: goals `pos` with `h : p` and `neg` with `h : ¬p`."""
    m = t.m
    el = t.elab()
    prop = el.elab(stx.prop, PROP)
    type_ = t.infer(prop)
    coerced = prop if el.agree(prop, type_, PROP) else el.coerce(prop, type_, PROP)
    if coerced is None:
        application = mk_apps(m.const("dite"), (m.new_type_mvar(), prop))
        raise MetaError(
            f"Application type mismatch: The argument\n  {t.show(prop)}\nhas type\n  {t.show(type_)}\n"
            f"but is expected to have type\n  Prop\nin the application\n  {t.show(application)}"
        )
    prop = coerced
    el.synthesize()
    prop = check_no_holes(el, prop)
    name = "h✝" if stx.name in (None, "_") else stx.name
    goal, tag = t.main, t.tag
    target = t.target
    decl = m.mvar_decl(goal)
    fns, goals = [], []
    for label, hypothesis in (("pos", prop), ("neg", mk_app(mk_const("Not"), prop))):
        fvar, lctx = decl.lctx.push(name, hypothesis)
        new = t.new_goal(target, f"{tag}.{label}" if tag else label, lctx)
        with m.with_lctx(lctx):
            fns.append(m.mk_lambda([fvar], new))
        goals.append(new)
    level = sort_level(m, target)
    if is_prop(m, target):
        em = mk_app(mk_const("Classical.em"), prop)
        value = mk_apps(mk_const("Or.elim"), (prop, mk_app(mk_const("Not"), prop), target, em, *fns))
    else:
        instance = el.instance(mk_app(mk_const("Decidable"), prop))
        value = mk_apps(mk_const("dite", (level,)), (target, prop, instance, *fns))
    t.assign(goal, value)
    t.replace_main(goals)


def tac_if(t: Tactics, stx: ast.IfTac) -> None:
    """`if h : c then tacs else tacs`: `refine` of the term, then each block closes its goal."""
    name = "h✝" if stx.name in (None, "_") else stx.name
    holes: list[ast.Term] = []
    blocks: list[tuple[str, ast.TacSeq]] = []
    for tag, branch in (("pos", stx.then), ("neg", stx.orelse)):
        if isinstance(branch, ast.NamedHole):
            holes.append(branch)
            continue
        # the user cannot write these names, so none of the user's own holes is meant
        own = tag if isinstance(branch, ast.Term) else f"{tag}✝"
        holes.append(ast.NamedHole(own, start=branch.start, end=branch.end))
        if isinstance(branch, ast.TacSeq):
            blocks.append((own, branch))
    before, t.m.classical = t.m.classical, True
    try:
        refine(t, ast.If(name, stx.cond, *holes, start=stx.start, end=stx.end))
    finally:
        t.m.classical = before
    for own, block in blocks:
        goal = next(g for g in t.goals if t.m.mvar_decl(g).tag == own)
        others = [g for g in t.goals if g is not goal]
        t.goals = [retag(t, goal, "")]
        t.m.lctx = t.m.mvar_decl(t.goals[0]).lctx
        t.run_block(block)
        t.prune()
        if t.goals:
            raise t.unsolved()
        t.goals = others


def tac_match(t: Tactics, stx: ast.MatchTac) -> None:
    """`match d with | p => tacs`: the term, whose alternatives are tactic blocks or goals.

    Alternatives `_` are goals `match_1`, `match_2`, .. below the tag of the goal.
    """
    assert isinstance(stx.match, ast.Match | ast.FunMatch)
    tag = t.m.mvar_decl(t.main).tag.rstrip("✝")
    alts = []
    count = 0
    for alt in stx.match.alts:
        if isinstance(alt.body, ast.Hole):
            count += 1
            name = f"{tag}.match_{count}" if tag else f"match_{count}"
            alt = replace(alt, body=ast.NamedHole(name, start=alt.body.start, end=alt.body.end))
        alts.append(alt)
    match = replace(stx.match, alts=tuple(alts))
    # implicit arguments of the goal are not introduced
    refine(t, ast.Explicit(match, start=match.start, end=match.end) if type(match) is ast.Match else match)


def case_goal(t: Tactics, tag: str) -> MVar | None:
    """The first goal with this tag, else with it as a suffix, else as a prefix."""
    t.prune()
    if tag == "_":
        return t.goals[0] if t.goals else None
    tags = [(g, t.m.mvar_decl(g).tag.rstrip("✝")) for g in t.goals]
    exact = [g for g, own in tags if own == tag]
    suffix = [g for g, own in tags if own.endswith("." + tag)]
    prefix = [g for g, own in tags if own.startswith(tag + ".")]
    return next(iter([*exact, *suffix, *prefix]), None)


def tac_case(t: Tactics, stx: ast.CaseTac) -> None:
    """`case tag x y => tacs`, `case' ...`, `next x => tacs`."""
    for tag, names in stx.tags:
        goal = case_goal(t, tag)
        if goal is None:
            raise MetaError(_no_case(t, tag))
        others = [g for g in t.goals if g is not goal]
        new = rename_inaccessible(t, goal, names) if names else goal
        own = t.m.mvar_decl(new).tag
        if stx.kind != "case'":
            new = retag(t, new, "")
        t.goals = [new]
        t.m.lctx = t.m.mvar_decl(new).lctx
        if stx.kind == "case'":
            t.run_block(stx.block)
            t.prune()
        else:
            tac_bullet(t, ast.Bullet(stx.block, start=stx.start, end=stx.end))
        if len(t.goals) == 1:
            retag(t, t.goals[0], own)
        t.goals = [*t.goals, *others]


def _no_case(t: Tactics, tag: str) -> str:
    tags = [own for g in t.goals if (own := t.m.mvar_decl(g).tag.rstrip("✝"))]
    text = f"Case tag `{tag}` not found."
    if not tags:
        return text + "\n\nNote: There are no cases to select."
    if len(tags) == 1:
        return text + f"\n\nHint: The only available case tag is `{tags[0]}`."
    return text + "\n\nHint: Available tags:" + "".join(f"\n  `{own}`" for own in tags)


register(
    {
        (ast.Cases, ""): tac_cases,
        (ast.ByCases, ""): tac_by_cases,
        (ast.IfTac, ""): tac_if,
        (ast.MatchTac, ""): tac_match,
        (ast.CaseTac, ""): tac_case,
    }
)
