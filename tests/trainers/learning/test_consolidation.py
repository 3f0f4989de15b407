"""Elastic weight consolidation: the Fisher information by hand, and what the penalty does to updates."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from trainers.algorithms import create_algorithm
from trainers.config.consolidation import ConsolidationConfig
from trainers.config.run import Imitation, LearnerConfig
from trainers.errors import ConfigError
from trainers.grpo import main as grpo
from trainers.learning.consolidation import Consolidation, measure_fisher, opened_consolidation
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.packing import Pair
from trainers.policies.transformers import TransformersPolicy
from trainers.sft import main as sft


@pytest.fixture
def pairs(policy: TransformersPolicy) -> list[Pair]:
    steps = (("⊢ True ∧ True", "split"), ("⊢ False ∨ True", "right"), ("⊢ True", "trivial"))
    return [(policy.encode_prompt(goals), policy.encode_tactic(tactic)) for goals, tactic in steps]


def measured(policy: TransformersPolicy, pairs: list[Pair]) -> Consolidation:
    return measure_fisher(policy, pairs, 100, torch.Generator().manual_seed(0))


def squared_gradients(policy: TransformersPolicy, pair: Pair) -> dict[str, torch.Tensor]:
    """Of log p(tactic | goals), straight from the logits."""
    policy.model.zero_grad()
    prompt, tactic = pair
    logits = policy.model(torch.tensor([prompt + tactic])).logits[0, len(prompt) - 1 : -1]
    logits.log_softmax(-1).gather(1, torch.tensor(tactic).unsqueeze(1)).sum().backward()
    return {name: value.grad.square() for name, value in policy.model.named_parameters()}


def test_the_fisher_information_is_the_mean_squared_gradient(
    policy: TransformersPolicy, pairs: list[Pair]
) -> None:
    found = measured(policy, pairs)
    each = [squared_gradients(policy, pair) for pair in pairs]
    for name, value in policy.model.named_parameters():
        expected = torch.stack([one[name] for one in each]).mean(dim=0)
        assert torch.allclose(found.fisher[name], expected, atol=1e-6), name
        assert torch.equal(found.anchor[name], value)
    one = measure_fisher(policy, pairs, 1, torch.Generator().manual_seed(0))
    matches = [all(torch.allclose(one.fisher[name], own[name], atol=1e-6) for name in own) for own in each]
    assert sorted(matches) == [False, False, True]


def test_penalty_and_gradient(policy: TransformersPolicy) -> None:
    names = dict(policy.model.named_parameters())
    kept = Consolidation(
        {name: torch.full_like(value, 3.0) for name, value in names.items()},
        {name: value.detach() - 0.5 for name, value in names.items()},
    )
    count = sum(value.numel() for value in names.values())
    assert kept.penalty(policy.model, 2.0) == pytest.approx(0.5 * 2.0 * 3.0 * 0.25 * count, rel=1e-4)
    for value in names.values():
        value.grad = torch.ones_like(value)
    kept.add_gradient(policy.model, 2.0)
    for value in names.values():
        assert value.grad is not None
        assert torch.allclose(value.grad, torch.full_like(value, 1.0 + 2.0 * 3.0 * 0.5))


def test_an_update_stays_near_what_was_learned(policy: TransformersPolicy, pairs: list[Pair]) -> None:
    kept = measured(policy, pairs[:1])
    with policy.seeded(3):
        drawn = policy.sample(["⊢ False ∨ True", "⊢ True"])
    samples = [Sample(one.prompt_ids, one.token_ids, one.logprobs, 1.0) for one in drawn]

    def moved(weight: float) -> tuple[float, float]:
        own = TransformersPolicy(copy.deepcopy(policy.model), policy.tokenizer, policy.settings)
        made = Learner(
            own, create_algorithm("grpo", beta=0.0), LearnerConfig(learning_rate=5e-3, minibatches=1)
        )
        if weight:
            made.stay_near(kept, weight)
        for seed in range(6):
            told = made.update(samples, 0.0, torch.Generator().manual_seed(seed))
            assert ("ewc" in told) == bool(weight)
        after_update = kept.penalty(own.model, 1.0)
        made.imitate(pairs[1:] * 4, Imitation(1, 5e-3, 2), 0, torch.Generator().manual_seed(0))
        return after_update, kept.penalty(own.model, 1.0)

    free, bound = moved(0.0), moved(1e6)
    assert bound[0] < 0.3 * free[0]
    assert bound[1] < 0.3 * free[1]


def test_it_is_written_read_and_summed(policy: TransformersPolicy, pairs: list[Pair], tmp_path: Path) -> None:
    first, second = measured(policy, pairs[:1]), measured(policy, pairs[1:])
    second.anchor = {name: value + 1.0 for name, value in second.anchor.items()}
    both = first.after(second)
    both.save(tmp_path / "kept.safetensors")
    settings = ConsolidationConfig(ewc=str(tmp_path / "kept.safetensors"))
    back = opened_consolidation(settings)
    assert back is not None
    back.check(policy.model)
    for name, value in back.fisher.items():
        assert torch.allclose(value, first.fisher[name] + second.fisher[name])
        assert torch.equal(back.anchor[name], second.anchor[name])
    assert opened_consolidation(settings.model_copy(update={"ewc_weight": 0.0})) is None
    assert opened_consolidation(ConsolidationConfig()) is None


def test_other_files_and_models_are_refused(
    policy: TransformersPolicy, pairs: list[Pair], tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("no tensors here")
    save_file({"weight": torch.zeros(2)}, tmp_path / "other")
    for name, message in (("missing", "cannot read"), ("text", "cannot read"), ("other", "cannot read")):
        with pytest.raises(ConfigError, match=message):
            Consolidation.load(tmp_path / name)
    kept = measured(policy, pairs)
    kept.fisher["model.norm.weight"] = torch.zeros(3)
    made = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    with pytest.raises(ConfigError, match="of a model with other weights"):
        made.stay_near(kept, 1.0)


@pytest.mark.parametrize("program", [grpo, sft])
def test_programs_read_the_file_first(
    program: Callable[[list[str]], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--theorems", "logic", "--ewc", str(tmp_path / "missing"), "--run-dir", str(tmp_path / "run")]
    with pytest.raises(SystemExit) as caught:
        program(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("error: ewc: cannot read")
    assert not (tmp_path / "run").exists()
