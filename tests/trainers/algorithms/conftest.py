"""A batch whose ratios lie inside and outside of every interval, and an environment that can be enumerated."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from trainers.algorithms.step_credit import Trace


@pytest.fixture
def rows() -> dict[str, Tensor]:
    """Six rows of up to five tokens; one row is padding only."""
    generator = torch.Generator().manual_seed(7)
    old = -3.0 * torch.rand(6, 5, generator=generator, dtype=torch.float64) - 0.05
    shift = 0.8 * torch.randn(6, 5, generator=generator, dtype=torch.float64)
    lengths = torch.tensor([5, 3, 1, 4, 0, 2])
    return {
        "logprobs": old + shift,
        "old_logprobs": old,
        "entropy": torch.rand(6, 5, generator=torch.Generator().manual_seed(9), dtype=torch.float64),
        "ref_logprobs": old + 0.5 * torch.randn(6, 5, generator=generator, dtype=torch.float64),
        "advantages": torch.tensor([1.3, -0.7, 0.4, -1.9, 0.8, -0.2], dtype=torch.float64),
        "mask": (torch.arange(5) < lengths[:, None]).to(torch.float64),
    }


@pytest.fixture
def token_advantages() -> Tensor:
    """(6, 5), both signs within a row."""
    generator = torch.Generator().manual_seed(8)
    return torch.randn(6, 5, generator=generator, dtype=torch.float64)


Walk = tuple[tuple[str, int], ...]
"""Choices of an episode, each with the state it was made in."""


class Chain:
    """A small environment with loops whose episodes of at most three choices can be enumerated."""

    likely: ClassVar = {"open": (0.5, 0.2, 0.3), "near": (0.4, 0.35, 0.25)}
    """A policy of three choices in two states; the third is refused in either."""
    leads_to: ClassVar = {"open": ("near", None, "open"), "near": (None, "open", "near")}
    """State after each choice; None ends the episode, and only the first choice in `near` earns 1."""

    def all_walks(self, state: str | None = "open", steps: int = 3) -> list[tuple[float, Walk]]:
        """Every episode of at most `steps` choices, with its probability."""
        if state is None or steps == 0:
            return [(1.0, ())]
        return [
            (self.likely[state][choice] * chance, ((state, choice), *rest))
            for choice in range(3)
            for chance, rest in self.all_walks(self.leads_to[state][choice], steps - 1)
        ]

    def gradient(self, walk: Walk, credit: Sequence[float]) -> np.ndarray:
        """Sum of credit times the gradient of log pi with respect to the six logits."""
        gradient = np.zeros((2, 3))
        for (state, choice), weight in zip(walk, credit, strict=True):
            likely = np.array(self.likely[state])
            gradient[list(self.likely).index(state)] += weight * (np.eye(3)[choice] - likely)
        return gradient

    def trace(self, walk: Walk) -> Trace:
        """The walk as a trace."""
        return Trace(
            tuple(state for state, _ in walk),
            tuple(float(step == ("near", 0)) for step in walk),
            tuple(choice == 2 for _, choice in walk),
        )

    def exact_gradient(self) -> np.ndarray:
        """The gradient of the expected return."""
        return sum(p * self.gradient(w, [self.trace(w).total] * len(w)) for p, w in self.all_walks())

    def mean_gradient(self, credit_of: Callable[[list[Walk]], Sequence[Sequence[float]]]) -> np.ndarray:
        """The mean over every pair of episodes of the gradient under the credit of such a pair."""
        found = np.zeros((2, 3))
        for (p, first), (q, second) in itertools.product(self.all_walks(), repeat=2):
            pair = [first, second]
            found += p * q * sum(map(self.gradient, pair, credit_of(pair))) / 2
        return found


@pytest.fixture
def chain() -> Chain:
    return Chain()
