"""State of a server that its routes share."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Protocol

from trainers.config.names import Reads
from trainers.config.serve import ServeConfig
from trainers.policies.premises import Retriever
from trainers.policies.presets.view import PresetView
from trainers.policies.prompts import Dialogue
from trainers.policies.views import PremisesView, create_view
from trainers.proving.serving.asks import Ask, Sampled, Source
from trainers.proving.serving.batching import Batcher
from trainers.proving.serving.environments import Pool
from trainers.proving.serving.proofs import SearchService


class StepsLeft(Protocol):
    """Model of the tactics left; a `ProgressModel`.

    Attributes:
        reads: `"goals"`, or `"tactic"` for goals with a candidate tactic.
    """

    reads: Reads

    def tactics_left(self, goal_texts: Sequence[str]) -> list[float]:
        """Return the expected number of tactics left for each text of goals."""

    def steps_after(self, texts: Sequence[str]) -> list[float]:
        """Return the expected number of tactics left after the candidate of each text."""


class Served:
    """A policy, what goes with it, and the queues in front of them.

    One thread computes with the models, so that requests of all routes do not take the cores from each other.

    Args:
        config: The settings.
        source: The policy.
        progress: Model of the tactics left, `None` for none.
        pool: Provers of the searches; left out, those that the settings describe. They end with the server.
        retriever: Finds premises for the prompts, where the settings name a retriever.
    """

    def __init__(
        self,
        config: ServeConfig,
        source: Source,
        progress: StepsLeft | None = None,
        pool: Pool | None = None,
        retriever: Retriever | None = None,
    ) -> None:
        self.config = config
        self.source = source
        self.progress = progress
        self.statuses: Counter[tuple[str, int]] = Counter()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="models")
        limits = (config.queue, config.batch, self._thread)
        self.policy: Batcher[Ask, list[Sampled]] = Batcher(source.answer, *limits)
        self.vectors: Batcher[str, list[float]] = Batcher(source.encode, *limits)
        self.values: Batcher[tuple[str, ...], list[float]] | None = None
        if progress is not None:
            predict = progress.tactics_left if progress.reads == "goals" else progress.steps_after
            self.values = Batcher(lambda batch: _predicted(predict, batch), *limits)
        view = create_view(config.rollout, retriever)
        self._view = None if retriever is None else view
        self.prover = (
            SearchService(config, self.policy, view, pool or Pool(config)) if config.proofs else None
        )

    async def shown(self, goals: str) -> str:
        """Return goals with the premises that the server's retriever finds for them; without one, the goals.

        A dialogue of the client's own is returned as it is.
        """
        view = self._view
        if not isinstance(view, PremisesView | PresetView) or isinstance(goals, Dialogue):
            return goals
        return await asyncio.to_thread(view.without_episode, goals)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests within the block."""
        working = [asyncio.create_task(each.work()) for each in self._queues().values()]
        try:
            yield
        finally:
            if self.prover is not None:
                await asyncio.to_thread(self.prover.close)
            for task in working:
                task.cancel()
            self._thread.shutdown(wait=False, cancel_futures=True)

    def end(self) -> None:
        """Let searches end with what they have found."""
        if self.prover is not None:
            self.prover.end()

    def metrics(self) -> str:
        """Return all counts as Prometheus text."""
        lines = ["# TYPE lean_gym_requests_total counter"]
        for (route, status), count in sorted(self.statuses.items()):
            lines.append(f'lean_gym_requests_total{{route="{route}",status="{status}"}} {count}')
        for name, queue in self._queues().items():
            lines += [f"# TYPE lean_gym_{name}_waiting gauge", f"lean_gym_{name}_waiting {queue.waiting}"]
            for field, value in asdict(queue.counts).items():
                lines.append(f"# TYPE lean_gym_{name}_{field}_total counter")
                lines.append(f"lean_gym_{name}_{field}_total {value}")
        if self.prover is not None:
            lines += self.prover.metrics()
        return "\n".join(lines) + "\n"

    def _queues(self) -> dict[str, Batcher[Any, Any]]:
        queues: dict[str, Batcher[Any, Any]] = {"policy": self.policy, "vectors": self.vectors}
        return queues if self.values is None else {**queues, "values": self.values}


def _predicted(
    predict: Callable[[Sequence[str]], list[float]], batch: Sequence[tuple[str, ...]]
) -> list[list[float]]:
    """Return the numbers for the texts of each request, all of them computed together."""
    found = predict([text for texts in batch for text in texts])
    return [[found.pop(0) for _ in texts] for texts in batch]
