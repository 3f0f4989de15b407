"""Potentials of proof states: numbers from 0 to 1 that say how little is left to prove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import torch

from trainers.config.credit import CreditConfig, ValueKind
from trainers.policies.progress import ProgressModel

Goals = tuple[str, ...]
"""All open goals of a state as Lean prints them, the main goal first; never cut."""

HALF_SIZE = 100
"""Characters of goals at which `goal_size` is one half."""


class ValueSource(Protocol):
    """Potential of proof states."""

    def __call__(self, states: Sequence[Goals]) -> Sequence[float]:
        """Return one number from 0 to 1 per state, larger where less is left to prove; equal for equal states."""
        ...


def goals_left(states: Sequence[Goals]) -> list[float]:
    """Return 1 / n for n open goals, and 1 for none."""
    return [1.0 / max(1, len(goals)) for goals in states]


def goal_size(states: Sequence[Goals]) -> list[float]:
    """Return c / (c + n) for goals of n characters in all, with c = `HALF_SIZE`."""
    return [HALF_SIZE / (HALF_SIZE + sum(map(len, goals))) for goals in states]


class LearnedProgress:
    """Potential by a progress model; each text of goals is computed once."""

    PLACES = 5
    """Decimal places of a potential. The last bits that the model computes depend on the other states of a batch, and
    a resumed run, whose cache is empty, has other batches."""
    MOST_KEPT = 200_000
    """Texts kept; with more, all are forgotten."""

    def __init__(self, model: ProgressModel) -> None:
        self._model = model
        self._known: dict[str, float] = {}

    def __call__(self, states: Sequence[Goals]) -> list[float]:
        """Return the model's potential of each state, and 1 for no goals."""
        texts = ["\n\n".join(goals) for goals in states]
        if len(self._known) > self.MOST_KEPT:
            self._known.clear()
        fresh = [text for text in dict.fromkeys(texts) if text and text not in self._known]
        for text, value in zip(fresh, self._model.potentials(fresh), strict=True):
            self._known[text] = min(1.0, max(0.0, round(value, self.PLACES)))
        return [self._known[text] if text else 1.0 for text in texts]


class ProgressFolder(LearnedProgress):
    """Potential by the progress model in a folder, for the reward `progress`, which takes it by import path.

    Args:
        folder: Folder that `python -m trainers.progress` wrote.

    Raises:
        PolicyError: The folder holds no progress model.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(ProgressModel.load(folder))


VALUE_SOURCES: Final[dict[ValueKind, ValueSource]] = {
    "goals": goals_left,
    "goal_size": goal_size,
}
"""Potentials without a model."""


def make_value(settings: CreditConfig, device: torch.device | None = None) -> ValueSource:
    """Return the potential that the setting `value` names.

    Args:
        settings: Credit settings.
        device: Device of a progress model; the CPU if left out.

    Raises:
        PolicyError: The folder `progress_model` holds no progress model.
    """
    if settings.value == "progress":
        return LearnedProgress(ProgressModel.load(settings.progress_model, device))
    return VALUE_SOURCES[settings.value]


def check_potentials(values: Sequence[float], count: int) -> list[float]:
    """Return the numbers of a `ValueSource` as a list.

    Raises:
        ValueError: There are not `count` of them, or one is outside of 0 to 1.
    """
    found = [float(value) for value in values]
    if len(found) != count:
        raise ValueError(f"expected one potential for each of {count} states, got {len(found)}")
    wrong = [value for value in found if not 0.0 <= value <= 1.0]
    if wrong:
        raise ValueError(f"expected potentials from 0 to 1, got {wrong[0]}")
    return found
