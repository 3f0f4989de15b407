"""Requests and answers of OpenAI's `/v1/completions` and `/v1/chat/completions`, as far as a policy has them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from trainers.serving.sampler import Ask, Sampled


class _Request(BaseModel):
    """Fields of both APIs; others that clients send are not used."""

    model: str = ""
    n: int = Field(default=1, ge=1, le=128)
    temperature: float | None = Field(default=None, ge=0, le=100)
    max_tokens: int | None = Field(default=None, ge=1, le=4096)
    stop: str | list[str] | None = None
    seed: int | None = Field(default=None, ge=0, lt=1 << 63)
    stream: bool = False

    def ask(self, text: str, raw: bool) -> Ask:
        """Return the request as the sampler takes it.

        Raises:
            ValueError: The client wants a stream, or a stop text is empty.
        """
        if self.stream:
            raise ValueError("stream: got true, expected false; answers are sent whole")
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or []
        if "" in stop:
            raise ValueError("stop: got an empty text, expected texts of one character or more")
        return Ask(text, raw, self.n, self.temperature, self.max_tokens, tuple(stop), self.seed)


class CompletionRequest(_Request):
    """Body of `/v1/completions`."""

    prompt: str = Field(min_length=1)
    logprobs: int | None = Field(default=None, ge=0, le=5)


class Message(BaseModel):
    """One message of a chat."""

    role: str
    content: str


class ChatRequest(_Request):
    """Body of `/v1/chat/completions`. The last message has the goals; the policy's own prompt is laid around them."""

    messages: list[Message] = Field(min_length=1)
    logprobs: bool = False
    max_completion_tokens: int | None = Field(default=None, ge=1, le=4096)


def completion_answer(request: CompletionRequest, sampled: Sequence[Sampled]) -> dict[str, Any]:
    """Return the answer of `/v1/completions`."""
    choices = []
    for index, one in enumerate(sampled):
        offsets = [sum(map(len, one.tokens[:at])) for at in range(len(one.tokens))]
        logprobs = {
            "tokens": list(one.tokens),
            "token_logprobs": list(one.logprobs),
            "top_logprobs": None,
            "text_offset": offsets,
        }
        shown = None if request.logprobs is None else logprobs
        choices.append({"index": index, "text": one.text, "logprobs": shown, "finish_reason": _reason(one)})
    return _answer("text_completion", "cmpl", request.model, choices, sampled)


def chat_answer(request: ChatRequest, sampled: Sequence[Sampled]) -> dict[str, Any]:
    """Return the answer of `/v1/chat/completions`."""
    choices = []
    for index, one in enumerate(sampled):
        content = [
            {"token": token, "logprob": logprob, "bytes": list(token.encode()), "top_logprobs": []}
            for token, logprob in zip(one.tokens, one.logprobs, strict=True)
        ]
        choices.append(
            {
                "index": index,
                "message": {"role": "assistant", "content": one.text},
                "logprobs": {"content": content} if request.logprobs else None,
                "finish_reason": _reason(one),
            }
        )
    return _answer("chat.completion", "chatcmpl", request.model, choices, sampled)


def _reason(one: Sampled) -> str:
    return "stop" if one.finished else "length"


def _answer(
    kind: str, prefix: str, model: str, choices: list[dict[str, Any]], sampled: Sequence[Sampled]
) -> dict[str, Any]:
    prompt, new = sampled[0].prompt_tokens, sum(len(one.tokens) for one in sampled)
    return {
        "id": f"{prefix}-{secrets.token_hex(8)}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "choices": choices,
        "usage": {"prompt_tokens": prompt, "completion_tokens": new, "total_tokens": prompt + new},
    }
