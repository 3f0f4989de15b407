"""Settings of requests to a policy behind an endpoint."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from trainers.config.base import Count, CountOrZero, Positive, Settings


class EndpointConfig(Settings):
    """Requests to an OpenAI-compatible endpoint; no other policy uses these."""

    api: Literal["chat", "completions"] = "chat"
    """`chat` sends the goals as a user message below `instruction`, `completions` sends the plain prompt."""
    concurrency: Count = 16
    """Requests in flight at once."""
    request_timeout_s: Positive = 120.0
    """Seconds to wait for an answer before a request is tried again."""
    max_retries: CountOrZero = 6
    """Further tries after an answer 408, 409, 429 or 5xx, a time-out or a broken connection."""
    api_key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; no key is sent where it is not set."""
    request_options: dict[str, Any] = Field(default_factory=dict)
    """Fields laid over the body of each request, null removes one; JSON on the command line."""
