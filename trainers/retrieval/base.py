"""Premises, and the protocol of their retrieval. Nothing here imports torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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
