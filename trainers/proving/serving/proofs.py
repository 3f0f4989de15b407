"""Searches for `/v1/prove`: several at a time, each on a prover process of one pool, each proof replayed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from lean_gym.datasets.redefinitions import misleading
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.config.search import SearchConfig
from trainers.config.serve import ServeConfig
from trainers.curriculum.theorems import load_sets
from trainers.policies.base import Completion
from trainers.policies.views import View
from trainers.proving.search.budget import Budget
from trainers.proving.search.proving import rule_maker, source_of
from trainers.proving.search.searcher import Search, Searcher
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.batching import Batcher, QueueFull
from trainers.proving.serving.environments import Pool
from trainers.runtime.seeding import derive_seed

TELL_EVERY_S: Final = 0.5
"""Seconds between two notes of progress."""
_LOOK_EVERY_S: Final = 0.2

Tell = Callable[[dict[str, Any]], None]


class Stopped(Exception):
    """The client went away, or the server ends."""


@dataclass(frozen=True, slots=True)
class Task:
    """One search.

    Attributes:
        theorem: The theorem.
        settings: Rule and samples of the search.
        budget: Its limits.
        seed: Makes the draws repeatable; `None` for draws that are computed together with those of others.
    """

    theorem: Theorem
    settings: SearchConfig
    budget: Budget
    seed: int | None


class SearchService:
    """Runs searches in threads; the policy's answers come from the queue that all requests share.

    Args:
        config: The settings.
        policy: The queue in front of the policy.
        view: What the policy is shown.
        pool: The provers; they end with this.

    Raises:
        ConfigError: The theorem sets cannot be read.
    """

    def __init__(
        self, config: ServeConfig, policy: Batcher[Ask, list[Sampled]], view: View, pool: Pool
    ) -> None:
        self.known = {theorem.name: theorem for theorem in load_sets(config.theorems)}
        self.counts = dict.fromkeys(("proved", "unproved", "failed", "stopped"), 0)
        self.running = self.pending = 0
        self._config = config
        self._policy = policy
        self._pool = pool
        self.view = view
        self._threads = ThreadPoolExecutor(config.proofs, thread_name_prefix="search")
        self._ending = threading.Event()

    def end(self) -> None:
        """Let searches end with what they have found; their clients get an answer."""
        self._ending.set()

    def close(self) -> None:
        """Wait for the searches to end, and stop the prover processes."""
        self.end()
        self._threads.shutdown(cancel_futures=True)
        self._pool.close()

    async def prove(self, task: Task, tell: Tell) -> dict[str, Any]:
        """Search for a proof.

        Args:
            task: The search. It ends when the caller is cancelled.
            tell: Takes notes of progress, the first one when the statement has been elaborated.

        Returns:
            The answer.

        Raises:
            QueueFull: Too many searches wait.
            DataError: The statement does not elaborate.
            ConfigError: The settings of the prover cannot be used.
            LeanGymError: The prover failed.
            Stopped: The server ended before the search began.
        """
        if self.pending - self.running >= self._config.queue:
            raise QueueFull(f"{self.pending - self.running} searches are waiting; try again later")
        loop = asyncio.get_running_loop()
        gone = threading.Event()
        run = _Run(self, loop, task, gone, _in_loop(loop, tell))
        self.pending += 1
        try:
            answer = await loop.run_in_executor(self._threads, run.carry_out)
        except BaseException as error:
            self.counts["stopped" if isinstance(error, Stopped | asyncio.CancelledError) else "failed"] += 1
            raise
        finally:
            gone.set()
            self.pending -= 1
        self.counts["proved" if answer["proved"] else "unproved"] += 1
        return answer

    def metrics(self) -> Iterator[str]:
        """Yield the counts as lines of Prometheus text."""
        for name, value in (("running", self.running), ("waiting", self.pending - self.running)):
            yield f"# TYPE lean_gym_searches_{name} gauge"
            yield f"lean_gym_searches_{name} {value}"
        yield "# TYPE lean_gym_searches_total counter"
        for name, value in self.counts.items():
            yield f'lean_gym_searches_total{{result="{name}"}} {value}'


class _Run:
    """One search in its thread; it is the policy of the searcher as well."""

    def __init__(
        self,
        prover: SearchService,
        loop: asyncio.AbstractEventLoop,
        task: Task,
        gone: threading.Event,
        tell: Tell,
    ) -> None:
        self._prover = prover
        self._loop = loop
        self._task = task
        self._gone = gone
        self._tell = tell
        self._told = 0.0
        self._calls = 0
        self._searcher: Searcher | None = None

    def carry_out(self) -> dict[str, Any]:
        """Search, and replay the proof."""
        task, prover = self._task, self._prover
        if prover._ending.is_set():
            raise Stopped
        prover.running += 1
        try:
            with prover._pool.lent() as provers:
                rollout = prover._config.rollout
                self._searcher = Searcher(
                    provers.env,
                    self,
                    rule_maker(task.settings, rollout.max_steps),
                    task.budget,
                    on_step=self._look,
                    view=prover.view,
                    split_goals=task.settings.split_goals,
                )
                with suppress(Stopped):
                    self._searcher.search([task.theorem])
                search = self._searcher.searches[0]
                axioms = None
                if search.proof is not None and not self._gone.is_set():
                    axioms = provers.replay(task.theorem, search.proof.tactics)
            if self._gone.is_set():
                raise Stopped
            if search.failure:
                raise DataError(search.failure)
            return self._answer(search, axioms)
        finally:
            prover.running -= 1

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw tactics together with those of other requests."""
        beam = self._task.settings.decoding == "beam"
        asks = [
            Ask(text, count=len(list(equal)), seed=None if beam else self._seed(), beam=beam)
            for text, equal in groupby(goals)
        ]
        coroutines = [self._prover._policy.ask(ask, None) for ask in asks]
        futures = [asyncio.run_coroutine_threadsafe(one, self._loop) for one in coroutines]
        try:
            answers = [one for future in futures for one in self._awaited(future)]
        finally:
            for future in futures:
                future.cancel()
        return [Completion((), (), one.sampled_logprobs or (), one.tactic) for one in answers]

    def _awaited(self, future: Future[list[Sampled]]) -> list[Sampled]:
        while True:
            try:
                return future.result(_LOOK_EVERY_S)
            except CancelledError:
                raise Stopped from None
            except TimeoutError:
                if future.done():
                    raise
                self._look()

    def _seed(self) -> int | None:
        self._calls += 1
        return None if self._task.seed is None else derive_seed(self._task.seed, "prove", self._calls)

    def _look(self) -> None:
        """Tell about the progress, and end the search if it is to end.

        Raises:
            Stopped: The client went away, or the server ends.
            DataError: The statement says something else than it seems to, by names that are not declared, or that the
                context gives another meaning.
        """
        if self._gone.is_set() or self._prover._ending.is_set():
            raise Stopped
        search = None if self._searcher is None else next(iter(self._searcher.searches), None)
        if search is None or search.tree is None:
            return
        if invented := search.tree.root.point.episode.undeclared:
            raise DataError(
                f"nothing declares {', '.join(invented)}; Lean would prove it for all values of these"
            )
        words = search.tree.root.point.episode.redefined
        # the theorem sets of a server are read by who starts it
        if words and self._task.theorem is not self._prover.known.get(self._task.theorem.name):
            raise DataError(f"context: {misleading(words)}")
        now = time.monotonic()
        if now - self._told >= TELL_EVERY_S:
            self._told = now
            self._tell({**search.spent.as_row(), "states": len(search.tree.nodes)})

    def _answer(self, search: Search, axioms: tuple[str, ...] | None) -> dict[str, Any]:
        """Return the answer; `axioms` are those of the replayed proof, `None` where there is none."""
        theorem, proof = self._task.theorem, search.proof
        proved = proof is not None and axioms is not None
        return {
            "name": theorem.name,
            "statement": theorem.statement,
            "context": theorem.context,
            "proved": proved,
            "source": source_of(theorem, proof.tactics) if proved and proof is not None else None,
            "tactics": list(proof.tactics) if proved and proof is not None else [],
            "axioms": list(axioms or ()),
            "method": self._task.settings.method,
            "spent": search.spent.as_row(),
            "interrupted": self._prover._ending.is_set() and not proved,
        }


def _in_loop(loop: asyncio.AbstractEventLoop, tell: Tell) -> Tell:
    """Return a function for other threads that has the loop's own call `tell`."""

    def told(row: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(tell, row)

    return told
