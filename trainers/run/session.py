"""Session of a training run: checks settings, opens environment, model and engine, runs, and closes them.

Cheap checks come first, so that mistakes are reported before anything slow starts.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.registry import isolation_of, unisolated
from lean_gym.errors import LeanGymError
from lean_gym.rewards import create_reward
from lean_gym.verification.canaries import CanaryProved, canary_theorems
from trainers.algorithms import Algorithm, find_algorithm
from trainers.algorithms.settings import keep_known
from trainers.config.cli import Command
from trainers.config.files import flattened
from trainers.config.lora import parse_lora
from trainers.config.rollout import RolloutConfig
from trainers.config.run import RunConfig, TrainingConfig
from trainers.config.schedule import parse_schedule
from trainers.curriculum.theorems import TheoremSplit, held_out_source, select_theorems
from trainers.distributed.launcher import find_processes
from trainers.distributed.processes import Processes
from trainers.distributed.shared_rollouts import SharedPlayer, SharedStop
from trainers.errors import ConfigError, PolicyError
from trainers.learning.consolidation import opened_consolidation
from trainers.learning.learner import Learner
from trainers.learning.values import make_value
from trainers.policies.premises import Retriever
from trainers.policies.transformers import TransformersPolicy, load_pretrained, prepare_libraries
from trainers.policies.views import create_view
from trainers.rollouts import env as proving
from trainers.rollouts.player import EpisodePlayer
from trainers.run.checkpoint import RunState, load_checkpoint
from trainers.run.claim import claimed_folder
from trainers.run.folder import RunFolder
from trainers.run.loop import TrainingRun
from trainers.run.models import (
    check_engine,
    choose_compute_dtype,
    make_policy,
    make_tiny,
    opened_engine,
)
from trainers.run.monitor import Monitor
from trainers.run.trackers.opening import check_packages, open_trackers
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import progress_on


def train(
    command: Command,
    make_run: Callable[..., TrainingRun] = TrainingRun,
    written: TrainingConfig | None = None,
    retriever: Retriever | None = None,
) -> int:
    """Carry out a run.

    Args:
        command: The settings, and the folder of an interrupted run to resume.
        make_run: Makes the run from the arguments of `TrainingRun`.
        written: The program's own settings, which name the run and are written to its folder; those of `command`
            if left out.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0; 3 if a false theorem counted as proved; 4 if another process of the run was lost; 128 plus the
        signal's number after an interruption.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    with find_processes() as processes:
        return _train(command, make_run, written or command.config, processes, retriever)


def _train(
    command: Command,
    make_run: Callable[..., TrainingRun],
    written: TrainingConfig,
    processes: Processes,
    retriever: Retriever | None,
) -> int:
    began = time.perf_counter()
    config = command.config
    prepare_libraries(config.torch_threads)
    split = select_theorems(config.theorems, config.evaluation.held_out)
    proving.check_backend(config, split.all)
    algorithm = make_algorithm(config)
    check_schedule(config.rollout)
    compute_dtype = _check_learner(config, processes)
    check_engine(config, processes)
    check_packages(config.trackers)
    value = make_value(config.credit, processes.device)
    kept = opened_consolidation(config.consolidation)
    with ExitStack() as closing:
        folder = RunFolder(closing.enter_context(_claimed_by_first(command, written, processes)))
        resumed = None if command.resume is None else load_checkpoint(folder.checkpoint, processes)
        console = Console(quiet=not processes.main)
        setting_up = closing.enter_context(ExitStack())
        bars = setting_up.enter_context(progress_on(console))
        setting_up.enter_context(bars.doing("loading the model and starting the provers"))
        source = config.model if resumed is None else _stored_model(config, folder)
        loaded = None if source == "tiny" else load_pretrained(source, config.learner.load_in_4bit)
        stop = closing.enter_context(StopRequest(launched=processes.count > 1))
        env = closing.enter_context(opened_env(config, split, processes))
        player = make_player(processes, env, stop.check, **player_options(config, retriever))
        try:
            # `tiny` learns its tokenizer from goals, so it needs the environment.
            model, tokenizer = loaded or make_tiny(config, player, split)
        except Interrupted as interruption:
            console.print(f"interrupted by {interruption} before anything was done")
            return 128 + interruption.signal_number
        engine = closing.enter_context(opened_engine(config, model, processes, compute_dtype))
        if resumed is None and processes.main:
            folder.create(written, {"theorems_sha256": split.checksum, "backend": env.backend_name})
            if source == "tiny" and config.learner.lora:  # the base model of the adapter
                TransformersPolicy(model, tokenizer, config.rollout).save(_tiny_base(folder))
        base = _base_of(config, folder)
        policy = make_policy(config, (model, tokenizer), base, processes, compute_dtype, engine)
        learner = Learner(policy, algorithm, config.learner, processes)
        if kept is not None:
            learner.stay_near(kept, config.consolidation.ewc_weight)
        state = RunState() if resumed is None else _restore(resumed, learner, folder)
        # Only one process may write to the run's folder.
        settings = flattened(written.model_dump(exclude={"run_dir"}))
        sizes = None if resumed is None else state.event_bytes
        trackers = open_trackers(config.trackers, folder.path, settings, sizes) if processes.main else []
        monitor = Monitor(console, trackers)
        closing.callback(monitor.close)
        run = make_run(config, split, player, learner, state, folder, monitor, began, value)
        closing.callback(run.close)
        run.save()
        setting_up.close()
        sandbox = isolation_of(env.backend_name, config.env.backend_options)
        again = _resume_command(command, folder, processes)
        return _execute(run, stop, processes, {"backend": env.backend_name, "sandbox": sandbox}, again)


def _check_learner(config: RunConfig, processes: Processes) -> torch.dtype | None:
    """Check the learner's settings and return the dtype to compute with; `None` for 32 bits.

    Raises:
        ConfigError: A package is missing, or the settings do not fit the GPU or the processes.
    """
    lora = parse_lora(config.learner.lora)
    if lora is not None:
        lora.to_peft()  # reports a missing package early
    if (stale := config.rollout.staleness) and processes.divides:
        raise ConfigError(
            f"staleness: expected 0 with --use_fsdp (the sampler has the whole model), got {stale}"
        )
    if config.learner.load_in_4bit and processes.divides:
        raise ConfigError("load_in_4bit: expected no --use_fsdp (weights in 4 bits cannot be divided)")
    return choose_compute_dtype(config.learner.precision, processes.device)


def _restore(checkpoint: tuple[RunState, dict[str, Any]], learner: Learner, folder: RunFolder) -> RunState:
    """Restore the learner from a checkpoint and return the progress of the run."""
    state, stored = checkpoint
    if learner.processes.main:
        folder.forget_trajectories(state.iteration)
        folder.cut_back(state.event_bytes)
    learner.load_state_dict(stored)
    return state


def _resume_command(command: Command, folder: RunFolder, processes: Processes) -> str:
    """Return the command that goes on with a run; the words of a launcher are not known here."""
    words = f"{command.program} --resume {shlex.quote(str(folder.path))}"
    own = processes.count == command.config.processes
    return words if own else f"{words} (with the same launcher)"


def _execute(
    run: TrainingRun,
    stop: StopRequest,
    processes: Processes,
    prover: Mapping[str, str | None],
    resume_command: str,
) -> int:
    folder, monitor = run.folder, run.monitor
    monitor.say(f"run folder: {folder.path}")
    sandbox = prover["sandbox"]
    if sandbox is not None and sandbox != "bwrap":
        monitor.say(unisolated(sandbox))
    try:
        run.execute(SharedStop(stop, processes))
    except Interrupted as interruption:
        run.save()
        monitor.say(f"interrupted by {interruption}; to resume: {resume_command}")
        return 128 + interruption.signal_number
    except CanaryProved as alarm:
        run.save()
        monitor.say(f"ALARM: {alarm}")
        return 3
    except (PolicyError, LeanGymError, ConfigError) as failure:
        if processes.count == 1 and not isinstance(failure, ConfigError):
            run.save()  # sampling and proving change no state of the run
        monitor.say(f"the run failed; to resume from its last checkpoint: {resume_command}")
        raise
    except RuntimeError as failure:
        if not processes.lost(failure):
            raise
        monitor.say(
            "another process of this run has ended or does not answer; "
            f"to resume from its last checkpoint: {resume_command}"
        )
        return 4  # not the code of an error, so that `run_together` shows what the lost one said
    if processes.main:
        folder.write_proofs(run.state.proofs.values())
        folder.write_summary(run.config.seed, prover, run.state, run.proofs, _held_out(run, folder))
    measured_on = (
        "held-out theorems" if run.split.separate else "the training theorems (there are no held-out ones)"
    )
    monitor.show_result(run.state, run.proofs, folder, measured_on)
    return 0


def _held_out(run: TrainingRun, folder: RunFolder) -> dict[str, Any]:
    """Return the source of the held-out part, a file in the run folder where no set is that part, and its size."""
    theorems = run.split.held_out
    source = held_out_source(run.config.theorems, run.split)
    if source is None:
        source = str(folder.write_held_out(theorems))
    return {"set": source, "theorems": len(theorems)}


def make_player(
    processes: Processes, env: LeanProofVectorEnv, on_step: Callable[[], None], **options: Any
) -> EpisodePlayer:
    """Make the player of a run: with several processes, each plays a part of the episodes."""
    if processes.count == 1:
        return EpisodePlayer(env, on_step, **options)
    return SharedPlayer(processes, env, on_step, **options)


def player_options(config: RunConfig, retriever: Retriever | None = None) -> dict[str, Any]:
    """Return the options of `EpisodePlayer` for the settings."""
    rollout = config.rollout
    return {
        "view": create_view(rollout, retriever),
        "cohorts": rollout.cohorts,
        "redraws": rollout.redraws,
        "keep_points": rollout.rollout == "tree" or config.credit.credit == "vine",
    }


def make_algorithm(config: RunConfig) -> Algorithm:
    """Make the algorithm that the settings name; it takes over group size and tactic length of the rollouts.

    Raises:
        ConfigError: The name or one of its settings is unknown or out of range, or a setting of the start policy is
            without effect.
    """
    rollout = config.rollout
    follows = {"group_size": rollout.group_size, "max_completion_tokens": rollout.max_tactic_tokens}
    try:
        kind = find_algorithm(config.algo.algorithm)
        made = kind(**(keep_known(kind.settings_type, follows) | config.algo.algo_config))
    except (ValueError, TypeError) as error:
        raise ConfigError(f"algorithm: {error}") from None
    for name in ("sync_ref_model", "offload_ref_model"):
        if getattr(config.learner, name) and not made.needs_reference:
            raise ConfigError(
                f"{name}: expected false with {made.name} and beta 0, which use no start policy, got True"
            )
    return made


def check_schedule(rollout: RolloutConfig) -> None:
    """Check that every reward of the schedule can be made, before anything is opened.

    Raises:
        ConfigError: One is unknown or cannot be imported.
    """
    for name in parse_schedule(rollout.reward_schedule).values():
        try:
            create_reward(name)
        except (LeanGymError, ValueError, TypeError) as error:
            raise ConfigError(f"reward_schedule: {error}") from None


@contextmanager
def opened_env(
    config: RunConfig, split: TheoremSplit, processes: Processes | None = None
) -> Iterator[LeanProofVectorEnv]:
    """Open the vector environment over all theorems of a run.

    Args:
        config: The settings.
        split: The theorems.
        processes: The processes that share the episodes; only this one if left out.

    Raises:
        ConfigError: The environment, the backend, the reward or a theorem cannot be used.
    """
    rollout, processes = config.rollout, processes or Processes()
    workers = config.workers
    if not workers and processes.count > 1 and config.env.pool == "ray":
        # Each process would take all CPUs of the cluster.
        raise ConfigError(
            f"workers: got 0, expected the number for each of the {processes.count} processes with pool 'ray'"
        )
    if not workers and processes.local_count > 1:
        workers = max(1, (os.cpu_count() or 1) // processes.local_count)
    episodes = min(rollout.theorems_per_iteration, len(split.train)) * rollout.group_size
    # With the imports of the others, so that no prover has to load other modules for them.
    canaries = [replace(one, imports=split.train[0].imports) for one in canary_theorems()]
    episodes += 2 * min(rollout.canaries, len(canaries))
    with proving.opened_env(
        [*split.all, *(canaries if rollout.canaries else ())],
        -(-episodes // processes.count),
        config.backend,
        workers,
        config.env,
        reward=rollout.reward,
        reward_options=rollout.reward_options,
        **rollout.env_options,
    ) as env:
        yield env


@contextmanager
def _claimed_by_first(command: Command, written: TrainingConfig, processes: Processes) -> Iterator[Path]:
    """Yield the run's folder, which the first process chooses and locks."""
    with ExitStack() as claim:
        path = claim.enter_context(claimed_folder(written, command.resume)) if processes.main else Path()
        yield command.resume or Path(processes.gather(str(path))[0])


def _tiny_base(folder: RunFolder) -> Path:
    """Return the folder of the tiny base model of an adapter."""
    return folder.path / "base"


def _base_of(config: RunConfig, folder: RunFolder) -> str:
    return str(_tiny_base(folder)) if config.model == "tiny" else config.model


def _stored_model(config: RunConfig, folder: RunFolder) -> str:
    """Return the model with which to resume; the checkpoint holds the trained weights."""
    return _base_of(config, folder) if config.learner.lora else folder.stored_policy()
