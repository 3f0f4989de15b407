"""Parameter update: rows in batches with a token budget, the algorithm's loss, one optimiser.

Rows with the same prompt share one pass over it, and rows with the same prompt and completion share everything up
to the loss (see `policies/packing.py`), so the cost of an update is that of the distinct tactics. With several
processes (see `distributed/processes.py`) each computes a part of every optimiser step, and all take the same step.

If a separate engine sampled, or the model in 16 bits, or older weights, ratios use the learner's own probabilities from
before the first step, and rows get importance weights for the difference between learner and sampler (see
`policies/mismatch.py`). With older weights this is the decoupled objective of Hilton et al. 2021, arXiv:2110.00641.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import PreTrainedModel

from trainers.algorithms import Algorithm, LossBatch
from trainers.algorithms.ratios import least_entropy
from trainers.config.run import Imitation, LearnerConfig
from trainers.distributed.processes import Processes, ScoreFunction
from trainers.errors import ConfigError
from trainers.learning.consolidation import Consolidation
from trainers.learning.redraws import PartRows
from trainers.learning.rows import RolloutSize
from trainers.learning.samples import Sample, by_pair, padded
from trainers.policies.mismatch import importance_weights, mismatch_metrics
from trainers.policies.packing import (
    PackedBatch,
    Pair,
    Tokens,
    build_batch,
    divide_pairs,
    join_rows,
    pack_rows,
    sent,
    split_rows,
)
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy


@dataclass(frozen=True, slots=True)
class _Part:
    """One forward and backward pass of one process.

    Attributes:
        batch: Input of the model.
        real: Whether it counts. If other processes have more parts, a part of weight 0 is added, because all
            processes must take part in the exchange of gradients.
        last: Whether it is the last part of its optimiser step.
    """

    batch: PackedBatch
    real: bool
    last: bool


class Learner:
    """Learner of a policy; owns the optimiser.

    Attributes:
        on_part: Called before each pass through the model; all processes call it equally often. It may raise, and then
            weights and optimiser are between two safe points.
        on_step: Called after each optimiser step of `update`, with the number of its steps so far.
    """

    def __init__(
        self,
        policy: TransformersPolicy,
        algorithm: Algorithm,
        settings: LearnerConfig,
        processes: Processes | None = None,
    ) -> None:
        """Make an optimiser over the trainable parameters of the policy's model.

        Args:
            policy: The policy to train, in place.
            algorithm: Supplies the loss.
            settings: Rates, clipping and batch sizes.
            processes: The processes that share the work; only this one if left out.
        """
        self.policy = policy
        self.algorithm = algorithm
        self.settings = settings
        self.processes = processes or Processes()
        self._score_reference: ScoreFunction | None = None
        self._reference_model: PreTrainedModel | None = None
        self._stored_reference: Mapping[str, Tensor] | None = None
        self._kept: tuple[Consolidation, float] | None = None
        self.on_part: Callable[[], None] = lambda: None
        self.on_step: Callable[[int], None] = lambda _: None
        policy.entropy_gradient = algorithm.needs_entropy
        self._score = self.processes.joined(policy)
        self.reset_optimizer()

    def reset_optimizer(self) -> None:
        """Reset the optimiser's running averages, for the start of another phase, whose rate is warmed up again."""
        self._taken = 0
        self.optimizer = self.processes.prepared(
            torch.optim.AdamW(
                [weight for weight in self.policy.model.parameters() if weight.requires_grad],
                lr=self.settings.learning_rate,
                betas=(0.9, 0.95),
                weight_decay=self.settings.weight_decay,
            )
        )

    def use_reference(self, model: PreTrainedModel) -> None:
        """Use a model as the start policy of KL and preference terms; one restored by `load_state_dict` wins."""
        frozen = model.eval().requires_grad_(False)
        self._score_reference = self.processes.frozen(self.policy, frozen, self.settings.offload_ref_model)
        self._reference_model = frozen
        if self._stored_reference is not None:
            like = frozen.state_dict(keep_vars=True)
            frozen.load_state_dict(self.processes.spread(self._stored_reference, like))
            self._stored_reference = None

    def stay_near(self, kept: Consolidation, weight: float) -> None:
        """Add the penalty of elastic weight consolidation to every later optimiser step.

        Raises:
            ConfigError: It is of another model, only an adapter is trained, or several processes share the weights.
        """
        if self.policy.adapter is not None or self.processes.count > 1:
            raise ConfigError("ewc: expected a run of one process that trains all weights, without --lora")
        kept.check(self.policy.model)
        self._kept = (kept, weight)

    def weights(self, dtype: torch.dtype | None = None) -> dict[str, Tensor]:
        """Return trained weights by name, complete in the first process; a collective call.

        Args:
            dtype: Of weights that processes divide; `None` for their own. An adapter keeps its own.
        """
        return dict(self.processes.gathered(self._weights(), dtype if self.policy.adapter is None else None))

    def state_dict(self) -> dict[str, Any]:
        """Return trained weights, optimiser state and the algorithm's state, for a checkpoint.

        All processes call this together; the result is complete in the first one.
        """
        return self._state(self.processes.optimizer_state(self.optimizer), self.processes.gathered)

    def divided_state_dict(self) -> dict[str, Any]:
        """Return the same as `state_dict` with weights and averages as this process holds them."""
        return self._state(self.optimizer.state_dict(), dict)

    def _state(
        self, optimizer: Any, of: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]]
    ) -> dict[str, Any]:
        reference = self._moved_reference()
        return {
            "model": dict(of(self._weights())),
            "optimizer": optimizer,
            "algorithm": self.algorithm.state_dict(),
            "steps": self._taken,
            "reference": None if reference is None else dict(of(reference)),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state from `state_dict` or `divided_state_dict`, saved with any number of processes."""
        weights = self.processes.spread(state["model"], self._weights())
        (self.policy.adapter or self.policy.model).load_state_dict(weights)
        self.processes.load_optimizer(self.optimizer, state["optimizer"])
        self.algorithm.load_state_dict(state["algorithm"])
        self._taken = state["steps"]
        reference = state.get("reference")
        self._stored_reference = reference and self.processes.spread(reference, self._weights())

    def _moved_reference(self) -> Mapping[str, Tensor] | None:
        """Return the weights of a start policy that follows the policy, also if they were not used yet."""
        if not self.settings.sync_ref_model or self._reference_model is None:
            return self._stored_reference
        return self._reference_model.state_dict(keep_vars=True)

    @torch.no_grad()
    def _move_reference(self) -> None:
        """Mix the policy into the start policy, if that is due after the last optimiser step.

        Source: Gorbatovski et al. 2024, arXiv:2404.09656, equations 5 and 6.
        """
        settings = self.settings
        due = settings.sync_ref_model and self._taken % settings.ref_model_sync_steps == 0
        if not due or self._reference_model is None:
            return
        share = settings.ref_model_mixup_alpha
        trained = self.policy.model.parameters()
        for weight, new in zip(self._reference_model.parameters(), trained, strict=True):
            weight.mul_(1.0 - share).add_(new.to(weight.device), alpha=share)

    def _weights(self) -> dict[str, Tensor]:
        adapter = self.policy.adapter
        return dict(self.policy.model.state_dict(keep_vars=True) if adapter is None else adapter.state_dict())

    def imitate(
        self, pairs: Sequence[Pair], settings: Imitation, epoch: int, generator: torch.Generator
    ) -> float:
        """Take one supervised pass over (prompt, completion) pairs, as `imitation_steps`, and return its loss.

        Returns:
            Mean negative log-likelihood per token, in nats.
        """
        done = list(self.imitation_steps(pairs, settings, epoch, generator))
        return sum(loss for loss, _ in done) / sum(tokens for _, tokens in done)

    def imitation_steps(
        self,
        pairs: Sequence[Pair],
        settings: Imitation,
        epoch: int,
        generator: torch.Generator,
        first: int = 0,
    ) -> Iterator[tuple[float, int]]:
        """Take the optimiser steps of one supervised pass over (prompt, completion) pairs.

        Args:
            pairs: Token ids of prompts and tactics.
            settings: Epochs, rate and batch size of the phase.
            epoch: Number of this pass, from 0; decides the learning rate.
            generator: Random generator of the order.
            first: Steps of this pass that were taken already.

        Yields:
            After each step its negative log-likelihood, the sum over its tokens in nats, and their number.
        """
        self.policy.rest()
        order = torch.randperm(len(pairs), generator=generator).tolist()
        size = settings.batch
        steps = settings.steps(len(order))
        for step in range(first, steps):
            total = torch.zeros((), device=self.policy.model.device)
            chosen = [pairs[index] for index in order[step * size : (step + 1) * size]]
            count = sum(len(completion) for _, completion in chosen)
            for part in self._parts(chosen):
                with self.processes.accumulating(part.last):
                    loss = -self._score(part.batch).logprobs.sum()
                    self.processes.backward(loss / count * self._weight(part))
                total += loss.detach() * part.real
            progress = (epoch + (step + 1) / steps) / settings.epochs
            warmed_up = min(1.0, (epoch * steps + step + 1) / 10)
            self._step(settings.learning_rate * warmed_up * 0.5 * (1 + math.cos(math.pi * progress)))
            yield sum(self.processes.gather(float(total))), count

    def update(
        self,
        samples: Sequence[Sample],
        progress: float,
        generator: torch.Generator,
        preferences: Sequence[tuple[int, int]] | None = None,
        rollout: RolloutSize | None = None,
        imitated: Sequence[Pair] = (),
        imitation_weight: float = 0.0,
        older_weights: bool = False,
    ) -> dict[str, float]:
        """Take the optimiser steps of one iteration.

        Losses are averaged over the rows (or tokens) of the rollout: rows that were left out because their advantage is
        0 count, so that an iteration that teaches little takes a small step.

        Args:
            samples: The rows; without rows and proof steps there is no step.
            progress: Completed share of the run, from 0 to 1; decides the learning rate.
            generator: Random generator of the split into mini-batches.
            preferences: Pairs of episodes (numbers as in `Sample.episode`), the preferred one first, for an
                algorithm that compares episodes.
            rollout: Rows and tokens of the rollout, those left out of `samples` included; `None` if there are none.
            imitated: (prompt, completion) of proof steps to imitate as well, divided among the optimiser steps.
            imitation_weight: Weight of their mean negative log-likelihood per token beside the algorithm's loss.
            older_weights: Whether other weights than the present ones may have sampled the rows.

        Returns:
            Means over rows and tokens: `loss`, `entropy`, `grad_norm`, `learning_rate` and the algorithm's metrics;
            `sampler_kl`, the divergence of sampler and learner before the first step, and if an engine, 16 bits or
            older weights sampled, all of `mismatch_metrics` with the prefix `sampler_`;
            with `imitated`, `imitation_loss`, nats per token; after `stay_near`, `ewc`, the penalty at the end; with
            `target_kl`, `skipped_steps`, the optimiser steps that were left out.
        """
        self.policy.rest()
        meter = _Meter()
        # An engine, and sampling in 16 bits, give other probabilities than scoring does with the same weights.
        apart = older_weights or isinstance(self.policy, VllmPolicy) or self.policy.compute_dtype is not None
        before = self._scores_now(samples, "logprobs") if apart else None
        kept = RolloutSize.of(samples)
        whole = rollout or kept
        rate = self.settings.learning_rate * (1.0 - progress * (1.0 - self.settings.learning_rate_floor))
        first = self._taken
        target, too_far, skipped = self.settings.target_kl, False, 0
        first_step: _Meter | None = None
        for _ in range(self.settings.update_epochs):
            parts = list(_minibatches(samples, self.settings.minibatches, generator))
            parts = parts or ([[]] if imitated else [])
            windows = self.algorithm.sync_windows(len(parts))
            if too_far:
                skipped += len(windows)
                continue
            # Preferences are divided among all steps of a pass, so each step has a part of their mean.
            weights = self._preference_weights(samples, preferences, factor=len(windows))
            for number, window in enumerate(windows):
                rows = [row for index in window for row in parts[index]]
                size = whole.share(kept, RolloutSize.of(rows))
                step = _Meter()
                if rows:
                    self._accumulate(rows, size, step, weights, before)
                if proofs := imitated[number :: len(windows)]:
                    self._accumulate_imitation(proofs, imitation_weight, step)
                self._taken += 1
                now = rate * min(1.0, self._taken / max(1, self.settings.warmup_steps))
                step.add({"grad_norm": self._step(now), "learning_rate": now}, 1 / self.processes.count)
                self._move_reference()
                self.on_step(self._taken - first)
                meter.include(step)
                first_step = first_step or step
                if target is not None and self._divergence(step) > target:
                    too_far, skipped = True, len(windows) - number - 1
                    break
        if target is not None:
            meter.add({"skipped_steps": skipped}, 1 / self.processes.count)
        if self._kept is not None and samples:
            meter.add({"ewc": self._kept[0].penalty(self.policy.model, self._kept[1])}, 1.0)
        found = _mismatch(samples, before, self.settings.sampler_weight_max or math.inf)
        if first_step is not None and not apart:
            found["sampler_kl"] = self._divergence(first_step)
        return _Meter.joined(self.processes.gather(meter.read())).means() | found

    def _divergence(self, step: _Meter) -> float:
        """Return the `update_kl` of an optimiser step over all processes, before it was taken; 0 without rows."""
        return _Meter.joined(self.processes.gather(step.read())).means().get("update_kl", 0.0)

    @torch.no_grad()
    def _scores_now(
        self, samples: Sequence[Sample], kind: Literal["logprobs", "entropy"]
    ) -> dict[Pair, list[float]]:
        """Return scores of the rows' tokens under the policy as it is now, in every process; a collective call."""
        pairs = list(by_pair(samples))
        own: dict[Pair, list[float]] = {}
        for part in self._parts(pairs) if pairs else ():
            scores = self._score(part.batch)
            rows = (scores.logprobs if kind == "logprobs" else scores.entropy).tolist()
            if part.real:
                for member, row in zip(part.batch.members, rows, strict=True):
                    own[pairs[member]] = row[: len(pairs[member][1])]
        return {pair: row for share in self.processes.gather(own) for pair, row in share.items()}

    def _most_uncertain(self, samples: Sequence[Sample]) -> dict[Pair, list[float]] | None:
        """Return 1 for the tokens of an optimiser step that `top_entropy_quantile` trains, 0 for the others.

        The quantile is that of all rows of the step, so it takes a pass of its own, before that with gradients.
        """
        if self.settings.top_entropy_quantile == 1.0:
            return None
        found = self._scores_now(samples, "entropy")
        tokens = torch.tensor([value for row in samples for value in found[row.prompt_ids, row.token_ids]])
        least = float(least_entropy(tokens, self.settings.top_entropy_quantile))
        return {pair: [float(value >= least) for value in row] for pair, row in found.items()}

    def _accumulate(
        self,
        samples: Sequence[Sample],
        size: tuple[float, float],
        meter: _Meter,
        episode_weights: Tensor | None = None,
        before: Mapping[Pair, Sequence[float]] | None = None,
    ) -> None:
        """Add the gradient of the loss over the rows of one optimiser step; `size`: rows and tokens it stands for."""
        total_rows, total_tokens = size
        trained = self._most_uncertain(samples)
        for part, scored, rows in self._row_parts(samples):
            batch, device = part.batch, self.policy.model.device
            spread = sent(rows.places, device)
            # The reference comes first: it may be the same model with its adapter switched off.
            reference = self._reference(batch)
            with self.processes.accumulating(part.last):
                scores = self._score(batch)
                weights = None
                if episode_weights is not None:
                    chosen = episode_weights[[row.episode for row in rows.samples]]
                    weights = sent(chosen.to(scores.logprobs.dtype), device)
                mask = sent(batch.mask[rows.places].to(scores.logprobs.dtype), device)
                sampled = old = rows.as_sampled(scores.logprobs)
                if before is not None:
                    old = rows.as_sent(padded([before[pair] for pair in scored], scores.logprobs))
                loss_batch = LossBatch(
                    logprobs=rows.as_sent(scores.logprobs),
                    old_logprobs=old,
                    sampler_weights=None if before is None else self._sampler_weights(old, sampled, mask),
                    advantages=sent(torch.tensor([row.advantage for row in rows.samples]), device),
                    mask=mask,
                    ref_logprobs=None if reference is None else rows.as_sent(reference),
                    total_rows=total_rows,
                    total_tokens=total_tokens,
                    entropy=scores.entropy[spread] if self.algorithm.needs_entropy else None,
                    trained=None
                    if trained is None
                    else padded([trained[pair] for pair in scored], mask)[spread],
                    pair_weights=weights,
                )
                loss = self.algorithm.compute_loss(loss_batch)
                self.processes.backward(loss * self._weight(part))
            if part.real:
                tokens = sum(len(row.token_ids) for row in rows.samples)
                entropy = (scores.entropy.detach()[spread] * mask).sum() / tokens
                meter.add({"entropy": entropy, **self.algorithm.compute_metrics(loss_batch)}, tokens)
                meter.add({"loss": loss.detach() * len(samples) / len(spread)}, len(spread))

    def _sampler_weights(self, old: Tensor, sampled: Tensor, mask: Tensor) -> Tensor:
        settings = self.settings
        low, high = settings.sampler_weight_min, settings.sampler_weight_max
        return importance_weights(old, sampled, mask, settings.sampler_correction, low, high)

    def _accumulate_imitation(self, pairs: Sequence[Pair], weight: float, meter: _Meter) -> None:
        """Add the gradient of the weighted mean negative log-likelihood of proof steps, per token."""
        tokens = sum(len(completion) for _, completion in pairs)
        for part in self._parts(pairs):
            with self.processes.accumulating(part.last):
                loss = -self._score(part.batch).logprobs.sum() / tokens
                self.processes.backward(weight * loss * self._weight(part))
            if part.real:
                own = sum(len(pairs[member][1]) for member in part.batch.members)
                meter.add({"imitation_loss": loss.detach() * tokens / own}, own)

    @torch.no_grad()
    def _reference(self, batch: PackedBatch) -> Tensor | None:
        """Return log-probabilities under the start policy, if the algorithm needs them."""
        if not self.algorithm.needs_reference:
            return None
        if self.policy.adapter is not None:
            with self.policy.adapter.start_policy():
                return self._score(batch).logprobs
        return None if self._score_reference is None else self._score_reference(batch).logprobs

    @torch.no_grad()
    def _preference_weights(
        self, samples: Sequence[Sample], preferences: Sequence[tuple[int, int]] | None, factor: int
    ) -> Tensor | None:
        """Return the weight of each episode's log-probability in the preference term, times `factor`."""
        if preferences is None or not self.algorithm.needs_pairs:
            return None
        numbers = [row.episode for row in samples] + [number for pair in preferences for number in pair]
        log_ratios = torch.zeros(max(numbers, default=-1) + 1)
        for part, _, rows in self._row_parts(samples):
            reference, own = self._reference(part.batch), self._score(part.batch).logprobs
            if not part.real or reference is None:
                continue
            apart = (rows.as_sent(own) - rows.as_sent(reference)).sum(dim=1)
            for row, value in zip(rows.samples, apart.tolist(), strict=True):
                log_ratios[row.episode] += value
        log_ratios = torch.stack(self.processes.gather(log_ratios)).sum(dim=0)
        return self.algorithm.pair_weights(log_ratios, preferences) * factor

    def _row_parts(self, samples: Sequence[Sample]) -> Iterator[tuple[_Part, list[Pair], PartRows]]:
        """Yield this process's parts with their scored completions and training rows."""
        grouped = by_pair(samples)
        pairs = list(grouped)
        # What a row's episode has tried is needed with the row.
        whole = {row.prompt_ids for row in samples if row.tried is not None}
        for part in self._parts(pairs, whole):
            scored = [pairs[member] for member in part.batch.members]
            yield part, scored, PartRows(scored, grouped)

    def _parts(self, pairs: Sequence[Pair], whole: Collection[Tokens] = ()) -> Iterator[_Part]:
        """Pack (prompt, completion) pairs and yield this process's parts; every process gets the same number.

        Args:
            pairs: The pairs.
            whole: Prompts whose completions must be in one part.
        """
        shares, budget = [], self.settings.batch_tokens
        for members in divide_pairs(pairs, self.processes.count, whole):
            rows = pack_rows(pairs, self.policy.shares_prompts, members=members, batch_tokens=budget)
            shares.append(split_rows(join_rows(rows, whole), budget))
        most, own = max(map(len, shares)), shares[self.processes.rank]
        spare = next(filter(None, shares))[-1]  # all of it: rows that belong together stay so
        for index in range(most):
            self.on_part()
            real = index < len(own)
            yield _Part(build_batch(own[index] if real else spare), real, last=index == most - 1)

    def _weight(self, part: _Part) -> int:
        """Return the factor on a loss: processes average their gradients, but the update needs the sum."""
        return self.processes.count if part.real else 0

    def _step(self, rate: float) -> Tensor | float:
        """Apply the accumulated gradient and return its norm before clipping."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        if self._kept is not None:
            self._kept[0].add_gradient(self.policy.model, self._kept[1])
        return self.processes.step(self.optimizer, self.settings.max_grad_norm or math.inf)


class _Meter:
    """Weighted running means; what is computed on a GPU stays there until they are read."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[float | Tensor, float]] = {}

    @classmethod
    def joined(cls, meters: Sequence[_Meter]) -> _Meter:
        """Return one meter with the values of several."""
        whole = cls()
        for meter in meters:
            whole.include(meter)
        return whole

    def include(self, other: _Meter) -> None:
        """Add the values of another meter."""
        for name, (total, weights) in other._sums.items():
            self._add_sums(name, total, weights)

    def add(self, values: Mapping[str, float | Tensor], weight: float) -> None:
        for name, value in values.items():
            self._add_sums(name, weight * (value.double() if isinstance(value, Tensor) else value), weight)

    def read(self) -> _Meter:
        """Replace tensors by their values, all at once, and return the meter."""
        waiting = {name: total for name, (total, _) in self._sums.items() if isinstance(total, Tensor)}
        values = torch.stack(list(waiting.values())).tolist() if waiting else []
        for name, value in zip(waiting, values, strict=True):
            self._sums[name] = (value, self._sums[name][1])
        return self

    def means(self) -> dict[str, float]:
        return {name: float(total) / weights for name, (total, weights) in self._sums.items()}

    def _add_sums(self, name: str, total: float | Tensor, weight: float) -> None:
        before, weights = self._sums.get(name, (0.0, 0.0))
        self._sums[name] = (before + total, weights + weight)


def _mismatch(
    samples: Sequence[Sample], before: Mapping[Pair, Sequence[float]] | None, cap: float
) -> dict[str, float]:
    """Return `mismatch_metrics` of these rows; empty if the learner's own model sampled."""
    if not samples or before is None:
        return {}
    learner = torch.tensor([value for row in samples for value in before[row.prompt_ids, row.token_ids]])
    engine = torch.tensor([value for row in samples for value in row.logprobs])
    found = mismatch_metrics(learner, engine, torch.ones_like(learner), cap)
    return {f"sampler_{name}": value for name, value in found.items()}


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
