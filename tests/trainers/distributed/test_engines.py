"""An engine beside each of two processes: all get the weights of every update, whatever each of them samples."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.trainers.distributed.test_processes import launch

PROGRAM = """
import gc, os, sys, torch
torch.set_num_threads(1)
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig
from trainers.distributed.launcher import find_processes
from trainers.distributed.processes import FSDP
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.vllm import VllmPolicy


class Engine:
    def __init__(self):
        self.loads, self.asked = [], 0

    def generate(self, prompts, settings, seeds):
        self.asked += len(prompts)
        return [((5, 6), (-1.0, -1.0)) for _ in prompts]

    def load_weights(self, weights):
        self.loads.append({name: weight.clone() for name, weight in weights})  # each is whole when it comes

    def rest(self):
        return False


def run(processes):
    tokenizer = train_tokenizer(["p q : Prop", "intro h", "simp"] * 3, 320)
    model = build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed=0)
    policy = VllmPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=4), engine := Engine())
    learner = Learner(policy, create_algorithm("grpo"), LearnerConfig(learning_rate=1e-2, warmup_steps=0), processes)
    found = []
    for iteration in range(3):
        with processes.whole(policy):
            for _ in range(2 * processes.rank):  # the first process has no episode
                policy.sample(["p : Prop"])
        weights = learner.weights()  # of the first process
        found.append({name: weight.clone() for name, weight in weights.items() if processes.main})
        rows = [Sample((9, 8, 7), (5, 6 + number), (-1.0, -1.0), number - 1.5, number) for number in range(4)]
        learner.update(rows, 0.0, torch.Generator())
    path = f"{sys.argv[1]}.{type(processes).__name__}.{processes.rank}"
    torch.save({"loads": engine.loads, "asked": engine.asked, "weights": found}, path)


run(processes := find_processes())
os.environ[FSDP] = "false"  # the same processes once more, each with the whole model
processes = find_processes()
gc.collect()
run(processes)
processes.__exit__()
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beginning of the files of what the processes found."""
    folder = tmp_path_factory.mktemp("engines")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = launch(str(folder / "program.py"), str(folder / "found"), kind="--use_fsdp")
    assert done.returncode == 0, done.stderr
    return folder / "found"


@pytest.mark.parametrize("kind", ["LaunchedProcesses", "ShardingProcesses"])
def test_engines_have_the_weights_of_each_iteration(kind: str, found: Path) -> None:
    first, second = (torch.load(f"{found}.{kind}.{rank}") for rank in range(2))
    assert (first["asked"], second["asked"]) == (0, 6)
    assert len(first["weights"]) == 3
    assert len(first["loads"]) == len(second["loads"]) == 3
    for weights, one, other in zip(first["weights"], first["loads"], second["loads"], strict=True):
        assert one.keys() == other.keys() == weights.keys()
        for key, value in weights.items():
            assert torch.equal(one[key], value)
            assert torch.equal(other[key], value)
    assert not torch.equal(*(loaded["model.embed_tokens.weight"] for loaded in first["loads"][:2]))
