"""The update: rows into batches with a token budget, the algorithm's loss, one optimiser.

Rows with the same prompt share one pass over it, and rows with the same prompt and completion share everything up
to the loss (see `policies/packing.py`), so the cost of an update is that of the distinct tactics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from trainers.algorithms import Algorithm, LossBatch
from trainers.config import LearnerConfig, WarmStartConfig
from trainers.credit import Sample
from trainers.policies.packing import PackedBatch, Pair, build_batch, pack_rows, split_rows
from trainers.policies.transformers import TransformersPolicy, score


class Learner:
    """Owns the optimiser of a policy's model."""

    def __init__(self, policy: TransformersPolicy, algorithm: Algorithm, settings: LearnerConfig) -> None:
        """Make an optimiser over all parameters of the policy's model.

        Args:
            policy: The policy to train, in place.
            algorithm: Supplies the loss.
            settings: Rates, clipping and batch sizes.
        """
        self.policy = policy
        self.algorithm = algorithm
        self.settings = settings
        self.reference: PreTrainedModel | None = None
        self.reset_optimizer()

    def reset_optimizer(self) -> None:
        """Forget the optimiser's running averages, for the start of another phase."""
        self.optimizer = torch.optim.AdamW(
            self.policy.model.parameters(),
            lr=self.settings.learning_rate,
            betas=(0.9, 0.95),
            weight_decay=self.settings.weight_decay,
        )

    def state_dict(self) -> dict[str, Any]:
        """Model and optimiser, for a checkpoint."""
        return {"model": self.policy.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.policy.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def imitate(
        self, pairs: Sequence[Pair], settings: WarmStartConfig, epoch: int, generator: torch.Generator
    ) -> float:
        """One supervised pass over (prompt, completion) pairs.

        Args:
            pairs: Token ids of prompts and tactics.
            settings: Epochs, rate and batch size of the phase.
            epoch: Number of this pass, from 0; decides the learning rate.
            generator: Source of the order.

        Returns:
            Mean negative log-likelihood per token, in nats.
        """
        order = torch.randperm(len(pairs), generator=generator).tolist()
        size = settings.warm_start_batch
        steps = math.ceil(len(order) / size)
        total, tokens = 0.0, 0
        for step in range(steps):
            chosen = [pairs[index] for index in order[step * size : (step + 1) * size]]
            count = sum(len(completion) for _, completion in chosen)
            for batch in self._batches(chosen):
                loss = -self.policy.score(batch).logprobs.sum()
                (loss / count).backward()
                total += float(loss.detach())
            tokens += count
            progress = (epoch + (step + 1) / steps) / settings.warm_start_epochs
            warmed_up = min(1.0, (epoch * steps + step + 1) / 10)
            self._step(
                settings.warm_start_learning_rate * warmed_up * 0.5 * (1 + math.cos(math.pi * progress))
            )
        return total / tokens

    def update(
        self, samples: Sequence[Sample], progress: float, generator: torch.Generator
    ) -> dict[str, float]:
        """Take the optimiser steps of one iteration.

        Args:
            samples: The rows; none gives no step.
            progress: Share of the run that lies behind, from 0 to 1; decides the learning rate.
            generator: Source of the split into mini-batches.

        Returns:
            Means over rows and tokens: `loss`, `entropy`, `grad_norm` and the algorithm's metrics.
        """
        meter = _Meter()
        rate = self.settings.learning_rate * (1.0 - progress * (1.0 - self.settings.learning_rate_floor))
        for _ in range(self.settings.update_epochs):
            for minibatch in _minibatches(samples, self.settings.minibatches, generator):
                self._accumulate(minibatch, meter)
                meter.add({"grad_norm": self._step(rate)}, 1)
        return meter.means()

    def _accumulate(self, samples: Sequence[Sample], meter: _Meter) -> None:
        """Add the gradient of the loss over one mini-batch."""
        by_pair: dict[Pair, list[Sample]] = {}
        for sample in samples:
            by_pair.setdefault((sample.prompt_ids, sample.token_ids), []).append(sample)
        pairs = list(by_pair)
        for batch in self._batches(pairs):
            scores = self.policy.score(batch)
            with torch.no_grad():
                reference = None
                if self.reference is not None and self.algorithm.needs_reference:
                    reference = score(self.reference, batch, self.policy.settings.temperature).logprobs
            rows, places = [], []
            for place, member in enumerate(batch.members):
                rows += by_pair[pairs[member]]
                places += [place] * len(by_pair[pairs[member]])
            spread = torch.tensor(places, device=scores.logprobs.device)
            loss_batch = LossBatch(
                logprobs=scores.logprobs[spread],
                old_logprobs=_pad([row.logprobs for row in rows], scores.logprobs),
                advantages=torch.tensor([row.advantage for row in rows]).to(scores.logprobs),
                mask=batch.mask.to(scores.logprobs)[spread],
                ref_logprobs=None if reference is None else reference[spread],
                total_rows=len(samples),
            )
            loss = self.algorithm.compute_loss(loss_batch)
            loss.backward()
            tokens = float(loss_batch.mask.sum())
            entropy = float((scores.entropy[spread] * loss_batch.mask).sum()) / tokens
            meter.add({"entropy": entropy, **self.algorithm.compute_metrics(loss_batch)}, tokens)
            meter.add({"loss": float(loss.detach()) * len(samples) / len(rows)}, len(rows))

    def _batches(self, pairs: Sequence[Pair]) -> Iterator[PackedBatch]:
        rows = pack_rows(pairs, self.policy.shares_prompts)
        return map(build_batch, split_rows(rows, self.settings.batch_tokens))

    def _step(self, rate: float) -> float:
        """Apply the accumulated gradient and return its norm before clipping."""
        limit = self.settings.max_grad_norm or math.inf
        norm = float(torch.nn.utils.clip_grad_norm_(self.policy.model.parameters(), limit))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        return norm


class _Meter:
    """Weighted running means."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float, float]] = {}

    def add(self, values: Mapping[str, float], weight: float) -> None:
        for name, value in values.items():
            total, weights = self._sums.get(name, (0.0, 0.0))
            self._sums[name] = (total + weight * value, weights + weight)

    def means(self) -> dict[str, float]:
        return {name: total / weights for name, (total, weights) in self._sums.items()}


def _minibatches(samples: Sequence[Sample], count: int, generator: torch.Generator) -> Iterator[list[Sample]]:
    """Split rows at random into at most `count` parts of about equal size, keeping equal prompts together."""
    by_prompt: dict[tuple[int, ...], list[Sample]] = {}
    for sample in samples:
        by_prompt.setdefault(sample.prompt_ids, []).append(sample)
    prompts = list(by_prompt.values())
    parts: list[list[Sample]] = [[] for _ in range(count)]
    done = 0
    for index in torch.randperm(len(prompts), generator=generator).tolist():
        parts[done * count // len(samples)] += prompts[index]
        done += len(prompts[index])
    return (part for part in parts if part)


def _pad(rows: Sequence[Sequence[float]], like: Tensor) -> Tensor:
    """Stack rows of different length into the width of `like`, zeros on the right."""
    padded = torch.zeros(len(rows), like.shape[1])
    for index, row in enumerate(rows):
        padded[index, : len(row)] = torch.tensor(row)
    return padded.to(like)
