"""FastAPI application over one policy: key, origin, counts, and the routes about the server itself."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import PurePath
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lean_gym.integrations.http_border import KnownHosts
from trainers.proving.serving.openai_routes import add_openai_routes
from trainers.proving.serving.proof_routes import add_proof_routes
from trainers.proving.serving.served import Served
from trainers.proving.serving.tactic_routes import add_tactic_routes
from trainers.proving.serving.wire import Failure, failure_answer


def make_app(served: Served) -> FastAPI:
    """Make the application.

    Args:
        served: The policy with its queues.
    """

    @contextlib.asynccontextmanager
    async def working(_: FastAPI) -> AsyncIterator[None]:
        async with served.running():
            yield

    # No pages of its own: they would ask from a browser, and load scripts from other servers.
    app = FastAPI(title="lean-gym policy", lifespan=working, openapi_url=None, redirect_slashes=False)
    app.add_exception_handler(HTTPException, failure_answer)
    app.add_exception_handler(Exception, failure_answer)
    guarded = APIRouter(dependencies=[Depends(_guard(served))])
    _add_status_routes(app, guarded, served)
    add_openai_routes(guarded, served)
    add_tactic_routes(guarded, served)
    if served.prover is not None:
        add_proof_routes(guarded, served, served.prover)
    app.include_router(guarded)
    if origins := list(served.config.origins):
        headers = ["Authorization", "Content-Type"]
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=headers)
    paths = {"/health", *(str(route.path) for route in guarded.routes)}  # type: ignore[attr-defined]
    app.add_middleware(_Counted, served=served, paths=paths)
    app.add_middleware(KnownHosts, host=served.config.host, names=served.config.host_names)
    return app


class _Counted:
    """Counts the statuses of answers by route."""

    def __init__(self, app: ASGIApp, served: Served, paths: set[str]) -> None:
        self._app = app
        self._served = served
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = scope["path"] if scope["path"] in self._paths else "other"
                self._served.statuses[path, message["status"]] += 1
            await send(message)

        await self._app(scope, receive, counting)


def _guard(served: Served) -> Callable[[Request], None]:
    """Return the check of key and origin that all routes but `/health` have."""
    key, origins = served.config.api_key, served.config.origins

    def check(request: Request) -> None:
        origin = request.headers.get("Origin")
        # A page in the user's browser reaches this machine's servers; none may make them work unasked.
        if origin is not None and "*" not in origins and origin not in origins:
            raise Failure(403, f"requests of pages from {origin} are refused; --cors-origins permits them")
        got = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if key and not secrets.compare_digest(got.encode(), key.encode()):
            raise Failure(
                401,
                "the key is missing or wrong; send the header Authorization: Bearer KEY",
                code="invalid_api_key",
            )

    return check


def _shown(name: str) -> str:
    """Return the name of a policy without the folder or the address that it is at, for clients without a key."""
    return PurePath(name.partition("@")[0].rpartition("=")[2]).name


def _add_status_routes(app: FastAPI, guarded: APIRouter, served: Served) -> None:
    config = served.config

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return {
            "status": "ok",
            "model": _shown(config.policy),
            "actions": config.rollout.actions,
            "engine": "endpoint" if not served.source.tells_logprobs else config.engine,
            "progress_model": _shown(config.progress_model) or None,
            "encode": served.source.tells_logprobs,
            "prove": served.prover is not None,
        }

    @guarded.get("/metrics")
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(served.metrics(), media_type="text/plain; version=0.0.4")

    @guarded.get("/v1/models")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": config.policy, "object": "model", "owned_by": "lean-gym"}]}
