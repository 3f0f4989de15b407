"""Solver of `omega`: systems of linear constraints over the integers, and derivations of contradictions.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/Core.lean` (4.34): equalities are solved exactly (W. Pugh, "The Omega
test", 1991), then variables are eliminated by Fourier and Motzkin's method with every constraint divided by the
greatest common divisor of its coefficients. As in Lean, neither the dark nor the grey shadow is used.

This module does not use terms. Each constraint is a `Inequality` that records how it follows from others, and
`proof` turns the step that contradicts itself into a term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import gcd
from typing import Any, TypeAlias

Coeffs: TypeAlias = "tuple[tuple[int, int], ...]"
"""Variables and their coefficients, none of them 0, by increasing variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Inequality:
    """The constraint `coeffs · x + const ≥ 0` with its derivation.

    Exactly one of these is set: `given`, which returns the caller's proof of it; `parts`, positive
    multiples of other steps that add up to it; `tightened`, a step and the divisor of its coefficients.
    """

    coeffs: Coeffs
    const: int
    given: Callable[[], Any] | None = None
    parts: tuple[tuple[int, Inequality], ...] = ()
    tightened: tuple[Inequality, int] | None = None


class Contradiction(Exception):
    """The constraints have no solution: `step` has no variables and a negative constant."""

    def __init__(self, step: Inequality) -> None:
        super().__init__("contradiction")
        self.step = step


@dataclass(frozen=True, slots=True)
class Row:
    """Bounds of one linear form: a step for the lower and one for the upper bound."""

    coeffs: Coeffs
    lower: Inequality | None = None
    upper: Inequality | None = None

    @property
    def low(self) -> int | None:
        """The lower bound."""
        return None if self.lower is None else -self.lower.const

    @property
    def high(self) -> int | None:
        """The upper bound."""
        return None if self.upper is None else self.upper.const

    @property
    def exact(self) -> bool:
        """Return whether the bounds are equal: the row is an equality."""
        return self.lower is not None and self.upper is not None and -self.lower.const == self.upper.const

    def bounds(self) -> Iterable[Inequality]:
        """Return the steps of the bounds that exist."""
        return [step for step in (self.lower, self.upper) if step is not None]


@dataclass(frozen=True, slots=True)
class Elimination:
    """An equality that eliminates `variable`, which occurs in it with `sign`, 1 or -1."""

    row: Row
    variable: int
    sign: int

    def apply(self, step: Inequality) -> Inequality:
        """Return `step` with the variable eliminated."""
        at = coefficient(step.coeffs, self.variable)
        if not at:
            return step
        factor = -self.sign * at
        bound = self.row.lower if factor > 0 else self.row.upper
        assert bound is not None
        return combine(1, step, abs(factor), bound)


def coefficient(coeffs: Coeffs, variable: int) -> int:
    """Return the coefficient of a variable."""
    for v, c in coeffs:
        if v == variable:
            return c
    return 0


def combine(a: int, first: Inequality, b: int, second: Inequality) -> Inequality:
    """Return `a * first + b * second`, both factors positive."""
    sums = {v: a * c for v, c in first.coeffs}
    for v, c in second.coeffs:
        sums[v] = sums.get(v, 0) + b * c
    coeffs = tuple(sorted((v, c) for v, c in sums.items() if c))
    return Inequality(coeffs, a * first.const + b * second.const, parts=((a, first), (b, second)))


def tidy(step: Inequality) -> Inequality:
    """Return the step divided by the greatest common divisor of its coefficients, its constant rounded down."""
    divisor = gcd(*(c for _, c in step.coeffs))
    if divisor <= 1:
        return step
    coeffs = tuple((v, c // divisor) for v, c in step.coeffs)
    return Inequality(coeffs, step.const // divisor, tightened=(step, divisor))


def balanced_mod(a: int, m: int) -> int:
    """Return the representative of `a` modulo `m` between `-m/2` and `m/2`."""
    r = a % m
    return r if r < (m + 1) // 2 else r - m


@dataclass(slots=True)
class System:
    """A system of constraints.

    Attributes:
        rows: Bounds by linear form; the first coefficient of a form is positive.
        eliminations: Equalities that eliminate a variable each, the earliest first.
        new_variable: Returns a variable that stands for `coeffs · x + const`, and the two steps that define it:
            `variable - form ≥ 0` and `form - variable ≥ 0`.
        spend: Called for every step of work; raises when the budget is used up.
    """

    new_variable: Callable[[Coeffs, int], tuple[int, Inequality, Inequality]]
    spend: Callable[[], None]
    rows: dict[Coeffs, Row] = field(default_factory=dict)
    eliminations: list[Elimination] = field(default_factory=list)

    def copy(self) -> System:
        """Return a copy to add constraints to."""
        return System(self.new_variable, self.spend, dict(self.rows), list(self.eliminations))

    def define(self, variable: int, row: Row) -> None:
        """Eliminate a variable with coefficient 1 in the equality `row` from all constraints that are added later."""
        self.eliminations.append(Elimination(row, variable, 1))

    def add(self, step: Inequality) -> None:
        """Add a constraint, with the eliminated variables replaced; equalities are not solved yet.

        Raises:
            Contradiction: The constraint contradicts another one.
        """
        for elimination in self.eliminations:
            step = elimination.apply(step)
        self._insert(step)

    def _insert(self, step: Inequality) -> None:
        self.spend()
        step = tidy(step)
        if not step.coeffs:
            if step.const < 0:
                raise Contradiction(step)
            return
        if step.coeffs[0][1] > 0:
            row = self.rows.get(step.coeffs, Row(step.coeffs))
            if row.lower is not None and row.lower.const <= step.const:
                return
            row = Row(row.coeffs, step, row.upper)
        else:
            coeffs = tuple((v, -c) for v, c in step.coeffs)
            row = self.rows.get(coeffs, Row(coeffs))
            if row.upper is not None and row.upper.const <= step.const:
                return
            row = Row(coeffs, row.lower, step)
        if row.lower is not None and row.upper is not None and row.lower.const + row.upper.const < 0:
            raise Contradiction(combine(1, row.lower, 1, row.upper))
        self.rows[row.coeffs] = row

    # --- equalities --------------------------------------------------------------------------------------

    def solve_equalities(self) -> None:
        """Eliminate a variable by each equality.

        Raises:
            Contradiction: They have no solution.
        """
        while (row := self._select_equality()) is not None:
            if min(abs(c) for _, c in row.coeffs) == 1:
                self._solve_easy(row)
            else:
                self._soften(row)

    def _select_equality(self) -> Row | None:
        best: tuple[int, int] | None = None
        chosen: Row | None = None
        for row in self.rows.values():
            if not row.exact:
                continue
            sizes = [abs(c) for _, c in row.coeffs]
            key = (min(sizes), max(sizes))
            if key[0] == 1:
                return row
            if best is None or key < best:
                best, chosen = key, row
        return chosen

    def _solve_easy(self, row: Row) -> None:
        """Eliminate a variable with coefficient 1 or -1."""
        variable, sign = next((v, c) for v, c in row.coeffs if abs(c) == 1)
        elimination = Elimination(row, variable, sign)
        self.eliminations.append(elimination)
        others, self.rows = self.rows, {}
        for other in others.values():
            if other is row:
                continue
            for step in other.bounds():
                self._insert(elimination.apply(step))

    def _soften(self, row: Row) -> None:
        """Replace an equality without a coefficient 1 or -1 by one with smaller coefficients."""
        assert row.lower is not None and row.upper is not None
        m = min(abs(c) for _, c in row.coeffs) + 1
        value = row.upper.const
        quotient = tuple((v, q) for v, c in row.coeffs if (q := (c - balanced_mod(c, m)) // m))
        shift = -((value - balanced_mod(value, m)) // m)
        _, above, below = self.new_variable(quotient, shift)
        self._insert(combine(1, row.lower, m, above))
        self._insert(combine(1, row.upper, m, below))

    # --- inequalities ------------------------------------------------------------------------------------

    def eliminate(self) -> None:
        """Eliminate variable after variable.

        Raises:
            Contradiction: The constraints have no solution. Returning means that none was found.
        """
        while self.rows:
            self._fourier_motzkin(self._select_variable())
            self.solve_equalities()

    def _select_variable(self) -> int:
        """Select a variable whose elimination is exact if there is one, and adds few constraints."""
        variables = sorted({v for coeffs in self.rows for v, _ in coeffs})
        best: tuple[bool, int] | None = None
        chosen = variables[0]
        for variable in variables:
            lowers, uppers = self._sides(variable)
            size = len(lowers) * len(uppers)
            if not size:
                return variable
            exact = all(a == 1 for a, _ in lowers) or all(b == 1 for b, _ in uppers)
            key = (not exact, size)
            if best is None or key < best:
                best, chosen = key, variable
        return chosen

    def _sides(self, variable: int) -> tuple[list[tuple[int, Inequality]], list[tuple[int, Inequality]]]:
        """Return the steps that bound the variable from below and from above, each with its coefficient."""
        lowers: list[tuple[int, Inequality]] = []
        uppers: list[tuple[int, Inequality]] = []
        for row in self.rows.values():
            if not coefficient(row.coeffs, variable):
                continue
            for step in row.bounds():
                at = coefficient(step.coeffs, variable)
                (lowers if at > 0 else uppers).append((abs(at), step))
        return lowers, uppers

    def _fourier_motzkin(self, variable: int) -> None:
        lowers, uppers = self._sides(variable)
        self.rows = {c: row for c, row in self.rows.items() if not coefficient(c, variable)}
        for a, low in lowers:
            for b, high in uppers:
                self._insert(combine(b, low, a, high))
