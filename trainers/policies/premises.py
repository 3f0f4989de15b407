"""Premises in the text that a policy without a preset is shown: Lean comments above the goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from trainers.retrieval.base import Premise


def lines_of(premises: Sequence[Premise]) -> tuple[str, ...]:
    """Return premises as Lean comments of a line each."""
    return tuple(f"-- {each.name} : {' '.join(each.code.split())}" for each in premises)


class Premised(str):
    """A text below premises, the best one nearest to it.

    Attributes:
        lines: The premises as comments, the best one first.
        below: The text.
    """

    lines: tuple[str, ...]
    below: str

    def __new__(cls, lines: Sequence[str], below: str) -> Self:
        """Put premises above a text."""
        premised = super().__new__(cls, "\n".join([*reversed(lines), below]))
        premised.lines = tuple(lines)
        premised.below = below
        return premised

    def __reduce__(self) -> tuple[type[Premised], tuple[tuple[str, ...], str]]:
        """Return what makes a copy in another process."""
        return Premised, (self.lines, self.below)

    def over(self, below: str) -> Premised:
        """Return the same premises above another text."""
        return Premised(self.lines, below)

    def fitting(self, fits: Callable[[str], bool]) -> str:
        """Return the text with as many of the best premises as fit; alone if none does."""
        if fits(self):
            return self
        least, most = 0, len(self.lines)
        while most - least > 1:
            middle = (least + most) // 2
            if fits(Premised(self.lines[:middle], self.below)):
                least = middle
            else:
                most = middle
        return Premised(self.lines[:least], self.below) if least else self.below
