"""Routes of OpenAI's completions and chat."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from trainers.policies.prompts import Dialogue
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.openai_api import (
    ChatRequest,
    CompletionRequest,
    chat_answer,
    completion_answer,
    stream_of,
)
from trainers.proving.serving.served import Served
from trainers.proving.serving.wire import Failure, answered, events, read, unless_gone

EVENTS: Final = "text/event-stream"


def add_openai_routes(routes: APIRouter, served: Served) -> None:
    """Add `/v1/completions` and `/v1/chat/completions`."""

    @routes.post("/v1/completions")
    async def completions(request: Request) -> Response:
        asked = await read(request, CompletionRequest, served.config)
        sampled = await _sampled(request, served, asked, asked.ask(asked.prompt, raw=True))
        return _response(asked, completion_answer(asked, sampled))

    @routes.post("/v1/chat/completions")
    async def chat(request: Request) -> Response:
        asked = await read(request, ChatRequest, served.config)
        asked.max_tokens = asked.max_completion_tokens or asked.max_tokens
        shown = await served.shown(asked.shown(served.source.settings, served.source.is_chat))
        ask = asked.ask(shown, raw=isinstance(shown, Dialogue))
        sampled = await _sampled(request, served, asked, ask)
        return _response(asked, chat_answer(asked, sampled))


async def _sampled(
    request: Request, served: Served, asked: CompletionRequest | ChatRequest, ask: Ask
) -> list[Sampled]:
    """Return the answers to a request that is within the limits."""
    most, timeout = served.config.answer_tokens, served.config.timeout
    if ask.max_tokens is not None and ask.max_tokens > most:
        raise Failure(400, f"max_tokens: got {ask.max_tokens}, expected at most {most}", "max_tokens")
    if asked.wants_logprobs and not served.source.tells_logprobs:
        raise Failure(400, "logprobs: the policy is an endpoint and tells none", "logprobs")
    return await unless_gone(request, answered(served.policy.ask(ask, timeout), timeout))


def _response(asked: CompletionRequest | ChatRequest, answer: dict[str, Any]) -> Response:
    """Return the answer, as a stream where the client wants one."""
    if not asked.stream:
        return JSONResponse(answer)
    return Response(events(list(stream_of(answer, asked.wants_usage))), media_type=EVENTS)
