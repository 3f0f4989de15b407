"""Episodes of a vector environment, stepped asynchronously."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.error import AlreadyPendingCallError, ResetNeeded

from lean_gym.envs.acceptance import Acceptance
from lean_gym.envs.episode import Episode
from lean_gym.envs.options import EpisodeOptions
from lean_gym.execution import Job, Reply
from lean_gym.pool import Pool, run_all
from lean_gym.rewards import PreparedReward, Reward, prepare_terms
from lean_gym.types import Theorem


class Row(NamedTuple):
    """Result of one episode's step."""

    observation: str
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class Ready(NamedTuple):
    """Episodes whose tactic has been tried, in the order of their numbers: `n` of them.

    Attributes:
        env_ids: Which episodes, shape `(n,)`.
        observations: Their goals.
        rewards: Shape `(n,)`.
        terminated: Shape `(n,)`.
        truncated: Shape `(n,)`.
        infos: One `info` for each.
    """

    env_ids: npt.NDArray[np.int64]
    observations: tuple[str, ...]
    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    infos: tuple[dict[str, Any], ...]


class EpisodeBatch:
    """Sends the tactics of many episodes to a pool and collects the results.

    Args:
        size: How many episodes, numbered from 0.
        pool: Runs their tactics.
        options: Budgets of each.
        reward: Computes the reward of each step.
        draw: Chooses a theorem for an episode.
        same_step: Whether an episode that ends starts again in the same step.
    """

    def __init__(
        self,
        size: int,
        pool: Pool,
        options: EpisodeOptions,
        reward: Reward,
        draw: Callable[[int], Theorem],
        same_step: bool,
    ) -> None:
        self._pool = pool
        self._options = options
        self._draw = draw
        self._same_step = same_step
        self._acceptance = Acceptance(options)
        self._starting: dict[int, Job] = {}
        self.episodes: list[Episode | None] = [None] * size
        self.texts = [""] * size
        """The observation of each episode."""
        self.pending: dict[int, str | None] = {}
        """Tactics under way by episode; `None` for an episode that starts."""
        self.rows: dict[int, Row] = {}
        """Rows that were collected and not yet taken."""
        self.set_reward(reward)

    def set_reward(self, reward: Reward) -> None:
        """Use another reward for all steps whose results have not been collected."""
        self._reward = reward
        # Checked once: the checks cost as much as a step of an episode.
        self._prepares = isinstance(reward, PreparedReward)

    def start(self, wanted: Mapping[int, Theorem | None]) -> None:
        """Start episodes and wait for them.

        Args:
            wanted: The episodes, none of them under way, with their theorems; `None` draws one.

        Raises:
            DataError: A statement does not elaborate; the other episodes are started nevertheless.
        """
        jobs = [self._start_job(slot, theorem) for slot, theorem in wanted.items()]
        failure = None
        for job, reply in zip(jobs, run_all(self._pool, jobs), strict=True):
            failure = failure or reply.failure
            if reply.failure is None:
                self._set(job.slot, self._begun(job, reply))
        if failure is not None:
            raise failure

    def send_starts(self, wanted: Mapping[int, Theorem | None]) -> None:
        """Start episodes as `start` does, without waiting; their rows are collected like others."""
        self._pool.submit([self._under_way(slot, theorem) for slot, theorem in wanted.items()])

    def _under_way(self, slot: int, theorem: Theorem | None = None) -> Job:
        self.pending[slot] = None
        self._starting[slot] = job = self._start_job(slot, theorem)
        return job

    def _start_job(self, slot: int, theorem: Theorem | None) -> Job:
        self.episodes[slot] = None
        return Job(slot, theorem if theorem is not None else self._draw(slot))

    def _begun(self, job: Job, reply: Reply) -> Episode:
        return Episode.start(job.theorem, reply, self._options.whole_proofs)

    def send(self, asked: Mapping[int, str | None]) -> None:
        """Submit tactics without waiting; `None` starts an episode again."""
        for slot in asked:
            self._check_settled("step", slot)
        jobs, settled = [], []
        for slot, tactic in asked.items():
            episode = self.get(slot)
            refused = None if tactic is None else episode.refuse(tactic, self._options)
            if tactic is not None and refused is not None:
                self.rows[slot] = self._advance(slot, tactic, refused)
                settled.append(slot)
                continue
            if tactic is None:
                jobs.append(self._under_way(slot))
            else:
                self.pending[slot] = tactic
                jobs.append(episode.job(slot, tactic, self._options))
        if jobs:
            self._pool.submit(jobs)
        self._start_again(settled)

    def collect(self, at_least: int, slots: Collection[int]) -> None:
        """Wait until the rows of `at_least` of these episodes are there, or none of them is under way.

        With 0 it takes what has come so far.

        Raises:
            BackendError: The prover does not start.
            Exception: The failure of an episode's job; that episode has not moved, the others have.
        """
        if at_least == 0 and self.pending.keys() & slots:
            self._pool.poll()
            self._store(self._pool.receive(0, slots))
        while self.pending.keys() & slots and len(self.rows.keys() & slots) < at_least:
            self._store(self._pool.receive(at_least - len(self.rows.keys() & slots), slots))

    def _store(self, replies: dict[int, Reply]) -> None:
        """Advance the episodes of these replies, and raise the first failure among them."""
        asked = {slot: (self.pending.pop(slot), self._starting.pop(slot, None)) for slot in replies}
        if self._prepares:
            self._prepare(
                {slot: tactic for slot, (tactic, _) in asked.items() if tactic is not None}, replies
            )
        for slot, (tactic, start) in asked.items():
            reply = replies[slot]
            if reply.failure is not None:
                continue
            if tactic is not None:
                self.rows[slot] = self._advance(slot, tactic, reply)
            elif start is not None:
                self._set(slot, self._begun(start, reply))
                self.rows[slot] = Row(self.texts[slot], 0.0, False, False, self.get(slot).info())
        self._start_again([slot for slot in asked if slot in self.rows])
        for reply in replies.values():
            if reply.failure is not None:
                raise reply.failure

    def take(self) -> Ready:
        """Return all rows that were collected, and forget them."""
        slots = sorted(self.rows)
        rows = [self.rows.pop(slot) for slot in slots]
        return Ready(
            np.array(slots, dtype=np.int64),
            tuple(row.observation for row in rows),
            np.array([row.reward for row in rows], dtype=np.float64),
            np.array([row.terminated for row in rows], dtype=np.bool_),
            np.array([row.truncated for row in rows], dtype=np.bool_),
            tuple(row.info for row in rows),
        )

    def _prepare(self, tactics: Mapping[int, str], replies: Mapping[int, Reply]) -> None:
        transitions = []
        for slot, tactic in tactics.items():
            reply, episode = replies[slot], self.get(slot)
            if reply.failure is None:
                transitions.append(episode.transition(tactic, reply, self._options))
        prepare_terms(self._reward, transitions)

    def _advance(self, slot: int, tactic: str, reply: Reply) -> Row:
        episode = self.get(slot).advance(tactic, reply, self._options, self._reward)
        self._set(slot, episode)
        return Row(self.texts[slot], episode.reward, episode.terminated, episode.truncated, episode.info())

    def accepts(self, slots: Sequence[int], tactics: Sequence[str]) -> list[tuple[bool, ...]]:
        """Try tactics beside these episodes, none of them under way; return the answers for each.

        The pool finds the state of an episode by its script, so there is no way back to go.
        """
        episodes = {slot: self.settled("accepts", slot) for slot in slots}
        answers = self._acceptance.ask(episodes, tactics, lambda jobs: run_all(self._pool, jobs))
        return [answers[slot] for slot in slots]

    def forget(self, slots: Collection[int]) -> None:
        """Cancel the requests of these episodes; the episodes stay as they were before them."""
        self._pool.cancel(slots)
        for slot in slots:
            self.pending.pop(slot, None)
            self._starting.pop(slot, None)
            self.rows.pop(slot, None)

    def _start_again(self, slots: Sequence[int]) -> None:
        """Same-step autoreset: new episodes, whose infos carry the last observation and info of the old."""
        ended = [slot for slot in slots if self.get(slot).ended]
        if not self._same_step or not ended:
            return
        self.start(dict.fromkeys(ended))
        for slot in ended:
            row = self.rows[slot]
            final = {"final_obs": row.observation, "final_info": row.info}
            info = {**final, **self.get(slot).info()}
            self.rows[slot] = row._replace(observation=self.texts[slot], info=info)

    def _set(self, slot: int, episode: Episode) -> None:
        self.episodes[slot] = episode
        self.texts[slot] = episode.observation(self._options)

    def settled(self, method: str, slot: int) -> Episode:
        """Return an episode that is not under way.

        Raises:
            AlreadyPendingCallError: It is under way.
            ResetNeeded: It was never started.
        """
        self._check_settled(method, slot)
        return self.get(slot)

    def put(self, slot: int, episode: Episode) -> None:
        """Replace the state of an episode that is not under way.

        Raises:
            AlreadyPendingCallError: It is under way.
        """
        self._check_settled("restore", slot)
        self._set(slot, episode)

    def _check_settled(self, method: str, slot: int) -> None:
        if slot in self.pending or slot in self.rows:
            raise AlreadyPendingCallError(
                f"{method}: episode {slot} is under way; call recv() for it, or reset it", method
            )

    def get(self, slot: int) -> Episode:
        """Return an episode.

        Raises:
            ResetNeeded: It was never started.
        """
        episode = self.episodes[slot]
        if episode is None:
            raise ResetNeeded(
                f"step: episode {slot} was never started; call reset(), or leave it out by the mask"
            )
        return episode
