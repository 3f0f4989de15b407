"""Values in the closure of `grind`: constructors are injective and disjoint, numerals differ, a `match` reduces.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Ctor,Proj,MatchCond,Core}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import Const, Expr, Lit, get_app, get_app_fn, mk_app, mk_apps, mk_const
from minilean.kernel.level import ONE
from minilean.meta.infer import infer_type, is_proof
from minilean.meta.numerals import nat_literal, nat_offset
from minilean.meta.unify import is_def_eq
from minilean.tactics.constructors import injection_equations, no_confusion
from minilean.tactics.decide import refutation
from minilean.tactics.grind.canonical import Canonical
from minilean.tactics.grind.closure import Closure
from minilean.tactics.grind.lemmas import rule
from minilean.tactics.omega.instances import int_literal
from minilean.tactics.simp.result import FALSE, TRUE
from minilean.tactics.state import Tactics


class Values:
    """Reasoning about values within one run."""

    def __init__(self, t: Tactics, canonical: Canonical) -> None:
        self.t, self.m = t, t.m
        self.canonical = canonical

    def meet(self, g: Closure, a: Expr, b: Expr) -> Expr | None:
        """Use that two values are equal: return a proof of `False`, or plan the equations between their fields."""
        if self._constructor(a) is not None and self._constructor(a) is self._constructor(b):
            self._inject(g, a, b)
            return None
        refuted = self.different(a, b)
        return None if refuted is None else refuted(g.proof(a, b))

    def different(self, a: Expr, b: Expr) -> Callable[[Expr], Expr] | None:
        """Return the function from proofs of `a = b` to proofs of `False`, if these values differ."""
        m = self.m
        if a is b:
            return None
        if {a, b} == {TRUE, FALSE}:
            if a is TRUE:
                return lambda h: mk_apps(rule(m.env, "clash"), (h,))
            return lambda h: mk_apps(rule(m.env, "clash_turned"), (h,))
        first, second = self._constructor(a), self._constructor(b)
        if first is not None and second is not None:
            if first is second:
                return None
            alpha = m.instantiate_mvars(infer_type(m, a))
            if len(get_app(alpha)[1]) != first.num_params:
                return None
            return lambda h: no_confusion(self.t, h, alpha, a)
        if self._number(a) is None or self._number(b) is None or self._number(a) == self._number(b):
            return None
        alpha = m.instantiate_mvars(infer_type(m, a))
        refuted = refutation(m, mk_apps(mk_const("Eq", (ONE,)), (alpha, a, b)))
        return None if refuted is None else lambda h: mk_app(refuted, h)

    def _constructor(self, e: Expr) -> Constructor | None:
        fn = get_app_fn(e)
        decl = self.m.env.find(fn.name) if type(fn) is Const else None
        return decl if isinstance(decl, Constructor) else None

    def _number(self, e: Expr) -> int | str | None:
        if type(e) is Lit:
            return e.value
        value = nat_literal(self.m, e)
        return int_literal(self.m, e) if value is None else value

    def _inject(self, g: Closure, a: Expr, b: Expr) -> None:
        t, m = self.t, self.m
        alpha = m.instantiate_mvars(infer_type(m, a))
        ctor = self._constructor(a)
        assert ctor is not None
        if len(get_app(alpha)[1]) != ctor.num_params:
            return
        xs, ys = (get_app(e)[1][ctor.num_params :] for e in (a, b))
        pairs = [(x, y) for x, y in zip(xs, ys, strict=True) if not is_proof(m, x)]
        for x, y in pairs:
            if not m.attempt(lambda x=x, y=y: is_def_eq(m, infer_type(m, x), infer_type(m, y))):  # type: ignore[misc]
                return
        for i, (x, y) in enumerate(pairs):

            def why(g: Closure, i: int = i) -> Expr:
                return injection_equations(t, g.proof(a, b), alpha, a, b)[i][0]

            g.equate(x, y, why, g.generation[a])

    # --- terms that a value reduces ----------------------------------------------------------------------

    def apply(self, g: Closure, e: Expr) -> None:
        """Reduce a projection or a `match` of a value; refute an equation between different values."""
        fn, args = get_app(e)
        if type(fn) is not Const:
            return
        env = self.m.env
        if fn.name == "Eq" and len(args) == 3:
            self._compare(g, e, args[1], args[2])
        elif fn.name in env.matchers:
            info = env.matchers[fn.name]
            if len(args) >= info.arity:
                first = info.num_params + 1
                self._reduce(g, e, fn, args, range(first, first + info.num_discrs))
        elif fn.name in env.projections and not env.projections[fn.name].is_class:
            place = env.projections[fn.name].num_params
            if len(args) > place:
                self._reduce(g, e, fn, args, range(place, place + 1))

    def _compare(self, g: Closure, e: Expr, a: Expr, b: Expr) -> None:
        if is_proof(self.m, a):
            return
        first, second = g.value.get(g.root[a]), g.value.get(g.root[b])
        if first is None or second is None or g.is_(e, FALSE) or g.same(a, b):
            return
        refuted = self.different(first, second)
        if refuted is None:
            return
        m = self.m

        def why(g: Closure) -> Expr:
            old = m.lctx
            try:
                h = m.push_local("h✝", e)
                proof = g.trans(a, b, second, h, g.proof(b, second))
                proof = g.trans(first, a, second, g.proof(first, a), proof)
                return mk_apps(mk_const("eq_false"), (e, m.mk_lambda([h], refuted(proof))))
            finally:
                m.lctx = old

        g.equate(e, FALSE, why)

    def _reduce(self, g: Closure, e: Expr, fn: Const, args: list[Expr], places: range) -> None:
        """Put the values of the parts at `places` in their places and evaluate; congruence connects the terms."""
        new = list(args)
        for i in places:
            if args[i] not in g.root or g.fixed(e)[i]:
                return
            found = self._shape(g, args[i])
            if found is not None:
                new[i] = found
        if all(x is y for x, y in zip(args, new, strict=True)):
            return
        known = mk_apps(fn, new)
        result = self.canonical.of(known)
        if get_app_fn(result) is fn:
            # a `match` on an equal value that is still stuck, or a projection of a structure that is not known
            return
        g.settled.update((e, known))
        g.add(known, g.generation[e])
        g.equate(known, result, lambda g: g.refl(known), g.generation[e])

    def _shape(self, g: Closure, e: Expr) -> Expr | None:
        root = g.root[e]
        value = g.value.get(root)
        if value is not None:
            return value
        return next((x for x in g.members[root] if nat_offset(self.m, x) is not None), None)
