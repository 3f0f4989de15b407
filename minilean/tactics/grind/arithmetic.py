"""Linear arithmetic in `grind`: `omega` on the facts of the closure.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/Arith/` (4.34), which has its own procedures; here `omega` decides.
"""

from __future__ import annotations

from typing import TypeAlias

from minilean.kernel.expr import Const, Expr, get_app, is_app_of, mk_app, mk_apps, mk_const
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.infer import infer_type
from minilean.tactics.grind.closure import Closure
from minilean.tactics.omega.instances import domain, type_name
from minilean.tactics.omega.tactic import Omega
from minilean.tactics.simp.result import FALSE, TRUE
from minilean.tactics.state import Tactics

MAX_PAIRS = 24
"""Greatest number of pairs of terms that are compared in one round."""
MAX_STEPS = 40_000
"""Greatest number of heartbeats of one run of `omega`."""
MAX_UNEQUAL = 8
"""Greatest number of equations that do not hold which are used: each doubles the work."""
Fact: TypeAlias = "tuple[Expr, Expr]"
"""A proof and its statement."""
_RELATIONS = ("LE.le", "LT.lt", "Dvd.dvd")


class Arithmetic:
    """Linear arithmetic within one run."""

    def __init__(self, t: Tactics) -> None:
        self.t, self.m = t, t.m
        self._tried: set[tuple[Expr, Expr, frozenset[Expr]]] = set()
        self._failed: set[frozenset[Expr]] = set()

    def refute(self, g: Closure) -> Expr | None:
        """Return a proof of `False` from the linear facts of the closure, if there is one."""
        facts, unequal = self._facts(g)
        proof = self._run(facts) if facts else None
        if proof is None and 0 < len(unequal) <= MAX_UNEQUAL:
            proof = self._run([*facts, *unequal])
        return proof

    def equations(self, g: Closure) -> bool:
        """Plan equations between arguments of one function that follow from the facts; return whether there are any."""
        facts, _ = self._facts(g)
        found = False
        for a, b in self._pairs(g):
            equation = g.equation(a, b)
            old = self.m.lctx
            try:
                h = self.m.push_local("h✝", mk_app(mk_const("Not"), equation))
                proof = self._run([*facts, (h, self.m.local(h).type)])
                if proof is None:
                    continue
                negated = self.m.mk_lambda([h], proof)
            finally:
                self.m.lctx = old
            why = mk_apps(mk_const("Classical.byContradiction"), (equation, negated))
            g.equate(a, b, lambda _, why=why: why)  # type: ignore[misc]
            found = True
        return found

    def _run(self, facts: list[Fact]) -> Expr | None:
        key = frozenset(p for _, p in facts)
        if key in self._failed:
            return None
        budget = self.m.budget
        later = max(budget.left - MAX_STEPS, 0)
        budget.left -= later
        try:
            return Omega(self.t, hypotheses=False).refute_facts(facts)
        except BudgetError:
            if budget.left >= 0 or not later:
                raise
        except MetaError:
            pass
        finally:
            budget.left += later
        self._failed.add(key)
        return None

    def _facts(self, g: Closure) -> tuple[list[Fact], list[Fact]]:
        """Return the linear facts: decided relations and the equations of classes, then equations that do not hold."""
        facts: list[Fact] = []
        unequal: list[Fact] = []
        for p in g.members[g.root[TRUE]]:
            if self._is_linear(p):
                facts.append((g.holds(p), p))
        for p in g.members[g.root[FALSE]]:
            if self._is_linear(p):
                group = unequal if is_app_of(p, "Eq", 3) else facts
                group.append((g.fails(p), mk_app(mk_const("Not"), p)))
        stated = {p for _, p in facts}
        for root, members in g.members.items():
            if len(members) > 1 and type_name(self.m, infer_type(self.m, root)):
                for e in members:
                    equation = g.equation(e, root)
                    if e is not root and equation not in stated:
                        facts.append((g.proof(e, root), equation))
        return facts, unequal

    def _is_linear(self, p: Expr) -> bool:
        fn, args = get_app(p)
        name = fn.name if type(fn) is Const else ""
        if name == "Eq" and len(args) == 3:
            return bool(type_name(self.m, args[0]))
        return name in _RELATIONS and bool(domain(self.m, name, args))

    def _pairs(self, g: Closure) -> list[tuple[Expr, Expr]]:
        """Return pairs of numbers that stand at one place of applications which are equal at all other places."""
        pairs: dict[tuple[Expr, Expr], None] = {}
        state = frozenset(g.members[g.root[TRUE]]) | frozenset(g.members[g.root[FALSE]])
        for head, found in g.by_head.items():
            if head in _INTERPRETED:
                continue
            for i, x in enumerate(found):
                for y in found[:i]:
                    pair = None if g.same(x, y) else self._only_difference(g, x, y)
                    if pair is None or pair in pairs or (*pair, state) in self._tried:
                        continue
                    if len(pairs) >= MAX_PAIRS:
                        return list(pairs)
                    self.m.budget.spend("grind")
                    self._tried.add((*pair, state))
                    pairs[pair] = None
        return list(pairs)

    def _only_difference(self, g: Closure, x: Expr, y: Expr) -> tuple[Expr, Expr] | None:
        (f, xs), (h, ys) = get_app(x), get_app(y)
        if f is not h or len(xs) != len(ys):
            return None
        found = None
        for a, b, fixed in zip(xs, ys, g.fixed(x), strict=True):
            if a is b or (not fixed and a in g.root and b in g.root and g.same(a, b)):
                continue
            if fixed or found is not None or not type_name(self.m, infer_type(self.m, a)):
                return None
            if g.value.get(g.root[a]) is not None and g.value.get(g.root[b]) is not None:
                return None
            found = (a, b)
        return found


_INTERPRETED = frozenset(
    [
        "HAdd.hAdd",
        "HSub.hSub",
        "HMul.hMul",
        "HDiv.hDiv",
        "HMod.hMod",
        "Neg.neg",
        "Eq",
        "LE.le",
        "LT.lt",
        "OfNat.ofNat",
    ]
)
