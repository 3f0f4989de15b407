"""Settings of a contest, and its measurements."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from trainers.config.credit import CreditConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.run import WarmStartConfig
from trainers.curriculum.theorems import TheoremSplit, select_theorems
from trainers.errors import ConfigError

Phase = Literal["learning", "iteration"]
"""`learning`: updates on the recorded batch; `iteration`: playing episodes and learning from them."""

Side = Literal["ours", "apart", "each", "all", "rows", "stock"]
"""`ours` and TRL's `stock` trainer; ours without sharing prompts (`apart`), in addition with equal rows one by one
(`each`), in addition with the rows that teach nothing (`all`); `rows`: TRL with a row per tactic."""

Batch = Literal["recorded", "distinct", "long", "proofs"]
"""Tactics that the sides learn from: those of the recorded batch; the same with prompts that have nothing in common;
with tactics of `LONG` tokens; with one answer of `WHOLE` tokens for each episode."""

LONG, WHOLE = 64, 256

CREDIT = CreditConfig(mask_truncated_completions=False)
"""As TRL, which trains cut tactics by default."""

LEARNING_RATE = 1e-6
"""Small, so that the policy hardly changes and every update costs the same."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Settings of both sides.

    Attributes:
        theorems: Sets by name or path, by commas.
        backend: The prover.
        workers: Prover processes; 0 for one per core.
        threads: Threads of torch; 0 leaves torch's own choice.
        theorems_per_update: Groups of an update.
        group_size: Episodes of a group.
        max_steps: Largest number of tactics of an episode.
        max_tactic_tokens: Largest number of tokens of a tactic.
        warm_start_epochs: Passes over the proofs shown to the tiny model, a quarter of all.
        warm_ups: Uncounted updates at the beginning, at least 1.
        updates: Measured updates of each process.
        optimizer_steps: Optimiser steps of an update.
        stock_rows: Episodes in one batch of the stock trainer.
        size: A key of `benchmarks.big_models.SIZES`; empty for the tiny model that was prepared.
        batch: The tactics of the phase `learning`.
        device: `cpu` or `cuda`; on the latter both compute in bf16, with weights of 32 bits.
        seed: Seed of all random choices.
    """

    theorems: str = "logic,nat"
    backend: str = "auto"
    workers: int = 0
    threads: int = 0
    theorems_per_update: int = 16
    group_size: int = 8
    max_steps: int = 12
    max_tactic_tokens: int = 48
    warm_start_epochs: int = WarmStartConfig().warm_start_epochs
    warm_ups: int = 1
    updates: int = 4
    optimizer_steps: int = 2
    stock_rows: int = 8
    size: str = ""
    batch: Batch = "recorded"
    device: str = "cpu"
    seed: int = 0

    def __post_init__(self) -> None:
        least = {"theorems_per_update": 1, "group_size": 2, "warm_ups": 1, "updates": 1, "optimizer_steps": 1}
        for name, value in (least | {"max_steps": 1, "max_tactic_tokens": 1, "stock_rows": 1}).items():
            if getattr(self, name) < value:
                raise ConfigError(f"{name}: expected at least {value}, got {getattr(self, name)}")
        if self.episodes % (self.stock_rows * self.optimizer_steps):
            raise ConfigError(
                f"stock_rows: expected a number that, times optimizer_steps ({self.optimizer_steps}), divides the "
                f"{self.episodes} episodes of an update, got {self.stock_rows}"
            )

    @property
    def episodes(self) -> int:
        """Return the number of episodes of an update."""
        return self.theorems_per_update * self.group_size

    @property
    def rollout(self) -> RolloutConfig:
        """Return the rollout settings."""
        return RolloutConfig(
            theorems_per_iteration=self.theorems_per_update,
            group_size=self.group_size,
            max_steps=self.max_steps,
            max_tactic_tokens=self.max_tactic_tokens,
        )

    @property
    def split(self) -> TheoremSplit:
        """Return the theorems."""
        return select_theorems(self.theorems, "test")

    @property
    def total_updates(self) -> int:
        """Return the number of updates, including uncounted ones."""
        return self.warm_ups + self.updates


@dataclass(slots=True)
class Measurement:
    """Measurements of one side in one process, an entry for each update, without the warm-ups.

    Attributes:
        rollout_s: Seconds of the rollout; empty in the phase `learning`.
        learning_s: Seconds of everything else.
        tactics: Tactics sampled.
        tokens: Tokens of those tactics.
        passed: Tokens that pass through the model in learning from them, without padding.
        learning_flops: Operations of learning from them, see `benchmarks.flops`.
        sampling_flops: Operations of sampling them, without the reading of prompts.
        loaded_mib: Memory before the first update, of the process or on the GPU.
        peak_mib: Peak memory after that.
        tried: Tactics sent to the provers, including cached ones; 0 if unknown.
        hits: Tactics answered from the cache.
        rows: Tactics that the model was trained on, in the last update.
        dropped: Tactics without an advantage, which were not trained on.
    """

    rollout_s: list[float] = field(default_factory=list)
    learning_s: list[float] = field(default_factory=list)
    tactics: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)
    learning_flops: list[float] = field(default_factory=list)
    sampling_flops: list[float] = field(default_factory=list)
    loaded_mib: float = 0.0
    peak_mib: float = 0.0
    tried: float = 0.0
    hits: float = 0.0
    rows: int = 0
    dropped: int = 0


def draw_names(contest: Contest) -> list[list[str]]:
    """Draw the theorems of each update and, last, of the recorded batch; all are used before one is repeated."""
    names = [theorem.name for theorem in contest.split.train]
    count = contest.theorems_per_update
    if len(names) < count:
        raise ConfigError(
            f"theorems_per_update: expected at most {len(names)} (training theorems), got {count}"
        )
    rng = np.random.default_rng([contest.seed, 2])
    drawn: list[str] = []
    while len(drawn) < count * (contest.total_updates + 1):
        # Only whole updates from each shuffle: a theorem twice in one update would merge two groups.
        drawn += rng.permutation(names).tolist()[: len(names) // count * count]
    return [drawn[at * count : (at + 1) * count] for at in range(contest.total_updates + 1)]


def child_environment(contest: Contest) -> dict[str, str]:
    """Return the environment variables of the child processes, equal for both sides; read when torch is loaded."""
    # Threads that spin while waiting would take the cores from the provers.
    variables = {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE")}
    if contest.threads:
        variables["OMP_NUM_THREADS"] = str(contest.threads)
    if contest.device == "cuda":  # the stock trainer would use every visible GPU
        variables["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0]
    return variables
