"""Settings of `python -m trainers.serve`. Nothing here imports torch."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from trainers.config.base import Count, CountOrZero, Positive, require, shortened
from trainers.config.plan import Plan
from trainers.config.run import Theorems, text_of
from trainers.config.search import SearchingConfig, ServedSearchConfig


def _check_origins(words: str) -> str:
    for word in filter(None, map(str.strip, words.split(","))):
        if word != "*" and not word.startswith(("http://", "https://")):
            raise ValueError(
                f"expected addresses such as http://localhost:3000, or '*', got {shortened(word)}"
            )
    return words


def _check_key(key: str) -> str:
    # The key is not repeated: messages end up in logs.
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError("expected printable ASCII characters without spaces, as a header has them")
    return key


class ServeConfig(SearchingConfig):
    """Serving a policy."""

    positional: ClassVar[tuple[str, ...]] = ("policy",)
    usual: ClassVar[tuple[str, ...]] = (
        *("policy", "theorems", "host", "port", "api_key", "hosts", "cors_origins", "suggestions"),
        *("proofs", "batch", "queue", "timeout", "method", "tactics", "seconds", "progress_model"),
        *("engine", "backend", "workers", "preset", "retriever"),
    )

    theorems: Theorems = "algebra"
    """Theorem sets by name, or JSONL files by path, separated by commas, for `/v1/prove` by name."""
    progress_model: str = ""
    """Folder that `python -m trainers.progress` wrote, for tactics left; empty for none."""
    host: Annotated[str, text_of("an address to listen at")] = "127.0.0.1"
    """Address to listen at; 127.0.0.1 is reached from this machine only."""
    hosts: str = ""
    """Further names under which clients reach the server, separated by commas; `*` for all. Without, it answers to
    addresses, localhost and `host`."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8010
    """Port to listen at; 0 takes a free one, which the first line names."""
    api_key: Annotated[str, AfterValidator(_check_key)] = ""
    """Key that requests must bring as `Authorization: Bearer KEY`; empty for none."""
    cors_origins: Annotated[str, AfterValidator(_check_origins)] = ""
    """Addresses of web pages that may ask, separated by commas; `*` for all. Requests of other pages are refused."""
    queue: Count = 256
    """Requests that may wait; a further one gets status 429."""
    batch: Count = 64
    """Requests computed together."""
    timeout: Positive = 120.0
    """Seconds from a request to its answer; then it gets status 504. A search has `seconds`."""
    body_kib: Count = 1024
    """Size of a request, KiB; a larger one gets status 413."""
    answer_tokens: Count = 1024
    """Most tokens of an answer that a request may ask for; without, it gets `max_tactic_tokens`."""
    suggestions: Annotated[int, Field(ge=1, le=128)] = 16
    """Tactics drawn for a request of an editor; equal ones are shown once."""
    proofs: CountOrZero = 2
    """Searches of `/v1/prove` at a time, each with a prover process; 0 leaves the route out."""
    search: ServedSearchConfig = ServedSearchConfig()
    """Searches of `/v1/prove`: a request may name another method, and less of the budget."""

    @model_validator(mode="after")
    def _check_environment(self) -> Self:
        require(
            self.proofs == 0 or self.env.id == "LeanProof-v0",
            "proofs",
            self.proofs,
            f"0 with the environment {self.env.id!r}; /v1/prove searches on LeanProof-v0",
        )
        return self

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the server."""
        return Plan(
            lines=(
                *super().plan(theorems).lines,
                ("serving", f"{self.policy} at {self.host}, port {self.port}"),
                ("searches", f"{self.proofs} at a time, {self.shown_search(1)}"),
            ),
            model=self.policy,
            packages=("fastapi", "uvicorn"),
            engine=self.engine,
            sampled_tokens=self.rollout.tokens_of(self.batch * self.suggestions),
            prompt_tokens=self.rollout.max_prompt_tokens,
            answer_tokens=self.rollout.max_tactic_tokens,
            proves=self.proofs > 0,
        )

    @property
    def origins(self) -> tuple[str, ...]:
        """The addresses in `cors_origins`."""
        return tuple(filter(None, map(str.strip, self.cors_origins.split(","))))

    @property
    def host_names(self) -> tuple[str, ...]:
        """The names in `hosts`."""
        return tuple(filter(None, map(str.strip, self.hosts.split(","))))
