"""What every algorithm of the family offers: advantages and a loss, on plain tensors.

Notation: `B` training rows (one row is one tactic), `T` completion tokens after padding on the right.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from torch import Tensor


@dataclass(frozen=True, slots=True)
class LossBatch:
    """The tensors of one loss evaluation.

    Attributes:
        logprobs: (B, T) log-probabilities of the sampled tokens under the policy being trained; carries
            gradient.
        old_logprobs: (B, T) the same under the policy that sampled them.
        advantages: (B,) one advantage per row, or (B, T) one per token.
        mask: (B, T) 1 on sampled tokens, 0 on padding.
        ref_logprobs: (B, T) the same under the start policy; `None` when the algorithm does not use it.
        total_rows: Rows of the whole optimiser step, when this batch is only a part of it; `None` means B.
            The losses of the parts then add up to the loss of the whole.
    """

    logprobs: Tensor
    old_logprobs: Tensor
    advantages: Tensor
    mask: Tensor
    ref_logprobs: Tensor | None = None
    total_rows: int | None = None

    def __post_init__(self) -> None:
        shape = tuple(self.logprobs.shape)
        for name in ("old_logprobs", "mask", "ref_logprobs"):
            value: Tensor | None = getattr(self, name)
            if value is not None and tuple(value.shape) != shape:
                raise ValueError(f"expected {name} of shape {shape} like logprobs, got {tuple(value.shape)}")
        if tuple(self.advantages.shape) not in (shape, shape[:1]):
            raise ValueError(
                f"expected advantages of shape {shape[:1]} or {shape}, got {tuple(self.advantages.shape)}"
            )

    @property
    def token_advantages(self) -> Tensor:
        """Advantages that broadcast against (B, T)."""
        return self.advantages if self.advantages.dim() == 2 else self.advantages.unsqueeze(1)


def as_loss_batch(batch: LossBatch | Mapping[str, Tensor]) -> LossBatch:
    """Accept a `LossBatch` or a mapping with its fields.

    Raises:
        ValueError: A key is unknown or missing.
    """
    if isinstance(batch, LossBatch):
        return batch
    fields = {field.name: field for field in dataclasses.fields(LossBatch)}
    check_keys(batch, fields, what="batch key")
    missing = [n for n, f in fields.items() if f.default is dataclasses.MISSING and n not in batch]
    if missing:
        raise ValueError(f"the batch lacks {', '.join(missing)}; it needs {', '.join(fields)}")
    return LossBatch(**batch)  # type: ignore[arg-type]


def check_keys(given: Mapping[str, object], valid: Mapping[str, object], what: str) -> None:
    """Refuse keys that are not in `valid`, with a suggestion.

    Raises:
        ValueError: Names the first unknown key, the nearest valid one and all valid ones.
    """
    for key in given:
        if key not in valid:
            close = difflib.get_close_matches(key, valid, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"unknown {what} {key!r}{hint} (valid: {', '.join(valid)})")


class Algorithm(Protocol):
    """Rewards to advantages, and a batch to a loss. Holds settings only, no state of a run."""

    name: ClassVar[str]
    """The name under which `create_algorithm` knows it."""

    @property
    def needs_reference(self) -> bool:
        """Whether `compute_loss` reads `ref_logprobs`."""

    def compute_advantages(self, rewards: Sequence[float] | Tensor) -> Tensor:
        """One advantage per reward, same shape.

        Args:
            rewards: (N,) returns of episodes, consecutive ones forming groups of `group_size` (a last group
                may be smaller), or (groups, episodes).
        """

    def compute_loss(self, batch: LossBatch | Mapping[str, Tensor]) -> Tensor:
        """The scalar to minimise."""

    def compute_metrics(self, batch: LossBatch | Mapping[str, Tensor]) -> dict[str, float]:
        """Per-token means worth plotting, e.g. `kl` and `clip_fraction`; carries no gradient."""
