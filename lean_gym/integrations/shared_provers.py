"""Episodes of many clients, proved by a few worker processes.

A client has a thread and an episode; a tactic of it runs in a process that no other client uses at that time. A tactic
that hangs, takes too much memory or kills its process costs that process only: the next tactic gets a fresh one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from lean_gym.envs.vector import LeanProofVectorEnv, Point
from lean_gym.errors import BackendError
from lean_gym.pool import usable_cores
from lean_gym.types import Theorem
from lean_gym.verification.canaries import CanaryProved, watch_canary


@dataclass(frozen=True, slots=True)
class Turn:
    """Result of a reset or a step, as `LeanProofEnv` gives it."""

    goals: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]

    @property
    def done(self) -> bool:
        """Return whether the episode is over."""
        return self.terminated or self.truncated


@dataclass(frozen=True, slots=True)
class SavedTurn:
    """A point of an episode, made by `ProofSession.save`."""

    point: Point
    turn: Turn


class SharedProvers:
    """Worker processes for the sessions that `session` opens. They start when they are first needed.

    Args:
        theorems: Theorems whose imports a process loads when it starts; sessions may prove others.
        processes: How many processes; `None` for one per core.
        **options: Further options of `LeanProofVectorEnv`, the same for all episodes.
    """

    def __init__(self, theorems: Sequence[Theorem], processes: int | None = None, **options: Any) -> None:
        self._theorems = tuple(theorems)
        self._options = options
        self._changed = threading.Condition()
        self._free: list[tuple[object, LeanProofVectorEnv]] = []  # with the session served last
        self._unstarted = usable_cores() if processes is None else processes
        self._closed = False
        if self._unstarted < 1:
            raise ValueError(
                f"processes: got {processes}, expected an integer >= 1, or None for one per core"
            )

    def session(self) -> ProofSession:
        """Open a session, which costs nothing and needs no end."""
        return ProofSession(self)

    @contextmanager
    def lent(self, session: object) -> Iterator[LeanProofVectorEnv]:
        """Lend an environment of one episode within the block; wait until one is free.

        Args:
            session: Whom it is lent to; it gets the one that it had last where that is free.

        Raises:
            ClosedEnvironmentError: `close` was called.
            BackendError: The prover cannot be started.
        """
        env = self._take(session)
        usable = True
        try:
            yield env
        except BackendError:
            usable = False
            raise
        finally:
            with self._changed:
                usable = usable and not self._closed
                if usable:
                    self._free.append((session, env))
                elif not self._closed:
                    self._unstarted += 1
                self._changed.notify()
            if not usable:
                env.close()

    def _take(self, session: object) -> LeanProofVectorEnv:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._free or self._unstarted)
            if self._closed:
                raise ClosedEnvironmentError("the provers are closed")
            own = [at for at, (last, _) in enumerate(self._free) if last is session]
            if own or not self._unstarted:
                return self._free.pop(own[0] if own else 0)[1]  # the one that is free the longest
            self._unstarted -= 1
        try:
            return LeanProofVectorEnv(1, self._theorems, num_workers=1, **self._options)
        except BaseException:
            with self._changed:
                self._unstarted += 1
                self._changed.notify()
            raise

    def close(self) -> None:
        """Stop the processes; those that are lent stop when their tactic has ended."""
        with self._changed:
            self._closed = True
            free, self._free = self._free, []
            self._changed.notify_all()
        for _, env in free:
            env.close()

    def __enter__(self) -> SharedProvers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProofSession:
    """Episodes of one client, one after another."""

    def __init__(self, provers: SharedProvers) -> None:
        self._provers = provers
        self._point: Point | None = None
        self._turn: Turn | None = None
        self._busy = threading.Lock()

    @property
    def turn(self) -> Turn | None:
        """The last turn of the episode; `None` before the first."""
        return self._turn

    def reset(self, theorem: Theorem, tactics: Sequence[str] = ()) -> Turn:
        """Start an episode, and replay tactics in it, which count as its steps.

        Args:
            theorem: What to prove.
            tactics: The replayed tactics. The turn's reward is the sum of theirs.

        Raises:
            DataError: The statement does not elaborate.
            ValueError: A replayed tactic is refused, or one follows after the end; there is no episode then.
            RuntimeError: Another thread is using the session.
            BackendError: The prover cannot be started.
        """
        with self._alone(), self._provers.lent(self) as env:
            self._point = self._turn = None
            env.reset_async(options={"theorem": theorem})
            turn, earned = _received(env), 0.0
            for at, tactic in enumerate(tactics):
                if turn.done:
                    raise ValueError(f"tactics: got {len(tactics)}, but the episode ends after {at}")
                turn = _step(env, theorem, tactic)
                earned += turn.reward
                if turn.info["error"] is not None:
                    raise ValueError(f"tactics[{at}]: {turn.info['error']}")
            self._point = env.save([0])[0]
            self._turn = Turn(turn.goals, earned, turn.terminated, turn.truncated, turn.info)
        return self._turn

    def step(self, tactic: str) -> Turn:
        """Try one tactic.

        Raises:
            ResetNeeded: There is no episode, or it has ended.
            RuntimeError: Another thread is using the session.
            TypeError: The tactic is no string.
            CanaryProved: A false theorem counts as proved; the episode has ended without a reward.
            BackendError: The prover cannot be started; the episode is as it was before.
        """
        with self._alone():
            if self._point is None or self._turn is None:
                raise ResetNeeded("step: there is no episode; reset first")
            if self._turn.done:
                raise ResetNeeded(f"step: the episode has ended ({self._turn.info['outcome']}); reset first")
            with self._provers.lent(self) as env:
                env.restore({0: self._point})
                try:
                    turn = _step(env, self._point.episode.theorem, tactic)
                except CanaryProved:
                    self._point = self._turn = None
                    raise
                self._point, self._turn = env.save([0])[0], turn
        return turn

    def save(self) -> SavedTurn:
        """Save the present point of the episode, in constant time.

        Raises:
            ResetNeeded: There is no episode.
            RuntimeError: Another thread is using the session.
        """
        with self._alone():
            if self._point is None or self._turn is None:
                raise ResetNeeded("save: there is no episode; reset first")
            return SavedTurn(self._point, self._turn)

    def restore(self, place: SavedTurn) -> None:
        """Go on from a saved point, in constant time: goals, script and steps are those that it had.

        Args:
            place: From `save` of any session of these provers.

        Raises:
            RuntimeError: Another thread is using the session.
        """
        with self._alone():
            self._point, self._turn = place.point, place.turn

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the session is busy with another reset or step; wait for its answer")
        try:
            yield
        finally:
            self._busy.release()


@cache
def process_provers(**options: Any) -> SharedProvers:
    """Return the provers of this process for these options of `SharedProvers`; they end with it."""
    return SharedProvers([Theorem("warm", "theorem warm : True")], **options)


def _step(env: LeanProofVectorEnv, theorem: Theorem, tactic: str) -> Turn:
    env.step_async([tactic])
    turn = _received(env)
    watch_canary(theorem, turn.info["outcome"], turn.info["tactics"])
    return turn


def _received(env: LeanProofVectorEnv) -> Turn:
    ready = env.recv()
    return Turn(
        ready.observations[0],
        float(ready.rewards[0]),
        bool(ready.terminated[0]),
        bool(ready.truncated[0]),
        ready.infos[0],
    )
