"""The program `python -m trainers.serve`: the port is taken, then the policy loaded, then requests are answered."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from lean_gym.backends.registry import isolation_of, resolve_name, unisolated
from lean_gym.integrations.http_border import HeadsInTime
from lean_gym.integrations.listening import listen
from trainers.config.serve import ServeConfig
from trainers.errors import ConfigError, PolicyError
from trainers.policies.premises import Retriever
from trainers.policies.source import PolicySource
from trainers.proving.search.value import load_progress
from trainers.proving.serving.app import make_app
from trainers.proving.serving.environments import Pool
from trainers.proving.serving.served import Served, StepsLeft

KEEP_ALIVE_S: Final = 75
"""Seconds that an idle connection is kept. A client that sends just when the server closes it loses the request."""


def serve(config: ServeConfig, source: PolicySource, retriever: Retriever | None = None) -> int:
    """Serve until a signal ends it.

    Args:
        config: The settings.
        source: Source of the policy.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        128 plus the number of the signal; requests under way were answered.

    Raises:
        ConfigError: The port cannot be listened at, or the prover does not start.
        PolicyError: The policy or the progress model cannot be used.
    """
    try:
        found = listen(config.host, config.port)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    with found, Pool(config) as pool:
        if config.proofs:
            pool.start()  # before the model is loaded, which may take minutes
        backend = resolve_name(config.backend, config.env.backend_options)
        isolation = isolation_of(backend, config.env.backend_options)
        if isolation is not None and isolation != "bwrap":
            print(unisolated(isolation), file=sys.stderr)
        served = load(config, source, pool, retriever)
        server = Server(make_app(served), config.timeout, served.end)
        shown = f"[{config.host}]" if ":" in config.host else config.host
        print(f"serving {config.policy} at http://{shown}:{found.getsockname()[1]}", flush=True)
        server.run(sockets=[found])
    return 128 + server.signal_number


def load(config: ServeConfig, source: PolicySource, pool: Pool, retriever: Retriever | None = None) -> Served:
    """Load the policy and what goes with it.

    Args:
        config: The settings.
        source: Source of the policy.
        pool: Provers of the searches.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Raises:
        PolicyError: One of the models cannot be used.
    """
    if source.kind == "endpoint":
        if config.search.decoding == "beam":
            raise PolicyError(f"decoding: got 'beam', expected 'sample' with the endpoint {source.model!r}")
        from trainers.proving.serving.endpoint import EndpointSource

        behind = EndpointSource(source.model, config.rollout, config.endpoint)
        return Served(config, behind, _progress(config), pool, retriever)
    # An engine makes room for the longest answer that a request may ask for.
    longest = max(config.answer_tokens, config.rollout.max_tactic_tokens)
    room = config.rollout.model_copy(update={"max_tactic_tokens": longest})
    policy = source.load(room, config.endpoint, config.engine, config.torch_threads, lambda: None)
    from trainers.policies.transformers import TransformersPolicy
    from trainers.proving.serving.sampler import Sampler

    assert isinstance(policy, TransformersPolicy)
    return Served(config, Sampler(policy, config.rollout), _progress(config), pool, retriever)


class Server(uvicorn.Server):
    """Server that answers the requests under way after a signal, and says which signal it was.

    Attributes:
        signal_number: The first signal; 0 before it. A second one ends the server at once.
    """

    def __init__(self, app: FastAPI, timeout_s: float, on_signal: Callable[[], None]) -> None:
        """Keep the application; requests under way have `timeout_s` seconds after a signal."""
        graceful = math.ceil(timeout_s) + 1
        options: dict[str, Any] = {"timeout_graceful_shutdown": graceful, "timeout_keep_alive": KEEP_ALIVE_S}
        super().__init__(uvicorn.Config(app, http=HeadsInTime, ws="none", log_level="warning", **options))
        self.signal_number = 0
        self._on_signal = on_signal

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Note a signal."""
        self.force_exit = self.force_exit or bool(self.signal_number)
        self.signal_number = self.signal_number or int(sig)
        self.should_exit = True
        self._on_signal()


def _progress(config: ServeConfig) -> StepsLeft | None:
    return load_progress(config.progress_model, candidates=True) if config.progress_model.strip() else None
