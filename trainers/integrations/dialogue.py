"""An episode as one row of tokens, for trainers that take a prompt and a completion.

The row holds every tactic exactly as it was sampled, and between tactics the prover's answer, which is masked out of
the loss. It ends with the last tactic, so with the end token that the policy chose, and never with the prover's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Dialogue:
    """The row so far.

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
        """Take in the goals: the prompt at first, later the prover's answer."""
        if self.prompt_ids:
            self._pending = list(token_ids)
        else:
            self.prompt_ids = list(token_ids)

    @property
    def context(self) -> list[int]:
        """What the policy reads before its next tactic."""
        return self.prompt_ids + self.completion_ids + self._pending

    @property
    def length(self) -> int:
        """Tokens of the completion once the answer that was heard is part of it."""
        return len(self.completion_ids) + len(self._pending)

    def say(self, token_ids: Sequence[int], logprobs: Sequence[float] | None) -> None:
        """Add a tactic as it was sampled, after the answer that it followed."""
        for ids, own, values in (
            (self._pending, 0, [0.0] * len(self._pending)),
            (token_ids, 1, logprobs or [0.0] * len(token_ids)),
        ):
            self.completion_ids += ids
            self.env_mask += [own] * len(ids)
            self.logprobs += values
        self._pending = []
