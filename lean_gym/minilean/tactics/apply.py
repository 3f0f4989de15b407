"""Closing and reducing goals with terms: `exact`, `apply`, `refine`, `constructor`, `exists`, `assumption`, ...

Source: Lean 4 `src/Lean/Meta/Tactic/Apply.lean`, `Constructor.lean`, `Assumption.lean`, `Contradiction.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lean_gym.minilean.elab.display import inline
from lean_gym.minilean.elab.identifiers import resolve_ident
from lean_gym.minilean.kernel.declaration import Inductive
from lean_gym.minilean.kernel.expr import (
    INST,
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from lean_gym.minilean.kernel.instantiate import instantiate1
from lean_gym.minilean.meta.context import Kind, LocalDecl
from lean_gym.minilean.meta.errors import BudgetError, MetaError
from lean_gym.minilean.meta.infer import infer_type, sort_level
from lean_gym.minilean.meta.instances import synth_instance
from lean_gym.minilean.meta.metavars import collect_mvars, occurs_mvar
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf, whnf_core, whnf_reducible
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.tactics.location import replace_hypothesis, run_at
from lean_gym.minilean.tactics.reflexivity import by_refl_lemma
from lean_gym.minilean.tactics.state import TacticFn, Tactics, join_tags, retag


def tac_exact(t: Tactics, stx: ast.TermTactic) -> None:
    """`exact e`."""
    _close_exactly(t, stx.term)


def _close_exactly(t: Tactics, stx: ast.Term) -> None:
    value = t.term(stx, t.target)
    if value.has_mvar and occurs_mvar(t.m, t.main, value):
        raise t.failed(
            "exact",
            f"attempting to close the goal using\n  {t.show(value)}\nthis is often due occurs-check failure",
        )
    t.close(value)


def tac_exacts(t: Tactics, stx: ast.TermsTactic) -> None:
    """`exacts [a, b]`."""
    for term in stx.terms:
        with t.m.with_lctx(t.m.mvar_decl(t.main).lctx):
            _close_exactly(t, term)


def tac_refine(t: Tactics, stx: ast.TermTactic) -> None:
    """`refine e` with `?_` holes; one hole keeps the tag, several are `refine_1`, `refine_2`, ..."""
    refine(t, stx.term, natural_ok=stx.name == "refine'")


def refine(t: Tactics, term: ast.Term, natural_ok: bool = False) -> None:
    """Close the main goal with `term`; its holes become goals."""
    tag = t.tag
    value, goals = t.term_with_holes(term, t.target, natural_ok)
    if value.has_mvar and occurs_mvar(t.m, t.main, value):
        main = t.show(t.main, 0)
        raise t.failed("refine", f"value\n  {t.show(value)}\ndepends on the main goal metavariable `{main}`")
    t.assign(t.main, value)
    tag_holes(t, goals, tag)
    t.replace_main(goals)


def tag_holes(t: Tactics, goals: Sequence[MVar], tag: str, word: str = "refine") -> None:
    """Name goals that have no name: the only one by the parent's tag, several `refine_1`, `refine_2`, ..."""
    unnamed = [g for g in goals if not t.m.mvar_decl(g).tag]
    for i, goal in enumerate(unnamed, 1):
        retag(t, goal, tag if len(unnamed) == 1 else join_tags(tag, f"{word}_{i}"))


# --- apply -------------------------------------------------------------------------------------------------


def tac_apply(t: Tactics, stx: ast.TermTactic) -> None:
    """`apply e`."""
    el = t.elab()
    before = set(t.m.mctx.decls)
    e: Expr | None = None
    if isinstance(stx.term, ast.Ident):
        # A name stands for itself: its implicit arguments are opened by `apply` and keep their names.
        head, fields = resolve_ident(el, stx.term)
        e = None if fields else head
    if e is None:
        e = el.elab(stx.term, None)
        el.synthesize(postpone=True)
    # Instances and tactic blocks that wait for the goal's type are settled after unification.
    e = t.m.instantiate_mvars(e)
    new_goals = apply_term(t, e, before, el.synthesize)
    extra = [g for g in el.open_holes() if g not in new_goals]
    t.goals = [*new_goals, *extra, *t.goals]


def apply_term(t: Tactics, e: Expr, before: set[int], settle=None) -> list[MVar]:  # type: ignore[no-untyped-def]
    """Apply `e` to the main goal and remove that goal; returns the new goals in Lean's order."""
    m = t.m
    goal = t.main
    target = t.target
    tag = t.tag
    type_ = m.instantiate_mvars(infer_type(m, e))
    available = _arity(t, type_)
    wanted = _arity(t, target)
    low = max(available - wanted, 0)
    error: MetaError | None = None
    for count in range(low, available + 1):
        mark = m.mctx.mark()
        postponed = list(m.postponed)
        try:
            fn, mvars, infos, result = _open(t, e, type_, count)
        except MetaError as caught:
            error = caught
            break
        if is_def_eq(m, result, target):
            return _finish_apply(t, goal, tag, fn, mvars, infos, before, settle)
        m.mctx.rollback(mark)
        m.postponed = postponed
        if count == low:
            error = None
    raise error or _apply_error(t, e, type_, target, low)


def _arity(t: Tactics, type_: Expr) -> int:
    m = t.m
    old = m.lctx
    try:
        count = 0
        while True:
            if type(type_) is not Pi:
                type_ = whnf(m, type_)
                if type(type_) is not Pi:
                    return count
            x = m.push_local(type_.name, type_.type)
            type_ = instantiate1(type_.body, x)
            count += 1
    finally:
        m.lctx = old


def _open(t: Tactics, e: Expr, type_: Expr, count: int):  # type: ignore[no-untyped-def]
    m = t.m
    mvars: list[MVar] = []
    infos: list[int] = []
    for _ in range(count):
        if type(type_) is not Pi:
            type_ = whnf(m, type_)
        assert type(type_) is Pi
        kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
        mvar = m.new_mvar(type_.type, kind, type_.name)
        mvars.append(mvar)
        infos.append(type_.info)
        e = mk_app(e, mvar)
        type_ = instantiate1(type_.body, mvar)
    return e, mvars, infos, type_


def _finish_apply(t, goal, tag, fn, mvars, infos, before, settle) -> list[MVar]:  # type: ignore[no-untyped-def]
    m = t.m
    for mvar, info in zip(mvars, infos, strict=True):
        if info != INST:
            continue
        class_type = m.instantiate_mvars(m.mvar_decl(mvar).type)
        value = synth_instance(m, class_type)
        if m.mctx.is_assigned(mvar.id):
            continue
        if value is None:
            raise MetaError(f"failed to synthesize instance of type class\n  {t.show(class_type)}")
        m.mctx.assign(mvar.id, value)
    if settle is not None:
        settle()
    t.assign(goal, m.instantiate_mvars(fn))
    t.goals.remove(goal)
    own = [mvar for mvar in mvars if not m.mctx.is_assigned(mvar.id)]
    for mvar in own:
        retag(t, mvar, tag if len(own) == 1 else join_tags(tag, m.mvar_decl(mvar).tag))
    # Holes inside the applied term itself come after the arguments, in the order in which they were written.
    others = []
    for mvar in collect_mvars(m.instantiate_mvars(fn)):
        real = t.resolve_delayed(mvar)
        if (
            real.id not in before
            and real not in own
            and real not in others
            and not m.mctx.is_assigned(real.id)
        ):
            others.append(real)
    return [*dependent_last(t, own), *others]


def dependent_last(t: Tactics, goals: Sequence[MVar]) -> list[MVar]:
    """Goals in order, but those that occur in the statements of others at the end."""
    m = t.m
    dependent: set[int] = set()
    for mvar in goals:
        dependent.update(sub.id for sub in collect_mvars(m.instantiate_mvars(m.mvar_decl(mvar).type)))
    return [g for g in goals if g.id not in dependent] + [g for g in goals if g.id in dependent]


def _apply_error(t: Tactics, e: Expr, type_: Expr, target: Expr, low: int) -> MetaError:
    """Lean shows the conclusion behind the arguments that it tried first, and the whole type if there are some."""
    m = t.m
    name, shown_target = t.show(e, 0), t.show(target)
    if not low:
        what = f"could not unify the type of `{name}`\n  {t.show(type_)}\nwith the goal\n  {shown_target}"
        return t.failed("apply", what)
    _, _, _, conclusion = _open(t, e, type_, low)
    what = (
        f"could not unify the conclusion of `{name}`\n  {t.show(m.instantiate_mvars(conclusion))}\n"
        f"with the goal\n  {shown_target}"
    )
    return t.failed("apply", what, f"\n\nNote: The full type of `{name}` is\n  {t.show(type_)}")


# --- constructors ------------------------------------------------------------------------------------------


def inductive_target(t: Tactics, tactic: str) -> tuple[Inductive, Const, list[Expr]]:
    """The inductive type that the target is an application of."""
    reduced, name = t.whnf_head(t.target)
    decl = t.m.env.find(name) if name else None
    if not isinstance(decl, Inductive):
        raise t.failed(tactic, "target is not an inductive datatype")
    t.m.env.require_shown(decl.name)
    fn, args = get_app(reduced)
    assert isinstance(fn, Const)
    return decl, fn, args


def tac_constructor(t: Tactics, stx: ast.Simple) -> None:
    """`constructor`: the first constructor that applies."""
    decl, fn, _ = inductive_target(t, "constructor")
    for name in decl.constructors:
        ctor = mk_const(name, fn.levels)
        result: list[MVar] = []

        def go(c: Expr = ctor, out: list[MVar] = result) -> None:
            out.extend(apply_term(t, c, set(t.m.mctx.decls)))

        goal = t.main
        if t.attempt(go) is None:
            t.goals = [*(g for g in result if g not in t.goals), *t.goals]
            return
        if goal not in t.goals:
            t.goals.insert(0, goal)
    raise t.failed("constructor", "no applicable constructor found")


def tac_side(t: Tactics, stx: ast.Simple) -> None:
    """`left`, `right`: the first or second of exactly two constructors."""
    decl, fn, _ = inductive_target(t, stx.name)
    if len(decl.constructors) != 2:
        raise t.failed(stx.name, f"{stx.name} tactic works for inductive types with exactly 2 constructors")
    ctor = mk_const(decl.constructors[0 if stx.name == "left" else 1], fn.levels)
    goals = apply_term(t, ctor, set(t.m.mctx.decls))
    t.goals = [*goals, *t.goals]


def tac_exists(t: Tactics, stx: ast.TermsTactic) -> None:
    """`exists a, b`: `refine ⟨a, b, ?_⟩; try trivial`."""
    hole = ast.NamedHole(None, start=stx.start, end=stx.end)
    refine(t, ast.AnonCtor((*stx.terms, hole), start=stx.start, end=stx.end))

    def trivial() -> None:
        with t.m.with_lctx(t.m.mvar_decl(t.main).lctx):
            tac_trivial(t, ast.Simple("trivial"))

    if t.goals:
        t.attempt(trivial)


# --- closing -----------------------------------------------------------------------------------------------


def tac_assumption(t: Tactics, stx: ast.Simple) -> None:
    """`assumption`: the last hypothesis whose type is the target."""
    found = find_assumption(t, t.target)
    if found is None:
        raise t.failed("assumption")
    t.close(found.fvar)


def find_assumption(t: Tactics, target: Expr) -> LocalDecl | None:
    """The last hypothesis with this type."""
    for decl in reversed(list(t.m.lctx)):
        if not decl.hidden and t.m.attempt(lambda d=decl: is_def_eq(t.m, d.type, target)):  # type: ignore[misc]
            return decl
    return None


def tac_exfalso(t: Tactics, stx: ast.Simple) -> None:
    """`exfalso`: the target becomes `False`."""
    target = t.target
    goal = t.new_goal(mk_const("False"), t.tag)
    level = sort_level(t.m, target)
    t.assign(t.main, mk_apps(mk_const("False.elim", (level,)), (target, goal)))
    t.replace_main([goal])


def absurd_term(t: Tactics, proof: Expr) -> Expr:
    """From `proof : False` a term of the main goal's type."""
    target = t.target
    return mk_apps(mk_const("False.elim", (sort_level(t.m, target),)), (target, proof))


def tac_contradiction(t: Tactics, stx: ast.Simple) -> None:
    """`contradiction`: `False`, `h` and `¬h`, empty types, `a ≠ a`, clashing constructors."""
    if not try_contradiction(t):
        raise t.failed("contradiction")


def try_contradiction(t: Tactics) -> bool:
    """Close the main goal if two hypotheses, or one, are absurd."""
    return any(not decl.hidden and (_refuted(t, decl) or _impossible(t, decl)) for decl in list(t.m.lctx))


def _refuted(t: Tactics, decl: LocalDecl) -> bool:
    """Close the goal by `False`, by `¬p` and `p`, by `a ≠ a`, or by a proposition that evaluates to false."""
    from lean_gym.minilean.tactics.decide import refutation

    m = t.m
    type_ = whnf_core(m, m.instantiate_mvars(decl.type))
    if is_app_of(type_, "False", 0):
        t.close(absurd_term(t, decl.fvar))
        return True
    negated = negation_of(t, type_) or negation_of(t, whnf(m, type_))
    if negated is not None:
        if is_app_of(negated, "Eq", 3):
            _, (alpha, a, b) = get_app(negated)
            if m.attempt(lambda: is_def_eq(m, a, b)):
                refl = mk_apps(mk_const("Eq.refl", get_app_fn(negated).levels), (alpha, a))  # type: ignore[attr-defined]
                t.close(absurd_term(t, mk_app(decl.fvar, refl)))
                return True
        found = find_assumption(t, negated)
        if found is not None:
            t.close(absurd_term(t, mk_app(decl.fvar, found.fvar)))
            return True
    proof = refutation(m, type_)
    if proof is None:
        return False
    t.close(absurd_term(t, mk_app(proof, decl.fvar)))
    return True


_SEARCH_FUEL = 2


def _impossible(t: Tactics, decl: LocalDecl) -> bool:
    """Close the goal by an equation between different constructors, or by cases that cannot occur.

    Source: Lean 4 `src/Lean/Meta/Tactic/Contradiction.lean` (4.34): only types without constructors and families
    are taken apart, two levels deep.
    """
    from lean_gym.minilean.tactics.constructors import close_by_no_confusion

    m = t.m
    type_ = whnf(m, m.instantiate_mvars(decl.type))
    if is_app_of(type_, "Eq", 3):
        return close_by_no_confusion(t, decl.fvar)
    fn = get_app_fn(type_)
    family = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(family, Inductive) or family.name == "HEq":
        return False
    _, args = get_app(type_)
    if family.constructors and len(args) == family.num_params:
        return False
    goal = t.main
    fuel = [_SEARCH_FUEL]

    def search() -> None:
        if not _eliminates(t, goal, decl.fvar, fuel):
            raise MetaError("possible")

    rest = t.goals[1:]
    if t.attempt(search) is not None:
        return False
    t.goals = rest
    return True


def _eliminates(t: Tactics, goal: MVar, x: FVar, fuel: list[int]) -> bool:
    """Whether no case of `x` can occur; the goal is closed then."""
    from lean_gym.minilean.tactics.cases import cases_fvar

    if not fuel[0]:
        return False
    fuel[0] -= 1
    t.goals = [goal]
    try:
        branches = cases_fvar(t, x, None)
    except BudgetError:
        raise
    except MetaError:
        return False
    return all(any(_eliminates(t, b.goal, y, fuel) for y in b.fields) for b in branches)


def negation_of(t: Tactics, type_: Expr) -> Expr | None:
    """`p` where `type_` is `¬p`, `p → False` or `a ≠ b` (then `a = b`)."""
    if is_app_of(type_, "Not", 1):
        return type_.arg  # type: ignore[attr-defined, no-any-return]
    if is_app_of(type_, "Ne", 3):
        fn, args = get_app(type_)
        return mk_apps(mk_const("Eq", fn.levels), args)  # type: ignore[attr-defined]
    if type(type_) is Pi and not type_.body.loose and is_app_of(type_.body, "False", 0):
        return type_.type
    return None


def tac_rfl(t: Tactics, stx: ast.Simple) -> None:
    """`rfl`: equality, `↔` and other reflexive relations, up to definitional equality."""
    if not try_rfl(t):
        raise _rfl_error(t)


def try_rfl(t: Tactics) -> bool:
    """Close the main goal by reflexivity at the present transparency."""
    m = t.m
    target = whnf_core(m, t.target)
    if is_app_of(full := whnf(m, target), "Eq", 3):
        target = full
    for name, arity, lemma in (("Eq", 3, "Eq.refl"), ("Iff", 2, "Iff.refl"), ("HEq", 4, "HEq.refl")):
        if is_app_of(target, name, arity):
            fn, args = get_app(target)
            left, right = (args[1], args[3]) if name == "HEq" else (args[-2], args[-1])
            if not m.attempt(lambda a=left, b=right: is_def_eq(m, a, b)):  # type: ignore[misc]
                return False
            params = args[:1] if name != "Iff" else []
            t.close(mk_apps(mk_const(lemma, fn.levels), [*params, left]))  # type: ignore[attr-defined]
            return True
    return by_refl_lemma(t, target)


def _rfl_error(t: Tactics) -> MetaError:
    target = whnf_reducible(t.m, whnf_core(t.m, t.target))
    fn, args = get_app(target)
    if len(args) >= 2 and not isinstance(target, Pi) and type(fn) is Const:
        if fn.name not in ("Eq", "HEq", "Iff") and not t.m.env.refl_lemmas.get(fn.name):
            relation = mk_apps(fn, args[:-2])
            return t.failed(
                "rfl",
                f"No `[refl]` lemma registered for relation\n  {t.show(relation)}",
                "\n\nHint: Add the `[refl]` attribute to reflexivity lemmas for"
                f"{inline(t.m, relation)}to use this tactic",
            )
        left, right = (args[1], args[3]) if fn.name == "HEq" else (args[-2], args[-1])
        return t.failed(
            "rfl",
            f"The left-hand side\n  {t.show(left)}\nis not definitionally equal to the right-hand side\n"
            f"  {t.show(right)}",
        )
    return t.failed(
        "rfl",
        "Expected the goal to be a binary relation",
        "\n\nHint: Reflexivity tactics can only be used on goals of the form `x ~ x` or `R x x`",
    )


def tac_trivial(t: Tactics, stx: ast.Simple) -> None:
    """`trivial`: `rfl`, `assumption`, `True.intro`, `decide`, `contradiction`, `And.intro` of trivial parts."""
    from lean_gym.minilean.tactics.decide import decide_goal

    def true_intro() -> None:
        if not is_def_eq(t.m, t.target, mk_const("True")):
            raise t.failed("trivial")
        t.close(mk_const("True.intro"))

    def and_intro() -> None:
        if t.whnf_head(t.target)[1] != "And":
            raise t.failed("trivial")
        goals = apply_term(t, mk_const("And.intro"), set(t.m.mctx.decls))
        rest = t.goals
        for goal in goals:
            t.goals = [goal]
            with t.m.with_lctx(t.m.mvar_decl(goal).lctx):
                tac_trivial(t, stx)
        t.goals = rest

    for action in (
        lambda: tac_rfl(t, stx),
        lambda: tac_assumption(t, stx),
        true_intro,
        lambda: decide_goal(t),
        lambda: tac_contradiction(t, stx),
        and_intro,
    ):
        if t.attempt(action) is None:
            return
    raise t.failed("assumption")


def tac_show(t: Tactics, stx: ast.TermTactic) -> None:
    """`show p`: the first goal that unifies with `p` becomes the main one, stated as `p`."""
    m = t.m
    original = list(t.goals)
    if not original:
        t.main  # noqa: B018  raises Lean's message
    for i, goal in enumerate(original):
        decl = m.mvar_decl(goal)
        mark = m.mctx.mark()
        with m.with_lctx(decl.lctx):
            el = t.elab()
            try:
                pattern = el.elab_type(stx.term)
                el.synthesize(postpone=True)
                ok = is_def_eq(m, pattern, m.instantiate_mvars(decl.type))
                el.synthesize()
            except BudgetError:
                raise
            except MetaError:
                if i == 0:
                    raise
                ok = False
            if ok:
                t.goals = [goal, *original[:i], *original[i + 1 :]]
                t.set_target(m.instantiate_mvars(pattern))
                return
        m.mctx.rollback(mark)
    raise _show_error(t, stx, original)


def _show_error(t: Tactics, stx: ast.TermTactic, goals: list[MVar]) -> MetaError:
    el = t.elab()
    pattern = el.elab_type(stx.term)
    el.synthesize()
    shown, target = t.show(pattern), t.show(t.target)
    if len(goals) == 1:
        return MetaError(
            f"'show' tactic failed, pattern\n  {shown}\nis not definitionally equal to target\n  {target}"
        )
    return MetaError(
        "'show' tactic failed, no goals unify with the given pattern.\n\nIn the first goal, the pattern\n"
        f"  {shown}\nis not definitionally equal to the target\n  {target}\n(Errors for other goals omitted)"
    )


def tac_change(t: Tactics, stx: ast.TermTactic) -> None:
    """`change p`, `change p at h`."""
    from lean_gym.minilean.tactics.intro import retype

    m = t.m

    def at_hypothesis(decl: LocalDecl) -> None:
        new, goals = changed(t, stx.term, m.instantiate_mvars(decl.type))
        retype(t, decl.fvar, new)
        t.goals[1:1] = goals

    def at_target() -> None:
        new, goals = changed(t, stx.term, t.target)
        t.set_target(new)
        t.goals[1:1] = goals

    run_at(t, stx.location, at_hypothesis, at_target, lambda: MetaError("`change` tactic failed"))


def changed(t: Tactics, stx: ast.Term, e: Expr) -> tuple[Expr, list[MVar]]:
    """The term that is written, which has to be `e` by definition, and its `?x` that become goals.

    Source: Lean 4 `src/Lean/Elab/Tactic/Change.lean` (4.34).
    """
    m = t.m
    el = t.elab()
    pattern = el.elab_ensuring(stx, infer_type(m, e))
    if not m.attempt(lambda: is_def_eq(m, pattern, e)):
        el.synthesize(postpone=True)
        m.attempt(lambda: is_def_eq(m, pattern, e))
    el.synthesize()
    holes = [hole for hole in el.open_holes() if not m.mctx.is_assigned(hole.id)]
    for hole in holes:
        m.mctx.declare(replace(m.mvar_decl(hole), kind=Kind.NATURAL))
    if not is_def_eq(m, pattern, e):
        raise MetaError(
            f"'change' tactic failed, pattern\n  {t.show(pattern)}\n"
            f"is not definitionally equal to target\n  {t.show(e)}"
        )
    for hole in holes:
        m.mctx.declare(replace(m.mvar_decl(hole), kind=Kind.OPAQUE))
    new = el.check_no_holes(m.instantiate_mvars(pattern))
    return new, [hole for hole in holes if not m.mctx.is_assigned(hole.id)]


def tac_symm(t: Tactics, stx: ast.Simple) -> None:
    """`symm`, `symm at h`: the other way round, for `=`, `↔`, `≠`, `≍`."""
    m = t.m

    def at_hypothesis(decl: LocalDecl) -> None:
        value = _user_symm(t, decl)
        value = value or mk_app(_symm_lemma(t, m.instantiate_mvars(decl.type)), decl.fvar)
        replace_hypothesis(t, decl, t.infer(value), value)

    def at_target() -> None:
        target = t.target
        for lemma in _symm_lemmas(t, target):
            if t.attempt(lambda name=lemma: _turn_by(t, name)) is None:  # type: ignore[misc]
                return
        _symm_lemma(t, target)
        fn, args = get_app(target)
        turned = [*args[2:], *args[:2]] if is_app_of(target, "HEq", 4) else [*args[:-2], args[-1], args[-2]]
        statement = mk_apps(fn, turned)
        goal = t.new_goal(statement, t.tag)
        t.assign(t.main, mk_app(_symm_lemma(t, statement), goal))
        t.replace_main([goal])

    run_at(t, stx.location, at_hypothesis, at_target, lambda: t.failed("symm", "no location applies"))


def _symm_lemmas(t: Tactics, type_: Expr) -> tuple[str, ...]:
    fn = get_app_fn(whnf_reducible(t.m, type_))
    if type(fn) is not Const or fn.name in _SYMM:
        return ()
    return t.m.env.symm_lemmas.get(fn.name, ())


def _turn_by(t: Tactics, lemma: str) -> None:
    tag, rest = t.tag, t.goals[1:]
    goals = apply_term(t, t.m.const(lemma), set(t.m.mctx.decls))
    if len(goals) != 1:
        raise MetaError("a symmetry lemma has one premise")
    t.goals = [retag(t, goals[0], tag), *rest]


def _user_symm(t: Tactics, decl: LocalDecl) -> Expr | None:
    """The hypothesis turned round by a theorem that the user marked."""
    m = t.m
    type_ = m.instantiate_mvars(decl.type)
    for lemma in _symm_lemmas(t, type_):
        e = m.const(lemma)
        fn, mvars, _, _ = _open(t, e, infer_type(m, e), _arity(t, infer_type(m, e)))
        while mvars:
            premise = mvars.pop()
            if m.attempt(lambda x=premise: is_def_eq(m, m.mvar_decl(x).type, type_)):  # type: ignore[misc]
                m.mctx.assign(premise.id, decl.fvar)
                return m.instantiate_mvars(fn)
    return None


_SYMM = {"Eq": "Eq.symm", "Iff": "Iff.symm", "Ne": "Ne.symm", "HEq": "HEq.symm"}


def _symm_lemma(t: Tactics, type_: Expr) -> Expr:
    """The lemma that turns `type_` round, but for the proof of `type_`."""
    fn, args = get_app(type_)
    if len(args) < 2:
        raise MetaError(f"symmetry lemmas only apply to binary relations, not\n  {t.show(type_)}")
    if type(fn) is not Const or fn.name not in _SYMM:
        relation = mk_apps(fn, args[:-2])
        hint = f"Add the `[symm]` attribute to symmetry lemmas for{inline(t.m, relation)}to use this tactic"
        what = f"No `[symm]` lemma registered for relation\n  {t.show(relation)}"
        raise t.failed("symm", what, f"\n\nHint: {hint}")
    if fn.name == "HEq":
        args = [args[0], args[2], args[1], args[3]]
    return mk_apps(mk_const(_SYMM[fn.name], fn.levels), args)


def tac_infer_instance(t: Tactics, stx: ast.Simple) -> None:
    """`infer_instance`."""
    value = synth_instance(t.m, t.target)
    if value is None:
        raise MetaError(f"failed to synthesize instance of type class\n  {t.show(t.target)}")
    t.close(value)


def tac_calc(t: Tactics, stx: ast.CalcTac) -> None:
    """`calc` as a tactic; what is missing between the end of the chain and that of the goal is left as a goal."""
    from lean_gym.minilean.elab.notation import calc_chain, check_calc_ends, extend_calc

    m = t.m
    el = t.elab()
    value, type_ = calc_chain(el, stx.calc)
    el.synthesize()
    target, tag = t.target, t.tag
    rest: list[MVar] = []
    if not is_def_eq(m, type_, target):
        step = extend_calc(el, value, type_, target, lambda p: t.new_goal(p, join_tags(tag, "calc.step")))
        if step is None:
            check_calc_ends(el, type_, target)
            raise el.mismatch(value, type_, target)
        value, missing = step
        rest.append(missing)
    t.close(el.check_no_holes(value) if not rest else value)
    holes = el.open_holes()
    tag_holes(t, holes, tag, "calc")
    t.goals = [*holes, *rest, *t.goals]


TABLE: dict[tuple[type, str], TacticFn] = {
    (ast.TermTactic, "exact"): tac_exact,  # type: ignore[dict-item]
    (ast.TermTactic, "apply"): tac_apply,  # type: ignore[dict-item]
    (ast.TermTactic, "refine"): tac_refine,  # type: ignore[dict-item]
    (ast.TermTactic, "refine'"): tac_refine,  # type: ignore[dict-item]
    (ast.TermTactic, "show"): tac_show,  # type: ignore[dict-item]
    (ast.TermTactic, "change"): tac_change,  # type: ignore[dict-item]
    (ast.TermsTactic, "exacts"): tac_exacts,  # type: ignore[dict-item]
    (ast.TermsTactic, "exists"): tac_exists,  # type: ignore[dict-item]
    (ast.Simple, "constructor"): tac_constructor,  # type: ignore[dict-item]
    (ast.Simple, "left"): tac_side,  # type: ignore[dict-item]
    (ast.Simple, "right"): tac_side,  # type: ignore[dict-item]
    (ast.Simple, "assumption"): tac_assumption,  # type: ignore[dict-item]
    (ast.Simple, "exfalso"): tac_exfalso,  # type: ignore[dict-item]
    (ast.Simple, "contradiction"): tac_contradiction,  # type: ignore[dict-item]
    (ast.Simple, "rfl"): tac_rfl,  # type: ignore[dict-item]
    (ast.Simple, "eq_refl"): tac_rfl,  # type: ignore[dict-item]
    (ast.Simple, "trivial"): tac_trivial,  # type: ignore[dict-item]
    (ast.Simple, "symm"): tac_symm,  # type: ignore[dict-item]
    (ast.Simple, "infer_instance"): tac_infer_instance,  # type: ignore[dict-item]
    (ast.CalcTac, ""): tac_calc,  # type: ignore[dict-item]
}
