"""Two processes, started by `accelerate launch` and by torchrun on the CPU, against one."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml
from accelerate.utils import DistributedType
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from trainers.distributed.launcher import find_processes
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.policies.source import PolicySource
from trainers.policies.transformers import load_pretrained
from trainers.run.checkpoint import load_checkpoint

ROOT = Path(__file__).resolve().parents[3]
# The same rows in every process, as after a rollout; with so small a budget the processes have unequal numbers of
# batches, and one case has a mini-batch of one row, so that one process has none.
UPDATES = """
import functools, gc, os, psutil, sys, time, torch
torch.set_num_threads(1)
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig, WarmStartConfig
from trainers.learning.samples import Sample
from trainers.learning.learner import Learner
from trainers.policies import transformers
from trainers.policies.scoring import save_activation_memory
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.distributed.launcher import find_processes
from trainers.distributed.processes import FSDP, switched_on

texts = ["p q : Prop\\nh : p ∧ q\\n⊢ q ∧ p", "exact ⟨h.right, h.left⟩", "⊢ n + m = m + n", "intro h", "simp"] * 3
tokenizer = train_tokenizer(texts, 320)
CASES = (
    ("grpo", {"beta": 0.1}, 23), ("dapo", {"sync_frequency": 2, "beta": 0.1}, 23), ("gspo", {}, 1), ("cispo", {}, 9)
)
small = TinyConfig(hidden_size=32, layers=1, attention_heads=2)
plain_score = transformers.score


def threads():
    return {thread.id for thread in psutil.Process().threads()}


def updates(processes, path):
    found = {"processes": (type(processes).__name__, processes.count)}
    for name, options, count in CASES:
        model = build_model(small, tokenizer, seed=0)
        policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=8))
        if name == "cispo":  # with everything that is computed again in the backward pass
            save_activation_memory(model)
            transformers.score = functools.partial(plain_score, most_logits=700)
        settings = LearnerConfig(
            learning_rate=1e-3, minibatches=3, update_epochs=2, batch_tokens=150,
            top_entropy_quantile=0.4 if name == "grpo" else 1.0,
            sync_ref_model=True, ref_model_sync_steps=2, offload_ref_model=name == "dapo",
        )
        learner = Learner(policy, create_algorithm(name, **options), settings, processes)
        learner.use_reference(build_model(small, tokenizer, seed=1))
        pairs = [
            (policy.encode_prompt(texts[i % 5]), policy.encode_tactic(texts[(3 * i + 1) % 5])) for i in range(11)
        ]
        phase = WarmStartConfig(warm_start_batch=4).imitation
        imitation = [
            learner.imitate(pairs, phase, epoch, torch.Generator().manual_seed(epoch))
            for epoch in range(2)
        ]
        with policy.seeded(3), processes.whole(policy):
            drawn = policy.sample([texts[i % 5] for i in range(count)])
        rows = [
            Sample(c.prompt_ids, c.token_ids, c.logprobs, ((7 * i) % 5 - 1.5) / 3, i) for i, c in enumerate(drawn)
        ]
        metrics = learner.update(rows, 0.0, torch.Generator().manual_seed(0))
        if name == "dapo":  # a new learner is restored from a checkpoint
            state = learner.state_dict()
            if processes.main:
                torch.save(state, path + ".state")
            processes.gather(None)
            model = build_model(small, tokenizer, seed=7)
            policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=8))
            learner = Learner(policy, create_algorithm(name, **options), settings, processes)
            learner.load_state_dict(torch.load(path + ".state"))
            learner.use_reference(build_model(small, tokenizer, seed=1))
            later = learner.update(rows, 0.0, torch.Generator())
            metrics |= {f"later_{key}": value for key, value in later.items()}
        found[name] = {
            "weights": learner.weights(),
            "numbers": [*imitation, *(metrics[key] for key in sorted(metrics))],
            "names": sorted(metrics),
        }
    transformers.score = plain_score
    if processes.main:
        torch.save(found, path)


alone = threads()
processes = find_processes()
of_group = threads() - alone
updates(processes, sys.argv[1])
if switched_on(FSDP):  # the same processes once more, each with the whole model
    os.environ[FSDP] = "false"
    processes = find_processes()
    gc.collect()
    updates(processes, sys.argv[1] + ".whole")
processes.__exit__()
latest = time.monotonic() + 10  # a thread that has ended is listed for a moment longer
while of_group & threads() and time.monotonic() < latest:
    time.sleep(0.01)
print(f"of {len(of_group)} threads {len(of_group & threads())} are left")
"""
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
# With --cpu, accelerate would need an MPI launcher; this variable selects its own launcher on the CPU.
LAUNCHED = ENVIRONMENT | {"ACCELERATE_USE_CPU": "true"}


def command(*words: str, kind: str = "--multi_gpu") -> list[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    if kind == "torchrun":
        launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
        return [*launcher, "--master-port", port, *words]
    launcher = [sys.executable, "-m", "accelerate.commands.launch", *kind.split(), "--num_processes", "2"]
    launcher += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    return [*launcher, "--main_process_port", port, *words]


def launch(*words: str, kind: str = "--multi_gpu") -> subprocess.CompletedProcess[str]:
    environment = ENVIRONMENT if kind == "torchrun" else LAUNCHED
    words = tuple(command(*words, kind=kind))
    return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=290)


ZERO = [
    pytest.param(
        f"--use_deepspeed --zero_stage {stage}",
        marks=[
            pytest.mark.slow,  # it compiles an extension on first use
            pytest.mark.timeout(300),
            pytest.mark.skipif(importlib.util.find_spec("deepspeed") is None, reason="needs deepspeed"),
        ],
    )
    for stage in (1, 2)
]
KINDS = pytest.mark.parametrize("kind", ["--multi_gpu", "--use_fsdp", *ZERO])


@pytest.fixture(scope="module")
def updates_of_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the script and of its results in one process."""
    folder = tmp_path_factory.mktemp("one")
    script = folder / "updates.py"
    script.write_text(UPDATES, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", [str(script), str(folder / "one.pt")])
        runpy.run_path(str(script))
    return folder


# `--multi_gpu`, where every process has the whole model, is the second round of the processes of `--use_fsdp`.
@pytest.mark.parametrize("kind", ["--use_fsdp", *ZERO])
def test_two_processes_take_the_step_of_one(kind: str, updates_of_one: Path, tmp_path: Path) -> None:
    together = launch(str(updates_of_one / "updates.py"), str(tmp_path / "two.pt"), kind=kind)
    assert together.returncode == 0, together.stderr
    rounds = {"two.pt": "ZeroProcesses"}
    if kind == "--use_fsdp":
        rounds = {"two.pt": "ShardingProcesses", "two.pt.whole": "LaunchedProcesses"}
        # A thread of the process group that outlives it now and then aborts the interpreter at exit.
        assert re.findall(r"of [1-9]\d* threads (\d+) are left", together.stdout) == ["0", "0"]
    for file, processes in rounds.items():
        one, two = torch.load(updates_of_one / "one.pt"), torch.load(tmp_path / file)
        assert (one.pop("processes"), two.pop("processes")) == (("Processes", 1), (processes, 2))
        for name in one:
            assert one[name]["names"] == two[name]["names"]
            assert one[name]["numbers"] == pytest.approx(two[name]["numbers"], abs=1e-5), name
            assert one[name]["weights"].keys() == two[name]["weights"].keys()
            for weight, values in one[name]["weights"].items():
                assert torch.allclose(values, two[name]["weights"][weight], rtol=0, atol=1e-5), (name, weight)
        # a checkpoint does not depend on the number of processes
        first, second = (
            torch.load(path) for path in (updates_of_one / "one.pt.state", tmp_path / f"{file}.state")
        )
        torch.testing.assert_close(second, first, rtol=0, atol=1e-5)


SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "evaluation": {"automation": False},  # another prover process for a moment
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {
        "proof_share": 0.25,
        "warm_start_epochs": 6,
        "warm_start_learning_rate": 5e-3,
        "warm_start_batch": 4,
    },
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 6, "max_tactic_tokens": 8},
    "learner": {"learning_rate": 1e-3},
    "algo": {"algo_config": {"beta": 0.05}},
}


# `accelerate launch --multi_gpu` starts processes as torchrun does.
@pytest.mark.parametrize(
    "kind",
    [
        "torchrun",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("--multi_gpu", "--use_fsdp")),
        *ZERO,
    ],
)
def test_a_run_of_two_processes_is_one_run(kind: str, tmp_path: Path, theorem_file: Path) -> None:
    settings, folder = tmp_path / "settings.yaml", tmp_path / "run"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    words = ["-m", "trainers.grpo", "--config", str(settings), "--run-dir", str(folder)]
    # Those that torchrun starts play ahead of the updates; `test_together` has two that do not.
    done = launch(*words, *(["--staleness", "1"] if kind == "torchrun" else []), kind=kind)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("held out, after 2 iterations") == 1
    assert {"policy", "start_policy", "checkpoint.pt", "summary.json", "proofs.jsonl"} <= {
        path.name for path in folder.iterdir()
    }
    assert len(list(folder.glob("events.out.tfevents.*"))) == 1
    events = EventAccumulator(str(folder))
    events.Reload()
    assert [event.step for event in events.Scalars("policy/kl")] == [1, 2]
    assert ("rollout/staleness" in events.Tags()["scalars"]) == (kind == "torchrun")
    rows = sum(events.Scalars(f"rows/{name}")[0].value for name in ("trained", "dropped", "truncated"))
    assert rows >= 4 * 4  # each episode has at least one step
    shown = json.loads((folder / "summary.json").read_text())["eval"]
    assert 0.0 <= shown["before"]["pass@1"] <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("lora", ["", "r=4"])
@KINDS
def test_two_processes_go_on_with_the_run_of_one(
    kind: str, lora: str, tmp_path: Path, theorem_file: Path
) -> None:
    settings, folder = tmp_path / "settings.yaml", tmp_path / "run"
    learner = SETTINGS["learner"] | {"lora": lora}
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file), "learner": learner}))
    assert main(["--config", str(settings), "--run-dir", str(folder), "--max-iterations", "1"]) == 0
    before, _ = load_checkpoint(folder / "checkpoint.pt")
    done = launch("-m", "trainers.grpo", "--resume", str(folder), "--max-iterations", "2", kind=kind)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("held out, after 2 iterations") == 1
    # one process resumes from the checkpoint of two
    assert main(["--resume", str(folder), "--max-iterations", "3"]) == 0
    after, _ = load_checkpoint(folder / "checkpoint.pt")
    assert (before.iteration, after.iteration) == (1, 3)
    assert PolicySource.find(str(folder)).kind == "run"
    load_pretrained(str(folder / "policy"))


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_of_two_processes_that_goes_on(tmp_path: Path, theorem_file: Path) -> None:
    settings, folder = tmp_path / "settings.yaml", tmp_path / "run"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file), "max_iterations": 100000}))
    process = subprocess.Popen(
        command("-m", "trainers.grpo", "--config", str(settings), "--run-dir", str(folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=LAUNCHED,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("held out, after 0 iterations"):
            break
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert output.count(f"to resume: python -m trainers.grpo --resume {folder}") == 1, errors
    state, _ = load_checkpoint(folder / "checkpoint.pt")
    assert main(["--resume", str(folder), "--max-iterations", str(state.iteration + 1)]) == 0


def test_a_launcher_that_starts_one_process_instead_of_two_is_noticed(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2"]
    words = ["-m", "trainers.grpo", "--run-dir", str(tmp_path / "run")]
    done = subprocess.run([*launcher, *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=110)
    assert done.returncode != 0
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("error: "))
    assert "accelerate launch: asked for 2 processes, got one" in line
    assert "torchrun --standalone --nproc-per-node 2 -m trainers.grpo" in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["--num_processes", "2"], 2),
        (["--num-processes=2"], 2),
        (["--num_processes", "1"], 1),
        (["--num_processes=3", "--num-processes", "1"], 1),  # the last one counts
        ([], 1),
    ],
)
def test_the_number_that_a_launcher_was_asked_for(
    words: list[str], asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent = SimpleNamespace(cmdline=lambda: ["python", "-m", "accelerate.commands.launch", "--cpu", *words])
    monkeypatch.setattr(
        "trainers.distributed.launcher.psutil.Process", lambda: SimpleNamespace(parent=lambda: parent)
    )
    assert find_processes().count == 1  # not started by accelerate
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "no")
    if asked == 1:
        assert find_processes().count == 1
    else:
        with pytest.raises(ConfigError, match=f"asked for {asked} processes, got one"):
            find_processes()


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        (
            "ACCELERATE_USE_MEGATRON_LM",
            "true",
            "expected data-parallel processes .* or --use_deepspeed, got Megatron-LM",
        ),
        ("ACCELERATE_DEEPSPEED_ZERO_STAGE", "3", r"expected --zero_stage 1 or 2, got 3 \(--use_fsdp divides"),
        ("ACCELERATE_DEEPSPEED_CONFIG_FILE", "a.json", "expected no --deepspeed_config_file .*, got a.json"),
        ("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "cpu", "expected no --offload_optimizer_device"),
        ("FSDP_OFFLOAD_PARAMS", "true", "expected no --fsdp_offload_params"),
        ("FSDP_RESHARD_AFTER_FORWARD", "NO_SHARD", "expected --fsdp_reshard_after_forward .*, got NO_SHARD"),
    ],
)
def test_other_ways_of_sharing_a_model_are_refused(
    variable: str, value: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("ACCELERATE_USE_FSDP", str(variable.startswith("FSDP")))
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", str("DEEPSPEED" in variable))
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=f"accelerate launch: {complaint}"):
        find_processes()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setattr("trainers.distributed.deepspeed.importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match="--use_deepspeed needs the package deepspeed; install it with: pip"
    ):
        find_processes()


def test_processes_of_other_kinds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    kind = DistributedType.MULTI_XPU
    monkeypatch.setattr(
        "trainers.distributed.processes.Accelerator", lambda **_: SimpleNamespace(distributed_type=kind)
    )
    with pytest.raises(ConfigError, match=r"expected data-parallel processes .*, got MULTI_XPU"):
        find_processes()
