"""Reflexivity, symmetry and transitivity: `rfl`, `symm`, `calc`.

Source: Lean 4 `src/Lean/Meta/Tactic/{Rfl,Symm}.lean`, `src/Lean/Elab/Tactic/Calc.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.calc import calc_chain, extend_calc, wrong_calc
from minilean.elab.display import inline, show_explicit
from minilean.elab.holes import check_no_holes, open_holes
from minilean.kernel.expr import (
    Const,
    Expr,
    MVar,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.traversal import alpha_eq
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import apply_term, count_premises, open_premises, tag_holes
from minilean.tactics.location import replace_hypothesis, run_at
from minilean.tactics.reflexivity import by_refl_lemma
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, join_tags, retag


@runs(ast.Simple, "rfl", "eq_refl")
def tac_rfl(t: Tactics, stx: ast.Simple) -> None:
    """`rfl`: equality, `↔` and other reflexive relations, up to definitional equality."""
    if not try_rfl(t):
        tac_apply_rfl(t, stx)


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


@runs(ast.Simple, "apply_rfl")
def tac_apply_rfl(t: Tactics, stx: ast.Simple) -> None:
    """`apply_rfl`: compare both sides, then apply a theorem about the relation, which is not unfolded.

    Source: Lean 4 `src/Lean/Meta/Tactic/Rfl.lean`, `Lean.MVarId.applyRfl` (4.34).
    """
    m = t.m
    target = whnf_reducible(m, whnf_core(m, t.target))
    fn, args = get_app(target)
    if len(args) < 2:
        hint = "Hint: Reflexivity tactics can only be used on goals of the form `x ~ x` or `R x x`"
        raise t.failed("rfl", "Expected the goal to be a binary relation", f"\n\n{hint}")
    left, right = (args[1], args[3]) if is_app_of(target, "HEq", 4) else (args[-2], args[-1])
    if not m.attempt(lambda: is_def_eq(m, left, right)):
        raise _different_sides(t, left, right)
    if type(fn) is Const and fn.name in ("Eq", "Iff", "HEq"):
        if not try_rfl(t):
            raise _different_sides(t, left, right)
        return
    if not alpha_eq(left, right):
        t.set_target(mk_apps(fn, [*args[:-1], left]))
    if not by_refl_lemma(t, t.target):
        relation = mk_apps(fn, args[:-2])
        raise t.failed(
            "rfl",
            f"No `[refl]` lemma registered for relation\n  {t.show(relation)}",
            f"\n\nHint: Add the `[refl]` attribute to reflexivity lemmas for{inline(m, relation)}to use this tactic",
        )


def _different_sides(t: Tactics, left: Expr, right: Expr) -> MetaError:
    """Return the message for sides that differ; sides that print alike are shown with all their arguments."""
    shown, other = t.show(left), t.show(right)
    if shown == other:
        shown, other = show_explicit(t.m, left, 2), show_explicit(t.m, right, 2)
    return t.failed(
        "rfl",
        f"The left-hand side\n  {shown}\nis not definitionally equal to the right-hand side\n  {other}",
    )


@runs(ast.Simple, "symm")
def tac_symm(t: Tactics, stx: ast.Simple) -> None:
    """`symm`, `symm at h`: swap the sides of `=`, `↔`, `≠`, `≍` or a relation with a `@[symm]` theorem."""
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
    """Return the hypothesis with its sides swapped by a `@[symm]` theorem, `None` if no theorem applies."""
    m = t.m
    type_ = m.instantiate_mvars(decl.type)
    for lemma in _symm_lemmas(t, type_):
        e = m.const(lemma)
        fn, mvars, _, _ = open_premises(t, e, infer_type(m, e), count_premises(t, infer_type(m, e)))
        while mvars:
            premise = mvars.pop()
            if m.attempt(lambda x=premise: is_def_eq(m, m.mvar_decl(x).type, type_)):  # type: ignore[misc]
                m.mctx.assign(premise.id, decl.fvar)
                return m.instantiate_mvars(fn)
    return None


_SYMM = {"Eq": "Eq.symm", "Iff": "Iff.symm", "Ne": "Ne.symm", "HEq": "HEq.symm"}


def _symm_lemma(t: Tactics, type_: Expr) -> Expr:
    """Return the lemma that swaps the sides of `type_`, applied to all arguments except the proof of `type_`."""
    fn, args = get_app(type_)
    if len(args) < 2:
        raise MetaError(f"Symmetry lemmas only apply to binary relations, not\n  {t.show(type_)}")
    if type(fn) is not Const or fn.name not in _SYMM:
        raise MetaError(
            f"No applicable symmetry lemma found for\n  {t.show(type_)}\n\n"
            "Note: Additional symmetry lemmas can be registered using the `[symm]` attribute"
        )
    if fn.name == "HEq":
        args = [args[0], args[2], args[1], args[3]]
    return mk_apps(mk_const(_SYMM[fn.name], fn.levels), args)


@runs(ast.CalcTac)
def tac_calc(t: Tactics, stx: ast.CalcTac) -> None:
    """`calc` as a tactic; a missing last step, from the end of the chain to that of the target, becomes a goal."""
    m = t.m
    el = t.elab()
    value, type_ = calc_chain(el, stx.calc)
    el.synthesize()
    target, tag = t.target, t.tag
    rest: list[MVar] = []
    if not is_def_eq(m, type_, target):
        step = extend_calc(el, value, type_, target, lambda p: t.new_goal(p, join_tags(tag, "calc.step")))
        if step is None:
            raise wrong_calc(el, type_, target)
        value, missing = step
        rest.append(missing)
    t.close(check_no_holes(el, value) if not rest else value)
    holes = open_holes(el)
    tag_holes(t, holes, tag, "calc")
    t.goals = [*holes, *rest, *t.goals]
