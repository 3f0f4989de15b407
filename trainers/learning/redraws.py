"""Log-probabilities of tactics as they were sent, where an episode draws others in place of those that it has tried.

A tactic is drawn from pi. If the episode has tried it where the same was shown, N others are drawn, and the first one
that it has not tried is sent, or the first draw if it has tried them all. With T the tactics tried and q = sum over T
of pi(b), a tactic a is sent with the probability

    pi(a) (1 + q + ... + q^N)    if a is not in T; without a bound on N this is pi(a) / (1 - q)
    pi(a) q^N                    if a is in T

Its gradient also flows through q. The tried tactics have the same prompt, so they are scored in the same pass. The
factor belongs to the tactic as a whole; it is added to the log-probability of the first token.

T has the tactics in the tokens in which they were sampled. Other tokens of the same text are not in q.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from trainers.learning.samples import Sample, Tried, padded
from trainers.policies.base import Completion
from trainers.policies.packing import Pair, Tokens, sent
from trainers.rollouts.player import Step


def tried_before(steps: Sequence[Step[Completion]]) -> list[Tried | None]:
    """Return for each step of an episode the tactics tried earlier where the same was shown."""
    found: list[Tried | None] = []
    known: dict[str, tuple[dict[Tokens, float], set[str]]] = {}
    for step in steps:
        choice = step.choice
        sampled, texts = known.setdefault(step.goals, ({}, set()))
        found.append(
            Tried(tuple(sampled), tuple(sampled.values()), choice.redraws, choice.text in texts)
            if sampled and choice.redraws
            else None
        )
        sampled.setdefault(choice.token_ids, sum(choice.logprobs))
        texts.add(choice.text)
    return found


def log_factors(masses: Tensor, tried: Sequence[Tried]) -> Tensor:
    """Return the logarithm of the probability that a tactic is sent, less that of drawing it.

    Args:
        masses: (R,) q, the probability of the tried tactics; may carry gradient.
        tried: The R rows' tried tactics, for their numbers of redraws.
    """
    masses = masses.clamp(1e-30, 1.0)
    redraws = sent(torch.tensor([one.redraws for one in tried]), masses.device)
    sums = torch.ones_like(masses)
    for count in range(max(one.redraws for one in tried)):
        sums = torch.where(count < redraws, 1.0 + masses * sums, sums)
    again = sent(torch.tensor([one.again for one in tried]), masses.device)
    return torch.where(again, redraws * masses.log(), sums.log())


class PartRows:
    """Training rows of one pass through the model.

    Attributes:
        samples: The B rows.
        places: (B,) index of the completion of each row among those of the pass, on the CPU.
    """

    def __init__(self, scored: Sequence[Pair], by_pair: Mapping[Pair, Sequence[Sample]]) -> None:
        """Find the rows of scored completions.

        Args:
            scored: (prompt, completion) of each completion of the pass; with a row also all that it has tried.
            by_pair: The rows of each.
        """
        self.samples = [row for pair in scored for row in by_pair[pair]]
        self.places = _index(at for at, pair in enumerate(scored) for _ in by_pair[pair])
        again = [at for at, row in enumerate(self.samples) if row.tried is not None]
        self._tried = [row.tried for row in self.samples if row.tried is not None]
        place = {pair: at for at, pair in enumerate(scored)}
        self._owners = _index(at for at, one in enumerate(self._tried) for _ in one.tactics)
        self._again = _index(again)
        self._members = _index(
            place[self.samples[at].prompt_ids, tactic]
            for at, one in zip(again, self._tried, strict=True)
            for tactic in one.tactics
        )

    def as_sent(self, logprobs: Tensor) -> Tensor:
        """Return the log-probabilities of the rows as they were sent, (B, T).

        Args:
            logprobs: (N, T) of the completions as they are drawn, 0 on padding; may carry gradient.
        """
        places, members = (sent(index, logprobs.device) for index in (self.places, self._members))
        return self._with_factors(logprobs[places], logprobs.sum(dim=1)[members])

    def as_sampled(self, like: Tensor) -> Tensor:
        """Return the same from the log-probabilities that were kept with the rows; of the width and type of `like`."""
        drawn = padded([row.logprobs for row in self.samples], like)
        kept = [value for one in self._tried for value in one.logprobs]
        return self._with_factors(drawn, sent(torch.tensor(kept, dtype=like.dtype), like.device))

    def _with_factors(self, drawn: Tensor, tried: Tensor) -> Tensor:
        """Add the factors to the first tokens of rows, (B, T); `tried`: log-probabilities in the order of owners."""
        if not self._tried:
            return drawn
        owners, again = sent(self._owners, drawn.device), sent(self._again, drawn.device)
        masses = drawn.new_zeros(len(self._tried)).index_add(0, owners, tried.exp())
        factors = drawn.new_zeros(len(drawn)).index_add(0, again, log_factors(masses, self._tried))
        return torch.cat([drawn[:, :1] + factors.unsqueeze(1), drawn[:, 1:]], dim=1)


def _index(numbers: Iterable[int]) -> Tensor:
    return torch.tensor(list(numbers), dtype=torch.long)
