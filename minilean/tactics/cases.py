"""Case analysis and induction: `cases`, `induction`.

Source: Lean 4 `src/Lean/Meta/Tactic/{Cases,Induction}.lean` (4.34). Indices that are not variables are generalized
first; the resulting equations are then solved by substitution and injectivity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from minilean.kernel.declaration import Recursor
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_apps,
    mk_const,
    mk_pi,
)
from minilean.kernel.instantiate import (
    beta_apply,
    instantiate1,
    instantiate_level_params,
    replace,
)
from minilean.kernel.level import ZERO, Level
from minilean.meta.context import LocalContext, LocalDecl
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_nat_add, mk_numeral
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.tactics.constructors import Major, major_of
from minilean.tactics.equations import Subst, introduce_again, solve_equation, solve_equations
from minilean.tactics.hypotheses import intro_one, introduce, revert, try_clear
from minilean.tactics.state import Tactics, retag


@dataclass(slots=True)
class Branch:
    """One case: its constructor, its goal, and the new variables (fields, then induction hypotheses).

    `subst` has the term that replaces each local variable that was reintroduced or eliminated.
    """

    ctor: str
    goal: MVar
    fields: list[FVar]
    hypotheses: list[FVar]
    subst: Subst = field(default_factory=dict)


# --- one elimination ---------------------------------------------------------------------------------------


def eliminate(
    t: Tactics,
    major: FVar,
    names: Mapping[str, Sequence[str]],
    induct: bool,
    tactic: str,
    general: Sequence[FVar] = (),
) -> list[Branch]:
    """Split the main goal by the constructors of `major`'s type; the goals are not put into `t.goals`.

    Args:
        t: The tactic state; its main goal is consumed.
        major: A local variable whose indices are distinct variables.
        names: Names for the new variables, by constructor; missing ones are machine-made.
        induct: Give each branch its induction hypotheses.
        tactic: The name of the tactic in messages.
        general: Variables that induction hypotheses quantify over, besides those that depend on `major`.
    """
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, tactic)
    if induct:
        _check_one_motive(info)
    own = [*info.indices, major]
    dependents = {d.fvar for d in t.dependents(own)}.union(general)
    reverted = revert(t, [d.fvar for d in m.lctx if d.fvar in dependents]) if dependents else []
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    target = m.instantiate_mvars(decl.type)
    rec = m.env.find(f"{info.decl.name}.rec")
    assert isinstance(rec, Recursor)
    levels = _rec_levels(t, info, target, tactic)
    motive = m.mk_lambda(own, target)
    if induct and info.indices:
        _check_motive(t, info, rec, levels, motive)
    gone = {major.id} | ({x.id for x in info.indices} if not induct else set())  # type: ignore[attr-defined]
    base = decl.lctx.without(gone)
    branches, minors = _branches(t, info, rec, levels, motive, base, names, induct, decl.tag)
    if rec.num_motives == 1:
        value = mk_apps(mk_const(rec.name, levels), [*info.params, motive, *minors, *own])
    else:
        cases_on = mk_const(f"{info.decl.name}.casesOn", levels)
        value = mk_apps(cases_on, [*info.params, motive, *own, *minors])
    t.assign(goal, value)
    t.goals.remove(goal)
    for branch in branches:
        branch.subst[major.id] = mk_apps(
            mk_const(branch.ctor, info.fn.levels), [*info.params, *branch.fields]
        )
        _reintroduce(t, branch, reverted)
    return branches


def _check_motive(t: Tactics, info: Major, rec: Recursor, levels: Sequence[Level], motive: Expr) -> None:
    """Refuse a motive whose type is not that of the recursor's: an index is also a parameter, as in `h : a = a`.

    Raises:
        MetaError: It is not.
    """
    m = t.m
    type_ = instantiate_level_params(rec.type, rec.level_params, levels)
    for param in info.params:
        assert type(type_) is Pi, "a recursor takes the parameters first"
        type_ = instantiate1(type_.body, param)
    assert type(type_) is Pi, "then the motive"
    found = infer_type(m, motive)
    if not is_def_eq(m, found, type_.type):
        raise MetaError(
            f"Type mismatch when assigning motive\n  {t.show(motive)}\nhas type\n  {t.show(found)}\n"
            f"but is expected to have type\n  {t.show(type_.type)}"
        )


def _check_one_motive(info: Major) -> None:
    """Refuse induction on mutual and nested types, whose recursors have several motives."""
    if len(info.decl.all) == 1 and not info.decl.num_nested:
        return
    kind = "a nested inductive type" if len(info.decl.all) == 1 else "mutually inductive"
    raise MetaError(
        f"The `induction` tactic does not support the type `{info.decl.name}` because it is {kind}\n\n"
        "Hint: Consider using the `cases` tactic instead"
    )


def _rec_levels(t: Tactics, info: Major, target: Expr, tactic: str) -> tuple[Level, ...]:
    m = t.m
    level = sort_level(m, target)
    if info.decl.large_elim:
        return (level, *info.fn.levels)
    if m.instantiate_level(level) is not ZERO and not is_prop(m, target):
        error = t.failed("induction", f"recursor `{info.decl.name}.casesOn` can only eliminate into `Prop`")
        nested = "" if tactic == "induction" else "Tactic `cases` failed with a nested error:\n"
        raise MetaError(f"{nested}{error}")
    return info.fn.levels


def _branches(
    t: Tactics,
    info: Major,
    rec: Recursor,
    levels: tuple[Level, ...],
    motive: Expr,
    base: LocalContext,
    names: Mapping[str, Sequence[str]],
    induct: bool,
    tag: str,
) -> tuple[list[Branch], list[Expr]]:
    m = t.m
    old = m.lctx
    eliminator = rec.name if rec.num_motives == 1 else f"{info.decl.name}.casesOn"
    type_ = infer_type(m, mk_apps(mk_const(eliminator, levels), info.params))
    assert type(type_) is Pi
    placeholder = m.push_local("motive", type_.type, hidden=True)
    type_ = instantiate1(type_.body, placeholder)
    if rec.num_motives > 1:
        # the minor premises come after the indices and the major premise, and do not mention them
        for _ in range(len(info.indices) + 1):
            assert type(type_) is Pi
            type_ = type_.body
    branches: list[Branch] = []
    minors: list[Expr] = []

    def fill(e: Expr) -> Expr:
        """Replace the placeholder by the motive."""

        def at(sub: Expr, _depth: int) -> Expr | None:
            if get_app_fn(sub) is placeholder:
                _, args = get_app(sub)
                return beta_apply(motive, [replace(a, at) for a in args])
            return None

        return replace(e, at)

    for ctor in info.decl.constructors:
        assert type(type_) is Pi
        minor, type_ = type_.type, type_.body
        m.lctx = base
        given = list(names.get(ctor, ()))
        fields: list[FVar] = []
        hyps: list[FVar] = []
        binders: list[FVar] = []
        while type(minor) is Pi:
            domain = minor.type
            head = domain
            while type(head) is Pi:
                head = head.body
            is_ih = get_app_fn(head) is placeholder
            name = _binder_name(info, minor.name, is_ih)
            if given and (not is_ih or induct):
                chosen = given.pop(0)
                name = name if chosen == "_" else chosen
            x = m.push_local(name, fill(domain), minor.info)
            if is_ih and not induct:
                # `cases` does not use it: it is bound, but not in the context of the goal
                binders.append(x)
                minor = instantiate1(minor.body, x)
                continue
            (hyps if is_ih else fields).append(x)
            binders.append(x)
            minor = instantiate1(minor.body, x)
        target = fill(_nat_form(m, minor, placeholder))
        lctx = m.lctx
        if not induct:
            lctx = lctx.without({x.id for x in binders if x not in fields})
        short = ctor.rpartition(".")[2]
        goal = t.new_goal(target, f"{tag}.{short}" if tag else short, lctx)
        minors.append(m.mk_lambda(binders, goal))
        branches.append(Branch(ctor, goal, fields, hyps))
    m.lctx = old
    return branches, minors


def _binder_name(info: Major, name: str, is_ih: bool) -> str:
    # Nat's own eliminator leaves the induction hypothesis unnamed.
    if is_ih and info.decl.name == "Nat":
        name = "a"
    return name.replace("✝", "") + "✝"


def _nat_form(m: Meta, e: Expr, motive: Expr) -> Expr:
    """Write `Nat.zero` as `0` and `Nat.succ n` as `n + 1` below the motive, as Lean's eliminator for `Nat` does."""
    fn, args = get_app(e)
    # the library splits numbers once before it has `+`: in the equations of `Nat.add`
    if fn is not motive or not args or m.env.find("instAddNat") is None:
        return e
    last = args[-1]
    if type(last) is Const and last.name == "Nat.zero":
        args[-1] = mk_numeral(0)
    elif is_app_of(last, "Nat.succ", 1):
        args[-1] = mk_nat_add(last.arg, 1)  # type: ignore[attr-defined]
    return mk_apps(fn, args)


def _reintroduce(t: Tactics, branch: Branch, reverted: Sequence[LocalDecl]) -> None:
    if not reverted:
        return
    rest = t.goals
    t.goals = [branch.goal]
    introduce_again(t, reverted, branch.subst)
    branch.goal = t.goals[0]
    t.goals = rest
    t.m.lctx = t.m.mvar_decl(branch.goal).lctx


# --- cases with indices ------------------------------------------------------------------------------------


def cases_fvar(
    t: Tactics, major: FVar, names: Mapping[str, Sequence[str]] | None, tactic: str = "cases"
) -> list[Branch]:
    """Run `cases` on a local variable; return the goals that are left, without the cases that cannot occur."""
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    if m.local(major).value is not None:
        # a variable with a value stays; no motive can abstract it
        major = generalize_term(t, major, m.local(major).name, None)
    names = names or {}
    info = major_of(t, m.local(major).type, tactic)
    if info.decl.name == "Eq" and len(info.indices) == 1:
        return _cases_eq(t, major, tactic)
    if not info.indices or _independent(t, info, major):
        return eliminate(t, major, names, False, tactic)
    return _cases_generalized(t, major, info, names, tactic)


def _independent(t: Tactics, info: Major, major: FVar) -> bool:
    """Return whether the indices are distinct variables outside the parameters on which only `major` depends."""
    ids = [x.id for x in info.indices if type(x) is FVar and t.m.local(x).value is None]
    if len(ids) != len(info.indices) or len(set(ids)) != len(ids):
        return False
    if any(t.mentions(p, set(ids)) for p in info.params):
        return False
    return all(d.fvar is major for d in t.dependents(info.indices))


def _cases_eq(t: Tactics, major: FVar, tactic: str) -> list[Branch]:
    tag = t.tag
    goal = t.main
    rest = [g for g in t.goals if g is not goal]
    t.goals = [goal]
    subst: Subst = {}
    out = []
    if not _solved(tactic, "Eq.refl", lambda: solve_equation(t, major, subst, turned=True)):
        left = t.goals[0]
        out.append(Branch("Eq.refl", left, [], [], subst))
        short = f"{tag}.refl" if tag else "refl"
        retag(t, left, short)
    t.goals = rest
    return out


def _solved(tactic: str, ctor: str, solve: Callable[[], bool]) -> bool:
    """Solve the equations of a constructor; the patterns of `rcases` say for which one that failed."""
    try:
        return solve()
    except (UnsupportedError, BudgetError):
        raise
    except MetaError as error:
        if tactic != "rcases":
            raise
        raise MetaError(f"Tactic `cases` failed with a nested error:\n{error}\nat case `{ctor}`") from None


def _cases_generalized(
    t: Tactics, major: FVar, info: Major, names: Mapping[str, Sequence[str]], tactic: str
) -> list[Branch]:
    """Replace the indices by fresh variables with equations, split, then solve the equations."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    rest = [g for g in t.goals if g is not goal]
    target = t.target
    # the goal or a hypothesis mentions the major: add an equation between the old and the new one
    told = not is_prop(m, m.local(major).type) and (
        t.mentions(target, {major.id}) or len(t.dependents([major])) > 0
    )
    # New context: fresh indices js, equations, and a fresh major of the generalized type.
    m.lctx = decl.lctx
    former = mk_apps(info.fn, info.params)
    type_ = whnf(m, infer_type(m, former))
    fresh: list[FVar] = []
    for i, _ in enumerate(info.indices):
        assert type(type_) is Pi
        x = m.push_local(f"x{i}✝", type_.type)
        fresh.append(x)
        type_ = whnf(m, instantiate1(type_.body, x))
    new_major = m.push_local(m.local(major).name, mk_apps(former, fresh))
    equations, refls = [], []
    for index, x in zip(info.indices, fresh, strict=True):
        x_type, index_type = m.local(x).type, m.instantiate_mvars(infer_type(m, index))
        same = is_def_eq(m, x_type, index_type)
        relation, levels = "Eq" if same else "HEq", (sort_level(m, index_type),)
        right = (x,) if same else (x_type, x)
        equations.append(mk_apps(mk_const(relation, levels), (index_type, index, *right)))
        refls.append(mk_apps(mk_const(f"{relation}.refl", levels), (index_type, index)))
    if told:
        major_type, new_type = m.instantiate_mvars(m.local(major).type), m.local(new_major).type
        levels = (sort_level(m, major_type),)
        equations.append(mk_apps(mk_const("HEq", levels), (major_type, major, new_type, new_major)))
        refls.append(mk_apps(mk_const("HEq.refl", levels), (major_type, major)))
    body = target
    for equation in reversed(equations):
        body = mk_pi("h✝", equation, body)
    xs = [*fresh, new_major]
    general = m.mk_pi(xs, body)
    m.lctx = decl.lctx
    fn = t.new_goal(general, decl.tag, decl.lctx)
    t.assign(goal, mk_apps(fn, [*info.indices, major, *refls]))
    t.goals = [fn]
    try_clear(t, major)
    introduce(t, [f"x{i}✝" for i in range(len(fresh))])
    split = intro_one(t, m.local(major).name if major.id in m.lctx else "x✝")
    branches = eliminate(t, split, names, False, tactic)
    out: list[Branch] = []
    for branch in branches:
        t.goals = [branch.goal]
        solve = partial(solve_equations, t, len(equations), branch.subst)
        if _solved(tactic, branch.ctor, solve):
            continue
        branch.subst.setdefault(major.id, branch.subst[split.id])
        fields = [branch.subst.get(x.id, x) for x in branch.fields]
        out.append(Branch(branch.ctor, t.goals[0], [x for x in fields if type(x) is FVar], [], branch.subst))
    t.goals = rest
    return out


def generalize_term(t: Tactics, e: Expr, name: str, eq_name: str | None) -> FVar:
    """Replace `e` by a new variable in the target (with `eq_name : e = x` if asked for)."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    type_ = m.instantiate_mvars(infer_type(m, e))
    x = m.push_local(name, type_)
    body = kabstract(m, decl.type, e)
    target = m.instantiate_mvars(decl.type) if body is None else instantiate1(body, x)
    level = sort_level(m, type_)
    xs: list[FVar] = [x]
    args = [e]
    if eq_name is not None:
        xs.append(m.push_local(eq_name, mk_apps(mk_const("Eq", (level,)), (type_, e, x))))
        args.append(mk_apps(mk_const("Eq.refl", (level,)), (type_, e)))
    lctx = m.lctx
    new = t.new_goal(target, decl.tag, lctx)
    t.assign(goal, mk_apps(m.mk_lambda(xs, new), args))
    t.replace_main([new])
    m.lctx = lctx
    return x
