"""Proof terms for `omega`: from the steps of `solver` to a term of type `False`.

A step `Σ c x + k ≥ 0` over the integers is stated over `Nat` by moving the negative terms to the other side, as
`left ≤ right`. Both sides are sums `k₁ * x₁ + (k₂ * x₂ + .. + k)` with the atoms in order and on one side only,
so that equal statements are equal terms. The lemmas used are core Lean's, and those of `lemmas.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from minilean.kernel.expr import Expr, mk_apps, mk_const
from minilean.kernel.level import ONE, ZERO
from minilean.meta.numerals import mk_numeral
from minilean.tactics.omega.solver import Inequality

Sum: TypeAlias = "tuple[tuple[tuple[int, int], ...], int]"
"""Atoms with positive coefficients, in order, and a constant."""
Side: TypeAlias = "tuple[Sum, Sum, Expr]"
"""Left and right side, and a proof of left ≤ right."""

NAT = mk_const("Nat")
FALSE = mk_const("False")
ZERO_SUM: Sum = ((), 0)
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
        inline: Returns the proof of a lemma of `lemmas.py`.
    """

    def __init__(self, atom: Callable[[int], Expr], inline: Callable[[str], Expr]) -> None:
        self.atom = atom
        self._inline = inline
        self._terms: dict[Sum, Expr] = {}
        self._merged: dict[tuple[Sum, Sum], Expr] = {}

    def inline(self, name: str, *args: Expr) -> Expr:
        """Apply a lemma of `lemmas.py` to all its arguments."""
        return mk_apps(self._inline(name), args)

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
        if b == ZERO_SUM:
            return lemma("Nat.add_zero", self.term(a))
        if a == ZERO_SUM:
            return lemma("Nat.zero_add", self.term(b))
        if not a[0] and not b[0]:
            return refl(self.term(plus(a, b)))
        rest_a, rest_b = (a[0][1:], a[1]), (b[0][1:], b[1])
        if a[0] and b[0] and a[0][0][0] == b[0][0][0]:
            (key, k), (_, n) = a[0][0], b[0][0]
            numbers, same = [mk_numeral(c) for c in (k, n, k + n)], refl(mk_numeral(k + n))
            parts = [self.term(each) for each in (rest_a, rest_b, plus(rest_a, rest_b))]
            proofs = same, self.merge(rest_a, rest_b)
            return self.inline("merge_same", *numbers, self.atom(key), *parts, *proofs)
        if not b[0] or (a[0] and a[0][0] < b[0][0]):
            parts = [self.term(each) for each in (rest_a, b, plus(rest_a, b))]
            return self.inline("merge_left", self.product(*a[0][0]), *parts, self.merge(rest_a, b))
        head, tail, total = self.product(*b[0][0]), self.term(rest_b), self.term(plus(a, rest_b))
        return self.inline("merge_right", self.term(a), head, tail, total, self.merge(a, rest_b))

    def scale(self, k: int, a: Sum) -> Expr:
        """`k * a = times(k, a)`."""
        if not k:
            return lemma("Nat.zero_mul", self.term(a))
        if not a[0]:
            return refl(self.term(times(k, a)))
        (key, c), rest = a[0][0], (a[0][1:], a[1])
        numbers, same = [mk_numeral(d) for d in (k, c, k * c)], refl(mk_numeral(k * c))
        tails = self.term(rest), self.term(times(k, rest))
        return self.inline("scale", *numbers, self.atom(key), *tails, same, self.scale(k, rest))

    def single(self, key: int) -> Expr:
        """`x = 1 * x + 0` for an atom."""
        x = self.atom(key)
        return symm(mul(mk_numeral(1), x), x, lemma("Nat.one_mul", x))

    def sum_equation(self, terms: tuple[Expr, Expr], sums: tuple[Sum, Sum], eqs: tuple[Expr, Expr]) -> Expr:
        """`a + c = plus(sums)` from `a = sums[0]` and `c = sums[1]`."""
        parts = [self.term(each) for each in (*sums, plus(*sums))]
        return self.inline("sum", *terms, *parts, *eqs, self.merge(*sums))

    def multiple_equation(self, k: int, a: Expr, total: Sum, eq: Expr) -> Expr:
        """`k * a = times(k, total)` from `a = total`."""
        parts = mk_numeral(k), a, self.term(total), self.term(times(k, total))
        return self.inline("multiple", *parts, eq, self.scale(k, total))

    # --- inequalities ------------------------------------------------------------------------------------

    def transport(self, a: Expr, b: Expr, left: Sum, right: Sum, eqs: tuple[Expr, Expr], h: Expr) -> Side:
        """Return `left ≤ right` without the common part of the sides, from `h : a ≤ b`, `a = left` and `b = right`."""
        return self.cancel(left, right, self.inline("le", a, b, self.term(left), self.term(right), h, *eqs))

    def cancel(self, left: Sum, right: Sum, h: Expr) -> Side:
        """Return `h : left ≤ right` without the common part of the sides."""
        shared = common(left, right)
        if shared == ZERO_SUM:
            return left, right, h
        short = without(left, shared), without(right, shared)
        terms = [self.term(each) for each in (shared, *short, left, right)]
        equations = self.merge(shared, short[0]), self.merge(shared, short[1])
        return *short, self.inline("le_cancel", *terms, h, *equations)

    def multiple(self, k: int, side: Side) -> Side:
        """`k * side`."""
        left, right, h = side
        if k == 1:
            return side
        a, b, factor = self.term(left), self.term(right), mk_numeral(k)
        wide = times(k, left), times(k, right)
        equations = self.scale(k, left), self.scale(k, right)
        return *wide, self.inline("le_multiple", factor, a, b, *map(self.term, wide), h, *equations)

    def combination(self, k: int, first: Side, n: int, second: Side) -> Side:
        """`k * first + n * second`, without the common part of the sides."""
        (a, b, h), (c, d, g) = self.multiple(k, first), self.multiple(n, second)
        left, right = plus(a, c), plus(b, d)
        terms = [self.term(each) for each in (a, b, c, d, left, right)]
        return self.cancel(
            left, right, self.inline("le_sum", *terms, h, g, self.merge(a, c), self.merge(b, d))
        )

    def divided(self, side: Side, g: int, left: Sum, right: Sum) -> Side:
        """Prove `left ≤ right` from `side`, which is `g` times it up to rounding.

        From `side` comes `g * left < g * (right + 1)`.
        """
        wide_left, wide_right = times(g, left), times(g, right)
        # the differences between the sides of `side` and `g * left + 1`, `g * right + g`
        low: Sum = ((), wide_left[1] + 1 - side[0][1])
        high: Sum = ((), wide_right[1] + g - side[1][1])
        bottom, top = plus(side[0], low), plus(side[1], high)
        sums = left, right, side[0], side[1], low, high, bottom, top, wide_left, wide_right
        equations = (
            *(self.merge(side[0], low), self.merge(side[1], high)),
            *(self.scale(g, left), self.merge(wide_left, ((), 1))),
            *(self.scale(g, right), self.merge(wide_right, ((), g))),
        )
        less = literal_le(low[1], high[1])
        proof = self.inline("le_divided", mk_numeral(g), *map(self.term, sums), side[2], less, *equations)
        return left, right, proof


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
