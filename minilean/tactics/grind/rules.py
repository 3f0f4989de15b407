"""Rules of `grind` for connectives, equations, Boolean functions, `if`, `decide` and quantifiers.

A rule looks at a term whose parts, or whose own value, became known, and adds equations to the closure.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Propagate,ForallProp,Beta}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import (
    PROP,
    Const,
    Expr,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import instantiate1
from minilean.meta.infer import infer_type, is_proof, is_prop, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.tactics.grind.canonical import Canonical
from minilean.tactics.grind.closure import Closure, Reason
from minilean.tactics.grind.lemmas import rule
from minilean.tactics.simp.conditions import Decision, chosen_branch
from minilean.tactics.simp.result import FALSE, TRUE

NOT, IFF = mk_const("Not"), mk_const("Iff")
YES, NO = mk_const("Bool.true"), mk_const("Bool.false")


class Rules:
    """The rules within one run."""

    def __init__(self, m: Meta, canonical: Canonical) -> None:
        self.m = m
        self.canonical = canonical

    def assume(self, g: Closure, prop: Expr, proof: Expr, generation: int = 0) -> None:
        """Add a proposition that `proof` proves."""
        e = self.canonical.of(self.m.instantiate_mvars(prop))
        g.equate(e, TRUE, lambda _: mk_apps(mk_const("eq_true"), (e, proof)), generation)

    def apply(self, g: Closure, e: Expr) -> None:
        """Apply the rules for one term."""
        if type(e) is Pi:
            if is_prop(self.m, e):
                self._implication(g, e)
            return
        fn, args = get_app(e)
        found = _RULES.get((fn.name, len(args))) if type(fn) is Const else None
        if found is not None:
            found(self, g, e, args)

    def _set(self, g: Closure, a: Expr, b: Expr, name: str, args: list[Expr], *premises: Reason) -> None:
        """Plan `a = b` by a lemma, its premises proved when the proof is built."""
        if a in g.root and b in g.root and g.same(a, b):
            return
        env = self.m.env
        g.equate(a, b, lambda g: rule(env, name, *args, *[h(g) for h in premises]))

    # --- connectives -------------------------------------------------------------------------------------

    def _binary(self, g: Closure, e: Expr, args: list[Expr], name: str, one: Expr, zero: Expr) -> None:
        """`p ∧ q` and `p ∨ q`, also of Boolean values: `one` is the neutral value, `zero` the absorbing one."""
        p, q = args
        words: dict[Expr, str] = {TRUE: "true", YES: "true", FALSE: "false", NO: "false"}
        for x, other, side in ((p, q, "left"), (q, p, "right")):
            if g.is_(x, one):
                self._set(g, e, other, f"{name}_{side}_{words[one]}", args, lambda g, x=x: g.proof(x, one))  # type: ignore[misc]
            if g.is_(x, zero):
                self._set(g, e, zero, f"{name}_{side}_{words[zero]}", args, lambda g, x=x: g.proof(x, zero))  # type: ignore[misc]
            if g.is_(e, one):
                self._set(g, x, one, f"of_{name}_{side}", args, lambda g: g.proof(e, one))

    def _negation(self, g: Closure, e: Expr, args: list[Expr], name: str, yes: Expr, no: Expr) -> None:
        (p,) = args
        for value, other, word in ((yes, no, "true"), (no, yes, "false")):
            if g.is_(p, value):
                self._set(g, e, other, f"{name}_{word}", args, lambda g, v=value: g.proof(p, v))  # type: ignore[misc]
            if g.is_(e, value):
                self._set(g, p, other, f"of_{name}_{word}", args, lambda g, v=value: g.proof(e, v))  # type: ignore[misc]

    def _iff(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        p, q = args
        if g.is_(p, TRUE):
            self._set(g, e, q, "iff_left_true", args, lambda g: g.proof(p, TRUE))
        if g.is_(q, TRUE):
            self._set(g, e, p, "iff_right_true", args, lambda g: g.proof(q, TRUE))
        if g.same(p, q):
            self._set(g, e, TRUE, "iff_same", args, lambda g: g.proof(p, q))
        if g.is_(e, TRUE):
            self._set(g, p, q, "of_iff", args, lambda g: g.proof(e, TRUE))
        if g.is_(e, FALSE):
            for x, other, side in ((p, q, "left"), (q, p, "right")):
                if g.is_(x, FALSE):
                    premises = (lambda g: g.proof(e, FALSE)), (lambda g, x=x: g.proof(x, FALSE))
                    self._set(g, other, TRUE, f"of_iff_{side}", args, *premises)

    def _implication(self, g: Closure, e: Pi) -> None:
        p, q = e.type, e.body
        if g.is_implication(e):
            args = [p, q]
            if g.is_(p, TRUE):
                self._set(g, e, q, "imp_left_true", args, lambda g: g.proof(p, TRUE))
            if g.is_(p, FALSE):
                self._set(g, e, TRUE, "imp_left_false", args, lambda g: g.proof(p, FALSE))
            if g.is_(q, TRUE):
                self._set(g, e, TRUE, "imp_right_true", args, lambda g: g.proof(q, TRUE))
            if g.is_(e, FALSE):
                self._set(g, p, TRUE, "of_imp_left", args, lambda g: g.proof(e, FALSE))
                self._set(g, q, FALSE, "of_imp_right", args, lambda g: g.proof(e, FALSE))
            if g.is_(e, TRUE) and g.is_(q, FALSE):
                premises = (lambda g: g.proof(e, TRUE)), (lambda g: g.proof(q, FALSE))
                self._set(g, p, FALSE, "of_imp", args, *premises)
            return
        if g.is_(e, TRUE) and p in g.root and g.is_(p, TRUE):
            proof = g.holds(p)
            self.assume(g, instantiate1(q, proof), mk_app(g.holds(e), proof), g.generation[e])
        elif g.is_(e, FALSE):
            level = sort_level(self.m, p)
            predicate = mk_lam(e.name, p, q)
            opposite = mk_lam(e.name, p, mk_app(NOT, q))
            exists = mk_apps(mk_const("Exists", (level,)), (p, opposite))
            iff = mk_apps(mk_const("Classical.not_forall", (level,)), (p, predicate))
            parts = (mk_app(NOT, e), exists, iff)
            self.assume(g, exists, mk_apps(mk_const("Iff.mp"), (*parts, g.fails(e))), g.generation[e])

    def _exists(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        if g.is_(e, FALSE):
            alpha, predicate = args
            level = sort_level(self.m, alpha)
            iff = mk_apps(mk_const("not_exists", (level,)), (alpha, predicate))
            _, (left, right) = get_app(infer_type(self.m, iff))
            proof = mk_apps(mk_const("Iff.mp"), (left, right, iff, g.fails(e)))
            self.assume(g, right, proof, g.generation[e])

    # --- equations ---------------------------------------------------------------------------------------

    def _eq(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        alpha, a, b = args
        if alpha is PROP:
            iff = mk_apps(IFF, (a, b))
            self._set(g, e, iff, "eq_is_iff", [a, b], lambda _: mk_const("True.intro"))
            return
        if is_proof(self.m, a):
            # congruence leaves proofs alone, and all proofs of a proposition are equal
            g.equate(e, TRUE, lambda g: mk_apps(mk_const("eq_true"), (e, g.refl(a))))
        elif g.same(a, b):
            g.equate(e, TRUE, lambda g: mk_apps(mk_const("eq_true"), (e, g.proof(a, b))))
        elif type(alpha) is Pi and g.is_(e, FALSE):
            self._different_functions(g, e, alpha, a, b)
        elif g.is_(e, TRUE):
            g.equate(a, b, lambda g: g.holds(e))
        elif is_app_of(alpha, "Bool", 0) and g.is_(e, FALSE):
            for x, y in ((a, b), (b, a)):
                if y is YES or y is NO:
                    self._unequal(g, e, x, y, y is b)

    def _different_functions(self, g: Closure, e: Expr, alpha: Pi, a: Expr, b: Expr) -> None:
        """Conclude `∃ x, a x ≠ b x` from `a ≠ b`."""
        m = self.m
        old = m.lctx
        try:
            x = m.push_local("x", alpha.type)
            left, right = mk_app(a, x), mk_app(b, x)
            equation = g.equation(left, right)
            pointwise = m.mk_pi([x], equation)
            predicate = m.mk_lambda([x], equation)
            opposite = m.mk_lambda([x], mk_app(NOT, equation))
        finally:
            m.lctx = old
        levels = (sort_level(m, alpha.type),)
        beta = mk_lam("x", alpha.type, alpha.body)
        both = (*levels, get_app(predicate.body)[0].levels[0])  # type: ignore[attr-defined]
        extensional = mk_apps(mk_const("funext", both), (alpha.type, beta, a, b))
        not_all = mk_apps(mk_const("mt"), (pointwise, e, extensional, g.fails(e)))
        exists = mk_apps(mk_const("Exists", levels), (alpha.type, opposite))
        iff = mk_apps(mk_const("Classical.not_forall", levels), (alpha.type, predicate))
        parts = (mk_app(NOT, pointwise), exists, iff, not_all)
        self.assume(g, exists, mk_apps(mk_const("Iff.mp"), parts), g.generation[e])

    def _unequal(self, g: Closure, e: Expr, x: Expr, y: Expr, plain: bool) -> None:
        """Conclude `x = false` from `x ≠ true`, and the reverse; `plain` where `e` is `x = y`, not `y = x`."""
        name, other = ("of_not_eq_true", NO) if y is YES else ("of_not_eq_false", YES)

        def premise(g: Closure) -> Expr:
            if plain:
                return g.proof(e, FALSE)
            turned = g.equation(x, y)
            ne = mk_apps(mk_const("Ne.symm", (get_app(e)[0].levels)), (mk_const("Bool"), y, x, g.fails(e)))  # type: ignore[attr-defined]
            return mk_apps(mk_const("eq_false"), (turned, ne))

        self._set(g, x, other, name, [x], premise)

    # --- conditions --------------------------------------------------------------------------------------

    def _if(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        condition = args[1]
        for value, holds in ((TRUE, True), (FALSE, False)):
            if g.is_(condition, value):
                proof = g.holds(condition) if holds else g.fails(condition)
                result = chosen_branch(self.m, e, Decision(holds, proof))
                assert result.proof is not None
                why = result.proof
                g.equate(e, self.canonical.of(result.expr), lambda _, why=why: why, g.generation[e])  # type: ignore[misc]

    def _decide(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        p = args[0]
        for prop, value, word in ((TRUE, YES, "true"), (FALSE, NO, "false")):
            if g.is_(p, prop):
                name = mk_const(f"decide_eq_{word}")
                known = (lambda g: g.holds(p)) if prop is TRUE else (lambda g: g.fails(p))
                g.equate(e, value, lambda g, n=name, k=known: mk_apps(n, (*args, k(g))))  # type: ignore[misc]
            if g.is_(e, value):
                lemma, turn = mk_const(f"of_decide_eq_{word}"), mk_const(f"eq_{word}")

                def why(g: Closure, v: Expr = value, lemma: Expr = lemma, turn: Expr = turn) -> Expr:
                    return mk_apps(turn, (p, mk_apps(lemma, (*args, g.proof(e, v)))))

                g.equate(p, prop, why)

    def _test(self, g: Closure, e: Expr, args: list[Expr]) -> None:
        """`a == b` and the equation `a = b`, where `==` is lawful."""
        alpha, inst, a, b = args
        fn = get_app(e)[0]
        lawful = synth_instance(self.m, mk_apps(mk_const("LawfulBEq", fn.levels), (alpha, inst)))  # type: ignore[attr-defined]
        if lawful is None:
            return
        test, equation = g.equation(e, YES), g.equation(a, b)
        iff = mk_apps(mk_const("beq_iff_eq", fn.levels), (alpha, inst, lawful, a, b))  # type: ignore[attr-defined]
        g.equate(test, equation, lambda _: mk_apps(mk_const("propext"), (test, equation, iff)))


_RULES: dict[tuple[str, int], Callable[[Rules, Closure, Expr, list[Expr]], None]] = {
    ("And", 2): lambda r, g, e, args: r._binary(g, e, args, "and", TRUE, FALSE),
    ("Or", 2): lambda r, g, e, args: r._binary(g, e, args, "or", FALSE, TRUE),
    ("Bool.and", 2): lambda r, g, e, args: r._binary(g, e, args, "band", YES, NO),
    ("Bool.or", 2): lambda r, g, e, args: r._binary(g, e, args, "bor", NO, YES),
    ("Not", 1): lambda r, g, e, args: r._negation(g, e, args, "not", TRUE, FALSE),
    ("Bool.not", 1): lambda r, g, e, args: r._negation(g, e, args, "bnot", YES, NO),
    ("Iff", 2): Rules._iff,
    ("Exists", 2): Rules._exists,
    ("Eq", 3): Rules._eq,
    ("ite", 5): Rules._if,
    ("dite", 5): Rules._if,
    ("Decidable.decide", 2): Rules._decide,
    ("BEq.beq", 4): Rules._test,
}
