"""`cases`, `induction` with and without alternatives, `by_cases`, `match`, `case`.

Source: Lean 4 `src/Lean/Elab/Tactic/Induction.lean`, `Match.lean`, `BuiltinTactic.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.minilean.kernel.declaration import Constructor
from lean_gym.minilean.kernel.expr import (
    PROP,
    FVar,
    MVar,
    mk_app,
    mk_apps,
    mk_const,
)
from lean_gym.minilean.meta.errors import MetaError
from lean_gym.minilean.meta.infer import is_prop, sort_level
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.tactics.apply import refine
from lean_gym.minilean.tactics.cases import Branch, cases_fvar, eliminate, generalize_term
from lean_gym.minilean.tactics.constructors import explicit_fields, major_of
from lean_gym.minilean.tactics.eliminator import eliminate_using, read_principle
from lean_gym.minilean.tactics.intro import assert_hypothesis, introduce, rename_inaccessible, revert
from lean_gym.minilean.tactics.state import TacticFn, Tactics, retag


def tac_cases(t: Tactics, stx: ast.Cases) -> None:
    """`cases h : e with | c x y => tacs` and `induction x using r generalizing y with ...`."""
    if stx.using is not None:
        branches = _split_using(t, stx, stx.using)
    else:
        if len(stx.targets) != 1:
            raise MetaError(
                "eliminator must be provided when multiple targets are used (use 'using <eliminator-name>'), and "
                "no default eliminator has been registered using attribute `[eliminator]`"
            )
        eq_name, term = stx.targets[0]
        major = _target_variable(t, term, eq_name, stx.kind)
        branches = _split(t, major, stx)
    rest = list(t.goals)
    if stx.alts is None:
        t.goals = [*(b.goal for b in branches), *rest]
        return
    _run_alternatives(t, stx, branches, rest)


def _split_using(t: Tactics, stx: ast.Cases, using: ast.Term) -> list[Branch]:
    """Split by a principle that the user named."""
    m = t.m
    principle = read_principle(t, using)
    xs: list[FVar] = []
    for eq_name, term in stx.targets:
        xs.append(_target_variable(t, term, eq_name, stx.kind))
        m.lctx = m.mvar_decl(t.main).lctx
    names = _given_names(t, stx, {name: name for name, _ in principle.alternatives.values()})
    general = _revert_generalized(t, stx, xs)
    branches = eliminate_using(t, principle, xs, names, stx.kind)
    _introduce_generalized(t, branches, general)
    return branches


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


def _split(t: Tactics, major: FVar, stx: ast.Cases) -> list[Branch]:
    names = _names(t, major, stx)
    if stx.kind == "cases":
        return cases_fvar(t, major, names)
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, "induction")
    for index in info.indices:
        if type(index) is not FVar:
            raise MetaError(
                "Invalid target: Index in target's type is not a variable (consider using the `cases` tactic "
                f"instead)\n  {t.show(index)}"
            )
    general = _revert_generalized(t, stx, [major])
    branches = eliminate(t, major, names, True, "induction")
    _introduce_generalized(t, branches, general)
    return branches


def _revert_generalized(t: Tactics, stx: ast.Cases, targets: Sequence[FVar]) -> list[str]:
    """Revert what `generalizing` names and what depends on it; the names to introduce it again."""
    m = t.m
    xs: list[FVar] = []
    for name in stx.generalizing:
        decl = t.hypothesis(name)
        if any(decl.fvar is x or t.mentions(m.local(x).type, {decl.fvar.id}) for x in targets):
            raise MetaError(
                f"Variable `{name}` cannot be generalized because the induction target depends on it"
            )
        xs.append(decl.fvar)
    return [d.name for d in revert(t, xs)] if xs else []


def _introduce_generalized(t: Tactics, branches: list[Branch], general: Sequence[str]) -> None:
    rest = t.goals
    for branch in branches if general else ():
        t.goals = [branch.goal]
        introduce(t, general)
        branch.goal = t.goals[0]
    t.goals = rest


def _names(t: Tactics, major: FVar, stx: ast.Cases) -> dict[str, Sequence[str]]:
    """The names that the alternatives give, by full constructor name; also checks the alternatives."""
    if stx.alts is None:
        return {}
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, stx.kind)
    return _given_names(t, stx, {c.rpartition(".")[2]: c for c in info.decl.constructors})


def _given_names(t: Tactics, stx: ast.Cases, ctors: dict[str, str]) -> dict[str, Sequence[str]]:
    """The names that the alternatives give, by what `ctors` has for the name of the alternative."""
    names: dict[str, Sequence[str]] = {}
    alts = stx.alts or ()
    for i, alt in enumerate(alts):
        for head, given in alt.ctors:
            short = head.rpartition(".")[2]
            if head == "_":
                if i != len(alts) - 1:
                    raise MetaError(
                        "Invalid occurrence of the wildcard alternative `| _ => ...`: It must be the last alternative"
                    )
                continue
            if short not in ctors:
                expected = ", ".join(f"`{c}`" for c in ctors)
                if len(ctors) > 1:
                    expected = " or ".join(
                        [", ".join(f"`{c}`" for c in list(ctors)[:-1]), f"`{list(ctors)[-1]}`"]
                    )
                raise MetaError(f"Invalid alternative name `{short}`: Expected {expected}")
            if ctors[short] in names:
                raise MetaError(f"Duplicate alternative name `{short}`")
            full = isinstance(t.m.env.find(ctors[short]), Constructor) and not alt.explicit
            names[ctors[short]] = _with_implicit(t, ctors[short], given) if full else given
    return names


def _with_implicit(t: Tactics, ctor: str, given: Sequence[str]) -> list[str]:
    """Names for explicit fields only, padded so that implicit fields stay machine-made."""
    decl = t.m.env.find(ctor)
    assert isinstance(decl, Constructor)
    todo = list(given)
    names = []
    for explicit in explicit_fields(decl):
        if not explicit:
            names.append("_")
        elif todo:
            names.append(todo.pop(0))
        else:
            break
    return names + todo


def _run_alternatives(t: Tactics, stx: ast.Cases, branches: list[Branch], rest: list[MVar]) -> None:
    assert stx.alts is not None
    by_ctor: dict[str, ast.CaseAlt] = {}
    wildcard: ast.CaseAlt | None = None
    for alt in stx.alts:
        for head, _ in alt.ctors:
            if head == "_":
                wildcard = alt
            else:
                by_ctor[head.rpartition(".")[2]] = alt
    left: list[MVar] = []
    used: set[int] = set()
    for branch in branches:
        short = branch.ctor.rpartition(".")[2]
        chosen = by_ctor.get(short, wildcard)
        if chosen is None:
            raise MetaError(f"Alternative `{short}` has not been provided")
        used.add(id(chosen))
        t.goals = [branch.goal]
        if stx.pre is not None:
            t.run(stx.pre)
            t.prune()
            if not t.goals:
                continue
        if chosen.body is None:
            left.extend(t.goals)
            continue
        t.run_block(chosen.body)
        t.prune()
        if t.goals:
            raise t.unsolved()
    for alt in stx.alts:
        if id(alt) not in used and alt is not wildcard:
            raise MetaError(f"Alternative `{alt.ctors[0][0]}` is not needed")
    if wildcard is not None and id(wildcard) not in used:
        raise MetaError("Wildcard alternative is not needed")
    t.goals = [*left, *rest]


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
    prop = el.check_no_holes(prop)
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


def tac_match(t: Tactics, stx: ast.MatchTac) -> None:
    """`match d with | p => tacs`: the term, whose alternatives are tactic blocks or goals."""
    refine(t, stx.match)


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
        t.run_block(stx.block)
        t.prune()
        if stx.kind != "case'" and t.goals:
            raise t.unsolved()
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


TABLE: dict[tuple[type, str], TacticFn] = {
    (ast.Cases, ""): tac_cases,  # type: ignore[dict-item]
    (ast.ByCases, ""): tac_by_cases,  # type: ignore[dict-item]
    (ast.MatchTac, ""): tac_match,  # type: ignore[dict-item]
    (ast.CaseTac, ""): tac_case,  # type: ignore[dict-item]
}
