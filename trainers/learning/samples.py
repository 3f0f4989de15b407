"""Training rows as the learner gets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainers.policies.packing import Pair, Tokens, sent


@dataclass(frozen=True, slots=True)
class Tried:
    """Tactics that an episode had tried where it drew another one.

    Attributes:
        tactics: Their tokens, each once.
        logprobs: Log-probability of each, the sum over its tokens, as sampled.
        redraws: N, the tactics drawn in place of one of them.
        again: Whether the tactic that was sent is one of them.
    """

    tactics: tuple[Tokens, ...]
    logprobs: tuple[float, ...]
    redraws: int
    again: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """One training row.

    Attributes:
        prompt_ids: Tokens of the prompt, as the model saw them.
        token_ids: Tokens of the tactic, as sampled.
        logprobs: Their log-probabilities, as sampled.
        advantage: Weight of the row in the loss.
        episode: Number of its episode, counted over all groups of the iteration.
        tried: Tactics that its episode had tried there; `None` if there are none, or if it draws none again.
    """

    prompt_ids: Tokens
    token_ids: Tokens
    logprobs: tuple[float, ...]
    advantage: float
    episode: int = 0
    tried: Tried | None = None


def by_pair(samples: Sequence[Sample]) -> dict[Pair, list[Sample]]:
    """Group rows by (prompt, completion), so that equal ones are scored once; tried tactics are there without a row."""
    found: dict[Pair, list[Sample]] = {}
    for sample in samples:
        found.setdefault((sample.prompt_ids, sample.token_ids), []).append(sample)
        for tactic in () if sample.tried is None else sample.tried.tactics:
            found.setdefault((sample.prompt_ids, tactic), [])
    return found


def padded(rows: Sequence[Sequence[float]], like: Tensor) -> Tensor:
    """Stack rows of different length into the width of `like`, zeros on the right."""
    stacked = torch.zeros(len(rows), like.shape[1])
    for index, row in enumerate(rows):
        stacked[index, : len(row)] = torch.tensor(row)
    return sent(stacked.to(like.dtype), like.device)
