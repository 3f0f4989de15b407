"""Two processes that divide a model which computes in 16 bits: shards of 32, gathered weights of 16."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.trainers.distributed.test_processes import launch

PROGRAM = """
import sys, torch
torch.set_num_threads(1)
from trainers.algorithms import create_algorithm
from trainers.config.lora import parse_lora
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig
from trainers.distributed.launcher import find_processes
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.adapters import Adapter
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy


def run(processes, bits, lora):
    dtype = {"16": torch.bfloat16, "32": None}[bits]
    tokenizer = train_tokenizer(["p q : Prop", "intro h", "simp"] * 3, 320)
    model = build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed=0)
    adapter = Adapter(model.to(dtype), parse_lora(lora), "tiny", 0) if lora else None
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=6), adapter, dtype)
    # The rate is too small for steps of 16 bits: they would be rounded away.
    settings = LearnerConfig(learning_rate=1e-5, warmup_steps=0, minibatches=1)
    learner = Learner(policy, create_algorithm("grpo"), settings, processes)
    seen = set()
    projection = model.get_decoder().layers[0].mlp.up_proj
    getattr(projection, "base_layer", projection).register_forward_pre_hook(lambda m, _: seen.add(m.weight.dtype))
    found = {"before": learner.weights()}
    with policy.seeded(processes.rank), processes.whole(policy):
        found["sampled with"] = {weight.dtype for weight in policy.model.parameters()}
        drawn = policy.sample(["p q : Prop", "p : Prop", "simp"] * 4)
    drawn = [row for part in processes.gather(drawn) for row in part]
    rows = [Sample(c.prompt_ids, c.token_ids, c.logprobs, i % 3 - 1.0, i) for i, c in enumerate(drawn)]
    found["metrics"] = learner.update(rows, 0.0, torch.Generator())
    found |= {"after": learner.weights(), "computed with": seen}
    found["saved in 16"] = {w.dtype for w in learner.weights(torch.bfloat16).values() if w is not None}
    found["trained"] = {weight.dtype for weight in learner.policy.model.parameters() if weight.requires_grad}
    return found


with find_processes() as processes:
    found = {(bits, lora): run(processes, bits, lora) for bits in ("16", "32") for lora in ("", "r=4")}
    if processes.main:
        torch.save(found, sys.argv[1])
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """The findings of the processes, by bits and adapter."""
    folder = tmp_path_factory.mktemp("precision")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = launch(str(folder / "program.py"), str(folder / "found"), kind="--use_fsdp")
    assert done.returncode == 0, done.stderr
    return torch.load(folder / "found")


@pytest.mark.parametrize("lora", ["", "r=4"])
def test_shards_keep_32_bits_and_compute_in_16(lora: str, runs: dict[tuple[str, str], Any]) -> None:
    half, full = runs["16", lora], runs["32", lora]
    assert half["computed with"] == half["sampled with"] == {torch.bfloat16}
    assert full["computed with"] == full["sampled with"] == {torch.float32}
    assert half["saved in 16"] == {torch.float32 if lora else torch.bfloat16}
    assert half["trained"] == full["trained"] == {torch.float32}
    # Sampler and learner are rounded alike: far below what 16 bits lose.
    assert abs(half["metrics"]["sampler_kl"]) < 1e-3
    steps, wanted = (
        torch.cat([(run["after"][name] - run["before"][name]).flatten() for name in sorted(run["before"])])
        for run in (half, full)
    )
    # Adam's first step is the sign of the gradient times the rate.
    assert (steps[wanted != 0].sign() == wanted[wanted != 0].sign()).float().mean() > 0.9
    before = torch.cat([half["before"][name].flatten() for name in sorted(half["before"])])
    small = (steps != 0) & ((before + steps).bfloat16() == before.bfloat16())
    assert small.any() == (not lora)  # an adapter starts at 0, where 16 bits have small numbers too
