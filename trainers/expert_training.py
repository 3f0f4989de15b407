"""Runs of expert iteration: the stages of any training run, with sampling and imitation in the place of an update."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from transformers.utils import logging as transformers_logging

from lean_gym.errors import LeanGymError
from trainers.algorithms import create_algorithm
from trainers.checkpoint import Interrupted, RunState, StopRequest, load_checkpoint
from trainers.config import ConfigError, WarmStartConfig, write_file
from trainers.learner import Learner
from trainers.monitor import Monitor, RunFolder
from trainers.policies.packing import Pair
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.proof_buffer import ProofBuffer
from trainers.rollout import EpisodePlayer, TrajectoryGroup
from trainers.seeding import derive_seed
from trainers.session import make_tiny, opened_env, player_options
from trainers.task_config import ExpertIterationConfig, FineTuneConfig
from trainers.theorems import TheoremSampler, TheoremSplit, select_theorems
from trainers.training import TrainingRun
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
        scalars = round_scalars(groups) | {
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
        settings = self._fine_tune
        schedule = WarmStartConfig(
            warm_start_epochs=settings.fine_tune_epochs,
            warm_start_learning_rate=settings.fine_tune_learning_rate,
            warm_start_batch=settings.fine_tune_batch,
        )
        loss = None
        for epoch in range(settings.fine_tune_epochs if pairs else 0):
            seed = derive_seed(self.config.seed, "fine tune", number * settings.fine_tune_epochs + epoch)
            loss = self.learner.imitate(pairs, schedule, epoch, torch.Generator().manual_seed(seed))
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


def round_scalars(groups: Sequence[TrajectoryGroup]) -> dict[str, float]:
    """What TensorBoard shows about a round's episodes."""
    episodes = [episode for group in groups for episode in group.trajectories]
    steps = sum(len(episode.steps) for episode in episodes)
    lengths = [len(episode.tactics) for episode in episodes if episode.proved]
    scalars = {
        "reward/mean": float(np.mean([episode.total_reward for episode in episodes])),
        "proof/solve_rate": len(lengths) / len(episodes),
        "proof/refused_share": sum(step.refused for e in episodes for step in e.steps) / steps,
    }
    return scalars | ({"proof/length": float(np.mean(lengths))} if lengths else {})


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
    began = time.perf_counter()
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(
            "expert iteration runs in one process; got several (start it without accelerate launch)"
        )
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    split = select_theorems(config.theorems, config.evaluation.held_out)
    folder = _choose_folder(config) if resume is None else RunFolder(resume)
    stored = None if resume is None else load_checkpoint(folder.checkpoint)
    source = config.model if stored is None else str(folder.policy)
    loaded = None if source == "tiny" else load_pretrained(source)
    run_config = config.to_run_config()
    console = Console()
    with StopRequest() as stop, opened_env(run_config, split) as env:
        player = EpisodePlayer(env, stop.check, **player_options(run_config.rollout))
        try:
            model, tokenizer = loaded or make_tiny(run_config, player, split)
        except Interrupted as interruption:
            console.print(f"interrupted by {interruption} before anything was done")
            return 128 + interruption.signal_number
        model.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))  # type: ignore[arg-type]
        policy = TransformersPolicy(model, tokenizer, config.rollout)
        # Imitation uses the learner's batches and optimiser; the algorithm's loss is never asked for.
        learner = Learner(policy, create_algorithm("grpo"), run_config.learner)
        state = RunState()
        if stored is None:
            folder.create(run_config, {"theorems_sha256": split.checksum, "backend": env.backend_name})
            write_file(config, folder.path / "config.yaml")
            policy.save(folder.policy)
        else:
            state, learner_state = stored
            learner.load_state_dict(learner_state)
        monitor = Monitor(folder, console, state.iteration)
        parts = (run_config, split, player, learner, state, folder, monitor, began)
        run = ExpertIteration(config.fine_tune, *parts)
        try:
            run.save()
            return _execute(run, stop, split, env.backend_name)
        finally:
            monitor.close()


def _execute(run: ExpertIteration, stop: StopRequest, split: TheoremSplit, backend: str) -> int:
    run.monitor.say(f"run folder: {run.folder.path}")
    try:
        run.execute(stop)
    except Interrupted as interruption:
        run.save()
        run.monitor.say(f"interrupted by {interruption}; to go on: --resume {run.folder.path}")
        return 128 + interruption.signal_number
    except (LeanGymError, ConfigError) as failure:
        if isinstance(failure, LeanGymError):
            run.save()  # it failed while proving, which changes nothing of the run
        run.monitor.say(f"the run failed; to go on from its last checkpoint: --resume {run.folder.path}")
        raise
    run.folder.write_proofs(run.state.proofs.values())
    run.folder.write_summary(run.config.seed, backend, run.state)
    measured_on = "held-out theorems" if split.separate else "the training theorems, for want of others"
    run.monitor.show_result(run.state, run.folder, measured_on)
    return 0


def _choose_folder(config: ExpertIterationConfig) -> RunFolder:
    if config.run_dir is not None:
        return RunFolder.choose(config.to_run_config())
    stem, number = f"expert-iteration-seed{config.seed}", 1
    while (path := Path("runs") / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return RunFolder.choose(dataclasses.replace(config.to_run_config(), run_dir=str(path)))
