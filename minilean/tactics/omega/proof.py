"""Proof terms for `omega`: from the steps of `solver` to a term of type `False`.

A step `Σ c x + k ≥ 0` over the integers is stated over `Nat` by moving the negative terms to the other side, as
`left ≤ right`. Both sides are sums `k₁ * x₁ + (k₂ * x₂ + .. + k)` with the atoms in order and on one side only,
so that equal statements are equal terms. The lemmas used are core Lean's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from minilean.kernel.expr import Expr, mk_app, mk_apps, mk_bvar, mk_const, mk_lam, mk_pi
from minilean.kernel.level import ONE, ZERO
from minilean.meta.numerals import mk_numeral
from minilean.tactics.omega.solver import Inequality

Sum: TypeAlias = "tuple[tuple[tuple[int, int], ...], int]"
"""Atoms with positive coefficients, in order, and a constant."""
Side: TypeAlias = "tuple[Sum, Sum, Expr]"
"""Left and right side, and a proof of left ≤ right."""

NAT = mk_const("Nat")
FALSE = mk_const("False")
LE = mk_apps(mk_const("LE.le", (ZERO,)), (NAT, mk_const("instLENat")))
_LT = mk_apps(mk_const("LT.lt", (ZERO,)), (NAT, mk_const("instLTNat")))
_LEVELS3 = (ZERO, ZERO, ZERO)
ADD = mk_apps(
    mk_const("HAdd.hAdd", _LEVELS3),
    (NAT, NAT, NAT, mk_apps(mk_const("instHAdd", (ZERO,)), (NAT, mk_const("instAddNat")))),
)
MUL = mk_apps(
    mk_const("HMul.hMul", _LEVELS3),
    (NAT, NAT, NAT, mk_apps(mk_const("instHMul", (ZERO,)), (NAT, mk_const("instMulNat")))),
)
_TRUE = mk_apps(mk_const("Eq.refl", (ONE,)), (mk_const("Bool"), mk_const("Bool.true")))


def add(a: Expr, b: Expr) -> Expr:
    """`a + b`."""
    return mk_apps(ADD, (a, b))


def mul(a: Expr, b: Expr) -> Expr:
    """`a * b`."""
    return mk_apps(MUL, (a, b))


def le(a: Expr, b: Expr) -> Expr:
    """`a ≤ b`."""
    return mk_apps(LE, (a, b))


def lt(a: Expr, b: Expr) -> Expr:
    """`a < b`."""
    return mk_apps(_LT, (a, b))


def lemma(name: str, *args: Expr) -> Expr:
    """Apply a lemma without universe parameters to all its arguments."""
    return mk_apps(mk_const(name), args)


def refl(a: Expr) -> Expr:
    """`a = a`."""
    return mk_apps(mk_const("Eq.refl", (ONE,)), (NAT, a))


def symm(a: Expr, b: Expr, h: Expr) -> Expr:
    """`b = a` from `h : a = b`."""
    return mk_apps(mk_const("Eq.symm", (ONE,)), (NAT, a, b, h))


def trans(a: Expr, b: Expr, c: Expr, first: Expr, second: Expr) -> Expr:
    """`a = c` from `a = b` and `b = c`."""
    return mk_apps(mk_const("Eq.trans", (ONE,)), (NAT, a, b, c, first, second))


def congr_right(op: Expr, a: Expr, b: Expr, c: Expr, h: Expr) -> Expr:
    """`op a b = op a c` from `h : b = c`."""
    return mk_apps(mk_const("congrArg", (ONE, ONE)), (NAT, NAT, b, c, mk_app(op, a), h))


def congr_both(op: Expr, a: Expr, a2: Expr, b: Expr, b2: Expr, first: Expr, second: Expr) -> Expr:
    """`op a b = op a2 b2` from `a = a2` and `b = b2`."""
    unary = mk_pi("a✝", NAT, NAT)
    left = mk_apps(mk_const("congrArg", (ONE, ONE)), (NAT, unary, a, a2, op, first))
    return mk_apps(
        mk_const("congr", (ONE, ONE)), (NAT, NAT, mk_app(op, a), mk_app(op, a2), b, b2, left, second)
    )


def literal_le(a: int, b: int) -> Expr:
    """Prove `a ≤ b` for numbers that satisfy it."""
    return lemma("Nat.le_of_ble_eq_true", mk_numeral(a), mk_numeral(b), _TRUE)


# --- sums ----------------------------------------------------------------------------------------------------


def plus(a: Sum, b: Sum) -> Sum:
    """The sum of two sums."""
    total = dict(a[0])
    for key, c in b[0]:
        total[key] = total.get(key, 0) + c
    return tuple(sorted(total.items())), a[1] + b[1]


def times(k: int, a: Sum) -> Sum:
    """A multiple of a sum."""
    return (tuple((key, k * c) for key, c in a[0]), k * a[1]) if k else ((), 0)


def without(a: Sum, b: Sum) -> Sum:
    """Return `a - b`, where `b` is part of `a`."""
    less = dict(b[0])
    return tuple((key, d) for key, c in a[0] if (d := c - less.get(key, 0))), a[1] - b[1]


def common(a: Sum, b: Sum) -> Sum:
    """Return the common part of two sums."""
    other = dict(b[0])
    return tuple((key, min(c, other[key])) for key, c in a[0] if key in other), min(a[1], b[1])


class Sums:
    """Terms of sums, and proofs of the equations between them.

    Args:
        atom: Returns the term of an atom.
    """

    def __init__(self, atom: Callable[[int], Expr]) -> None:
        self.atom = atom
        self._terms: dict[Sum, Expr] = {}
        self._merged: dict[tuple[Sum, Sum], Expr] = {}

    def term(self, a: Sum) -> Expr:
        """Return the term of a sum."""
        found = self._terms.get(a)
        if found is None:
            parts, const = a
            found = mk_numeral(const)
            if parts:
                found = add(self.product(*parts[0]), self.term((parts[1:], const)))
            self._terms[a] = found
        return found

    def product(self, key: int, coefficient: int) -> Expr:
        """`coefficient * atom`."""
        return mul(mk_numeral(coefficient), self.atom(key))

    def merge(self, a: Sum, b: Sum) -> Expr:
        """`a + b = plus(a, b)`."""
        found = self._merged.get((a, b))
        if found is None:
            found = self._merged[a, b] = self._merge(a, b)
        return found

    def _merge(self, a: Sum, b: Sum) -> Expr:
        total = plus(a, b)
        if not a[0] and not b[0]:
            return refl(self.term(total))
        start, end = add(self.term(a), self.term(b)), self.term(total)
        ka = a[0][0][0] if a[0] else None
        kb = b[0][0][0] if b[0] else None
        if ka is not None and ka == kb:
            return self._merge_same(a, b, start, end)
        if kb is None or (ka is not None and ka < kb):
            rest = (a[0][1:], a[1])
            head, tail = self.product(*a[0][0]), self.term(rest)
            moved = lemma("Nat.add_assoc", head, tail, self.term(b))
            inner = add(tail, self.term(b))
            joined = self.merge(rest, b)
            below = plus(rest, b)
        else:
            rest = (b[0][1:], b[1])
            head, tail = self.product(*b[0][0]), self.term(rest)
            moved = lemma("Nat.add_left_comm", self.term(a), head, tail)
            inner = add(self.term(a), tail)
            joined = self.merge(a, rest)
            below = plus(a, rest)
        second = congr_right(ADD, head, inner, self.term(below), joined)
        return trans(start, add(head, inner), end, moved, second)

    def _merge_same(self, a: Sum, b: Sum, start: Expr, end: Expr) -> Expr:
        """Merge sums that begin with the same atom: `(k x + a') + (l x + b') = (k + l) x + (a' + b')`."""
        (key, k), (_, n) = a[0][0], b[0][0]
        rest_a, rest_b = (a[0][1:], a[1]), (b[0][1:], b[1])
        x, left, right = self.atom(key), self.product(key, k), self.product(key, n)
        tail_a, tail_b = self.term(rest_a), self.term(rest_b)
        regrouped = lemma("Nat.add_add_add_comm", left, tail_a, right, tail_b)
        heads, tails = add(left, right), add(tail_a, tail_b)
        ks, ns = mk_numeral(k), mk_numeral(n)
        joined = symm(mul(add(ks, ns), x), heads, lemma("Nat.add_mul", ks, ns, x))
        both = congr_both(
            ADD,
            heads,
            self.product(key, k + n),
            tails,
            self.term(plus(rest_a, rest_b)),
            joined,
            self.merge(rest_a, rest_b),
        )
        return trans(start, add(heads, tails), end, regrouped, both)

    def scale(self, k: int, a: Sum) -> Expr:
        """`k * a = times(k, a)`."""
        if not k:
            return lemma("Nat.zero_mul", self.term(a))
        factor, parts = mk_numeral(k), a[0]
        if not parts:
            return refl(self.term(times(k, a)))
        rest = (parts[1:], a[1])
        (key, c), tail = parts[0], self.term(rest)
        head, x = self.product(key, c), self.atom(key)
        spread = lemma("Nat.mul_add", factor, head, tail)
        first, second = mul(factor, head), mul(factor, tail)
        cs = mk_numeral(c)
        joined = symm(mul(mul(factor, cs), x), first, lemma("Nat.mul_assoc", factor, cs, x))
        both = congr_both(
            ADD,
            first,
            self.product(key, k * c),
            second,
            self.term(times(k, rest)),
            joined,
            self.scale(k, rest),
        )
        return trans(mul(factor, self.term(a)), add(first, second), self.term(times(k, a)), spread, both)

    def single(self, key: int) -> Expr:
        """`x = 1 * x + 0` for an atom."""
        x = self.atom(key)
        return symm(mul(mk_numeral(1), x), x, lemma("Nat.one_mul", x))

    # --- inequalities ------------------------------------------------------------------------------------

    def transport(self, a: Expr, b: Expr, left: Sum, right: Sum, eqs: tuple[Expr, Expr], h: Expr) -> Side:
        """Return `left ≤ right` without the common part of the sides, from `h : a ≤ b`, `a = left` and `b = right`."""
        left_term, right_term = self.term(left), self.term(right)
        lower = lemma("Nat.le_of_eq", left_term, a, symm(a, left_term, eqs[0]))
        upper = lemma("Nat.le_of_eq", b, right_term, eqs[1])
        half = lemma("Nat.le_trans", a, b, right_term, h, upper)
        return self.cancel(left, right, lemma("Nat.le_trans", left_term, a, right_term, lower, half))

    def cancel(self, left: Sum, right: Sum, h: Expr) -> Side:
        """Return `h : left ≤ right` without the common part of the sides."""
        shared = common(left, right)
        if not shared[0] and not shared[1]:
            return left, right, h
        short_left, short_right = without(left, shared), without(right, shared)
        c, a, b = self.term(shared), self.term(short_left), self.term(short_right)
        whole_left, whole_right = self.term(left), self.term(right)
        lower = lemma("Nat.le_of_eq", add(c, a), whole_left, self.merge(shared, short_left))
        back = symm(add(c, b), whole_right, self.merge(shared, short_right))
        upper = lemma("Nat.le_of_eq", whole_right, add(c, b), back)
        half = lemma("Nat.le_trans", whole_left, whole_right, add(c, b), h, upper)
        whole = lemma("Nat.le_trans", add(c, a), whole_left, add(c, b), lower, half)
        return short_left, short_right, lemma("Nat.le_of_add_le_add_left", c, a, b, whole)

    def multiple(self, k: int, side: Side) -> tuple[Expr, Expr, tuple[Expr, Expr], Expr]:
        """Return `k * left ≤ k * right`: its sides as terms, their equations with sums, and the proof."""
        left, right, h = side
        a, b = self.term(left), self.term(right)
        if k == 1:
            return a, b, (refl(a), refl(b)), h
        factor = mk_numeral(k)
        proof = lemma("Nat.mul_le_mul_left", a, b, factor, h)
        return mul(factor, a), mul(factor, b), (self.scale(k, left), self.scale(k, right)), proof

    def combination(self, k: int, first: Side, n: int, second: Side) -> Side:
        """`k * first + n * second`."""
        a, b, (ea, eb), h = self.multiple(k, first)
        c, d, (ec, ed), g = self.multiple(n, second)
        lefts = times(k, first[0]), times(n, second[0])
        rights = times(k, first[1]), times(n, second[1])
        proof = lemma("Nat.add_le_add", a, b, c, d, h, g)
        equations = self.sum_equation((a, c), lefts, (ea, ec)), self.sum_equation((b, d), rights, (eb, ed))
        return self.transport(add(a, c), add(b, d), plus(*lefts), plus(*rights), equations, proof)

    def sum_equation(self, terms: tuple[Expr, Expr], sums: tuple[Sum, Sum], eqs: tuple[Expr, Expr]) -> Expr:
        """`a + c = plus(sums)` from `a = sums[0]` and `c = sums[1]`."""
        (a, c), (x, y) = terms, (self.term(sums[0]), self.term(sums[1]))
        both = congr_both(ADD, a, x, c, y, *eqs)
        return trans(add(a, c), add(x, y), self.term(plus(*sums)), both, self.merge(*sums))

    def divided(self, side: Side, g: int, left: Sum, right: Sum) -> Side:
        """Prove `left ≤ right` from `side`, which is `g` times it up to rounding.

        From `side` comes `g * left < g * (right + 1)`.
        """
        factor, one, ones = mk_numeral(g), mk_numeral(1), ((), 1)
        wide_left, wide_right = times(g, left), times(g, right)
        # the differences between the sides of `side` and `g * left + 1`, `g * right + g`
        low, high = wide_left[1] + 1 - side[0][1], wide_right[1] + g - side[1][1]
        start, x, y = self.term(left), mul(factor, self.term(left)), add(self.term(right), one)
        bottom, top = add(self.term(side[0]), mk_numeral(low)), add(self.term(side[1]), mk_numeral(high))
        middle = lemma(
            "Nat.add_le_add",
            *(self.term(side[0]), self.term(side[1]), mk_numeral(low), mk_numeral(high)),
            *(side[2], literal_le(low, high)),
        )
        below = self.sum_equation((x, one), (wide_left, ones), (self.scale(g, left), refl(one)))
        spread = lemma("Nat.mul_add", factor, self.term(right), one)
        parts = mul(factor, self.term(right)), mul(factor, one)
        above = self.sum_equation(parts, (wide_right, ((), g)), (self.scale(g, right), refl(factor)))
        total_left, total_right = plus(side[0], ((), low)), plus(side[1], ((), high))
        first = self._same(add(x, one), bottom, total_left, below, self.merge(side[0], ((), low)))
        gy, total = mul(factor, y), self.term(total_right)
        last = self._same(
            top,
            gy,
            total_right,
            self.merge(side[1], ((), high)),
            trans(gy, add(*parts), total, spread, above),
        )
        upper = lemma("Nat.le_trans", bottom, top, gy, middle, lemma("Nat.le_of_eq", top, gy, last))
        lower = lemma("Nat.le_of_eq", add(x, one), bottom, first)
        less = lemma("Nat.le_trans", add(x, one), bottom, gy, lower, upper)
        return left, right, self._without_factor(factor, start, y, self.term(right), less)

    def _same(self, a: Expr, b: Expr, total: Sum, first: Expr, second: Expr) -> Expr:
        """`a = b` from `first : a = total` and `second : b = total`."""
        whole = self.term(total)
        return trans(a, whole, b, first, symm(b, whole, second))

    def _without_factor(self, factor: Expr, x: Expr, y: Expr, right: Expr, less: Expr) -> Expr:
        """`x ≤ right` from `less : factor * x < factor * y`, where `y` is `right + 1`."""
        more = lemma("Nat.mul_le_mul_left", y, x, factor, mk_bvar(0))
        absurd = lemma("Nat.not_le_of_gt", mul(factor, y), mul(factor, x), less, more)
        below = lemma("Nat.lt_of_not_le", y, x, mk_lam("h", le(y, x), absurd))
        return lemma("Nat.le_of_lt_succ", x, right, below)


class InequalityProofs:
    """Proofs of steps.

    Args:
        sums: The sums over the problem's atoms.
        halves: Returns whether a variable is the difference of two atoms.
    """

    def __init__(self, sums: Sums, halves: Callable[[int], bool], spend: Callable[[], None]) -> None:
        self.sums = sums
        self.halves = halves
        self.spend = spend
        self._proved: dict[Inequality, Side] = {}

    def sides(self, step: Inequality) -> tuple[Sum, Sum]:
        """Return the two sides of the step over `Nat`."""
        left: dict[int, int] = {}
        right: dict[int, int] = {}
        for variable, c in step.coeffs:
            (right if c > 0 else left)[2 * variable] = abs(c)
            if self.halves(variable):
                (left if c > 0 else right)[2 * variable + 1] = abs(c)
        return (
            (tuple(sorted(left.items())), max(-step.const, 0)),
            (tuple(sorted(right.items())), max(step.const, 0)),
        )

    def prove(self, step: Inequality) -> Side:
        """Return the step as an inequality between sums, with its proof."""
        todo = [step]
        while todo:
            top = todo[-1]
            if top in self._proved:
                todo.pop()
                continue
            needed = [part for _, part in top.parts] + ([top.tightened[0]] if top.tightened else [])
            missing = [part for part in needed if part not in self._proved]
            if missing:
                todo += missing
                continue
            self.spend()
            self._proved[top] = self._prove_one(top)
            todo.pop()
        return self._proved[step]

    def _prove_one(self, step: Inequality) -> Side:
        if step.tightened is not None:
            before, divisor = step.tightened
            return self.sums.divided(self._proved[before], divisor, *self.sides(step))
        if step.parts:
            (k, first), (n, second) = step.parts
            return self.sums.combination(k, self._proved[first], n, self._proved[second])
        assert step.given is not None
        side: Side = step.given()
        return side

    def contradiction(self, step: Inequality) -> Expr:
        """Prove `False` from a step without variables whose constant is negative."""
        left, right, h = self.prove(step)
        a, b = mk_numeral(left[1]), mk_numeral(right[1])
        # `b < a` is `b + 1 ≤ a`
        greater = literal_le(right[1] + 1, left[1])
        return lemma("Nat.not_le_of_gt", a, b, greater, h)
