"""Premises for a search: lemmas that a retriever finds for the goals of a state, and their place in the text shown.

A retriever is any function of this shape; none is built here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trainers.policies.presets.base import Premise


class Retriever(Protocol):
    """Source of premises."""

    def __call__(self, goal_texts: Sequence[str], /) -> Sequence[Sequence[Premise]]:
        """Return the premises for each text, the best one first; blank lines separate the goals of a text."""


class ShowPremises(Protocol):
    """Rule that puts premises into the text that a policy is shown."""

    def __call__(self, shown: str, premises: Sequence[Premise], /) -> str:
        """Return the text with premises, given the text without and the premises, the best one first."""


def above_goals(shown: str, premises: Sequence[Premise], /) -> str:
    """Return the text below its premises, which are Lean comments of a line each, the best one nearest to the goals."""
    lines = [f"-- {each.name} : {' '.join(each.code.split())}" for each in reversed(premises)]
    return "\n".join([*lines, shown])
