"""Requests and answers of OpenAI's `/v1/completions` and `/v1/chat/completions`, as far as a policy has them."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from trainers.config.rollout import SamplingConfig
from trainers.policies.prompts import Dialogue, chat_messages
from trainers.proving.serving.asks import Ask, Sampled

_REAP: Final = re.compile(r"\bSTATE:\n(?P<state>.*)\nTACTIC:\s*(?:Assistant:\s*)?\Z", re.DOTALL)
"""Message of reap: premises, then the state between these words."""


MOST_STOPS: Final = 16
"""Stop texts of a request; all of them are looked for at each token."""


def _listed(stop: Any) -> Any:
    """Return stop texts as a list: a text alone is one, `null` is none."""
    if stop is None:
        return []
    return [stop] if isinstance(stop, str) else stop


def _parts(content: Any) -> Any:
    """Return the content of a message as parts: a text alone is one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _Request(BaseModel):
    """Fields of both APIs; others that clients send are not used."""

    model_config = ConfigDict(strict=True)

    model: str = ""
    n: int = Field(default=1, ge=1, le=128)
    temperature: float | None = Field(default=None, ge=0, le=100)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    stop: Annotated[list[str], BeforeValidator(_listed), Field(max_length=MOST_STOPS)] = Field(
        default_factory=list
    )
    seed: int | None = Field(default=None, ge=0, lt=1 << 63)
    stream: bool = False
    stream_options: _StreamOptions | None = None

    @field_validator("n", "stream", mode="before")
    @classmethod
    def _fill(cls, value: Any, info: ValidationInfo) -> Any:
        # OpenAI's API takes `null` for "not given".
        return cls.model_fields[str(info.field_name)].default if value is None else value

    @field_validator("stop")
    @classmethod
    def _check_stop(cls, stop: list[str]) -> list[str]:
        if "" in stop:
            raise ValueError("expected texts of one character or more")
        return stop

    @property
    def wants_usage(self) -> bool:
        """Return whether a stream ends with the numbers of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage

    def ask(self, text: str, raw: bool) -> Ask:
        """Return the request as the sampler takes it."""
        return Ask(
            text,
            raw,
            self.n,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            stop=tuple(self.stop),
            seed=self.seed,
        )


class CompletionRequest(_Request):
    """Body of `/v1/completions`."""

    prompt: str = Field(min_length=1)
    logprobs: int | None = Field(default=None, ge=0, le=5)

    @property
    def wants_logprobs(self) -> bool:
        """Return whether log-probabilities are asked for."""
        return self.logprobs is not None


class _Part(BaseModel):
    """Part of a message; one that is no text is refused."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
    """One message of a chat."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[list[_Part], BeforeValidator(_parts)]

    @property
    def text(self) -> str:
        """The content as one text."""
        return "".join(part.text for part in self.content)


class ChatRequest(_Request):
    """Body of `/v1/chat/completions`."""

    messages: list[Message] = Field(min_length=1)
    logprobs: bool | None = None
    max_completion_tokens: int | None = Field(default=None, ge=1)

    @field_validator("messages")
    @classmethod
    def _check_last(cls, messages: list[Message]) -> list[Message]:
        if messages[-1].role != "user" or not messages[-1].text.strip():
            raise ValueError("expected a message of the user with some text at the end")
        return messages

    @property
    def wants_logprobs(self) -> bool:
        """Return whether log-probabilities are asked for."""
        return bool(self.logprobs)

    def shown(self, settings: SamplingConfig, is_chat: bool) -> str:
        """Return what the policy is shown.

        A dialogue of the client's own goes to a chat model as it is. Otherwise the last message has the goals, alone or
        in the frame of the policy's own prompt or of reap's, and the policy's own prompt is laid around them.

        Args:
            settings: Prompt layout of the policy.
            is_chat: Whether the policy takes messages.
        """
        last = self.messages[-1].text
        given = [{"role": one.role, "content": one.text} for one in self.messages]
        if is_chat and len(given) > 1 and given != chat_messages(last, settings):
            return Dialogue(given)
        return goals_in(last, settings)


def goals_in(text: str, settings: SamplingConfig) -> str:
    """Return the goals in a message: what stands in the frame of the policy's plain prompt, or in reap's."""
    if found := _REAP.search(text):
        return found["state"]
    before, _, after = settings.prompt_template.partition("{goals}")
    framed = text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after)
    return text[len(before) : len(text) - len(after)] if framed else text


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
        shown = logprobs if request.wants_logprobs else None
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
                "logprobs": {"content": content} if request.wants_logprobs else None,
                "finish_reason": _reason(one),
            }
        )
    return _answer("chat.completion", "chatcmpl", request.model, choices, sampled)


def answer_of_text(model: str, text: str) -> dict[str, Any]:
    """Return the answer of a chat that is a given text, which no tokens were sampled for."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return _answer("chat.completion", "chatcmpl", model, [choice], ())


def stream_of(answer: dict[str, Any], wants_usage: bool) -> Iterator[dict[str, Any]]:
    """Yield the parts of an answer as a stream has them: for each choice its text, then the reason of its end.

    Args:
        answer: The answer as a whole.
        wants_usage: Whether the last part has the numbers of tokens.
    """
    choices, usage = answer["choices"], answer["usage"]
    chat = answer["object"] == "chat.completion"
    head = {name: value for name, value in answer.items() if name not in ("choices", "usage")}
    head["object"] = "chat.completion.chunk" if chat else "text_completion"
    for choice in choices:
        first: dict[str, Any] = {"delta": choice["message"]} if chat else {"text": choice["text"]}
        last: dict[str, Any] = {"delta": {}} if chat else {"text": ""}
        ends = (choice["logprobs"], None), (None, choice["finish_reason"])
        for part, (logprobs, reason) in zip((first, last), ends, strict=True):
            shown = {"index": choice["index"], **part, "logprobs": logprobs, "finish_reason": reason}
            yield {**head, "choices": [shown]}
    if wants_usage:
        yield {**head, "choices": [], "usage": usage}


def _reason(one: Sampled) -> str:
    return "stop" if one.finished else "length"


def _answer(
    kind: str, prefix: str, model: str, choices: list[dict[str, Any]], sampled: Sequence[Sampled]
) -> dict[str, Any]:
    prompt = max((one.prompt_tokens for one in sampled), default=0)
    new = sum(len(one.tokens) for one in sampled)
    return {
        "id": f"{prefix}-{secrets.token_hex(8)}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
        "choices": choices,
        "usage": {"prompt_tokens": prompt, "completion_tokens": new, "total_tokens": prompt + new},
    }
