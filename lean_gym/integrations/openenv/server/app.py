"""FastAPI application of the OpenEnv server.

`uvicorn lean_gym.integrations.openenv.server.app:app` serves the sets of `LEAN_GYM_THEOREMS`, separated by spaces, by
default those of the manifest. `python -m lean_gym.integrations.serve` has flags.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from gymnasium.error import Error as GymnasiumError
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig

from lean_gym import __version__
from lean_gym.errors import LeanGymError
from lean_gym.integrations.openenv.models import LeanAction, LeanObservation, LeanState
from lean_gym.integrations.openenv.server.environment import LeanEnvironment
from lean_gym.integrations.shared_provers import SharedProvers
from lean_gym.integrations.task_sets import SERVED, TaskSets

NAME: Final = "lean_gym"


def make_app(
    theorems: Sequence[str] = SERVED,
    sessions: int = 64,
    processes: int | None = None,
    *,
    idle_s: float = 3600.0,
    backend: str = "minilean",
    **options: Any,
) -> FastAPI:
    """Make the application.

    Args:
        theorems: Sets, as for `TaskSets`.
        sessions: Most clients at once; a further one is refused with CAPACITY_REACHED.
        processes: As for `SharedProvers`.
        idle_s: Seconds without a request after which a session gives its place to another; a connection that is
            still open goes on.
        backend: Name of the prover. Not `"auto"` by default: on real Lean a tactic can be a program.
        **options: Further options of `LeanProofVectorEnv`, e.g. `max_steps` or `reward`.

    Raises:
        DataError: A set cannot be read.
        ValueError: An option out of range.
    """
    tasks = TaskSets(theorems)
    provers = SharedProvers(tasks.theorems, processes, backend=backend, **options)
    app: FastAPI = create_app(
        partial(LeanEnvironment, tasks, provers, __version__),
        LeanAction,
        LeanObservation,
        env_name=NAME,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=idle_s),
        state_cls=LeanState,
    )
    for error in (ValueError, IndexError, LeanGymError, GymnasiumError):
        app.add_exception_handler(error, _refuse)
    _close_at_the_end(app, provers)
    return app


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=400)


def _close_at_the_end(app: FastAPI, provers: SharedProvers) -> None:
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(served: FastAPI) -> Any:
        with provers:
            async with inner(served) as state:
                yield state

    app.router.lifespan_context = lifespan


def __getattr__(name: str) -> FastAPI:
    """Make `app` when a server asks for it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return make_app(os.environ.get("LEAN_GYM_THEOREMS", "").split() or SERVED)
