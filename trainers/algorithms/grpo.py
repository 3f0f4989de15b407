r"""GRPO: group relative policy optimisation (arXiv:2402.03300).

For G episodes of one theorem with returns R_1..R_G, every token of episode i gets the advantage

    A_i = (R_i - mean(R)) / (std(R) + eps_std)

and, with r_t = pi(y_t) / pi_old(y_t) and d_t = log pi_ref(y_t) - log pi(y_t),

    L = mean_i 1/|y_i| sum_t [ -min(r_t A_i, clip(r_t, 1 - eps, 1 + eps) A_i) + beta (exp(d_t) - d_t - 1) ]

The last bracket is the k3 estimator of KL(pi || pi_ref): never negative, unbiased when pi sampled y_t.

Differences from the paper and choices it leaves open:

1. A row y_i is one tactic, not one whole answer: the policy sees the present goals only, so each step of an
   episode is a sample of its own and inherits the advantage of its episode.
2. std is the sample standard deviation (divisor G - 1) and eps_std is 1e-4.
3. eps is 0.2 as in the paper. beta is 0.01 (paper: 0.04): the start policy has seen few proofs and is meant
   to be left behind.
4. A group whose returns are all equal has advantage 0 everywhere; the trainer drops such rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from trainers.algorithms.base import LossBatch, as_loss_batch, check_keys


@dataclass(frozen=True, slots=True)
class GRPOSettings:
    """Settings of GRPO; the defaults are those of the main job."""

    group_size: int = 8
    """Episodes per theorem, at least 2."""
    epsilon: float = 0.2
    """Half-width of the interval that the probability ratio is clipped to, in (0, 1)."""
    beta: float = 0.01
    """Weight of the KL divergence to the start policy; 0 switches the term off."""
    std_epsilon: float = 1e-4
    """Added to the standard deviation of a group's returns, positive."""

    def __post_init__(self) -> None:
        if self.group_size < 2:
            raise ValueError(f"expected group_size of at least 2, got {self.group_size}")
        if not 0.0 < self.epsilon < 1.0:
            raise ValueError(f"expected epsilon between 0 and 1, got {self.epsilon}")
        if self.beta < 0.0:
            raise ValueError(f"expected beta of at least 0, got {self.beta}")
        if self.std_epsilon <= 0.0:
            raise ValueError(f"expected std_epsilon above 0, got {self.std_epsilon}")


class GRPO:
    """Group relative policy optimisation; see the module text for the equation."""

    name: ClassVar[str] = "grpo"

    def __init__(self, **settings: Any) -> None:
        """Keep the settings.

        Args:
            **settings: Fields of `GRPOSettings`.

        Raises:
            ValueError: A key is unknown or a value is out of range.
        """
        valid = {field.name: field for field in dataclasses.fields(GRPOSettings)}
        check_keys(settings, valid, what="setting of grpo")
        self.settings = GRPOSettings(**settings)

    @property
    def needs_reference(self) -> bool:
        """Whether the KL term is on."""
        return self.settings.beta > 0.0

    def compute_advantages(self, rewards: Sequence[float] | Tensor) -> Tensor:
        """Standardise returns within their group.

        Args:
            rewards: (N,) returns, consecutive ones forming groups of `group_size` (a last group may be
                smaller), or (groups, episodes).

        Returns:
            Advantages of the same shape; 0 for a group of one and for groups with equal returns.
        """
        returns = torch.as_tensor(rewards, dtype=torch.float32)
        if returns.dim() == 2:
            return torch.stack([self._standardise(group) for group in returns]) if len(returns) else returns
        if returns.dim() != 1:
            raise ValueError(f"expected rewards of 1 or 2 dimensions, got {returns.dim()}")
        groups = torch.split(returns, self.settings.group_size)
        return torch.cat([self._standardise(group) for group in groups])

    def _standardise(self, returns: Tensor) -> Tensor:
        if len(returns) < 2:
            return torch.zeros_like(returns)
        return (returns - returns.mean()) / (returns.std() + self.settings.std_epsilon)

    def compute_loss(self, batch: LossBatch | Mapping[str, Tensor]) -> Tensor:
        """Clipped surrogate plus KL, averaged over the tokens of a row, then over rows."""
        batch = as_loss_batch(batch)
        ratio = torch.exp(batch.logprobs - batch.old_logprobs)
        clipped = ratio.clamp(1.0 - self.settings.epsilon, 1.0 + self.settings.epsilon)
        losses = -torch.minimum(ratio * batch.token_advantages, clipped * batch.token_advantages)
        if self.settings.beta > 0.0:
            losses = losses + self.settings.beta * self._k3(batch)
        lengths = batch.mask.sum(dim=1).clamp(min=1)
        row_losses = (losses * batch.mask).sum(dim=1) / lengths  # (B,)
        return row_losses.sum() / (batch.total_rows or len(row_losses))

    def compute_metrics(self, batch: LossBatch | Mapping[str, Tensor]) -> dict[str, float]:
        """Token means of the KL estimate, of the ratio, and of how often clipping removes the gradient."""
        batch = as_loss_batch(batch)
        with torch.no_grad():
            tokens = batch.mask.sum().clamp(min=1)
            ratio = torch.exp(batch.logprobs - batch.old_logprobs)
            advantages = batch.token_advantages
            too_high = (ratio > 1.0 + self.settings.epsilon) & (advantages > 0)
            too_low = (ratio < 1.0 - self.settings.epsilon) & (advantages < 0)
            metrics = {
                "clip_fraction": float(((too_high | too_low) * batch.mask).sum() / tokens),
                "ratio": float((ratio * batch.mask).sum() / tokens),
            }
            if batch.ref_logprobs is not None:
                metrics["kl"] = float((self._k3(batch) * batch.mask).sum() / tokens)
        return metrics

    @staticmethod
    def _k3(batch: LossBatch) -> Tensor:
        if batch.ref_logprobs is None:
            raise ValueError("beta > 0 needs ref_logprobs in the batch; got none (set beta=0 to do without)")
        difference = batch.ref_logprobs - batch.logprobs
        return torch.exp(difference) - difference - 1.0
