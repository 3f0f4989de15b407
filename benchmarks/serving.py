"""Load test of the policy server: requests a second and latency of clients side by side, batched against one at a time.

    python -m benchmarks.serving
    python -m benchmarks.serving --clients 64 --requests 4

A tiny policy with random weights is served over HTTP on this machine, with batches of up to 64 requests and of 1, in
turns. The clients run in a process of their own; each sends its next request when it has the answer to the last one.
Answers are the likeliest ones, and every one is compared with what the policy says without a server: a request without
an answer is lost, another answer is wrong. Other programs on the machine move the times; the ratio is of one run.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
import torch
import uvicorn

from lean_gym.command_line import Parser
from trainers.config.rollout import SamplingConfig
from trainers.config.run import TinyConfig
from trainers.config.serve import ServeConfig
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.proving.serving.app import make_app
from trainers.proving.serving.asks import Ask
from trainers.proving.serving.program import KEEP_ALIVE_S
from trainers.proving.serving.sampler import Sampler
from trainers.proving.serving.served import Served

TOKENS = 24
TEMPERATURE = 0.001
SPREAD = 6.0
"""Factor on the random weights; answers of different prompts have to differ, or mixed up ones would pass."""


@dataclass(frozen=True)
class Figures:
    """Result of one load.

    Attributes:
        batch: Most requests in a batch.
        per_second: Answers a second.
        median_s: Median of the seconds from a request to its answer.
        high_s: Their 95th percentile.
        lost: Requests without an answer.
        wrong: Answers that the policy alone does not give.
    """

    batch: int
    per_second: float
    median_s: float
    high_s: float
    lost: int
    wrong: int


def make_source(seed: int) -> Sampler:
    """Return a tiny policy with random weights."""
    texts = [f"⊢ {name} ∧ {number} = {number}" for name in "pqrs" for number in range(40)]
    tokenizer = train_tokenizer(texts, vocabulary=300)
    model = build_model(TinyConfig(), tokenizer, seed)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(SPREAD)  # otherwise the likeliest tokens hardly depend on the prompt
    settings = SamplingConfig(max_tactic_tokens=TOKENS, temperature=TEMPERATURE)
    return Sampler(TransformersPolicy(model, tokenizer, settings))


def sure_answers(source: Sampler, count: int) -> dict[str, str]:
    """Return prompts with their answers; a prompt where two tokens are nearly as likely is left out.

    Args:
        source: The policy.
        count: How many.
    """
    found: dict[str, str] = {}
    for number in itertools.count():
        prompt = f"⊢ p ∧ {number} = {number}:::"
        (answer,) = source.answer([Ask(prompt, raw=True)])
        assert isinstance(answer, list)
        if min(answer[0].logprobs, default=0.0) > -1e-6:
            found[prompt] = answer[0].text
        if len(found) == count:
            break
    return found


@contextlib.contextmanager
def served(source: Sampler, batch: int) -> Iterator[str]:
    """Serve within the block; yield the address."""
    config = ServeConfig(policy="tiny", batch=batch, queue=4096, timeout=600.0, proofs=0)
    app = make_app(Served(config, source))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_keep_alive=KEEP_ALIVE_S))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


async def ask_all(address: str, prompts: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Send the prompts of all clients; return the answers, the seconds of each, and those of the whole."""
    rows: list[tuple[str, str | None, float]] = []
    limits = httpx.Limits(max_connections=len(prompts))

    async def client(own: Sequence[str], session: httpx.AsyncClient) -> None:
        for prompt in own:
            began, text = time.perf_counter(), None
            try:
                answer = await session.post(f"{address}/v1/completions", json={"prompt": prompt})
                text = answer.json()["choices"][0]["text"]
            except (httpx.HTTPError, LookupError, ValueError) as error:
                print(f"lost: {error!r}", file=sys.stderr)
            rows.append((prompt, text, time.perf_counter() - began))

    async with httpx.AsyncClient(limits=limits, timeout=600) as session:
        began = time.perf_counter()
        await asyncio.gather(*(client(own, session) for own in prompts))
        return {"rows": rows, "seconds": time.perf_counter() - began}


def measure(
    source: Sampler, batch: int, prompts: Sequence[Sequence[str]], expected: dict[str, str]
) -> Figures:
    """Serve with batches of a size, and load the server from another process."""
    with served(source, batch) as address:
        command = [sys.executable, "-m", "benchmarks.serving", "--client", address]
        asked = json.dumps(prompts)
        ended = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(ended.stdout)
    times = np.array([seconds for _, _, seconds in found["rows"]])
    answers = {prompt: text for prompt, text, _ in found["rows"] if text is not None}
    return Figures(
        batch,
        len(answers) / found["seconds"],
        float(np.median(times)),
        float(np.percentile(times, 95)),
        len(expected) - len(answers),
        sum(text != expected[prompt] for prompt, text in answers.items()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 1 if an answer was lost or wrong."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=64, help="clients side by side (64)")
    parser.add_argument("--requests", type=int, default=4, help="requests of each (4)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each size, in turns (3)")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.client:
        print(json.dumps(asyncio.run(ask_all(given.client, json.load(sys.stdin)))))
        return 0
    torch.set_num_threads(1)
    source = make_source(seed=0)
    expected = sure_answers(source, given.clients * given.requests)
    prompts = [list(expected)[number :: given.clients] for number in range(given.clients)]
    rows = [measure(source, batch, prompts, expected) for _ in range(given.rounds) for batch in (64, 1)]
    print(
        f"{given.clients} clients, {given.requests} requests each, {len(set(expected.values()))} different answers"
    )
    print("batch  answers/s  median s  95% s  lost  wrong")
    for row in rows:
        print(
            f"{row.batch:5}  {row.per_second:9.1f}  {row.median_s:8.2f}  {row.high_s:5.2f}  {row.lost:4}  {row.wrong:5}"
        )
    ratios = [
        together.per_second / alone.per_second for together, alone in zip(rows[::2], rows[1::2], strict=True)
    ]
    print(f"answers a second, batched to one at a time: {', '.join(f'{ratio:.1f}' for ratio in ratios)}")
    return 1 if any(row.lost or row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
