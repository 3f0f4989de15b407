"""Routes of LeanCopilot, llmstep and reap's value."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from trainers.serving.asks import Ask
from trainers.serving.openai_api import ChatRequest, answer_of_text, goals_in
from trainers.serving.served import Served
from trainers.serving.tactic_api import (
    EncodeRequest,
    GenerateRequest,
    StepRequest,
    Suggestion,
    generate_answer,
    suggestions_of,
    value_text,
)
from trainers.serving.wire import Failure, answered, read, unless_gone


def add_tactic_routes(routes: APIRouter, served: Served) -> None:
    """Add `/generate`, `/encode`, `/` and `/value/v1/chat/completions`."""
    most_bytes, timeout = served.config.body_kib << 10, served.config.timeout

    async def suggested(request: Request, goals: str, prefix: str) -> list[Suggestion]:
        ask = Ask(await served.shown(goals), count=served.config.suggestions, prefix=prefix)
        sampled = await unless_gone(request, answered(served.policy.ask(ask, timeout), timeout))
        return suggestions_of(sampled, prefix)

    @routes.post("/generate")
    async def generate(request: Request) -> dict[str, Any]:
        asked = await read(request, GenerateRequest, most_bytes)
        if asked.use_reward and served.values is None:
            raise Failure(400, "use_reward: the server has no --progress-model", "use_reward")
        found = await suggested(request, asked.input, asked.prefix or "")
        if served.values is None or not asked.use_reward:
            return generate_answer(found)
        steps = await unless_gone(request, answered(served.values.ask(asked.input, timeout), timeout))
        return generate_answer(found, [steps] * len(found))

    @routes.post("/encode")
    async def encode(request: Request) -> dict[str, Any]:
        asked = await read(request, EncodeRequest, most_bytes)
        if not served.source.tells_logprobs:
            raise Failure(501, "encode: the policy is an endpoint, whose hidden states cannot be read")
        vector = await unless_gone(request, answered(served.vectors.ask(asked.input, timeout), timeout))
        return {"outputs": vector}

    @routes.post("/")
    async def step(request: Request) -> dict[str, Any]:
        asked = await read(request, StepRequest, most_bytes)
        found = await suggested(request, asked.tactic_state, asked.prefix)
        return {"suggestions": [one.tactic for one in found]}

    if served.values is not None:
        values = served.values

        @routes.post("/value/v1/chat/completions")
        async def value(request: Request) -> dict[str, Any]:
            asked = await read(request, ChatRequest, most_bytes)
            goals = goals_in(asked.messages[-1].text, served.source.settings)
            steps = await unless_gone(request, answered(values.ask(goals, timeout), timeout))
            return answer_of_text(asked.model, value_text(steps))
