"""Atoms of `omega`: the variables of its constraints, the terms they stand for, and facts about them.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/OmegaM.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from minilean.kernel.expr import Expr, get_app
from minilean.meta.extension import REDUCIBLE
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.tactics.omega.lemmas import inline
from minilean.tactics.omega.proof import Sum, Sums


@dataclass(frozen=True, slots=True)
class Difference:
    """An integer `e` as `plus - minus`, with a proof of `e + ↑minus = ↑plus`."""

    plus: Sum
    minus: Sum
    proof: Expr


@dataclass(slots=True)
class View:
    """Terms that were read so far; a copy is kept while the cases of a disjunction are tried.

    Attributes:
        atoms: The variable of each atom.
        naturals: Natural numbers as sums, each with a proof that it equals the term of its sum.
        integers: Integers as differences of sums.
    """

    atoms: dict[Expr, int] = field(default_factory=dict)
    naturals: dict[Expr, tuple[Sum, Expr]] = field(default_factory=dict)
    integers: dict[Expr, Difference] = field(default_factory=dict)

    def copy(self) -> View:
        """Return a copy to add to."""
        return View(dict(self.atoms), dict(self.naturals), dict(self.integers))


class Atoms:
    """The atoms of one run of `omega`.

    Args:
        m: The metavariable context and the local context of the goal.
        spend: Called once for every term that is read; raises when the budget is used up.

    Attributes:
        view: The terms read so far.
        terms: The term of every variable, also of those no longer in use: one term for a natural number, two for a
            variable that is their difference.
        integers: The term of each variable that is an integer.
        quotients: `x` and `k` of each variable that is a quotient `x / k`.
        facts: Proofs of statements about new atoms, with the statements, not yet read as constraints.
        sums: Terms of sums over the atoms, and proofs about them.
    """

    def __init__(self, m: Meta, spend: Callable[[], None]) -> None:
        self.m = m
        self.spend = spend
        self.view = View()
        self.terms: list[tuple[Expr, Expr | None]] = []
        self.integers: dict[int, Expr] = {}
        self.quotients: dict[int, tuple[Expr, Expr]] = {}
        self.facts: list[tuple[Expr, Expr]] = []
        self.sums = Sums(self.term_of, lambda name: inline(m.env, name))

    def term_of(self, key: int) -> Expr:
        """Return the term of a key of a sum.

        The key is twice the number of a variable, and one more for the part that is subtracted.
        """
        first, second = self.terms[key >> 1]
        if not key & 1:
            return first
        assert second is not None
        return second

    def is_difference(self, variable: int) -> bool:
        """Return whether a variable stands for a difference."""
        return self.terms[variable][1] is not None

    def find(self, e: Expr) -> int | None:
        """Return the variable of `e` or of an atom that is `e` by reducible unfolding, `None` for a new atom."""
        variable = self.view.atoms.get(e)
        if variable is not None:
            return variable
        m = self.m
        fn, args = get_app(e)
        for other, variable in list(self.view.atoms.items()):
            head, others = get_app(other)
            if head is not fn or len(args) != len(others) or not args:
                continue
            with m.new_mctx_depth(), m.with_transparency(REDUCIBLE):
                if m.attempt(lambda o=other: is_def_eq(m, e, o)):  # type: ignore[misc]
                    self.view.atoms[e] = variable
                    return variable
        return None

    def add(self, e: Expr, first: Expr, second: Expr | None) -> int:
        """Return a new variable for the atom `e`, which is `first`, or the integer `first - second`."""
        variable = len(self.terms)
        self.terms.append((first, second))
        self.view.atoms[e] = variable
        if second is not None:
            self.integers[variable] = e
        return variable
