"""Episode as one row of tokens, for trainers that take a prompt and a completion.

The row has every tactic exactly as it was sampled and, between tactics, the prover's answer, which is masked out of the
loss. It ends with the last tactic, never with an answer of the prover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Dialogue:
    """Row of tokens of an unfinished episode.

    Attributes:
        prompt_ids: The first goals.
        completion_ids: Tactics and answers in turn.
        env_mask: 1 on tokens of the policy, 0 on tokens of the prover.
        logprobs: Log-probability of each token as sampled, 0.0 on tokens of the prover.
    """

    prompt_ids: list[int] = field(default_factory=list)
    completion_ids: list[int] = field(default_factory=list)
    env_mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    _pending: list[int] = field(default_factory=list)

    def hear(self, token_ids: Sequence[int]) -> None:
        """Append goals: the first ones are the prompt, later ones the prover's answer."""
        if self.prompt_ids:
            self._pending = list(token_ids)
        else:
            self.prompt_ids = list(token_ids)

    @property
    def context(self) -> list[int]:
        """Return the tokens that the policy reads before its next tactic."""
        return self.prompt_ids + self.completion_ids + self._pending

    @property
    def length(self) -> int:
        """Return the number of completion tokens, including the latest answer."""
        return len(self.completion_ids) + len(self._pending)

    def say(self, token_ids: Sequence[int], logprobs: Sequence[float] | None) -> None:
        """Append a tactic as it was sampled, after the latest answer."""
        for ids, own, values in (
            (self._pending, 0, [0.0] * len(self._pending)),
            (token_ids, 1, logprobs or [0.0] * len(token_ids)),
        ):
            self.completion_ids += ids
            self.env_mask += [own] * len(ids)
            self.logprobs += values
        self._pending = []
