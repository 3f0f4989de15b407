"""Rollouts that run ahead of the learner: episodes are played in a thread while the policy is updated.

The groups planned for iteration m may begin once the policy has seen m - K updates, K being the setting `staleness`:
AReaL's bound (Fu et al. 2025, arXiv:2505.24298, equation 3), counted in iterations. An iteration takes the first groups
that are complete, so a long episode holds none up; it goes on with newer weights. Weights change between tactics, so
every tactic is sampled by one version of them.

What is played when depends on time, so a run with K > 0 is not repeated exactly. Episodes under way when a run is
stopped are played again after it is resumed, by the policy as it is then.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from trainers.algorithms import Algorithm
from trainers.distributed.processes import Processes
from trainers.distributed.shared_rollouts import stopped_together
from trainers.policies.base import Completion, Key, stream_of
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.groups import Gathered
from trainers.rollouts.player import EpisodePlayer, Start, Trajectory, TrajectoryGroup


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group to play: theorem, number of episodes, and whether the theorem is false on purpose."""

    theorem: str
    size: int
    is_canary: bool = False


class _Cancelled(Exception):
    """The thread is to end at once."""


@dataclass(slots=True)
class _Group:
    """A group being played, with the episodes that have ended by their place in it."""

    planned: PlannedGroup
    ended: dict[int, Trajectory[Completion]] = field(default_factory=dict)


class RolloutsAhead:
    """Groups of episodes, played by a thread of their own.

    Attributes:
        policy: The copy that samples.
    """

    def __init__(
        self,
        player: EpisodePlayer,
        policy: TransformersPolicy,
        algorithm: Algorithm,
        processes: Processes,
        groups: int,
        updates: int,
        seed: int,
    ) -> None:
        """Make a copy of the policy that samples; nothing is played yet.

        Args:
            player: Plays the episodes; nobody else may use it, except after `drain`.
            policy: The policy that is trained.
            algorithm: Decides which groups are replaced.
            processes: The processes that share the groups of an iteration.
            groups: Groups that an iteration takes of this process, canaries not counted.
            updates: Updates that the policy has seen.
            seed: Seed of the tactics.
        """
        self._player = player
        self._trained = policy
        self.policy = policy.copied()
        self._algorithm = algorithm
        self._processes = processes
        self._size = groups
        self._seed = seed
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._playing = self._cancelled = self._draining = False
        self._published = updates
        self._fresh: dict[str, Tensor] | None = None
        self._numbers = 0
        self._queue: deque[Start] = deque()
        self._spare: deque[PlannedGroup] = deque()
        self._places: dict[int, tuple[_Group, int]] = {}
        self._done: list[TrajectoryGroup] = []
        self._replaced: list[TrajectoryGroup] = []
        self._canaries: list[TrajectoryGroup] = []

    def __enter__(self) -> RolloutsAhead:
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread; episodes under way are lost."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def follow(self, updates: int) -> None:
        """Let the tactics from now on be sampled by the policy as it is, which has seen so many updates."""
        weights = {
            name: weight.detach().clone()
            for name, weight in self._trained.model.named_parameters()
            if weight.requires_grad
        }
        with self._changed:
            self._published, self._fresh = updates, weights
            self._changed.notify_all()

    def plan(self, groups: Sequence[PlannedGroup], spare: Sequence[PlannedGroup] = ()) -> None:
        """Let further groups begin, those of this process; the spare ones take the place of groups that are replaced.

        Spare groups that are not needed are forgotten at the next call.
        """
        with self._changed:
            self._spare = deque(spare)
            for planned in groups:
                self._begin(planned)
            self._changed.notify_all()

    def gather(self) -> Gathered:
        """Wait for the groups of an iteration; a collective call.

        Returns:
            The first groups that are complete, and those replaced and the canaries that ended since the last call.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        found = self._processes.gather(stopped_together(self._processes, self._complete))
        return Gathered(
            groups=tuple(group for part in found for group in part.groups),
            branches=(),
            replaced=tuple(group for part in found for group in part.replaced),
            canaries=tuple(group for part in found for group in part.canaries),
        )

    def drain(self) -> None:
        """Let the groups under way end, and begin no others; afterwards others may use the player until `gather`.

        Raises:
            Interrupted: The run was asked to stop.
        """
        if self._thread is None:
            return
        with self._changed:
            self._draining = True
            self._changed.notify_all()
        self._thread.join()
        self._thread, self._draining = None, False
        self._raise_failure()

    @property
    def more(self) -> bool:
        """Return whether further episodes may come; see `trainers.rollouts.player.Supply`."""
        with self._changed:
            return bool(self._queue) or not self._draining

    def take(self, most: int) -> list[Start]:
        """Return at most so many episodes to start now; it waits for some if none is being played."""
        with self._changed:
            while True:
                self.check()
                if self._places or self._draining:
                    return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]
                self._changed.wait()

    def ended(self, number: int, episode: Trajectory[Completion]) -> None:
        """Take an episode that has ended."""
        with self._changed:
            group, place = self._places.pop(number)
            group.ended[place] = episode
            planned = group.planned
            if len(group.ended) < planned.size:
                return
            whole = TrajectoryGroup(planned.theorem, tuple(group.ended[at] for at in range(planned.size)))
            if planned.is_canary:
                self._canaries.append(whole)
            elif self._spare and self._algorithm.groups_to_replace([whole.returns], 0):
                self._replaced.append(whole)
                self._begin(self._spare.popleft())
            else:
                self._done.append(whole)
            self._changed.notify_all()

    def _begin(self, planned: PlannedGroup) -> None:
        group = _Group(planned)
        for place in range(planned.size):
            self._places[self._numbers] = (group, place)
            self._queue.append(Start(self._numbers, planned.theorem))
            self._numbers += 1

    def _complete(self) -> Gathered:
        with self._changed:
            self._raise_failure()
            if not self._playing and len(self._done) < self._size:
                self._playing = True
                self._thread = threading.Thread(target=self._run, name="rollouts", daemon=True)
                self._thread.start()
            while self._playing and len(self._done) < self._size:
                self._changed.wait()
            self._raise_failure()
            taken, self._done = self._done[: self._size], self._done[self._size :]
            found = Gathered(tuple(taken), (), tuple(self._replaced), canaries=tuple(self._canaries))
            self._replaced, self._canaries = [], []
            return found

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            with self.policy.seeded(self._seed):
                self._player.play_on(self, _Following(self))
        except _Cancelled:
            pass
        except BaseException as failure:  # raised again in the thread that asks for the groups
            self._failure = failure
        finally:
            with self._changed:
                self._playing = False
                self._changed.notify_all()

    def check(self) -> None:
        """End the thread if nobody wants its episodes any longer."""
        if self._cancelled:
            raise _Cancelled

    def is_behind(self) -> bool:
        """Return whether weights were published that the copy does not have."""
        return self._fresh is not None

    def load(self) -> int:
        """Give the copy the weights published last; return the number of updates that it has seen."""
        with self._changed:
            weights, self._fresh, updates = self._fresh or {}, None, self._published
        own = dict(self.policy.model.named_parameters())
        with torch.no_grad():
            for name, weight in weights.items():
                own[name].copy_(weight)
        return updates


class _Following:
    """Stream of a policy whose weights change between tactics: what is asked then waits until those before are drawn.

    Completions get the number of updates that their weights had seen.
    """

    together = False  # what is asked together depends on time in any case

    def __init__(self, ahead: RolloutsAhead) -> None:
        self._ahead = ahead
        self._waiting: dict[Key, str] = {}
        self._open()

    def _open(self) -> None:
        self._updates = self._ahead.load()
        self._stream = stream_of(self._ahead.policy)  # a new one: it may keep what the old weights computed
        for key, shown in self._waiting.items():
            self._stream.ask(key, shown)
        self._waiting.clear()

    def ask(self, key: Key, shown: str) -> None:
        if self._waiting or self._ahead.is_behind():
            self._waiting[key] = shown
        else:
            self._stream.ask(key, shown)

    def answers(self) -> list[tuple[Key, Completion]]:
        self._ahead.check()
        if self._waiting and not len(self._stream):
            self._open()
        return [(key, replace(drawn, version=self._updates)) for key, drawn in self._stream.answers()]

    def __len__(self) -> int:
        return len(self._stream) + len(self._waiting)
