"""Premises: lemmas that may help in a state, the protocol of their retrieval, and their lines above the goals.

Nothing here imports torch. `trainers.corpora.retrieval` finds premises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from lean_gym.types import Theorem


@dataclass(frozen=True, slots=True)
class Premise:
    """A lemma that may help, by its full name, and its source or statement."""

    name: str
    code: str


class Retriever(Protocol):
    """Search for lemmas that may help in states."""

    def __call__(
        self, goal_texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = (), /
    ) -> Sequence[Sequence[Premise]]:
        """Return the premises for each text, the best one first.

        Args:
            goal_texts: Goals of a state each; blank lines separate the goals of a text.
            count: Most premises of a text.
            theorems: The theorem that each text belongs to, which tells what is accessible; `None`, or no theorems at
                all, where it is not known.
        """


def marked(premise: Premise) -> str:
    """Return the code of a premise with its full name in marks, in place of the name as it stands there.

    Encoders and generators read premises so. Source: lean-dojo/ReProver, common.py.
    """
    name = f"<a>{premise.name}</a>"
    code = premise.code.replace(f"_root_.{premise.name}", name)
    parts = premise.name.split(".")
    for at in range(len(parts)):
        ending = re.escape(".".join(parts[at:]))
        found, count = re.subn(rf"(?<=\s)«?{ending}»?", lambda _: name, code)
        if count:
            return found
    return code


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
