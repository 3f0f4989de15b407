"""On a CUDA device: the numbers of the CPU, and the programs. `pytest -m gpu` runs them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig
from trainers.evaluate import main as evaluate
from trainers.grpo import main as train
from trainers.learning.learner import Learner, _Meter
from trainers.learning.samples import Sample
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.sampling import draw_tokens
from trainers.policies.transformers import TransformersPolicy
from trainers.sft import main as imitate

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]

GOALS = ["⊢ True ∧ True"] * 4 + ["⊢ False ∨ True"] * 3 + ["⊢ True"]
ADVANTAGES = (1.0, -0.5, 0.3, 0.0, 2.0, -1.0, 0.7, 0.4)


@pytest.fixture(scope="module", autouse=True)
def cuda() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def on_gpu(policy: TransformersPolicy, dtype: torch.dtype | None = None) -> TransformersPolicy:
    model: Any = copy.deepcopy(policy.model)
    return TransformersPolicy(
        model.to("cuda"), policy.tokenizer, RolloutConfig(max_tactic_tokens=6), compute_dtype=dtype
    )


@pytest.mark.parametrize("top_p", [1.0, 0.9])
def test_tokens_are_those_of_the_cpu(top_p: float) -> None:
    logits = torch.randn(64, 151_936, generator=torch.Generator().manual_seed(1))
    uniforms = torch.rand(64, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    expected, likely = draw_tokens(logits, 0.7, uniforms, top_p)
    drawn, chosen = draw_tokens(logits.to("cuda"), 0.7, uniforms.to("cuda"), top_p)
    # The two round probabilities differently, so a number at the border of two tokens may fall to either.
    same = (drawn.cpu() == expected).squeeze(1)
    assert int(same.sum()) >= 60
    torch.testing.assert_close(chosen.cpu()[same], likely[same], atol=1e-4, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_draws_follow_the_softmax(dtype: torch.dtype) -> None:
    logits = (torch.randn(40, generator=torch.Generator().manual_seed(1)) * 2).to(dtype)
    count = 200_000
    uniforms = torch.rand(count, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    drawn, _ = draw_tokens(logits.to("cuda").expand(count, -1), 1.0, uniforms.to("cuda"))
    found = np.bincount(drawn.squeeze(1).cpu().numpy(), minlength=40)
    expected = torch.softmax(logits.double(), dim=-1).numpy() * count
    kept = expected >= 5
    assert found[~kept].sum() <= 5 * (~kept).sum()
    scale = found[kept].sum() / expected[kept].sum()
    assert stats.chisquare(found[kept], expected[kept] * scale).pvalue > 1e-3


@pytest.mark.parametrize(("dtype", "tolerance"), [(None, 1e-4), (torch.bfloat16, 0.1)])
def test_sampling_and_scoring_agree(
    policy: TransformersPolicy, dtype: torch.dtype | None, tolerance: float
) -> None:
    here, there = policy, on_gpu(policy, dtype)
    with there.seeded(0):
        drawn = there.sample(GOALS)
    with there.seeded(0):
        assert there.sample(GOALS) == drawn
    batch = build_batch(pack_rows([(c.prompt_ids, c.token_ids) for c in drawn], share_prompts=False))
    with torch.no_grad():
        expected, found = here.score(batch).logprobs, there.score(batch).logprobs
    assert found.device.type == "cuda"
    for place, member in enumerate(batch.members):
        own = drawn[member].logprobs
        assert found[place, : len(own)].tolist() == pytest.approx(own, abs=tolerance)
        assert expected[place, : len(own)].tolist() == pytest.approx(own, abs=tolerance)


@pytest.mark.parametrize("algorithm", ["grpo", "dapo", "gspo", "cispo"])
def test_an_update_is_that_of_the_cpu(policy: TransformersPolicy, algorithm: str) -> None:
    with policy.seeded(5):
        drawn = policy.sample(GOALS)
    samples = [
        Sample(c.prompt_ids, c.token_ids, c.logprobs, advantage)
        for c, advantage in zip(drawn, ADVANTAGES, strict=True)
    ]
    gradients = []
    for each in (policy, on_gpu(policy)):
        made = Learner(
            each, create_algorithm(algorithm, beta=0.1), LearnerConfig(minibatches=1, max_grad_norm=0)
        )
        made.use_reference(copy.deepcopy(policy.model))
        made.optimizer.step = lambda *_: None
        made.optimizer.zero_grad = lambda *_: None
        each.model.zero_grad()
        made.update(samples, 0.0, torch.Generator().manual_seed(0))
        gradients.append([p.grad.cpu() for p in each.model.parameters() if p.grad is not None])
    assert any(bool(gradient.abs().max() > 1e-3) for gradient in gradients[0])
    for expected, found in zip(*gradients, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("offloaded", [False, True])
def test_an_update_waits_for_no_value_before_its_end(
    policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch, offloaded: bool
) -> None:
    made = on_gpu(policy)
    with made.seeded(5):
        drawn = made.sample(GOALS)
    rows = [
        Sample(c.prompt_ids, c.token_ids, c.logprobs, advantage)
        for c, advantage in zip(drawn, ADVANTAGES, strict=True)
    ]
    settings = LearnerConfig(minibatches=2, offload_ref_model=offloaded)
    learner = Learner(made, create_algorithm("grpo", beta=0.1), settings)
    learner.use_reference(copy.deepcopy(policy.model))
    read = _Meter.read

    def waiting(meter: _Meter) -> _Meter:
        torch.cuda.set_sync_debug_mode("default")
        return read(meter)

    monkeypatch.setattr(_Meter, "read", waiting)
    # The first update makes the optimiser's averages.
    learner.update(rows, 0.0, torch.Generator().manual_seed(0))
    try:
        torch.cuda.set_sync_debug_mode("error")
        learner.update(rows, 0.0, torch.Generator().manual_seed(0))
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("words", [(), ("--algorithm", "dgpo"), ("--lora", "r=2"), ("--precision", "fp32")])
def test_a_run_learns_stops_goes_on_and_is_measured(
    tmp_path: Path, theorem_file: Path, words: tuple[str, ...]
) -> None:
    torch.cuda.reset_peak_memory_stats()
    folder, game = tmp_path / "run", ("--backend", "fake", "--theorems", str(theorem_file))
    tiny = ("--hidden-size", "32", "--layers", "1", "--attention-heads", "2", "--max-steps", "6")
    some = ("--theorems-per-iteration", "4", "--proof-share", "1", "--workers", "1")
    shown = ("--warm-start-epochs", "6", "--warm-start-learning-rate", "5e-3", "--warm-start-batch", "4")
    words = (*game, *tiny, *some, *shown, *words, "--run-dir", str(folder))
    assert train([*words, "--max-iterations", "2"]) == 0
    assert train(["--resume", str(folder), "--max-iterations", "4"]) == 0
    proved = json.loads((folder / "summary.json").read_text())["eval"]["after"]["pass@8"]
    assert proved > 0 or "--lora" in words  # over random weights an adapter learns little
    assert torch.cuda.max_memory_allocated() > 0
    assert evaluate(["--policy", str(folder), *game, "--samples", "8", "--workers", "1"]) == 0


def test_proofs_are_imitated(tmp_path: Path, theorem_file: Path) -> None:
    folder = tmp_path / "sft"
    words = ["--backend", "fake", "--theorems", str(theorem_file), "--epochs", "1", "--workers", "1"]
    assert imitate([*words, "--run-dir", str(folder)]) == 0
    assert any(folder.iterdir())
