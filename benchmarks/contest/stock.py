"""The other side of a contest: a stock `trl.GRPOTrainer` with `trainers.integrations.trl`.

Settings that change the computation have the same values as on our side: no KL term, advantages by group, the loss of
GRPO, the same numbers of episodes and optimiser steps, no gradient checkpointing, the same dtype. Other settings are
TRL's defaults.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase, TrainerCallback

from benchmarks.contest.settings import CREDIT, LEARNING_RATE, Contest, Measurement, Phase, draw_names
from benchmarks.contest.start import Meter, batch_of, env_options, load_model
from benchmarks.flops import TRAINING_FACTOR, ModelShape, Work, continuing, dialogue, reading
from trainers.integrations.dialogue import Dialogue
from trainers.integrations.trl import LeanRollout, make_dataset, make_reward_func, make_rollout_func
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory, TrajectoryGroup

MOST_POSITIONS = 4096
"""Positions of the tiny model; those after the prompt are left for the completion."""

Rows = dict[str, Any]
"""Result of a rollout function: lists with an entry for each episode."""
RolloutFunction = Callable[[Sequence[Any], Any], Rows]


def measure_stock(contest: Contest, folder: Path, phase: Phase) -> Measurement:
    """Measure the stock trainer in this process.

    Args:
        contest: The settings.
        folder: Folder with the model and the batch of `prepare`.
        phase: Phase to measure.
    """
    model, tokenizer = load_model(contest, folder)
    shape = ModelShape.of(model.config)
    if phase == "learning":
        batch = batch_of(contest, folder)
        between = tokenizer.encode("\n", add_special_tokens=False)
        schedule = [[group.theorem for group in batch]] * contest.total_updates
        clock = _train(contest, model, tokenizer, schedule, lambda *_: recorded_rows(batch, between))
    else:
        theorems, options = list(contest.split.train), env_options(contest)
        with make_rollout_func(theorems, contest.rollout, **options) as rollout:
            clock = _train(contest, model, tokenizer, draw_names(contest)[: contest.total_updates], rollout)
    return _measurement(contest, clock, shape, played=phase == "iteration")


def measure_rows(contest: Contest, folder: Path, phase: Phase) -> Measurement:
    """Measure TRL with a row per tactic in this process, on the batch of `prepare`.

    Args:
        contest: The settings.
        folder: As for `measure_stock`.
        phase: Has to be `learning`.
    """
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    from trainers.integrations.trl_tactics import TacticGRPOTrainer

    if phase != "learning":
        raise ValueError(f"phase: got {phase!r}, expected 'learning'")
    model, tokenizer = load_model(contest, folder)
    batch = batch_of(contest, folder)
    schedule = [[group.theorem for group in batch]] * contest.total_updates
    rollout = _Recorded(contest, batch)
    clock = _Clock(contest, rollout)

    def make(**parts: Any) -> Any:
        return TacticGRPOTrainer(rollout=rollout, credit=CREDIT, **parts)

    trainer = _run(contest, model, tokenizer, schedule, clock, make)
    shape = ModelShape.of(model.config)
    found = Measurement(loaded_mib=clock.loaded, peak_mib=clock.peak)
    rows = [row for row, real in trainer._own if real]
    work = sum((reading(len(row.prompt_ids) + len(row.token_ids)) for row in rows), Work())
    work = replace(work, predictions=sum(len(row.token_ids) for row in rows))
    chosen = [step.choice for group in batch for one in group.trajectories for step in one.steps]
    found.rows, found.dropped = len(rows), len(chosen) - len(rows)
    for number in range(contest.warm_ups, contest.total_updates):
        found.learning_s.append(clock.ends[number] - clock.ends[number - 1])
        found.passed.append(work.tokens)
        found.learning_flops.append(TRAINING_FACTOR * shape.forward(work))
        found.tactics.append(len(chosen))
        found.tokens.append(sum(len(choice.token_ids) for choice in chosen))
    return found


class _Recorded(LeanRollout):
    """Rollout that gives recorded episodes."""

    def __init__(self, contest: Contest, groups: Sequence[TrajectoryGroup]) -> None:
        super().__init__(list(contest.split.train), contest.rollout, {})
        self._episodes = {group.theorem: group.trajectories for group in groups}

    def play(self, theorems: Sequence[str], trainer: Any) -> list[Trajectory[Completion]]:
        """Return the recorded episodes of these theorems, which come in groups."""
        return [episode for name in dict.fromkeys(theorems) for episode in self._episodes[name]]


def recorded_rows(groups: Sequence[TrajectoryGroup], between: Sequence[int]) -> Rows:
    """Return recorded episodes in the format of a stock trainer: a row for each, with the tactics as sampled.

    Args:
        groups: The episodes.
        between: Tokens between a tactic and the goals that follow.
    """
    episodes = [episode for group in groups for episode in group.trajectories]
    rows = []
    for episode in episodes:
        row = Dialogue()
        for step in episode.steps:
            row.hear([*(between if row.prompt_ids else ()), *step.choice.prompt_ids])
            row.say(step.choice.token_ids, step.choice.logprobs)
        rows.append(row)
    return {
        "prompt_ids": [row.prompt_ids for row in rows],
        "completion_ids": [row.completion_ids for row in rows],
        # The trainer's own generation gives none, either.
        "logprobs": None,
        "env_mask": [row.env_mask for row in rows],
        "episode_reward": [episode.total_reward for episode in episodes],
    }


def sampled_spans(mask: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and length of each tactic in a row, from its mask (1 on sampled tokens)."""
    at = 0
    for sampled, tokens in groupby(mask):
        length = len(list(tokens))
        if sampled:
            yield at, length
        at += length


class _Clock(TrainerCallback):
    """Callback that records the times of rollouts and updates, and the rows played."""

    def __init__(self, contest: Contest, rollout: RolloutFunction) -> None:
        self._steps = contest.optimizer_steps
        self._rollout = rollout
        self.meter = Meter(contest.device)
        self.ends: list[float] = []
        self.rollout_s: list[float] = []
        self.rows: list[Rows] = []
        self.loaded = self.peak = 0.0

    def play(self, prompts: Sequence[Any], trainer: Any) -> Rows:
        """Run the rollout function and record its time and rows."""
        began = self.meter.now()
        rows = self._rollout(prompts, trainer)
        self.rollout_s.append(self.meter.now() - began)
        self.rows.append({name: rows[name] for name in ("prompt_ids", "env_mask")})
        return rows

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Start the meter."""
        self.loaded = self.meter.start()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Record the time of an update after its last optimiser step."""
        if state.global_step % self._steps == 0:
            self.ends.append(self.meter.now())
            self.peak = self.meter.peak()


def _train(
    contest: Contest,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    schedule: Sequence[Sequence[str]],
    rollout: RolloutFunction,
) -> _Clock:
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"  # rollout functions are experimental in TRL
    from trl.trainer.grpo_trainer import GRPOTrainer

    clock = _Clock(contest, rollout)
    reward: Any = make_reward_func()

    def make(**parts: Any) -> Any:
        return GRPOTrainer(reward_funcs=reward, rollout_func=clock.play, **parts)

    _run(contest, model, tokenizer, schedule, clock, make)
    return clock


def _run(
    contest: Contest,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    schedule: Sequence[Sequence[str]],
    clock: _Clock,
    make: Callable[..., Any],
) -> Any:
    """Train to the end and return the trainer."""
    from trl.trainer.grpo_config import GRPOConfig

    theorems = list(contest.split.train)
    place = {theorem.name: at for at, theorem in enumerate(theorems)}
    dataset = make_dataset(theorems).select([place[name] for names in schedule for name in names])
    with TemporaryDirectory() as folder:
        trainer = make(
            model=model,
            args=GRPOConfig(output_dir=folder, **_options(contest)),
            train_dataset=dataset,
            processing_class=tokenizer,
            callbacks=[clock],
        )
        trainer.train()
    return trainer


def _options(contest: Contest) -> dict[str, Any]:
    passes = contest.episodes // contest.stock_rows
    on_gpu = contest.device == "cuda"
    same: dict[str, Any] = {
        "beta": 0.0,
        "loss_type": "grpo",
        "scale_rewards": "group",
        "epsilon": 0.2,
        "temperature": contest.rollout.temperature,
        "num_generations": contest.group_size,
        "per_device_train_batch_size": contest.stock_rows,
        "steps_per_generation": passes,
        "gradient_accumulation_steps": passes // contest.optimizer_steps,
        "max_steps": contest.optimizer_steps * contest.total_updates,
        "learning_rate": LEARNING_RATE,
        "lr_scheduler_type": "constant",
        "max_grad_norm": 1.0,
        "gradient_checkpointing": False,
        "bf16": on_gpu,
        "use_cpu": not on_gpu,
        "max_completion_length": MOST_POSITIONS - contest.rollout.max_prompt_tokens,
        "shuffle_dataset": False,
        "seed": contest.seed,
    }
    quiet = {"report_to": "none", "disable_tqdm": True, "logging_strategy": "no", "save_strategy": "no"}
    return same | quiet


def _measurement(contest: Contest, clock: _Clock, shape: ModelShape, played: bool) -> Measurement:
    counted = range(contest.warm_ups, contest.total_updates)
    whole = [clock.ends[number] - clock.ends[number - 1] for number in counted]
    found = Measurement(loaded_mib=clock.loaded, peak_mib=clock.peak)
    for number, seconds in zip(counted, whole, strict=True):
        found.learning_s.append(seconds - clock.rollout_s[number])
        if played:
            found.rollout_s.append(clock.rollout_s[number])
        _count(clock.rows[number], shape, found)
    return found


def _count(rows: Mapping[str, Sequence[Sequence[int]]], shape: ModelShape, found: Measurement) -> None:
    """Add the counts of tactics, tokens and operations of an update."""
    learnt = sampled = Work()
    tactics = 0
    for prompt, mask in zip(rows["prompt_ids"], rows["env_mask"], strict=True):
        learnt += dialogue(len(prompt), mask)
        for start, length in sampled_spans(mask):
            sampled += continuing(len(prompt) + start, length)
            tactics += 1
    found.tactics.append(tactics)
    found.tokens.append(sampled.tokens)
    found.rows = tactics
    found.passed.append(learnt.tokens)
    found.learning_flops.append(TRAINING_FACTOR * shape.forward(learnt))
    found.sampling_flops.append(shape.forward(sampled))
