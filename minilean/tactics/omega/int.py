"""Integer terms for `omega`: each is the difference of two sums over natural numbers.

An atom `x` is `x.toNat - (-x).toNat`, and a cast `↑t` is the sum of the natural number `t`. Constraints on integers
become constraints between sums over `Nat`, which `proof` works with.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/{Frontend,OmegaM}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_proj,
)
from minilean.kernel.level import ONE
from minilean.meta.numerals import mk_numeral, nat_literal
from minilean.tactics.omega import proof as nat
from minilean.tactics.omega.atoms import Atoms, Difference
from minilean.tactics.omega.ground import ground_int
from minilean.tactics.omega.instances import INT, domain, int_literal, int_numeral, operation
from minilean.tactics.omega.lemmas import apply_inline
from minilean.tactics.omega.proof import Sum
from minilean.tactics.omega.solver import Inequality

_TO_NAT = mk_const("Int.toNat")


class Integers:
    """Integer terms as differences of sums.

    Args:
        atoms: The atoms; new ones are added.
        natural: Reads a natural number: gives its sum and a proof that it equals the term of the sum.
    """

    def __init__(self, atoms: Atoms, natural: Callable[[Expr], tuple[Sum, Expr]]) -> None:
        self.atoms = atoms
        self.m = atoms.m
        self.sums = atoms.sums
        self._read_natural = natural

    def linear(self, e: Expr) -> Difference:
        """Return `e` as a difference."""
        seen = self.atoms.view.integers
        hit = seen.get(e)
        if hit is None:
            self.atoms.spend()
            hit = seen[e] = self._linear(e)
        return hit

    def inequality(self, a: Expr, b: Expr, h: Expr) -> Inequality:
        """Return the step of `h : a ≤ b`."""
        y, x, s = self.linear(b), self.linear(a), self.sums
        left, right = nat.plus(x.plus, y.minus), nat.plus(y.plus, x.minus)
        difference: dict[int, int] = {}
        for total, sign in ((right, 1), (left, -1)):
            for key, c in total[0]:
                # the key of the part that is subtracted has the same coefficient: it is skipped
                if not key & 1:
                    difference[key >> 1] = difference.get(key >> 1, 0) + sign * c
        coeffs = tuple(sorted((v, c) for v, c in difference.items() if c))

        def side() -> nat.Side:
            parts = [s.term(total) for total in (x.plus, x.minus, y.plus, y.minus)]
            proof = self.sums.inline("Int.le", a, b, *parts, x.proof, y.proof, h)
            ends = nat.add(parts[0], parts[3]), nat.add(parts[2], parts[1])
            equations = s.merge(x.plus, y.minus), s.merge(y.plus, x.minus)
            return s.transport(*ends, left, right, equations, proof)

        return Inequality(coeffs, right[1] - left[1], given=side)

    # --- terms -------------------------------------------------------------------------------------------

    def _linear(self, e: Expr) -> Difference:
        m = self.m
        value = ground_int(m, e)
        if value is not None:
            return self._number(value)
        if type(e) is FVar:
            local = m.local(e)
            return self._atom(e) if local.value is None else self.linear(m.instantiate_mvars(local.value))
        fn, args = get_app(e)
        if type(fn) is Const:
            if fn.name == "Int.negSucc" and len(args) == 1:
                return self.linear(operation("Neg.neg", "Int", self.successor(_cast(args[0]))))
            step = _OPERATIONS.get((fn.name, len(args)))
            if step is not None and domain(m, fn.name, args) == "Int":
                return step(self, e, args)
        return self._atom(e)

    def _number(self, value: int) -> Difference:
        plus, minus = ((), max(value, 0)), ((), max(-value, 0))
        return Difference(plus, minus, _refl(_cast(mk_numeral(max(value, 0)))))

    def successor(self, a: Expr) -> Expr:
        """Return `a + 1`."""
        return operation("HAdd.hAdd", "Int", a, int_numeral(1))

    def _cast(self, e: Expr, n: Expr) -> Difference:
        """Return `e`, which is `↑n` by definition, as a difference."""
        total, equation = self._read_natural(n)
        return Difference(
            total, nat.ZERO_SUM, self.sums.inline("Int.cast", n, self.sums.term(total), equation)
        )

    def _negated(self, a: Expr) -> Difference:
        x = self.linear(a)
        parts = self.sums.term(x.plus), self.sums.term(x.minus)
        return Difference(x.minus, x.plus, self.sums.inline("Int.neg", a, *parts, x.proof))

    def _added(self, a: Expr, x: Difference, b: Expr, y: Difference) -> Difference:
        s = self.sums
        plus, minus = nat.plus(x.plus, y.plus), nat.plus(x.minus, y.minus)
        totals = [s.term(total) for total in (x.plus, x.minus, y.plus, y.minus, plus, minus)]
        equations = s.merge(x.plus, y.plus), s.merge(x.minus, y.minus)
        return Difference(
            plus, minus, self.sums.inline("Int.add", a, b, *totals, x.proof, y.proof, *equations)
        )

    def _add(self, args: list[Expr]) -> Difference:
        return self._added(args[4], self.linear(args[4]), args[5], self.linear(args[5]))

    def _sub(self, args: list[Expr]) -> Difference:
        negated = operation("Neg.neg", "Int", args[5])
        return self._added(args[4], self.linear(args[4]), negated, self._negated(args[5]))

    def _mul(self, e: Expr, args: list[Expr]) -> Difference:
        a, b = args[4], args[5]
        factor = ground_int(self.m, a)
        if factor is not None:
            return self._scaled(a, factor, b)
        factor = ground_int(self.m, b)
        if factor is not None:
            turned = operation("HMul.hMul", "Int", b, a)
            return self._equal(e, turned, nat.lemma("Int.mul_comm", a, b), self._scaled(b, factor, a))
        return self._natural(e)

    def _equal(self, e: Expr, f: Expr, h: Expr, x: Difference) -> Difference:
        """Return `e` as a difference from that of `f` and `h : e = f`."""
        parts = self.sums.term(x.plus), self.sums.term(x.minus)
        return Difference(x.plus, x.minus, self.sums.inline("Int.equal", e, f, *parts, h, x.proof))

    def _scaled(self, c: Expr, factor: int, a: Expr) -> Difference:
        """Return `c * a` as a difference, where `c` is the number `factor`."""
        if factor < 0:
            k = int_numeral(-factor)
            x = self._scaled(k, -factor, a)
            parts = self.sums.term(x.plus), self.sums.term(x.minus)
            return Difference(
                x.minus, x.plus, self.sums.inline("Int.neg_mul", c, k, a, *parts, _refl(c), x.proof)
            )
        x, s, number = self.linear(a), self.sums, mk_numeral(factor)
        plus, minus = nat.times(factor, x.plus), nat.times(factor, x.minus)
        totals = [s.term(total) for total in (x.plus, x.minus, plus, minus)]
        equations = s.scale(factor, x.plus), s.scale(factor, x.minus)
        proof = self.sums.inline("Int.mul", c, a, number, *totals, _refl(_cast(number)), x.proof, *equations)
        return Difference(plus, minus, proof)

    def _pow(self, e: Expr, args: list[Expr]) -> Difference:
        """Read `b ^ (k + 1)` for a number `b` as `b ^ k * b`, to which it is equal by definition."""
        base, exponent = args[4], args[5]
        _, parts = get_app(exponent)
        smaller = None
        if is_app_of(exponent, "Nat.succ", 1):
            smaller = parts[0]
        elif is_app_of(exponent, "HAdd.hAdd", 6) and nat_literal(self.m, parts[5]) == 1:
            smaller = parts[4]
        if smaller is None or ground_int(self.m, base) is None:
            return self._atom(e)
        rest = operation("HPow.hPow", "Int", base, smaller)
        return self.linear(operation("HMul.hMul", "Int", rest, base))

    def _div(self, e: Expr, args: list[Expr]) -> Difference:
        x, c = args[4], args[5]
        divisor = ground_int(self.m, c)
        if divisor is None or (divisor < 0 and int_literal(self.m, c) is None):
            return self._natural(e)
        if not divisor:
            return self._equal(e, int_numeral(0), nat.lemma("Int.ediv_zero", x), self._number(0))
        if divisor < 0:
            k = get_app(c)[1][2]
            negated = operation("Neg.neg", "Int", operation("HDiv.hDiv", "Int", x, k))
            return self._equal(e, negated, nat.lemma("Int.ediv_neg", x, k), self.linear(negated))
        value = ground_int(self.m, x)
        if value is not None:
            return self._known(e, x, value, divisor)
        if self._as_natural(e) is not None:
            return self._natural(e)
        if e not in self.atoms.view.atoms:
            k = mk_numeral(divisor)
            positive = nat.literal_le(1, divisor)
            fact = apply_inline(self.m.env, "Int.ediv", x, c, k, positive, _refl(_cast(k)))
            self.atoms.facts.append(fact)
        return self._atom(e)

    def _known(self, e: Expr, x: Expr, value: int, divisor: int) -> Difference:
        """Return `x / c` for numbers by a proof: the kernel would evaluate it by counting."""
        quotient, remainder = divmod(value, divisor)
        q, numbers = int_numeral(quotient), (mk_numeral(divisor), mk_numeral(remainder))
        proof = self.sums.inline(
            "Int.divided", x, q, *numbers, nat.literal_le(remainder + 1, divisor), _refl(x)
        )
        return self._equal(e, q, mk_proj("And", 0, proof), self._number(quotient))

    def _mod(self, e: Expr, args: list[Expr]) -> Difference:
        """Read `x % c` as `x - c * (x / c)`."""
        x, c = args[4], args[5]
        divisor = ground_int(self.m, c)
        natural = ground_int(self.m, x) is None and self._as_natural(e) is not None
        if divisor is None or divisor <= 0 or natural:
            return self._natural(e)
        multiple = operation("HMul.hMul", "Int", c, operation("HDiv.hDiv", "Int", x, c))
        whole = operation("HSub.hSub", "Int", x, multiple)
        return self._equal(e, whole, nat.lemma("Int.emod_def", x, c), self.linear(whole))

    def _extreme(self, name: str, a: Expr, b: Expr) -> Difference:
        """Read `min a b` as `if a ≤ b then a else b`, to which it is equal by definition, and `max a b` likewise."""
        branches = (a, b) if name == "Min.min" else (b, a)
        condition = operation("LE.le", "Int", a, b)
        decided = nat.lemma("Int.decLe", a, b)
        return self.linear(mk_apps(mk_const("ite", (ONE,)), (INT, condition, decided, *branches)))

    # --- natural numbers ---------------------------------------------------------------------------------

    def _natural(self, e: Expr) -> Difference:
        """Read an operation on casts, as `↑m * ↑n`, as the cast of a natural number, anything else as an atom."""
        n = self._as_natural(e)
        return self._atom(e) if n is None else self._cast(e, n)

    def _as_natural(self, e: Expr) -> Expr | None:
        """Return the natural number whose cast `e` is by definition; `None` if there is none."""
        fn, args = get_app(e)
        if type(fn) is not Const or domain(self.m, fn.name, args) != "Int":
            return None
        if fn.name == "Nat.cast":
            return args[2]
        if fn.name not in ("HAdd.hAdd", "HMul.hMul", "HDiv.hDiv", "HMod.hMod"):
            return None
        operands = []
        for arg in args[4:]:
            value = int_literal(self.m, arg)
            operand = mk_numeral(value) if value is not None and value >= 0 else self._as_natural(arg)
            if operand is None:
                return None
            operands.append(operand)
        return operation(fn.name, "Nat", *operands)

    # --- atoms -------------------------------------------------------------------------------------------

    def _atom(self, e: Expr) -> Difference:
        variable = self.atoms.find(e)
        if variable is None:
            halves = mk_app(_TO_NAT, e), mk_app(_TO_NAT, operation("Neg.neg", "Int", e))
            variable = self.atoms.add(e, *halves)
            self._describe(e)
        atom = self.atoms.integers[variable]
        keys = 2 * variable, 2 * variable + 1
        plus, minus = (((keys[0], 1),), 0), (((keys[1], 1),), 0)
        parts = self.sums.term(plus), self.sums.term(minus)
        proof = self.sums.inline(
            "Int.atom", atom, *parts, self.sums.single(keys[0]), self.sums.single(keys[1])
        )
        return Difference(plus, minus, proof)

    def _describe(self, e: Expr) -> None:
        """Add the facts about a new atom that its form gives."""
        fn, args = get_app(e)
        if type(fn) is not Const or domain(self.m, fn.name, args) != "Int":
            return
        if fn.name == "ite" and len(args) == 5:
            self.atoms.facts.append(apply_inline(self.m.env, "Int.ite", *args[1:]))


def describe_natural(atoms: Atoms, e: Expr) -> None:
    """Add the facts about a new atom `x.toNat` or `x.natAbs`."""
    fn, args = get_app(e)
    if type(fn) is Const and fn.name in ("Int.toNat", "Int.natAbs") and len(args) == 1:
        atoms.facts.append(apply_inline(atoms.m.env, fn.name, args[0]))


def _cast(n: Expr) -> Expr:
    """`↑n`."""
    return operation("Nat.cast", "Int", n)


def _refl(e: Expr) -> Expr:
    """`e = e`."""
    return mk_apps(mk_const("Eq.refl", (ONE,)), (INT, e))


_OPERATIONS: dict[tuple[str, int], Callable[[Integers, Expr, list[Expr]], Difference]] = {
    ("HAdd.hAdd", 6): lambda self, _, args: self._add(args),
    ("HSub.hSub", 6): lambda self, _, args: self._sub(args),
    ("Neg.neg", 3): lambda self, _, args: self._negated(args[2]),
    ("HMul.hMul", 6): lambda self, e, args: self._mul(e, args),
    ("HPow.hPow", 6): lambda self, e, args: self._pow(e, args),
    ("HDiv.hDiv", 6): lambda self, e, args: self._div(e, args),
    ("HMod.hMod", 6): lambda self, e, args: self._mod(e, args),
    ("Min.min", 4): lambda self, _, args: self._extreme("Min.min", args[2], args[3]),
    ("Max.max", 4): lambda self, _, args: self._extreme("Max.max", args[2], args[3]),
    ("Nat.cast", 3): lambda self, e, args: self._cast(e, args[2]),
}
