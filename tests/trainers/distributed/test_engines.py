"""An engine beside each of two processes: all get the weights of every update, whatever each of them samples."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.trainers.distributed.test_processes import launch

PROGRAM = """
import sys, torch
torch.set_num_threads(1)
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig
from trainers.distributed.launcher import find_processes
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.vllm import VllmPolicy


class Engine:
    loads, asked = [], 0

    def generate(self, prompts, settings, seeds):
        self.asked += len(prompts)
        return [((5, 6), (-1.0, -1.0)) for _ in prompts]

    def load_weights(self, weights):
        self.loads.append({name: weight.clone() for name, weight in weights})  # each is whole when it comes

    def rest(self):
        return False


with find_processes() as processes:
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
    torch.save(
        {"kind": type(processes).__name__, "loads": engine.loads, "asked": engine.asked, "weights": found},
        f"{sys.argv[1]}.{processes.rank}",
    )
"""


@pytest.mark.parametrize(
    ("kind", "name"), [("torchrun", "LaunchedProcesses"), ("--use_fsdp", "ShardingProcesses")]
)
def test_engines_have_the_weights_of_each_iteration(kind: str, name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = launch(str(program), str(tmp_path / "found"), kind=kind)
    assert done.returncode == 0, done.stderr
    first, second = (torch.load(tmp_path / f"found.{rank}") for rank in range(2))
    assert (first["kind"], second["kind"]) == (name, name)
    assert (first["asked"], second["asked"]) == (0, 6)
    assert len(first["weights"]) == 3
    assert len(first["loads"]) == len(second["loads"]) == 3
    for weights, one, other in zip(first["weights"], first["loads"], second["loads"], strict=True):
        assert one.keys() == other.keys() == weights.keys()
        for key, value in weights.items():
            assert torch.equal(one[key], value)
            assert torch.equal(other[key], value)
    assert not torch.equal(*(loaded["model.embed_tokens.weight"] for loaded in first["loads"][:2]))
