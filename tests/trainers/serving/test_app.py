"""The server over its wire: real HTTP, our own endpoint policy as client, wrong requests, load beyond its queue."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from trainers.config.rollout import RolloutConfig
from trainers.config.tasks import EndpointConfig
from trainers.policies.openai import OpenAIPolicy
from trainers.policies.transformers import TransformersPolicy
from trainers.serving.app import Limits, make_app
from trainers.serving.sampler import Ask, Sampled, Sampler

GOALS = "True ∧ (False ∨ True)"


@contextmanager
def serving(sampler: Any, limits: Limits | None = None, api_key: str = "") -> Iterator[httpx.Client]:
    """Serve on a free port; yield a client."""
    app = make_app(sampler, "runs/mine", limits or Limits(), api_key)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


class Gated:
    """A sampler that waits until it is let go, and records its batches."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.go = threading.Event()

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        self.batches.append([ask.text for ask in batch])
        assert self.go.wait(60)
        return [[Sampled(ask.text, (ask.text,), (-0.5,), True, 1)] * ask.count for ask in batch]


@pytest.fixture
def client(policy: TransformersPolicy) -> Iterator[httpx.Client]:
    with serving(Sampler(policy)) as client:
        yield client


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_our_own_endpoint_policy_gets_the_tactics_of_the_policy(client, policy, api):
    address = f"openai:mine@{client.base_url}/v1".replace("//v1", "/v1")
    asked = OpenAIPolicy(address, RolloutConfig(temperature=0.001), EndpointConfig(api=api))
    greedy = Sampler(policy).answer([Ask(GOALS, temperature=0.001)])[0][0].text
    assert greedy
    assert [one.text for one in asked.sample([GOALS] * 3)] == [greedy.strip()] * 3


def test_n_logprobs_and_seed(client):
    body = {"prompt": f"{GOALS}:::", "n": 4, "logprobs": 0, "seed": 7, "max_tokens": 5, "model": "mine"}
    answer = client.post("/v1/completions", json=body).json()
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2, 3]
    for choice in answer["choices"]:
        shown = choice["logprobs"]
        assert len(shown["tokens"]) == len(shown["token_logprobs"]) == len(shown["text_offset"]) <= 5
        assert all(value <= 0 and math.isfinite(value) for value in shown["token_logprobs"])
        assert choice["finish_reason"] in ("stop", "length")
    again = client.post("/v1/completions", json=body).json()
    assert again["choices"] == answer["choices"]
    assert answer["usage"]["completion_tokens"] == sum(
        len(choice["logprobs"]["tokens"]) for choice in answer["choices"]
    )


def test_a_chat_gives_logprobs_a_token(client):
    body = {"messages": [{"role": "user", "content": GOALS}], "logprobs": True, "seed": 1}
    choice = client.post("/v1/chat/completions", json=body).json()["choices"][0]
    content = choice["logprobs"]["content"]
    assert "".join(one["token"] for one in content) == choice["message"]["content"]


def test_a_stop_text_ends_an_answer_and_is_no_part_of_it(client):
    body: dict[str, Any] = {"prompt": f"{GOALS}:::", "temperature": 0}
    whole = client.post("/v1/completions", json=body).json()["choices"][0]["text"]
    cut = client.post("/v1/completions", json={**body, "stop": whole[1]}).json()["choices"][0]
    assert cut["text"] == whole[: whole.index(whole[1])]
    assert cut["finish_reason"] == "stop"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"prompt": ""}',
        b'{"prompt": 3}',
        b'{"prompt": "\\ud800"}',
        b'{"prompt": "a", "n": 0}',
        b'{"prompt": "a", "n": 129}',
        b'{"prompt": "a", "temperature": -1}',
        b'{"prompt": "a", "temperature": NaN}',
        b'{"prompt": "a", "stop": [""]}',
        b'{"prompt": "a", "stream": true}',
        b'{"prompt": "a", "max_tokens": 1000000}',
    ],
)
def test_a_wrong_body_is_one_line_and_the_server_goes_on(client, body):
    answer = client.post("/v1/completions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]["message"]
    assert client.get("/health").json() == {"status": "ok", "model": "runs/mine"}
    assert client.post("/v1/completions", json={"prompt": "a"}).status_code == 200


def test_the_key_is_asked_for(policy):
    with serving(Sampler(policy), api_key="secret") as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer secre"}):
            for path in ("/metrics", "/v1/models"):
                assert client.get(path, headers=headers).status_code == 401
            answer = client.post("/v1/completions", json={"prompt": "a"}, headers=headers)
            assert answer.status_code == 401
        assert client.get("/health").status_code == 200
        right = {"Authorization": "Bearer secret"}
        assert client.get("/v1/models", headers=right).json()["data"][0]["id"] == "runs/mine"


def test_what_waits_is_one_batch_and_what_is_too_much_is_refused():
    gated = Gated()
    with serving(gated, Limits(most_waiting=3)) as client, ThreadPoolExecutor(5) as pool:

        def ask(text: str) -> httpx.Response:
            return client.post("/v1/completions", json={"prompt": text})

        asked = [pool.submit(ask, "first")]
        while not gated.batches:
            time.sleep(0.01)
        asked += [pool.submit(ask, text) for text in "abc"]
        while "lean_gym_policy_waiting 3\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        refused = ask("d")
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        gated.go.set()
        assert [one.result().status_code for one in asked] == [200] * 4
        assert [sorted(batch) for batch in gated.batches] == [["first"], ["a", "b", "c"]]
        shown = client.get("/metrics").text
        assert "lean_gym_policy_answered_total 4\n" in shown
        assert "lean_gym_policy_refused_total 1\n" in shown


def test_a_request_that_waits_too_long_is_ended_and_not_computed():
    gated = Gated()
    with serving(gated, Limits(timeout_s=0.2)) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/completions", json={"prompt": "first"})
        while not gated.batches:
            time.sleep(0.01)
        assert client.post("/v1/completions", json={"prompt": "late"}).status_code == 504
        assert first.result().status_code == 504
        gated.go.set()
    assert gated.batches == [["first"]]


def test_the_program_serves_a_saved_policy_until_it_is_stopped(trained: TransformersPolicy, tmp_path: Path):
    trained.save(tmp_path / "model")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "trainers.serve",
        "--policy",
        str(tmp_path / "model"),
        "--port",
        str(port),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                while process.poll() is None:
                    try:
                        client.get("/health")
                        break
                    except httpx.TransportError:
                        time.sleep(0.2)
                body = {"prompt": f"{GOALS}:::", "temperature": 0}
                assert client.post("/v1/completions", json=body).json()["choices"][0]["text"]
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
