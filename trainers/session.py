"""Opening what a run needs, in the order in which mistakes are cheapest to report, and closing it again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from rich.console import Console
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from lean_gym import LeanProofVectorEnv
from lean_gym.errors import BackendUnavailable, DataError, LeanGymError
from trainers.algorithms import Algorithm, create_algorithm
from trainers.checkpoint import Interrupted, RunState, StopRequest, load_checkpoint
from trainers.command_line import Command
from trainers.config import ConfigError, RunConfig
from trainers.learner import Learner
from trainers.monitor import Monitor, RunFolder
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.rollout import EpisodePlayer
from trainers.seeding import derive_seed
from trainers.theorems import TheoremSplit, select_theorems
from trainers.training import TrainingRun

LoadedModel = tuple[PreTrainedModel, PreTrainedTokenizerBase]


def train(command: Command) -> int:
    """Carry out a run.

    Args:
        command: The settings, and the folder of an interrupted run if that is to go on.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted the run.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    began = time.perf_counter()
    config = command.config
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    if config.torch_threads:
        torch.set_num_threads(config.torch_threads)
    split = select_theorems(config.theorems, config.evaluation.held_out)
    algorithm = make_algorithm(config)
    folder = RunFolder.choose(config) if command.resume is None else RunFolder(command.resume)
    resumed = None if command.resume is None else _stored_run(folder)
    source = config.model if resumed is None else str(folder.policy)
    loaded = None if source == "tiny" else load_pretrained(source)
    console = Console()
    with StopRequest() as stop, opened_env(config, split) as env:
        player = EpisodePlayer(env, on_step=stop.check)
        try:
            # `tiny` learns its tokenizer from goals, so it needs the environment.
            model, tokenizer = loaded or make_tiny(config, player, split)
        except Interrupted as interruption:
            console.print(f"interrupted by {interruption} before anything was done")
            return 128 + interruption.signal_number
        model.to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))  # type: ignore[arg-type]
        policy = TransformersPolicy(model, tokenizer, config.rollout)
        learner = Learner(policy, algorithm, config.learner)
        state = RunState()
        if resumed is not None:
            state, stored = resumed
            learner.load_state_dict(stored)
        else:
            folder.create(config, {"theorems_sha256": split.checksum, "backend": env.backend_name})
            policy.save(folder.policy)
        monitor = Monitor(folder, console, state.iteration)
        run = TrainingRun(config, split, player, learner, state, folder, monitor, began)
        try:
            run.save()
            return _execute(run, stop, env.backend_name)
        finally:
            monitor.close()


def _execute(run: TrainingRun, stop: StopRequest, backend: str) -> int:
    folder, monitor = run.folder, run.monitor
    monitor.say(f"run folder: {folder.path}")
    try:
        run.execute(stop)
    except Interrupted as interruption:
        run.save()
        monitor.say(f"interrupted by {interruption}; to go on: --resume {folder.path}")
        return 128 + interruption.signal_number
    folder.write_proofs(run.state.proofs.values())
    folder.write_summary(run.config.seed, backend, run.state)
    measured_on = "held-out theorems" if run.split.separate else "the training theorems, for want of others"
    monitor.show_result(run.state, folder, measured_on)
    return 0


def make_algorithm(config: RunConfig) -> Algorithm:
    """Make the algorithm that the settings name.

    Raises:
        ConfigError: The name or one of its settings is unknown or out of range.
    """
    try:
        return create_algorithm(
            config.algo.algorithm, group_size=config.rollout.group_size, **config.algo.algo_config
        )
    except (ValueError, TypeError) as error:
        raise ConfigError(f"algorithm: {error}") from None


def make_tiny(config: RunConfig, player: EpisodePlayer, split: TheoremSplit) -> LoadedModel:
    """Build the tiny model with a tokenizer learnt from the goals and proofs of the training theorems."""
    goals = player.first_goals([theorem.name for theorem in split.train])
    proofs = [theorem.proof for theorem in split.train]
    tokenizer = train_tokenizer([*goals, *proofs], config.tiny.vocabulary)
    return build_model(config.tiny, tokenizer, derive_seed(config.seed, "model")), tokenizer


@contextmanager
def opened_env(config: RunConfig, split: TheoremSplit) -> Iterator[LeanProofVectorEnv]:
    """Open the vector environment over all theorems of a run.

    Raises:
        ConfigError: The environment, the backend or a theorem cannot be used.
    """
    rollout = config.rollout
    options: dict[str, Any] = {"num_workers": config.workers} if config.workers else {}
    try:
        env = gym.make_vec(
            config.env,
            num_envs=min(rollout.theorems_per_iteration, len(split.train)) * rollout.group_size,
            theorems=list(split.all),
            backend=config.backend,
            reward=rollout.reward,
            max_steps=rollout.max_steps,
            **options,
        )
        if not isinstance(env, LeanProofVectorEnv):
            raise TypeError(f"got a {type(env).__name__}, expected a LeanProofVectorEnv")
    except (gym.error.Error, LeanGymError, ValueError, TypeError) as error:
        raise ConfigError(f"cannot open the environment {config.env!r}: {error}") from error
    try:
        yield env
    except (DataError, BackendUnavailable) as error:
        raise ConfigError(f"{config.env}: {error}") from error
    finally:
        env.close()


def _stored_run(folder: RunFolder) -> tuple[RunState, dict[str, Any]]:
    if not Path(folder.checkpoint).is_file():
        raise ConfigError(f"--resume {folder.path}: the run has no checkpoint; start it again with --config")
    return load_checkpoint(folder.checkpoint)
