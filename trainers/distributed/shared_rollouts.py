"""Rollouts divided among processes: each plays a part of the episodes, and all stop at the same point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from lean_gym import LeanProofVectorEnv
from lean_gym.envs.vector import Point
from trainers.distributed.processes import Processes
from trainers.policies.base import Completion, Policy
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import C, EpisodePlayer, Trajectory
from trainers.runtime.signals import Interrupted, StopRequest

T = TypeVar("T")


class SharedStop:
    """Request to stop shared by all processes, which stop at the same point."""

    def __init__(self, stop: StopRequest, processes: Processes) -> None:
        self._stop = stop
        self._processes = processes

    def check(self) -> None:
        """Raise `Interrupted` in every process if one of them received a signal."""
        raise_first(self._processes.gather(self._stop.signal_number))


class SharedPlayer(EpisodePlayer):
    """Player that samples a part of the episodes in each process and gathers all of them in every process."""

    def __init__(
        self, processes: Processes, env: LeanProofVectorEnv, on_step: Callable[[], None], **options: Any
    ) -> None:
        """Keep an environment.

        Args:
            processes: The processes that share the episodes.
            env: As for `EpisodePlayer`.
            on_step: As for `EpisodePlayer`.
            **options: Further arguments of `EpisodePlayer`.
        """
        super().__init__(env, on_step, **options)
        self._processes = processes

    def sample(
        self, theorems: Sequence[str], policy: Policy, points: Sequence[Point | None] | None = None
    ) -> list[Trajectory[Completion]]:
        """Play episodes with tactics drawn from a policy, each episode in one of the processes.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        own = self._processes.own_part
        with self._whole(policy):
            played = super().sample(own(theorems), policy, None if points is None else own(points))
        return [episode for part in self._processes.gather(played) for episode in part]

    def play(self, *arguments: Any, **options: Any) -> list[Trajectory[C]]:
        """Play episodes in each process, all of which call this; see `EpisodePlayer.play`.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        return stopped_together(
            self._processes, lambda: super(SharedPlayer, self).play(*arguments, **options)
        )

    def first_goals(self, theorems: Sequence[str]) -> list[str]:
        """Return the initial goals of each theorem; all processes call this.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        return stopped_together(self._processes, lambda: super(SharedPlayer, self).first_goals(theorems))

    def _whole(self, policy: Policy) -> AbstractContextManager[None]:
        return self._processes.whole(policy) if isinstance(policy, TransformersPolicy) else nullcontext()


def stopped_together(processes: Processes, playing: Callable[[], T]) -> T:
    """Return what a function returns that each process calls by itself; a collective call.

    The processes may be at different episodes, or have ended already, when a signal comes.

    Raises:
        Interrupted: One of the processes was asked to stop.
    """
    found: list[T] = []
    stopped_by: int | None = None
    try:
        found.append(playing())
    except Interrupted as interruption:
        stopped_by = interruption.signal_number
    raise_first(processes.gather(stopped_by))
    return found[0]


def raise_first(signal_numbers: Sequence[int | None]) -> None:
    """Raise `Interrupted` with the first signal number, if there is one."""
    for number in signal_numbers:
        if number is not None:
            raise Interrupted(number)
