"""Policy behind any OpenAI-compatible endpoint, for evaluation and for collecting data; it cannot be updated.

The protocol is one JSON request, sent with httpx. The key is read from the environment and is sent to the given
address only; redirects are refused, because following one could send the key to another server.
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import random
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from lean_gym.datasets import tactic_in
from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.base import Completion
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.prompts import before_stop, chat_messages, plain_prompt, shown_goals

PREFIX = "openai:"
LONGEST_WAIT_S = 60.0
_RETRIED = frozenset({408, 409, 429, *range(500, 600)})


def split_address(text: str) -> tuple[str, str]:
    """Split `openai:MODEL@URL` into the model's name and the base address.

    Raises:
        PolicyError: The text has another form.
    """
    model, at, url = text.removeprefix(PREFIX).rpartition("@")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.netloc) and text.isprintable()
    except ValueError:
        usable = False
    if not (text.startswith(PREFIX) and at and model and usable):
        raise PolicyError(f"endpoint: expected openai:MODEL@http://host:port/v1, got {text!r}")
    return model, url.rstrip("/")


class OpenAIPolicy:
    """Policy that asks an endpoint for tactics, many requests at once.

    Token ids and log-probabilities stay empty: the endpoint's tokenizer is not ours, so its completions must not
    enter an update.
    """

    def __init__(
        self,
        address: str,
        rollout: SamplingConfig,
        endpoint: EndpointConfig,
        on_wait: Callable[[], None] = lambda: None,
    ) -> None:
        """Read the address and the key; no request is sent.

        Args:
            address: `openai:MODEL@http://host:port/v1`.
            rollout: Prompt layout, temperature, nucleus and the token limit of a tactic. Its limit on prompt tokens
                does not apply: only the endpoint can count them.
            endpoint: API, concurrency, retries, name of the key's variable, further request fields.
            on_wait: Called about twice a second while requests are in flight; may raise to stop.

        Raises:
            PolicyError: The address has another form.
        """
        self.model, self.url = split_address(address)
        self._rollout = rollout
        self._endpoint = endpoint
        self._on_wait = on_wait
        self._key = os.environ.get(endpoint.api_key_variable, "").strip()
        self._seeds: random.Random | None = None

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Send seeds derived from this one within the block; the endpoint may ignore them."""
        outside, self._seeds = self._seeds, random.Random(seed)
        try:
            yield
        finally:
            self._seeds = outside

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Draw one tactic for each of the given goals, in order.

        Raises:
            PolicyError: The endpoint refused, or gave no usable answer in all tries.
        """
        if not goals:
            return []
        bodies = [self._body(text) for text in goals]
        stopped = threading.Event()
        client = self._client()
        pool = concurrent.futures.ThreadPoolExecutor(self._endpoint.concurrency)
        try:
            pending = [pool.submit(self._ask, client, body, stopped) for body in bodies]
            unfinished = set(pending)
            while unfinished:
                done, unfinished = concurrent.futures.wait(
                    unfinished, timeout=0.5, return_when=concurrent.futures.FIRST_EXCEPTION
                )
                for future in done:
                    future.result()
                self._on_wait()
            return [Completion((), (), (), future.result()) for future in pending]
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            client.close()

    def _client(self) -> httpx.Client:
        """Make a client that sends the key and follows no redirect."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limits = httpx.Limits(max_connections=self._endpoint.concurrency)
        timeout = self._endpoint.request_timeout_s
        return httpx.Client(headers=headers, limits=limits, timeout=timeout, verify=_tls())

    def _body(self, goals: str) -> dict[str, Any]:
        goals = shown_goals(goals, self._rollout)
        body: dict[str, Any] = {
            "model": self.model,
            "temperature": self._rollout.temperature,
            "max_tokens": self._rollout.max_tactic_tokens,
        }
        if self._endpoint.api == "completions":
            body["prompt"] = plain_prompt(goals, self._rollout)
        else:
            body["messages"] = chat_messages(goals, self._rollout)
        if self._rollout.top_p < 1.0:
            body["top_p"] = self._rollout.top_p
        if self._rollout.stop:
            body["stop"] = self._rollout.stop
        if self._seeds is not None:
            body["seed"] = self._seeds.getrandbits(31)
        body |= self._endpoint.request_options
        return {name: value for name, value in body.items() if value is not None}

    def _ask(self, client: httpx.Client, body: Mapping[str, Any], stopped: threading.Event) -> str:
        """Send one request, again after transient failures, and return the tactic."""
        reason = ""
        for attempt in range(self._endpoint.max_retries + 1):
            try:
                return self._tactic(self._post(client, body))
            except _TryAgain as failure:
                reason = str(failure)
                if attempt == self._endpoint.max_retries or stopped.wait(_pause(attempt, failure.after_s)):
                    break
        raise PolicyError(f"endpoint {self.url}: gave up after {attempt + 1} tries, last: {reason}")

    def _post(self, client: httpx.Client, body: Mapping[str, Any]) -> Any:
        path = "/chat/completions" if self._endpoint.api == "chat" else "/completions"
        try:
            response = client.post(self.url + path, json=body)
        except httpx.ConnectError as error:
            raise _TryAgain(f"no connection: {error}") from None
        except httpx.RequestError as error:
            raise _TryAgain(f"{type(error).__name__}: {error}") from None
        if not response.is_success:
            raise self._refusal(response)
        try:
            return response.json()
        except ValueError:
            raise _TryAgain(f"an answer that is not JSON: {response.content[:80]!r}") from None

    def _refusal(self, response: httpx.Response) -> Exception:
        code = response.status_code
        reason = f"HTTP {code}: {_message(response)}"
        if code in _RETRIED:
            return _TryAgain(reason, _seconds(response.headers.get("Retry-After")))
        if code in (401, 403):
            state = "is set" if self._key else "is not set"
            reason += f" (the key comes from the variable {self._endpoint.api_key_variable}, which {state})"
        if response.is_redirect:
            target = response.headers.get("Location")
            reason += f" (redirects are not followed; give the final address, {target!r})"
        return PolicyError(f"endpoint {self.url}, model {self.model!r}: {reason}")

    def _tactic(self, answer: Any) -> str:
        match answer:
            case {"choices": [{"text": str(text)}, *_]} if self._endpoint.api == "completions":
                return self._read(before_stop(text, self._rollout.stop))
            case {"choices": [{"message": {"content": str(text)}}, *_]} if self._endpoint.api == "chat":
                return self._read(before_stop(text, self._rollout.stop))
            case {"choices": [{"message": {"content": None}}, *_]}:
                return ""  # all tokens went into reasoning; Lean refuses the empty tactic
        shown = json.dumps(answer)[:160]
        raise PolicyError(
            f"endpoint {self.url}: expected choices of the {self._endpoint.api} API, got {shown}"
        )

    def _read(self, answer: str) -> str:
        """Return the tactic of an answer; JSON can name half a surrogate pair, which becomes `?`."""
        answer = answer.encode("utf-8", "replace").decode()
        if self._rollout.preset:
            return find_preset(self._rollout.preset).clean(answer)
        if self._endpoint.api == "completions":
            return answer.strip()
        return answer if self._rollout.actions == "proof" else tactic_in(answer).text


class _TryAgain(Exception):
    """A transient failure; `after_s` is the wait that the server asked for, in seconds."""

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


@functools.cache
def _tls() -> ssl.SSLContext:
    """Return the system's certificates, loaded once; httpx alone would trust those of certifi only."""
    return ssl.create_default_context()


def _pause(attempt: int, asked_s: float | None) -> float:
    """Return the seconds until the next try: `asked_s` if given, else 0.5, 1, 2, ... minus up to half at random."""
    if asked_s is not None:
        return min(asked_s, LONGEST_WAIT_S)
    return min(0.5 * 2.0**attempt, LONGEST_WAIT_S) * random.uniform(0.5, 1.0)


def _seconds(header: str | None) -> float | None:
    """Return the number in a Retry-After header; `None` for its other form, a date."""
    try:
        return max(0.0, float(header or ""))
    except ValueError:
        return None


def _message(response: httpx.Response) -> str:
    """Return the error message in a response's body, in one line; the status phrase for an empty body."""
    text = response.text
    try:
        content = response.json()
    except ValueError:
        content = None
    match content:
        case {"error": {"message": str(message)}} | {"error": str(message)} | {"message": str(message)}:
            text = message
    return " ".join(text.split())[:300] or response.reason_phrase
