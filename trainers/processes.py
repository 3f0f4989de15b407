"""The processes of a run: one, or those that `accelerate launch` started.

    accelerate launch --num_processes 4 -m trainers.grpo --model PATH ...

Every process holds the policy and the run's state. They differ in two things only: each plays a part of the episodes,
and each computes a part of the gradient. Episodes are handed round as soon as they are played, so what follows (credit,
curriculum, metrics, the split into mini-batches) is computed from the same data everywhere and needs no further talk;
gradients are added up over the processes before each optimiser step. The first process alone writes files and speaks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType, gather_object

from lean_gym import LeanProofVectorEnv
from lean_gym.vector import Point
from trainers.checkpoint import Interrupted, StopRequest
from trainers.config import ConfigError
from trainers.policies.base import Completion, Policy
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores
from trainers.policies.transformers import TransformersPolicy
from trainers.rollout import EpisodePlayer, Trajectory

T = TypeVar("T")
ScoreFunction = Callable[[PackedBatch], Scores]


class Processes:
    """A run in this process alone.

    Attributes:
        rank: Number of this process, from 0.
        count: Number of processes.
        local_count: How many of them are on this machine.
        device: Where this process computes.
    """

    def __init__(self) -> None:
        self.rank, self.count, self.local_count = 0, 1, 1
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        """Part from the other processes."""

    @property
    def main(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def gather(self, value: T) -> list[T]:
        """The values that all processes bring to this call, in their order; each waits for the others."""
        return [value]

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring, with gradients that are averaged over the processes in the backward pass."""
        return policy.score

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Hold the averaging back in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext()


class LaunchedProcesses(Processes):
    """One of several processes that a launcher started."""

    def __init__(self) -> None:
        """Meet the other processes.

        Raises:
            ConfigError: The launcher was asked for a way of sharing the model that is not supported.
        """
        super().__init__()
        self._accelerator = Accelerator(mixed_precision="no")
        kind = self._accelerator.distributed_type
        if kind not in (DistributedType.MULTI_CPU, DistributedType.MULTI_GPU):
            raise ConfigError(
                f"accelerate launch: expected plain data-parallel processes (--multi_gpu, or --cpu), got {kind.value}"
            )
        self.rank, self.count = self._accelerator.process_index, self._accelerator.num_processes
        self.local_count = int(os.environ.get("LOCAL_WORLD_SIZE", self.count))
        self.device = self._accelerator.device
        self._model: Any = None

    def __exit__(self, *_: object) -> None:
        """Part from the other processes; threads left to the end of the interpreter would abort it."""
        self._model = None
        self._accelerator.end_training()

    def gather(self, value: T) -> list[T]:
        """The values that all processes bring to this call, in their order; each waits for the others."""
        return list(gather_object([value]))

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring, with gradients that are averaged over the processes in the backward pass."""
        self._model = self._accelerator.prepare_model(_Scorer(policy))

        def score(batch: PackedBatch) -> Scores:
            return Scores(*self._model(batch))

        return score

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Hold the averaging back in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext() if last else self._accelerator.no_sync(self._model)


class _Scorer(torch.nn.Module):
    """A policy's scoring as a module, which is what averages gradients."""

    def __init__(self, policy: TransformersPolicy) -> None:
        super().__init__()
        self.model = policy.model
        self._policy = policy

    def forward(self, batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self._policy.score(batch)
        return scores.logprobs, scores.entropy


def find_processes() -> Processes:
    """The processes that this one belongs to.

    Raises:
        ConfigError: They share the model in a way that is not supported.
    """
    return LaunchedProcesses() if int(os.environ.get("WORLD_SIZE", "1")) > 1 else Processes()


class SharedStop:
    """A request to stop that any process received, met by all of them at the same point."""

    def __init__(self, stop: StopRequest, processes: Processes) -> None:
        self._stop = stop
        self._processes = processes

    def check(self) -> None:
        """Raise `Interrupted` in every process if a signal has come to one of them."""
        raise_first(self._processes.gather(self._stop.signal_number))


class SharedPlayer(EpisodePlayer):
    """Plays a part of the sampled episodes and hands all of them to all processes."""

    def __init__(
        self, processes: Processes, env: LeanProofVectorEnv, on_step: Callable[[], None], **options: Any
    ) -> None:
        """Take over an environment.

        Args:
            processes: Those that play.
            env: As for `EpisodePlayer`.
            on_step: As for `EpisodePlayer`.
            **options: Its others.
        """
        super().__init__(env, on_step, **options)
        self._processes = processes

    def sample(
        self, theorems: Sequence[str], policy: Policy, points: Sequence[Point | None] | None = None
    ) -> list[Trajectory[Completion]]:
        """Play episodes with tactics drawn from a policy, each in one of the processes.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        rank, count = self._processes.rank, self._processes.count
        own = slice(len(theorems) * rank // count, len(theorems) * (rank + 1) // count)
        played: list[Trajectory[Completion]] = []
        stopped_by: int | None = None
        try:
            played = super().sample(theorems[own], policy, None if points is None else points[own])
        except Interrupted as interruption:
            stopped_by = interruption.signal_number
        parts = self._processes.gather((played, stopped_by))
        raise_first([number for _, number in parts])
        return [episode for part, _ in parts for episode in part]


def raise_first(signal_numbers: Sequence[int | None]) -> None:
    """Raise `Interrupted` with the first number that is one."""
    for number in signal_numbers:
        if number is not None:
            raise Interrupted(number)
