"""`cases`, `induction` with and without alternatives, `by_cases`, `subst`, `injection`, `generalize`.

Source: Lean 4 `src/Lean/Elab/Tactic/Induction.lean`, `Injection.lean`, `Generalize.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.minilean.kernel.declaration import Constructor
from lean_gym.minilean.kernel.expr import (
    PROP,
    FVar,
    MVar,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from lean_gym.minilean.meta.errors import MetaError, UnsupportedError
from lean_gym.minilean.meta.infer import is_prop, sort_level
from lean_gym.minilean.meta.metavars import occurs_fvar
from lean_gym.minilean.meta.whnf import whnf, whnf_core
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.tactics.apply import apply_term
from lean_gym.minilean.tactics.cases import (
    Branch,
    cases_fvar,
    clash,
    close_with_false,
    constructor_form,
    eliminate,
    explicit_fields,
    generalize_term,
    injection_equations,
    major_of,
    subst_hypothesis,
    subst_var,
)
from lean_gym.minilean.tactics.intro import assert_hypothesis, introduce, rename_inaccessible, revert
from lean_gym.minilean.tactics.state import TacticFn, Tactics, retag


def tac_cases(t: Tactics, stx: ast.Cases) -> None:
    """`cases h : e with | c x y => tacs` and `induction x generalizing y with ...`."""
    if stx.using is not None:
        raise UnsupportedError(f"`{stx.kind} ... using`")
    if len(stx.targets) != 1:
        raise UnsupportedError(f"`{stx.kind}` on several targets")
    eq_name, term = stx.targets[0]
    major = _target_variable(t, term, eq_name, stx.kind)
    branches = _split(t, major, stx)
    rest = list(t.goals)
    if stx.alts is None:
        t.goals = [*(b.goal for b in branches), *rest]
        return
    _run_alternatives(t, stx, branches, rest)


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
    general: list[str] = []
    if stx.generalizing:
        xs: list[FVar] = []
        for name in stx.generalizing:
            decl = t.hypothesis(name)
            if decl.fvar is major or t.mentions(m.local(major).type, {decl.fvar.id}):
                raise MetaError(
                    f"Variable `{name}` cannot be generalized because the induction target depends on it"
                )
            xs.append(decl.fvar)
        general = [d.name for d in revert(t, xs)]
    branches = eliminate(t, major, names, True, "induction")
    if general:
        rest = t.goals
        for branch in branches:
            t.goals = [branch.goal]
            introduce(t, general)
            branch.goal = t.goals[0]
        t.goals = rest
    return branches


def _names(t: Tactics, major: FVar, stx: ast.Cases) -> dict[str, Sequence[str]]:
    """The names that the alternatives give, by full constructor name; also checks the alternatives."""
    if stx.alts is None:
        return {}
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, stx.kind)
    ctors = {c.rpartition(".")[2]: c for c in info.decl.constructors}
    names: dict[str, Sequence[str]] = {}
    for i, alt in enumerate(stx.alts):
        for head, given in alt.ctors:
            short = head.rpartition(".")[2]
            if head == "_":
                if i != len(stx.alts) - 1:
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
            names[ctors[short]] = given if alt.explicit else _with_implicit(t, ctors[short], given)
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


def tac_subst(t: Tactics, stx: ast.NamesTactic) -> None:
    """`subst h` for `h : a = b` with a variable on one side, or `subst x`."""
    m = t.m
    for name in stx.names:
        m.lctx = m.mvar_decl(t.main).lctx
        decl = t.hypothesis(name)
        if is_app_of(whnf(m, m.instantiate_mvars(decl.type)), "Eq", 3):
            subst_hypothesis(t, decl.fvar)
        else:
            _subst_variable(t, decl.fvar, name)


def _subst_variable(t: Tactics, var: FVar, name: str) -> None:
    m = t.m
    for decl in list(m.lctx):
        type_ = m.instantiate_mvars(decl.type)
        if not is_app_of(type_, "Eq", 3):
            continue
        _, (_, a, b) = get_app(type_)
        if b is var and not occurs_fvar(m.instantiate_mvars(a), var):
            subst_var(t, decl.fvar, var, True)
            return
        if a is var and not occurs_fvar(m.instantiate_mvars(b), var):
            subst_var(t, decl.fvar, var, False)
            return
    raise t.failed("subst", f"did not find equation for eliminating '{name}'")


def tac_subst_vars(t: Tactics, stx: ast.Simple) -> None:
    """`subst_vars`: every equation with a variable side."""
    m = t.m
    progress = True
    while progress:
        progress = False
        m.lctx = m.mvar_decl(t.main).lctx
        for decl in list(m.lctx):
            type_ = m.instantiate_mvars(decl.type)
            if not is_app_of(type_, "Eq", 3):
                continue
            _, (_, a, b) = get_app(type_)
            for side, forward in ((b, True), (a, False)):
                if type(side) is FVar and (
                    t.attempt(lambda d=decl, v=side, f=forward: subst_var(t, d.fvar, v, f)) is None  # type: ignore[misc]
                ):
                    progress = True
                    break
            if progress:
                break


def tac_injection(t: Tactics, stx: ast.Injection) -> None:
    """`injection h with h1 h2`."""
    m = t.m
    e = t.term(stx.term)
    type_ = whnf(m, t.infer(e))
    if not is_app_of(type_, "Eq", 3):
        raise t.failed("injection", "equality of constructor applications expected")
    _, (alpha, a, b) = get_app(type_)
    proof = clash(t, e, alpha, a, b)
    if proof is not None:
        close_with_false(t, proof)
        return
    left, right = constructor_form(t, a), constructor_form(t, b)
    if left is None or right is None:
        raise t.failed("injection", "equality of constructor applications expected")
    names = list(stx.names)
    for value, equation, field in injection_equations(t, e, alpha, left, right):
        name = names.pop(0) if names else f"{field.rstrip('✝')}_eq✝"
        assert_hypothesis(t, name, equation, value)


def tac_generalize(t: Tactics, stx: ast.Generalize) -> None:
    """`generalize h : e = x`."""
    if stx.location is not None:
        raise UnsupportedError("`generalize ... at`")
    for eq_name, term, name in stx.args:
        m = t.m
        m.lctx = m.mvar_decl(t.main).lctx
        generalize_term(t, t.term(term), name, "h✝" if eq_name == "_" else eq_name)


def tac_ext(t: Tactics, stx: ast.NamesTactic) -> None:
    """`funext x`, `ext x`: equality of functions at a point."""
    m = t.m
    names: list[str | None] = list(stx.names) or [None]
    for name in names:
        target = whnf_core(m, t.target)
        if not is_app_of(target, "Eq", 3):
            raise t.failed(stx.name, "the target is not an equality of functions")
        tag = t.tag
        goals = apply_term(t, m.const("funext"), set(m.mctx.decls))
        t.goals = [*[retag(t, g, tag) for g in goals], *t.goals]
        introduce(t, [name])


def tac_match(t: Tactics, stx: ast.MatchTac) -> None:
    """`match` as a tactic is outside the fragment."""
    raise UnsupportedError("`match` as a tactic; use `cases` or `rcases`")


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
    (ast.NamesTactic, "subst"): tac_subst,  # type: ignore[dict-item]
    (ast.Simple, "subst_vars"): tac_subst_vars,  # type: ignore[dict-item]
    (ast.Injection, ""): tac_injection,  # type: ignore[dict-item]
    (ast.Generalize, ""): tac_generalize,  # type: ignore[dict-item]
    (ast.NamesTactic, "funext"): tac_ext,  # type: ignore[dict-item]
    (ast.NamesTactic, "ext"): tac_ext,  # type: ignore[dict-item]
    (ast.MatchTac, ""): tac_match,  # type: ignore[dict-item]
    (ast.CaseTac, ""): tac_case,  # type: ignore[dict-item]
}
