"""Case analysis and induction: `cases`, `induction`, and the equations they leave behind (`subst`, `injection`).

Source: Lean 4 `src/Lean/Meta/Tactic/{Cases,Induction,Subst,Injection,UnifyEq}.lean` (4.34). Indices that are not
variables are generalized first; the equations this makes are then solved by substitution and injectivity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lean_gym.minilean.kernel.declaration import Constructor, Inductive, Recursor
from lean_gym.minilean.kernel.expr import (
    DEFAULT,
    PROP,
    Const,
    Expr,
    FVar,
    Lit,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
)
from lean_gym.minilean.kernel.instantiate import (
    abstract,
    beta_apply,
    head_beta,
    instantiate,
    instantiate1,
    replace,
)
from lean_gym.minilean.kernel.level import ONE, ZERO, Level
from lean_gym.minilean.meta.context import LocalContext, LocalDecl
from lean_gym.minilean.meta.errors import MetaError, UnsupportedError
from lean_gym.minilean.meta.infer import infer_type, is_prop, sort_level
from lean_gym.minilean.meta.kabstract import kabstract
from lean_gym.minilean.meta.metavars import occurs_fvar
from lean_gym.minilean.meta.unify import is_def_eq, mk_nat_add, mk_numeral, nat_literal, nat_offset
from lean_gym.minilean.meta.whnf import literal_to_constructor, unfold_definition, whnf, whnf_core
from lean_gym.minilean.tactics.intro import assert_hypothesis, intro_one, introduce, revert, try_clear
from lean_gym.minilean.tactics.state import Tactics, retag

Subst: TypeAlias = "dict[int, Expr]"
"""Local variables, by id, and what stands for them now."""


@dataclass(slots=True)
class Branch:
    """One case: its constructor, its goal, and the new variables (fields, then induction hypotheses).

    `subst` tells what became of the local variables that were introduced anew or eliminated on the way.
    """

    ctor: str
    goal: MVar
    fields: list[FVar]
    hypotheses: list[FVar]
    subst: Subst = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Major:
    """The inductive type that a hypothesis belongs to."""

    decl: Inductive
    fn: Const
    params: list[Expr]
    indices: list[Expr]


def major_of(t: Tactics, type_: Expr, tactic: str) -> Major:
    """See `type_` as an application of an inductive type, unfolding definitions."""
    m = t.m
    reduced = m.instantiate_mvars(type_)
    while True:
        reduced = whnf_core(m, reduced)
        fn, args = get_app(reduced)
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Inductive):
            assert isinstance(fn, Const)
            return Major(decl, fn, args[: decl.num_params], args[decl.num_params :])
        new = unfold_definition(m, reduced)
        if new is None:
            raise not_inductive(t, type_, tactic)
        reduced = new


def not_inductive(t: Tactics, type_: Expr, tactic: str) -> MetaError:
    """Lean's message for a target that cannot be split."""
    extra = ""
    if type_ is PROP:
        extra = "\n\nConsider using the 'by_cases' tactic, which does true/false reasoning for propositions."
    return t.failed(
        tactic,
        f"major premise type is not an inductive type\n  {t.show(type_)}\n\nExplanation: the `{tactic}` tactic is "
        f"for constructor-based reasoning as well as for applying custom {tactic} principles with a 'using' clause "
        f"or a registered '@[{tactic}_eliminator]' theorem. The above type neither is an inductive type nor has a "
        f"registered theorem.{extra}",
    )


def is_empty_type(t: Tactics, type_: Expr) -> bool:
    """Whether `type_` is an inductive type without constructors."""
    fn = get_app_fn(type_)
    decl = t.m.env.find(fn.name) if type(fn) is Const else None
    return isinstance(decl, Inductive) and not decl.constructors


# --- one elimination ---------------------------------------------------------------------------------------


def eliminate(
    t: Tactics, major: FVar, names: Mapping[str, Sequence[str]], induct: bool, tactic: str
) -> list[Branch]:
    """Split the main goal by the constructors of `major`'s type; the goals are not put into `t.goals`.

    Args:
        t: The tactic state; its main goal is consumed.
        major: A local variable whose indices are distinct variables.
        names: Names for the new variables, by constructor; missing ones are machine-made.
        induct: Whether induction hypotheses are wanted.
        tactic: For messages.
    """
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    info = major_of(t, m.local(major).type, tactic)
    own = [*info.indices, major]
    dependents = t.dependents(own)
    reverted = revert(t, [d.fvar for d in dependents]) if dependents else []
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    target = m.instantiate_mvars(decl.type)
    rec = m.env.find(f"{info.decl.name}.rec")
    assert isinstance(rec, Recursor)
    levels = _rec_levels(t, info, target, tactic)
    motive = m.mk_lambda(own, target)
    gone = {major.id} | ({x.id for x in info.indices} if not induct else set())  # type: ignore[attr-defined]
    base = decl.lctx.without(gone)
    branches, minors = _branches(t, info, rec, levels, motive, base, names, induct, decl.tag)
    value = mk_apps(mk_const(rec.name, levels), [*info.params, motive, *minors, *info.indices, major])
    t.assign(goal, value)
    t.goals.remove(goal)
    for branch in branches:
        _reintroduce(t, branch, reverted)
    return branches


def _rec_levels(t: Tactics, info: Major, target: Expr, tactic: str) -> tuple[Level, ...]:
    m = t.m
    level = sort_level(m, target)
    if info.decl.large_elim:
        return (level, *info.fn.levels)
    if m.instantiate_level(level) is not ZERO and not is_prop(m, target):
        raise t.failed(tactic, f"recursor `{info.decl.name}.casesOn` can only eliminate into `Prop`")
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
    type_ = infer_type(m, mk_apps(mk_const(rec.name, levels), info.params))
    assert type(type_) is Pi
    placeholder = m.push_local("motive", type_.type, hidden=True)
    type_ = instantiate1(type_.body, placeholder)
    branches: list[Branch] = []
    minors: list[Expr] = []

    def fill(e: Expr) -> Expr:
        """Put the motive in the place of its placeholder."""

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
                # `cases` has no use for it: bound, but not seen by the goal
                binders.append(x)
                minor = instantiate1(minor.body, x)
                continue
            (hyps if is_ih else fields).append(x)
            binders.append(x)
            minor = instantiate1(minor.body, x)
        if given:
            raise MetaError(
                f"Too many variable names provided at alternative `{ctor.rpartition('.')[2]}`: "
                f"{len(names[ctor])} provided, but {len(names[ctor]) - len(given)} expected"
            )
        target = fill(_nat_form(minor, placeholder))
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


def _nat_form(e: Expr, motive: Expr) -> Expr:
    """`motive Nat.zero` as `motive 0`, `motive (Nat.succ n)` as `motive (n + 1)`: Lean's custom eliminators."""
    fn, args = get_app(e)
    if fn is not motive or not args:
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


def introduce_again(t: Tactics, reverted: Sequence[LocalDecl], subst: Subst) -> None:
    """Introduce what was reverted under the old names, and note in `subst` what it is now."""
    for decl in reverted:
        extend(subst, decl.fvar, intro_one(t, decl.name))


def extend(subst: Subst, old: FVar, new: Expr) -> None:
    """Add `old := new`, also behind earlier replacements by `old`."""
    for key, value in subst.items():
        if value is old:
            subst[key] = new
        elif occurs_fvar(value, old):
            subst[key] = instantiate1(abstract(value, [old]), new)
    subst[old.id] = new


def explicit_fields(ctor: Constructor) -> list[bool]:
    """For each field of a constructor, whether it is an explicit argument."""
    flags = []
    type_ = ctor.type
    for i in range(ctor.num_params + ctor.num_fields):
        assert type(type_) is Pi
        if i >= ctor.num_params:
            flags.append(type_.info == DEFAULT)
        type_ = type_.body
    return flags


# --- cases with indices ------------------------------------------------------------------------------------


def cases_fvar(
    t: Tactics, major: FVar, names: Mapping[str, Sequence[str]] | None, tactic: str = "cases"
) -> list[Branch]:
    """`cases` on a local variable: the goals that are left, cases that cannot occur removed."""
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    names = names or {}
    info = major_of(t, m.local(major).type, tactic)
    if info.decl.name == "Eq" and len(info.indices) == 1:
        return _cases_eq(t, major)
    if not info.indices or _independent(t, info, major):
        return eliminate(t, major, names, False, tactic)
    return _cases_generalized(t, major, info, names, tactic)


def _independent(t: Tactics, info: Major, major: FVar) -> bool:
    """Indices are distinct variables, not in the parameters, and only `major` depends on them."""
    ids = [x.id for x in info.indices if type(x) is FVar and t.m.local(x).value is None]
    if len(ids) != len(info.indices) or len(set(ids)) != len(ids):
        return False
    if any(t.mentions(p, set(ids)) for p in info.params):
        return False
    return all(d.fvar is major for d in t.dependents(info.indices))


def _cases_eq(t: Tactics, major: FVar) -> list[Branch]:
    tag = t.tag
    goal = t.main
    rest = [g for g in t.goals if g is not goal]
    t.goals = [goal]
    subst: Subst = {}
    out = []
    if not solve_equation(t, major, subst):
        left = t.goals[0]
        out.append(Branch("Eq.refl", left, [], [], subst))
        short = f"{tag}.refl" if tag else "refl"
        retag(t, left, short)
    t.goals = rest
    return out


def _cases_generalized(
    t: Tactics, major: FVar, info: Major, names: Mapping[str, Sequence[str]], tactic: str
) -> list[Branch]:
    """Replace the indices by fresh variables with equations, split, then solve the equations."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    rest = [g for g in t.goals if g is not goal]
    target = t.target
    if t.mentions(target, {major.id}) and not is_prop(m, m.local(major).type):
        raise UnsupportedError("`cases` on an indexed family when the goal depends on it")
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
    equations = []
    for index, x in zip(info.indices, fresh, strict=True):
        x_type, index_type = m.local(x).type, m.instantiate_mvars(infer_type(m, index))
        if not is_def_eq(m, x_type, index_type):
            raise UnsupportedError("`cases` on a family whose indices depend on each other")
        level = sort_level(m, x_type)
        equations.append(mk_apps(mk_const("Eq", (level,)), (x_type, index, x)))
    body = target
    for equation in reversed(equations):
        body = mk_pi("h✝", equation, body)
    xs = [*fresh, new_major]
    general = m.mk_pi(xs, body)
    m.lctx = decl.lctx
    fn = t.new_goal(general, decl.tag, decl.lctx)
    refls = []
    for index in info.indices:
        index_type = m.instantiate_mvars(infer_type(m, index))
        refls.append(mk_apps(mk_const("Eq.refl", (sort_level(m, index_type),)), (index_type, index)))
    t.assign(goal, mk_apps(fn, [*info.indices, major, *refls]))
    t.goals = [fn]
    try_clear(t, major)
    introduce(t, [f"x{i}✝" for i in range(len(fresh))])
    split = intro_one(t, m.local(major).name if major.id in m.lctx else "x✝")
    branches = eliminate(t, split, names, False, tactic)
    out: list[Branch] = []
    for branch in branches:
        t.goals = [branch.goal]
        if _solve_equations(t, len(equations), branch.subst):
            continue
        fields = [branch.subst.get(x.id, x) for x in branch.fields]
        out.append(Branch(branch.ctor, t.goals[0], [x for x in fields if type(x) is FVar], [], branch.subst))
    t.goals = rest
    return out


def _solve_equations(t: Tactics, count: int, subst: Subst) -> bool:
    """Introduce and solve `count` equations; True when that closed the goal."""
    for _ in range(count):
        h = intro_one(t, "h✝")
        if solve_equation(t, h, subst):
            return True
    return False


def solve_equation(t: Tactics, h: FVar, subst: Subst | None = None) -> bool:
    """Use `h : a = b` up: substitute a variable, take constructors apart, or close an impossible goal.

    Args:
        t: The tactic state.
        h: The equation, a local variable of the main goal.
        subst: Gets what became of the local variables.

    Returns:
        Whether the goal is closed.

    Raises:
        MetaError: Neither side is a variable or a constructor.
    """
    m = t.m
    subst = {} if subst is None else subst
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = m.instantiate_mvars(m.local(h).type)
    if not is_app_of(type_, "Eq", 3):
        type_ = whnf(m, type_)
    if is_app_of(type_, "HEq", 4):
        return _solve_heq(t, h, type_, subst)
    if not is_app_of(type_, "Eq", 3):
        raise no_equation(t, type_)
    _, (alpha, a, b) = get_app(type_)
    a, b = _variable_form(t, a), _variable_form(t, b)
    if FVar in (type(a), type(b)) and _subst_either(t, h, a, b, subst):
        return False
    if m.attempt(lambda: is_def_eq(m, a, b)):
        try_clear(t, h)
        return False
    if _close_cycle(t, h, alpha, a, b):
        return True
    left, right = constructor_form(t, a), constructor_form(t, b)
    if left is None or right is None:
        left, right = constructor_form(t, whnf(m, a)), constructor_form(t, whnf(m, b))
    if left is None or right is None:
        raise MetaError(
            f"Dependent elimination failed: Failed to solve equation\n  {t.show(a)} = {t.show(b)}"
        )
    if get_app_fn(left) is not get_app_fn(right) and _ctor_name(left) != _ctor_name(right):
        close_with_false(t, no_confusion(t, h, alpha, left))
        return True
    new = []
    for proof, eq, _ in injection_equations(t, h, alpha, left, right):
        new.append(assert_hypothesis(t, "h✝", eq, proof))
    try_clear(t, h)
    for x in new:
        # Solving one equation may have introduced the others anew.
        current = subst.get(x.id, x)
        if type(current) is FVar and solve_equation(t, current, subst):
            return True
    return False


def no_equation(t: Tactics, type_: Expr) -> MetaError:
    """Lean's message for a hypothesis that `subst` has no use for."""
    return t.failed(
        "subst", f"invalid equality proof, it is not of the form (x = t) or (t = x)\n  {t.show(type_)}"
    )


def _close_cycle(t: Tactics, h: FVar, alpha: Expr, a: Expr, b: Expr) -> bool:
    """Close the goal by `h : n = n + k` or its mirror image, `k > 0`."""
    if not is_app_of(alpha, "Nat", 0):
        return False
    for proof, small, big in (
        (h, a, b),
        (mk_apps(mk_const("Eq.symm", (ONE,)), (alpha, a, b, h)), b, a),
    ):
        offset = nat_offset(t.m, t.m.instantiate_mvars(big))
        if offset is None or not t.m.attempt(lambda o=offset, s=small: is_def_eq(t.m, o[0], s)):  # type: ignore[misc]
            continue
        k = mk_numeral(offset[1])
        positive = mk_app(mk_const("Nat.succ_pos"), mk_numeral(offset[1] - 1))
        less = mk_apps(mk_const("Nat.lt_add_of_pos_right"), (k, small, positive))
        total = mk_nat_add(small, offset[1])
        close_with_false(t, mk_apps(mk_const("Nat.ne_of_lt"), (small, total, less, proof)))
        return True
    return False


def _variable_form(t: Tactics, e: Expr) -> Expr:
    e = t.m.instantiate_mvars(e)
    if type(e) is FVar:
        return e
    reduced = whnf_core(t.m, e)
    return reduced if type(reduced) is FVar else e


def _solve_heq(t: Tactics, h: FVar, type_: Expr, subst: Subst) -> bool:
    m = t.m
    fn, (alpha, a, beta, b) = get_app(type_)
    if not is_def_eq(m, alpha, beta):
        raise MetaError("Dependent elimination failed: heterogeneous equality between different types")
    proof = mk_apps(mk_const("eq_of_heq", fn.levels), (alpha, a, b, h))  # type: ignore[attr-defined]
    eq = mk_apps(mk_const("Eq", fn.levels), (alpha, a, b))  # type: ignore[attr-defined]
    new = assert_hypothesis(t, "h✝", eq, proof)
    try_clear(t, h)
    return solve_equation(t, new, subst)


def _subst_either(t: Tactics, h: FVar, a: Expr, b: Expr, subst: Subst) -> bool:
    """Substitute one side by the other: of two variables the older one survives."""
    m = t.m
    order = {fvar_id: i for i, fvar_id in enumerate(m.lctx.decls)}
    candidates = []
    if type(b) is FVar and m.local(b).value is None and not occurs_fvar(m.instantiate_mvars(a), b):
        candidates.append((b, True))
    if type(a) is FVar and m.local(a).value is None and not occurs_fvar(m.instantiate_mvars(b), a):
        candidates.append((a, False))
    if type(a) is FVar and type(b) is FVar:
        candidates.sort(key=lambda c: -order[c[0].id])
    return any(
        t.attempt(lambda v=var, f=forward: subst_var(t, h, v, f, subst)) is None  # type: ignore[misc]
        for var, forward in candidates
    )


def subst_var(t: Tactics, h: FVar, var: FVar, forward: bool, subst: Subst | None = None) -> None:
    """Eliminate `var` by `h : a = var` (`forward`) or `h : var = b`; both disappear from the context."""
    subst = {} if subst is None else subst
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = whnf_core(m, m.instantiate_mvars(m.local(h).type))
    fn, (alpha, a, b) = get_app(type_)
    term = m.instantiate_mvars(a if forward else b)
    if occurs_fvar(term, var):
        raise t.failed("subst", f"'{t.show(var)}' occurs at\n  {t.show(term)}")
    dependents = [d for d in t.dependents([var]) if d.fvar is not h]
    extra = [d for d in t.dependents([h]) if d not in dependents]
    reverted = revert(t, [d.fvar for d in [*dependents, *extra]]) if dependents or extra else []
    reverted = [d for d in reverted if d.fvar is not h]
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    if h.id not in decl.lctx:
        raise MetaError("subst: the equation depends on itself")
    target = m.instantiate_mvars(decl.type)
    proof: Expr = h
    if forward:
        motive = m.mk_lambda([var, h], target)
    else:
        proof = mk_apps(mk_const("Eq.symm", fn.levels), (alpha, a, b, h))  # type: ignore[attr-defined]
        swapped = mk_apps(fn, (alpha, term, var))
        h2 = m.push_local("h✝", swapped)
        back = mk_apps(mk_const("Eq.symm", fn.levels), (alpha, term, var, h2))  # type: ignore[attr-defined]
        body = instantiate1(abstract(target, [h]), back)
        m.lctx = m.lctx.without({h.id})
        motive = m.mk_lambda([var, h2], body)
        m.lctx = decl.lctx
    refl = mk_apps(mk_const("Eq.refl", fn.levels), (alpha, term))  # type: ignore[attr-defined]
    new_target = instantiate(abstract(target, [var, h]), [term, refl])
    new = t.new_goal(new_target, decl.tag, decl.lctx.without({var.id, h.id}))
    levels = (sort_level(m, target), *fn.levels)  # type: ignore[attr-defined]
    t.assign(goal, mk_apps(mk_const("Eq.rec", levels), (alpha, term, motive, new, var, proof)))
    t.replace_main([new])
    m.lctx = m.mvar_decl(new).lctx
    extend(subst, var, term)
    introduce_again(t, reverted, subst)


def subst_hypothesis(t: Tactics, h: FVar, subst: Subst | None = None) -> None:
    """`subst h`: the right side of `h` disappears if it is a variable, else the left side."""
    m = t.m
    m.lctx = m.mvar_decl(t.main).lctx
    type_ = m.instantiate_mvars(m.local(h).type)
    if not is_app_of(type_, "Eq", 3):
        reduced = whnf(m, type_)
        if not is_app_of(reduced, "Eq", 3):
            raise no_equation(t, type_)
        type_ = reduced
    _, (_, a, b) = get_app(type_)
    left, right = whnf(m, m.instantiate_mvars(a)), whnf(m, m.instantiate_mvars(b))
    if type(right) is FVar:
        subst_var(t, h, right, True, subst)
    elif type(left) is FVar:
        subst_var(t, h, left, False, subst)
    else:
        raise no_equation(t, type_)


# --- constructors ------------------------------------------------------------------------------------------


def constructor_form(t: Tactics, e: Expr) -> Expr | None:
    """`e` as a constructor application: literals and `n + k` become `Nat.zero` or `Nat.succ _`."""
    m = t.m
    e = m.instantiate_mvars(e)
    value = nat_literal(m, e)
    if value is not None:
        if value == 0:
            return mk_const("Nat.zero")
        return mk_app(mk_const("Nat.succ"), mk_numeral(value - 1))
    offset = nat_offset(m, e)
    if offset is not None:
        return mk_app(mk_const("Nat.succ"), mk_nat_add(offset[0], offset[1] - 1))
    e = literal_to_constructor(e) if type(e) is Lit else whnf_core(m, e)
    fn = get_app_fn(e)
    if type(fn) is Const and isinstance(m.env.find(fn.name), Constructor):
        return e
    return None


def _ctor_name(e: Expr) -> str:
    fn = get_app_fn(e)
    assert isinstance(fn, Const)
    return fn.name


def _recursor_into(t: Tactics, alpha: Expr, result: Expr, minor_of) -> Expr:  # type: ignore[no-untyped-def]
    """`fun x : alpha => I.rec (fun _ => result) minors x` with `minor_of(ctor, binders)` as each minor's body."""
    m = t.m
    info = major_of(t, alpha, "injection")
    if info.indices:
        raise UnsupportedError("injectivity of constructors of an indexed family")
    rec = m.env.find(f"{info.decl.name}.rec")
    assert isinstance(rec, Recursor)
    old = m.lctx
    try:
        x = m.push_local("x", alpha)
        motive = mk_lam("x", alpha, result)
        levels = (sort_level(m, result), *info.fn.levels)
        type_ = infer_type(m, mk_apps(mk_const(rec.name, levels), [*info.params, motive]))
        minors = []
        for ctor in info.decl.constructors:
            assert type(type_) is Pi
            minor = type_.type
            inner = m.lctx
            binders = []
            while type(minor) is Pi:
                binders.append(m.push_local(minor.name, head_beta(minor.type)))
                minor = instantiate1(minor.body, binders[-1])
            body = minor_of(ctor, binders)
            minors.append(m.mk_lambda(binders, body))
            m.lctx = inner
            type_ = type_.body
        value = mk_apps(mk_const(rec.name, levels), [*info.params, motive, *minors, x])
        return m.mk_lambda([x], value)
    finally:
        m.lctx = old


def no_confusion(t: Tactics, h: Expr, alpha: Expr, left: Expr) -> Expr:
    """From `h : left = right` with different constructors a proof of `False`."""
    m = t.m
    name = _ctor_name(left)
    true, false = mk_const("True"), mk_const("False")
    test = _recursor_into(t, alpha, PROP, lambda ctor, _: true if ctor == name else false)
    _, (_, a, b) = get_app(whnf_core(m, t.infer(h)))
    level = sort_level(m, alpha)
    # congrArg test h : test a = test b, where test a reduces to True and test b to False
    eq = mk_apps(mk_const("congrArg", (level, ONE)), (alpha, PROP, a, b, test, h))
    return mk_apps(mk_const("Eq.mp", (ZERO,)), (mk_app(test, a), mk_app(test, b), eq, mk_const("True.intro")))


def close_with_false(t: Tactics, proof: Expr) -> None:
    """Close the main goal with a proof of `False`."""
    target = t.target
    t.close(mk_apps(mk_const("False.elim", (sort_level(t.m, target),)), (target, proof)))


def close_by_no_confusion(t: Tactics, h: FVar) -> bool:
    """Close the main goal if `h` equates different constructors."""
    m = t.m
    type_ = whnf_core(m, m.instantiate_mvars(m.local(h).type))
    if not is_app_of(type_, "Eq", 3):
        return False
    _, (alpha, a, b) = get_app(type_)
    proof = clash(t, h, alpha, a, b)
    if proof is None:
        return False
    close_with_false(t, proof)
    return True


def clash(t: Tactics, h: Expr, alpha: Expr, a: Expr, b: Expr) -> Expr | None:
    """A proof of `False` from `h : a = b` if constructors differ, at the head or below equal ones."""
    for _ in range(64):
        left, right = constructor_form(t, a), constructor_form(t, b)
        if left is None or right is None:
            return None
        if _ctor_name(left) != _ctor_name(right):
            return no_confusion(t, h, alpha, left)
        if _ctor_name(left) != "Nat.succ":
            return None
        (h, equality, _), *_ = injection_equations(t, h, alpha, left, right)
        _, (alpha, a, b) = get_app(equality)
    return None


def injection_equations(
    t: Tactics, h: Expr, alpha: Expr, left: Expr, right: Expr
) -> list[tuple[Expr, Expr, str]]:
    """From `h : c xs = c ys` one (proof, `x = y`, name of the field) for each field that is no proof."""
    m = t.m
    ctor = m.env.find(_ctor_name(left))
    assert isinstance(ctor, Constructor)
    _, xs = get_app(left)
    _, ys = get_app(right)
    level = sort_level(m, alpha)
    out = []
    _, (_, a, b) = get_app(whnf_core(m, t.infer(h)))
    for i in range(ctor.num_params, len(xs)):
        x, y = xs[i], ys[i]
        x_type = m.instantiate_mvars(infer_type(m, x))
        ctor_type = ctor.type
        for _ in range(i):
            ctor_type = ctor_type.body if type(ctor_type) is Pi else ctor_type
        if is_prop(m, x_type):
            continue
        y_type = m.instantiate_mvars(infer_type(m, y))
        if not is_def_eq(m, x_type, y_type):
            raise UnsupportedError("injectivity of a constructor with dependent fields")

        def minor(name: str, binders: list[FVar], i: int = i, x: Expr = x) -> Expr:
            return binders[i - ctor.num_params] if name == ctor.name else x

        field = _recursor_into(t, alpha, x_type, minor)
        field_level = sort_level(m, x_type)
        proof = mk_apps(mk_const("congrArg", (level, field_level)), (alpha, x_type, a, b, field, h))
        equation = mk_apps(mk_const("Eq", (field_level,)), (x_type, x, y))
        out.append((proof, equation, ctor_type.name if type(ctor_type) is Pi else "a"))
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
