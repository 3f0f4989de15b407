"""Routes of LeanCopilot, llmstep and reap's value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request

from trainers.policies.prompts import candidate_text
from trainers.proving.serving.asks import Ask
from trainers.proving.serving.openai_api import ChatRequest, answer_of_text, goals_in
from trainers.proving.serving.served import Served
from trainers.proving.serving.tactic_api import (
    EncodeRequest,
    GenerateRequest,
    StepRequest,
    Suggestion,
    generate_answer,
    suggestions_of,
    value_text,
)
from trainers.proving.serving.wire import Failure, answered, read, unless_gone


def add_tactic_routes(routes: APIRouter, served: Served) -> None:
    """Add `/generate`, `/encode`, `/` and `/value/v1/chat/completions`."""
    timeout = served.config.timeout

    async def suggested(request: Request, goals: str, prefix: str) -> list[Suggestion]:
        if served.config.rollout.actions == "proof":
            raise Failure(501, "the policy gives whole proofs, expected one of tactics; see /v1/prove")
        beam = served.config.search.decoding == "beam"
        ask = Ask(await served.shown(goals), count=served.config.suggestions, prefix=prefix, beam=beam)
        sampled = await unless_gone(request, answered(served.policy.ask(ask, timeout), timeout))
        return suggestions_of(sampled, prefix)

    async def steps_left(
        request: Request, asked: GenerateRequest, found: Sequence[Suggestion]
    ) -> list[float]:
        """Return the tactics left for each suggestion.

        A model that reads candidates, as that of LeanDojo-v2's server, tells the tactics left after each of them; its
        prefix is the one of the request, as there. One that reads goals tells those left in the state, the same for
        all: printed goals do not determine a state of Lean, so the state after a tactic is not known here.
        """
        assert served.values is not None and served.progress is not None
        goals, prefix = asked.input, asked.prefix or ""
        if served.progress.reads == "tactic":
            texts = tuple(candidate_text(goals, prefix, one.tactic) for one in found)
            return await unless_gone(request, answered(served.values.ask(texts, timeout), timeout))
        (steps,) = await unless_gone(request, answered(served.values.ask((goals,), timeout), timeout))
        return [steps] * len(found)

    @routes.post("/generate")
    async def generate(request: Request) -> dict[str, Any]:
        asked = await read(request, GenerateRequest, served.config)
        if asked.use_reward and served.values is None:
            raise Failure(400, "use_reward: the server has no --progress-model", "use_reward")
        found = await suggested(request, asked.input, asked.prefix or "")
        if served.values is None or not asked.use_reward:
            return generate_answer(found)
        return generate_answer(found, await steps_left(request, asked, found))

    @routes.post("/encode")
    async def encode(request: Request) -> dict[str, Any]:
        asked = await read(request, EncodeRequest, served.config)
        if not served.source.tells_logprobs:
            raise Failure(501, "encode: the policy is an endpoint, whose hidden states cannot be read")
        vector = await unless_gone(request, answered(served.vectors.ask(asked.input, timeout), timeout))
        return {"outputs": vector}

    @routes.post("/")
    async def step(request: Request) -> dict[str, Any]:
        asked = await read(request, StepRequest, served.config)
        found = await suggested(request, asked.tactic_state, asked.prefix)
        return {"suggestions": [one.tactic for one in found]}

    if served.values is not None and served.progress is not None and served.progress.reads == "goals":
        values = served.values

        @routes.post("/value/v1/chat/completions")
        async def value(request: Request) -> dict[str, Any]:
            asked = await read(request, ChatRequest, served.config)
            goals = goals_in(asked.messages[-1].text, served.source.settings)
            (steps,) = await unless_gone(request, answered(values.ask((goals,), timeout), timeout))
            return answer_of_text(asked.model, value_text(steps))
