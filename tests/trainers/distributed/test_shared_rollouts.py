from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from trainers.distributed.processes import Processes
from trainers.distributed.shared_rollouts import SharedPlayer
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.replay import replay
from trainers.runtime.signals import Interrupted

CALLS: dict[str, Callable[[SharedPlayer, list[Theorem], TransformersPolicy], Any]] = {
    "sample": lambda player, theorems, policy: player.sample([one.name for one in theorems], policy),
    "replay": lambda player, theorems, _: replay(player, theorems),
    "first goals": lambda player, theorems, _: player.first_goals([one.name for one in theorems]),
}


class Rank(Processes):
    """One of two threads that play processes; a collective call that the other does not make fails."""

    def __init__(self, rank: int, meeting: threading.Barrier, values: list[Any]) -> None:
        super().__init__()
        self.rank, self.count, self._meeting, self._values = rank, 2, meeting, values

    def gather(self, value: Any) -> list[Any]:
        self._values[self.rank] = value
        self._meeting.wait(30)
        found = list(self._values)
        self._meeting.wait(30)
        return found


@pytest.mark.parametrize("stopped", [None, 0, 1])
@pytest.mark.parametrize("kind", CALLS)
def test_all_processes_stop_at_the_same_point(
    theorems: tuple[Theorem, ...], policy: TransformersPolicy, kind: str, stopped: int | None
) -> None:
    meeting, values = threading.Barrier(2), [None, None]
    policies = [policy.copied() for _ in range(2)]

    def run(rank: int) -> str:
        checks: list[None] = []

        def check() -> None:
            checks.append(None)
            if rank == stopped and len(checks) > (kind != "first goals"):
                raise Interrupted(15)

        with LeanProofVectorEnv(3, list(theorems), backend="fake", num_workers=0, max_steps=10) as env:
            processes = Rank(rank, meeting, values)
            player = SharedPlayer(processes, env, check)
            try:
                CALLS[kind](player, list(theorems[:4]), policies[rank])
            except Interrupted as interruption:
                ended = str(interruption)
            else:
                ended = "to its end"
            return " and ".join(processes.gather(ended))  # the next collective call of both is the same

    with ThreadPoolExecutor(2) as pool:
        found = set(pool.map(run, (0, 1)))
    assert found == {"to its end and to its end" if stopped is None else "SIGTERM and SIGTERM"}
