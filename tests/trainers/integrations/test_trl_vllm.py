"""The vLLM server's engine with a fake of TRL's client."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from trainers.errors import PolicyError
from trainers.integrations.trl_vllm import ServerEngine, connect
from trainers.policies.sampling import SamplingSettings


class FakeClient:
    """The methods of TRL's `VLLMClient` that `ServerEngine` uses, with the calls in order."""

    def __init__(self, status: int = 200, text: str = "") -> None:
        self.calls: list[Any] = []
        self.base_url = "http://localhost:1"
        self.session = self
        self._answer = SimpleNamespace(status_code=status, text=text)

    def post(self, url: str, json: dict[str, Any]) -> SimpleNamespace:
        folder = json["kwargs"].pop("weights_path")
        self.calls.append((url, json, load_file(Path(folder, "model.safetensors"))))
        return self._answer

    def init_communicator(self, device: Any) -> None:
        self.calls.append(("init", device))

    def generate(self, prompts: list[list[int]], **settings: Any) -> dict[str, Any]:
        self.calls.append(settings)
        count = len(prompts)
        return {
            "prompt_ids": prompts,
            "completion_ids": [[7, 0]] * count,
            "logprobs": [[[-0.5], [-0.1]]] * count,
            "logprob_token_ids": [[[7], [0]]] * count,
        }

    @contextmanager
    def weight_update(self) -> Iterator[None]:
        self.calls.append("begin")
        yield
        self.calls.append("end")

    def update_named_param(self, name: str, weight: Tensor) -> None:
        self.calls.append(name)

    def reset_prefix_cache(self) -> None:
        self.calls.append("reset")

    def close_communicator(self) -> None:
        self.calls.append("close")


SETTINGS = SamplingSettings(temperature=0.7, max_new_tokens=9, end_tokens=(0,))


def test_a_server_is_asked_for_what_was_sampled() -> None:
    client = FakeClient()
    engine = ServerEngine(client, "cuda:0")
    assert engine.generate([(1, 2), (1, 2)], SETTINGS, [4, 5]) == [((7, 0), (-0.5, -0.1))] * 2
    assert client.calls == [
        ("init", "cuda:0"),
        {"temperature": 0.7, "max_tokens": 9, "logprobs": 0, "generation_kwargs": {"stop_token_ids": [0]}},
    ]


def test_a_server_takes_weights_in_one_update_and_forgets_prefixes() -> None:
    client = FakeClient()
    engine = ServerEngine(client, 0)
    engine.load_weights([("a", torch.zeros(1)), ("b", torch.zeros(1))])
    engine.close()
    assert client.calls[1:] == ["begin", "a", "b", "end", "reset", "close"]


def test_without_a_gpu_weights_are_left_in_a_folder() -> None:
    client = FakeClient()
    engine = ServerEngine(client, "cpu")
    tied = torch.arange(3.0)
    engine.load_weights([("a", tied), ("b", tied)])
    engine.close()
    [(url, body, weights), reset] = client.calls
    assert (url, reset) == ("http://localhost:1/collective_rpc", "reset")
    assert body == {"method": "reload_weights", "kwargs": {}}
    assert all(torch.equal(weights[name], tied) for name in "ab")


@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (404, "Not Found", "localhost:1: it takes no weights; start it with VLLM_SERVER_DEV_MODE=1"),
        (500, "no such\nfolder", "localhost:1: it did not load the weights from .*: no such folder"),
    ],
)
def test_a_server_that_takes_no_weights_is_one_clear_line(status: int, text: str, message: str) -> None:
    engine = ServerEngine(FakeClient(status, text), torch.device("cpu"))
    with pytest.raises(PolicyError, match=message) as caught:
        engine.load_weights([("a", torch.zeros(1))])
    assert "\n" not in str(caught.value)


def test_a_server_that_stops_answering_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("Max retries exceeded")

    client = FakeClient()
    monkeypatch.setattr(client, "generate", refuse)
    with pytest.raises(PolicyError, match="the vLLM server at http://localhost:1: Max retries exceeded"):
        ServerEngine(client, None).generate([(1,)], SETTINGS, [0])


def test_a_server_for_evaluation_keeps_its_weights() -> None:
    client = FakeClient()
    engine = ServerEngine(client, None)
    engine.load_weights([("a", torch.zeros(1))])
    engine.close()
    assert client.calls == []


def test_a_missing_package_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trl.generation.vllm_client", None)
    with pytest.raises(PolicyError, match="needs the packages trl and vllm here"):
        connect("http://localhost:1", None)
