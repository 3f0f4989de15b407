"""Servers on free ports, and samplers that tests hold back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import httpx
import pytest
import uvicorn

from trainers.config.rollout import SamplingConfig
from trainers.config.serve import ServeConfig
from trainers.policies.transformers import TransformersPolicy
from trainers.proving.serving.app import make_app
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.sampler import Sampler
from trainers.proving.serving.served import Served


class Serving(Protocol):
    def __call__(
        self, source: Any, progress: Any = None, **settings: Any
    ) -> AbstractContextManager[httpx.Client]: ...


class Gated:
    """A source that waits until it is let go, and records its batches."""

    settings = SamplingConfig()
    is_chat = False
    tells_logprobs = True

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go = threading.Event()

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        self.batches.append([ask.text for ask in batch])
        assert self.go.wait(60)
        return [
            [Sampled(ask.text, (ask.text,), (-0.5,), True, 1, ask.text, (-0.5,))] * ask.count for ask in batch
        ]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


@contextmanager
def _serving(source: Any, progress: Any = None, **settings: Any) -> Iterator[httpx.Client]:
    config = ServeConfig(policy="runs/mine", **settings)
    server = uvicorn.Server(
        uvicorn.Config(make_app(Served(config, source, progress)), port=0, log_level="warning")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def serving() -> Serving:
    """Serve on a free port within a block; gives a client."""
    return _serving


@pytest.fixture
def gated() -> Gated:
    """A source that waits."""
    return Gated()


@pytest.fixture
def client(policy: TransformersPolicy) -> Iterator[httpx.Client]:
    """A client of the tiny policy."""
    with _serving(Sampler(policy)) as client:
        yield client
