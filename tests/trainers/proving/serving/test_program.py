"""The program as a process: loading, the port, signals, settings; and engines and endpoints behind it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from torch import Tensor

from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import SamplingConfig
from trainers.policies.sampling import SamplingSettings
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy
from trainers.proving.serving.asks import Ask, Refused
from trainers.proving.serving.endpoint import EndpointSource
from trainers.proving.serving.sampler import Sampler
from trainers.serve import main

GOALS = "True ∧ (False ∨ True)"
ROOT = Path(__file__).resolve().parents[4]


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Start the program on a free port; yield the process and a client."""
    command = [sys.executable, "-m", "trainers.serve", "--port", "0", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("serving "))
            with httpx.Client(base_url=line.split()[-1], timeout=60) as client:
                yield process, client
        finally:
            process.kill()


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_the_program_ends_after_the_requests_under_way(trained: TransformersPolicy, tmp_path: Path, number):
    trained.save(tmp_path / "model")
    with started("--policy", str(tmp_path / "model")) as (process, client), ThreadPoolExecutor(1) as pool:
        body = {"prompt": f"{GOALS}:::", "n": 128, "max_tokens": 200, "logprobs": 1}
        asked = pool.submit(client.post, "/v1/completions", json=body)
        while 'completions",status="200"' not in (text := client.get("/metrics").text):
            # Computed, as it waits no more and no batch ended.
            if "policy_waiting 0\n" in text and "policy_batches_total 0\n" in text and asked.running():
                break
        process.send_signal(number)
        assert len(asked.result().json()["choices"]) == 128
        assert process.wait(60) == 128 + number


def test_a_port_in_use_ends_in_one_line_before_the_model_loads(capsys: pytest.CaptureFixture[str]):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit) as ended:
            main(["--policy", "someone/nothing", "--port", str(port)])
    error = capsys.readouterr().err
    assert ended.value.code == 2
    assert error == (
        f"error: cannot listen at 127.0.0.1, port {port}: Address already in use; another --port may be free, 0 "
        "takes a free one\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--policy: expected a run folder, a model or an endpoint, got none"),
        (("--queue", "0"), "--queue: expected a whole number at least 1, got 0"),
        (("--batch", "-1"), "--batch: expected a whole number at least 1, got -1"),
        (("--port", "65536"), "--port: expected a whole number from 0 to 65535, got 65536"),
        (("--port", "http"), "--port: expected a whole number from 0 to 65535, got 'http'"),
        (("--seconds", "0"), "--seconds: expected a number above 0, got 0.0"),
        (("--timeout", "0"), "--timeout: expected a number above 0, got 0.0"),
        (("--timeout", "inf"), "--timeout: expected a finite number above 0, got inf"),
        (("--host", " "), "--host: expected an address to listen at, got ' '"),
        (("--host", "no host"), "cannot listen at no host"),
        (("--suggestions", "129"), "--suggestions: expected a whole number from 1 to 128, got 129"),
        (("--api-key", "a b"), "--api-key: expected printable ASCII characters without spaces"),
        (("--cors-origins", "here"), "--cors-origins: expected addresses such as http://localhost:3000"),
        (("--progress", "a"), "unknown flag --progress; did you mean --progress-model?"),
        (("--set", "queue=none"), "--set queue: expected a whole number at least 1, got 'none'"),
    ],
)
def test_wrong_settings_end_in_one_line(words, message, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["--policy", "someone/model", *words] if words else [])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error


def test_an_endpoint_has_no_beam(capsys: pytest.CaptureFixture[str]):
    words = ["--decoding", "beam", "--port", "0", "--proofs", "0"]
    with pytest.raises(SystemExit) as ended:
        main(["--policy", "openai:m@http://127.0.0.1:1/v1", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "error: decoding: got 'beam', expected 'sample' with the endpoint 'openai:m@http://127.0.0.1:1/v1'\n"
    )


@pytest.mark.parametrize(
    ("backend", "options", "message"),
    [
        ("fake", '{"speed": 2}', "cannot open the environment: unknown option of backend 'fake': 'speed'"),
        ("pantograph", '{"repl_command": ["/no/repl"]}', "/v1/prove has no prover: the REPL '/no/repl Init'"),
    ],
)
def test_a_prover_that_does_not_start_ends_the_program_before_the_model_loads(
    backend: str, options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(
            ["--policy", "someone/nothing", "--port", "0", "--backend", backend, "--backend-options", options]
        )
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def test_settings_of_a_file_and_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "serve.yaml"
    file.write_text("policy: someone/model\nqueue: 7\napi_key: secret\nrollout: {temperature: 0.5}\n")
    assert main(["--config", str(file), "--batch", "3", "--samples", "4", "--dry-run"]) == 1
    printed = capsys.readouterr().out
    assert "serving     someone/model at 127.0.0.1, port 8010" in printed
    # The limit of time stays beside other settings of the search.
    assert "search.seconds" not in printed
    for line in (
        "  queue = 7",
        "  batch = 3",
        "  search.samples = 4",
        "  rollout.temperature = 0.5",
        "  api_key = (not shown)",
    ):
        assert f"{line}\n" in printed
    assert "secret" not in printed
    assert "the model someone/model: it is no folder" in printed


class Engine:
    """A stand-in of vLLM: answers with the prompt's last token, a stop character, and more."""

    def __init__(self, after: Sequence[int]) -> None:
        self.loads = 0
        self.after = tuple(after)
        self.asked: list[tuple[SamplingSettings, list[int]]] = []

    def generate(
        self, prompts: Sequence[tuple[int, ...]], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
        assert self.loads == 1
        self.asked.append((settings, list(seeds)))
        return [((prompt[-1], *self.after), (-0.5,) * (1 + len(self.after))) for prompt in prompts]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        self.loads += 1

    def rest(self) -> bool:
        return False

    def close(self) -> None:
        """Has nothing to release."""


def test_vllm_gets_the_weights_once_and_the_settings_of_each_request(policy: TransformersPolicy):
    engine = Engine(policy.tokenizer.encode("⊢ True", add_special_tokens=False))
    sampler = Sampler(VllmPolicy(policy.model, policy.tokenizer, policy.settings, engine))
    first, again, other = (
        sampler.answer([Ask("a:", raw=True, count=2, temperature=0.5, max_tokens=9, stop=("⊢",), seed=seed)])[
            0
        ]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert [one.text for one in first] == [":", ":"]
    settings = engine.asked[0][0]
    assert (settings.temperature, settings.max_new_tokens) == (0.5, 9)
    assert engine.asked[0][1] == engine.asked[1][1] != engine.asked[2][1]
    assert [one.total for one in other] == [-1.0, -1.0]


def test_an_endpoint_is_passed_on(serving, policy: TransformersPolicy):
    with serving(Sampler(policy)) as behind:
        address = f"openai:mine@{behind.base_url}/v1".replace("//v1", "/v1")
        source = EndpointSource(address, SamplingConfig(), EndpointConfig(api="completions", max_retries=0))
        with serving(source) as front:
            ask = {"temperature": 0, "n": 2, "max_tokens": 5}
            raw = {"prompt": f"{GOALS}:::", **ask}
            texts = [
                [
                    choice["text"].strip()
                    for choice in each.post("/v1/completions", json=raw).json()["choices"]
                ]
                for each in (front, behind)
            ]
            assert texts[0] == texts[1]
            assert texts[0][0]
            body = {"name": "a", "input": GOALS, "prefix": None}
            outputs = front.post("/generate", json=body).json()["outputs"]
            # Without log-probabilities, the score is the share of the draws.
            draws = [16 * one["score"] for one in outputs]
            assert draws == sorted(map(round, draws), reverse=True)
            assert 1 <= sum(draws) <= 16
            refused = front.post("/encode", json={"name": "a", "input": GOALS})
            assert refused.status_code == 501
            assert front.post("/v1/completions", json={**raw, "logprobs": 1}).status_code == 400
            assert front.get("/health").json()["engine"] == "endpoint"
    gone = source.answer([Ask(GOALS, count=1)])[0]
    assert isinstance(gone, Exception)
    assert isinstance(source.answer([Ask(GOALS, prefix="a")])[0], Refused)
