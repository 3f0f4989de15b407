"""Route of proofs: a theorem in, a verified proof out, progress on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from lean_gym.backends.registry import isolation_of, resolve_name
from lean_gym.errors import BackendError, DataError
from trainers.config.search import SearchConfig
from trainers.config.serve import ServeConfig
from trainers.errors import ConfigError
from trainers.proving.search.budget import Budget
from trainers.proving.serving.openai_routes import EVENTS
from trainers.proving.serving.proofs import SearchService, Stopped, Task
from trainers.proving.serving.served import Served
from trainers.proving.serving.statements import theorem_of
from trainers.proving.serving.wire import Failure, answered, read, unless_gone

LONGEST: Final = 1 << 16
"""Characters of a statement, and of a context."""


class ProveRequest(BaseModel):
    """Body of `/v1/prove`; limits above those of the server count as these."""

    model_config = ConfigDict(strict=True, extra="forbid")

    theorem: str = Field(min_length=1, max_length=LONGEST)
    context: str = Field(default="", max_length=LONGEST)
    imports: list[str] = Field(default_factory=list, max_length=64)
    method: Literal["best_first", "beam", "mcts", "sample", "whole_proof"] | None = None
    samples: int | None = Field(default=None, ge=1)
    tactics: int | None = Field(default=None, ge=1)
    model_calls: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    seed: int | None = Field(default=None, ge=0, lt=1 << 63)
    stream: bool = False

    def task(self, config: ServeConfig, prover: SearchService) -> Task:
        """Return the search within the server's limits.

        Raises:
            DataError: There is no such theorem, or it may not be sent.
            Failure: The policy gives other actions than the method searches by.
        """
        if self.method and (self.method == "whole_proof") != (config.rollout.actions == "proof"):
            gives = "whole proofs" if config.rollout.actions == "proof" else "tactics"
            raise Failure(
                400,
                f"method: got {self.method!r}, which does not go with a policy that gives {gives}",
                "method",
            )
        backend = resolve_name(config.backend, config.env.backend_options)
        theorem = theorem_of(
            self.theorem,
            self.context,
            self.imports,
            prover.known,
            isolation_of(backend, config.env.backend_options) is not None,
            config.env.backend_options.get("allow_tactics", ()),
        )
        most = config.search
        calls = [limit for limit in (self.model_calls, most.model_calls or None) if limit is not None]
        own: dict[str, object] = {
            "method": self.method or most.method,
            "samples": min(self.samples or most.samples, most.samples),
        }
        if own["method"] not in ("best_first", "mcts"):
            own |= {"split_goals": False, "value": ""}
        if own["method"] not in ("best_first", "beam"):
            own["decoding"] = "sample"
        search = SearchConfig(**(most.model_dump() | own))
        budget = Budget(
            min(self.tactics or most.tactics, most.tactics),
            min(calls, default=None),
            min(self.seconds or most.seconds, most.seconds),
            search.most_patience,
        )
        return Task(theorem, search, budget, self.seed)


def add_proof_routes(routes: APIRouter, served: Served, prover: SearchService) -> None:
    """Add `/v1/prove`."""

    @routes.post("/v1/prove")
    async def prove(request: Request) -> Response:
        asked = await read(request, ProveRequest, served.config)
        try:
            task = asked.task(served.config, prover)
        except DataError as error:
            field = str(error).partition(":")[0]
            param = field if field in ProveRequest.model_fields else "theorem"
            raise Failure(422, str(error), param, "refused") from None
        notes: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        search = asyncio.ensure_future(answered(_judged(prover, task, notes), served.config.search.seconds))
        search.add_done_callback(lambda _: notes.put_nowait(None))
        try:
            if not asked.stream:
                return JSONResponse(await unless_gone(request, _result(search)))
            first = await unless_gone(request, notes.get())
            if first is None and search.exception() is not None:
                search.result()
        except BaseException:
            search.cancel()
            raise
        return StreamingResponse(_events(search, notes, first), media_type=EVENTS)


async def _judged(
    prover: SearchService, task: Task, notes: asyncio.Queue[dict[str, Any] | None]
) -> dict[str, Any]:
    """Return the answer of a search, errors of statement and prover as statuses."""
    try:
        return await prover.prove(task, notes.put_nowait)
    except DataError as error:
        raise Failure(422, str(error), "theorem", "does_not_elaborate") from None
    except (BackendError, ConfigError) as error:
        raise Failure(503, f"the prover failed: {error}", code="prover_failed") from None
    except Stopped:
        raise Failure(503, "the server ends", code="stopped") from None


async def _result(search: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    return await search


async def _events(
    search: asyncio.Future[dict[str, Any]],
    notes: asyncio.Queue[dict[str, Any] | None],
    first: dict[str, Any] | None,
) -> AsyncIterator[str]:
    """Yield server-sent events: `progress` as it comes, then `result` or `error`; the search ends with the client."""
    try:
        note = first
        while note is not None:
            yield _event("progress", note)
            note = await notes.get()
        try:
            yield _event("result", await search)
        except Failure as failure:
            yield _event("error", {"message": str(failure.detail), "code": failure.code})
    finally:
        search.cancel()


def _event(name: str, row: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(row, ensure_ascii=False)}\n\n"
