"""Two processes, started by `accelerate launch` on the CPU, against one."""

from __future__ import annotations

import json
import os
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

from trainers.checkpoint import load_checkpoint
from trainers.config import ConfigError
from trainers.grpo import main
from trainers.processes import find_processes

ROOT = Path(__file__).resolve().parents[2]
# The same rows in every process, as after a rollout; with so small a budget the processes have unequal numbers of
# batches, and one case has a mini-batch of one row, so that one process has none.
UPDATES = """
import functools, sys, torch
torch.set_num_threads(1)
from trainers.algorithms import create_algorithm
from trainers.config import LearnerConfig, RolloutConfig, TinyConfig, WarmStartConfig
from trainers.credit import Sample
from trainers.learner import Learner
from trainers.policies import transformers
from trainers.policies.scoring import save_activation_memory
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.processes import find_processes

processes = find_processes()
texts = ["p q : Prop\\nh : p ∧ q\\n⊢ q ∧ p", "exact ⟨h.right, h.left⟩", "⊢ n + m = m + n", "intro h", "simp"] * 3
tokenizer = train_tokenizer(texts, 320)
found = {"processes": processes.count}
CASES = (("grpo", {"beta": 0.1}, 23), ("dapo", {"sync_frequency": 2}, 23), ("gspo", {}, 1), ("cispo", {}, 9))
for name, options, count in CASES:
    model = build_model(TinyConfig(hidden_size=32, layers=1, attention_heads=2), tokenizer, seed=0)
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=8))
    if name == "cispo":  # with everything that is computed again in the backward pass
        save_activation_memory(model)
        transformers.score = functools.partial(transformers.score, most_logits=700)
    settings = LearnerConfig(learning_rate=1e-3, minibatches=3, update_epochs=2, batch_tokens=150)
    learner = Learner(policy, create_algorithm(name, **options), settings, processes)
    learner.reference = build_model(TinyConfig(hidden_size=32, layers=1, attention_heads=2), tokenizer, seed=1).eval()
    pairs = [(policy.encode_prompt(texts[i % 5]), policy.encode_tactic(texts[(3 * i + 1) % 5])) for i in range(11)]
    imitation = [
        learner.imitate(pairs, WarmStartConfig(warm_start_batch=4), epoch, torch.Generator().manual_seed(epoch))
        for epoch in range(2)
    ]
    with policy.seeded(3):
        drawn = policy.sample([texts[i % 5] for i in range(count)])
    rows = [
        Sample(c.prompt_ids, c.token_ids, c.logprobs, ((7 * i) % 5 - 1.5) / 3, i) for i, c in enumerate(drawn)
    ]
    metrics = learner.update(rows, 0.0, torch.Generator().manual_seed(0))
    found[name] = {
        "weights": torch.cat([p.detach().flatten() for p in model.parameters()]),
        "numbers": [*imitation, *(metrics[key] for key in sorted(metrics))],
        "names": sorted(metrics),
    }
if processes.main:
    torch.save(found, sys.argv[1])
del learner
processes.__exit__()
"""
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
# With --cpu, accelerate would want an MPI launcher; this is its own way, on the CPU all the same.
LAUNCHED = ENVIRONMENT | {"ACCELERATE_USE_CPU": "true"}


def command(*words: str) -> list[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    launcher = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    launcher += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    return [*launcher, "--main_process_port", port, *words]


def launch(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, env=LAUNCHED, timeout=110)


def test_two_processes_take_the_step_of_one(tmp_path: Path) -> None:
    script = tmp_path / "updates.py"
    script.write_text(UPDATES, encoding="utf-8")
    alone = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "one.pt")],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert alone.returncode == 0, alone.stderr
    together = launch(str(script), str(tmp_path / "two.pt"))
    assert together.returncode == 0, together.stderr
    one, two = (torch.load(tmp_path / name) for name in ("one.pt", "two.pt"))
    assert (one.pop("processes"), two.pop("processes")) == (1, 2)
    for name in one:
        assert one[name]["names"] == two[name]["names"]
        assert one[name]["numbers"] == pytest.approx(two[name]["numbers"], abs=1e-5), name
        assert torch.allclose(one[name]["weights"], two[name]["weights"], rtol=0, atol=1e-5), name


SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {"warm_start_epochs": 6, "warm_start_learning_rate": 5e-3, "warm_start_batch": 4},
    "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 6, "max_tactic_tokens": 8},
    "learner": {"learning_rate": 1e-3},
    "algo": {"algo_config": {"beta": 0.05}},
}


def test_a_run_of_two_processes_is_one_run(tmp_path: Path, theorem_file: Path) -> None:
    settings, folder = tmp_path / "settings.yaml", tmp_path / "run"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    done = launch("-m", "trainers.grpo", "--config", str(settings), "--run-dir", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("held out, after 2 iterations") == 1
    assert {"policy", "start_policy", "checkpoint.pt", "summary.json", "proofs.jsonl"} <= {
        path.name for path in folder.iterdir()
    }
    assert len(list((folder / "tensorboard").iterdir())) == 1
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    assert [event.step for event in events.Scalars("policy/kl")] == [1, 2]
    rows = sum(events.Scalars(f"rows/{name}")[0].value for name in ("trained", "dropped"))
    assert rows >= 4 * 4  # each episode has a step, whoever played it
    shown = json.loads((folder / "summary.json").read_text())["eval"]
    assert 0.0 <= shown["before"]["pass@1"] <= 1.0


@pytest.mark.slow
def test_two_processes_go_on_with_the_run_of_one(tmp_path: Path, theorem_file: Path) -> None:
    settings, folder = tmp_path / "settings.yaml", tmp_path / "run"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    assert main(["--config", str(settings), "--run-dir", str(folder), "--max-iterations", "1"]) == 0
    done = launch("-m", "trainers.grpo", "--resume", str(folder), "--max-iterations", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("held out, after 2 iterations") == 1


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
    assert output.count(f"to go on: --resume {folder}") == 1, errors
    state, _ = load_checkpoint(folder / "checkpoint.pt")
    assert main(["--resume", str(folder), "--max-iterations", str(state.iteration + 1)]) == 0


@pytest.mark.parametrize("kind", [DistributedType.FSDP, DistributedType.DEEPSPEED])
def test_other_ways_of_sharing_a_model_are_refused(
    kind: DistributedType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr("trainers.processes.Accelerator", lambda **_: SimpleNamespace(distributed_type=kind))
    with pytest.raises(ConfigError, match=f"expected plain data-parallel processes .*, got {kind.value}"):
        find_processes()
