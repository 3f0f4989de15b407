"""FastAPI application over one policy."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse

from trainers.errors import PolicyError
from trainers.serving.batching import Batcher, QueueFull
from trainers.serving.openai_api import ChatRequest, CompletionRequest, chat_answer, completion_answer
from trainers.serving.sampler import Ask, Sampled, Sampler

RETRY_AFTER_S: Final = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server.

    Attributes:
        most_waiting: Requests that may wait; the next one gets status 429.
        most_together: Requests in one batch.
        timeout_s: Seconds from a request to its answer; then it gets status 504.
    """

    most_waiting: int = 256
    most_together: int = 64
    timeout_s: float = 120.0


def make_app(sampler: Sampler, model: str, limits: Limits, api_key: str = "") -> FastAPI:
    """Make the application.

    Args:
        sampler: Answers.
        model: Name of the policy, which `/v1/models` lists.
        limits: The limits.
        api_key: Key that requests must bring as `Authorization: Bearer KEY`; empty for none. `/health` needs none.
    """
    batcher: Batcher[Ask, list[Sampled]] = Batcher(sampler.answer, limits.most_waiting, limits.most_together)

    @contextlib.asynccontextmanager
    async def working(_: FastAPI) -> AsyncIterator[None]:
        work = asyncio.create_task(batcher.work())
        yield
        work.cancel()

    def check_key(request: Request) -> None:
        got = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if api_key and not secrets.compare_digest(got.encode(), api_key.encode()):
            raise HTTPException(401, "the key is missing or wrong; send the header Authorization: Bearer KEY")

    app = FastAPI(title="lean-gym policy", lifespan=working)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    guarded = [Depends(check_key)]

    async def sampled(ask: Ask) -> list[Sampled]:
        try:
            return await batcher.ask(ask, limits.timeout_s)
        except QueueFull as error:
            raise HTTPException(429, str(error), {"Retry-After": str(RETRY_AFTER_S)}) from None
        except TimeoutError:
            raise HTTPException(504, f"no answer within {limits.timeout_s:g} seconds") from None
        except PolicyError as error:
            raise HTTPException(500, str(error)) from None

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "model": model}

    @app.get("/metrics", dependencies=guarded)
    async def metrics() -> PlainTextResponse:
        lines = [f"lean_gym_policy_waiting {batcher.waiting}"]
        lines += [f"lean_gym_policy_{name}_total {value}" for name, value in asdict(batcher.counts).items()]
        return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    @app.get("/v1/models", dependencies=guarded)
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": model, "object": "model", "owned_by": "lean-gym"}]}

    @app.post("/v1/completions", dependencies=guarded)
    async def completions(request: CompletionRequest) -> dict[str, Any]:
        return completion_answer(request, await sampled(_ask(request, request.prompt, raw=True)))

    @app.post("/v1/chat/completions", dependencies=guarded)
    async def chat(request: ChatRequest) -> dict[str, Any]:
        request.max_tokens = request.max_completion_tokens or request.max_tokens
        return chat_answer(request, await sampled(_ask(request, request.messages[-1].content, raw=False)))

    return app


def _ask(request: CompletionRequest | ChatRequest, text: str, raw: bool) -> Ask:
    try:
        return request.ask(text, raw)
    except ValueError as error:
        raise HTTPException(400, str(error)) from None


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """Answer a body that is none in OpenAI's form, in one line, without what was sent."""
    assert isinstance(error, RequestValidationError)
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"][1:])
    return JSONResponse({"error": {"message": f"{place}: {problem['msg']}", "type": "invalid"}}, 400)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    body = {"error": {"message": str(error.detail), "type": "refused"}}
    return JSONResponse(body, error.status_code, headers=error.headers)
