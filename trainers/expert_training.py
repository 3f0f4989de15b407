"""Runs of expert iteration: the stages of any training run, with sampling and imitation in the place of an update."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trainers.command_line import Command
from trainers.policies.packing import Pair
from trainers.processes import refuse_several
from trainers.proof_buffer import ProofBuffer
from trainers.seeding import derive_seed
from trainers.session import train
from trainers.task_config import ExpertIterationConfig, FineTuneConfig
from trainers.theorems import TheoremSampler
from trainers.training import TrainingRun, episode_scalars
from trainers.warm_start import replay


class ExpertIteration(TrainingRun):
    """A training run whose iteration imitates the proofs found so far.

    1. Sample groups of episodes, drawn as `trainers.grpo` draws them.
    2. Keep the verified proofs, each as it was sampled.
    3. Fine-tune the present policy on the reference proofs that were shown and on all kept ones.
    """

    def __init__(self, settings: FineTuneConfig, *parts: Any) -> None:
        """Put the parts together; `parts` are those of `TrainingRun`."""
        super().__init__(*parts)
        self._fine_tune = settings
        path = self.folder.path / "kept_proofs.jsonl"
        self._buffer = ProofBuffer(path, settings.proofs_per_theorem, self.state.iteration)
        self._shown: list[Pair] | None = None

    def save(self) -> None:
        """Write the checkpoint."""
        self._buffer.save()
        super().save()

    def _iteration(self, sampler: TheoremSampler) -> str:
        """One round. Until the rollout is complete nothing of the run's state changes."""
        began = time.perf_counter()
        number = self.state.iteration
        shown = self._shown_steps()
        rng = np.random.default_rng(derive_seed(self.config.seed, "theorems", number))
        names = sampler.draw(self.config.rollout.theorems_per_iteration, rng)
        with self.policy.seeded(derive_seed(self.config.seed, "rollout", number)):
            groups = self.player.sample_groups(
                names, [self.config.rollout.group_size] * len(names), self.policy
            )
        sampled = time.perf_counter()

        self.state.iteration += 1
        fresh = 0
        for group in groups:
            sampler.record(group.theorem, group.solve_rate)
            self._record_proofs(group.trajectories)
            ends = self.policy.layout.end_tokens
            fresh += self._buffer.add(group.trajectories, self.state.iteration, ends)
        loss = self._imitate([*shown, *self._buffer.pairs()], number)
        scalars = episode_scalars(groups) | {
            "buffer/proofs": float(len(self._buffer)),
            "buffer/fresh": float(fresh),
        }
        scalars |= self._work_scalars(groups, sampled - began, time.perf_counter() - sampled)
        if loss is not None:
            scalars["fine_tune/loss"] = loss
        self.monitor.scalars(scalars, self.state.iteration)
        return f"solved {scalars['proof/solve_rate']:.0%}  kept {len(self._buffer)}  new {len(self.state.proofs)}"

    def _imitate(self, pairs: Sequence[Pair], number: int) -> float | None:
        """Pass over the pairs; the loss of the last pass, or `None` without any."""
        settings = self._fine_tune.imitation
        loss = None
        for epoch in range(settings.epochs if pairs else 0):
            generator = self._generator("fine tune", number * settings.epochs + epoch)
            loss = self.learner.imitate(pairs, settings, epoch, generator)
        return loss

    def _shown_steps(self) -> list[Pair]:
        """The steps of the reference proofs of the warm start, replayed once."""
        if self._shown is None:
            shown = set(self.state.shown)
            theorems = [theorem for theorem in self.split.train if theorem.name in shown]
            encode = self.policy
            self._shown = [
                (encode.encode_prompt(goals), encode.encode_tactic(tactic))
                for goals, tactic in replay(self.player, theorems).pairs
            ]
        return self._shown


def iterate(config: ExpertIterationConfig, resume: Path | None) -> int:
    """Carry out a run.

    Args:
        config: The settings.
        resume: Folder of an interrupted run to go on with, or `None`.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted the run.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    refuse_several("expert iteration")
    # Imitation uses the learner's batches and optimiser; the algorithm's loss is never asked for.
    command = Command(config.to_run_config(), resume)
    return train(command, partial(ExpertIteration, config.fine_tune), config)
