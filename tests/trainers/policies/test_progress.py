from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.progress import FACTS, ProgressModel, batches
from trainers.policies.transformers import TransformersPolicy

TEXTS = ["⊢ True", "⊢ False ∨ True\n\n⊢ True", "⊢ True ∨ False"]


@pytest.fixture
def model(policy: TransformersPolicy) -> ProgressModel:
    """A model whose head has weights other than 0."""
    made = ProgressModel(policy.model, policy.tokenizer, SamplingConfig(), longest=3)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.nn.init.normal_(made.head.weight)
    return made


def test_without_training_all_outcomes_are_equally_likely(policy: TransformersPolicy) -> None:
    model = ProgressModel(policy.model, policy.tokenizer, SamplingConfig(), longest=3)
    assert model.tactics_left(["⊢ True"]) == pytest.approx([2.0])
    assert model.reached(["⊢ True"]) == pytest.approx([0.75])
    assert model.potentials(["⊢ True"]) == pytest.approx([(1 / 2 + 1 / 3 + 1 / 4) / 4])


def test_formulas_on_given_chances(model: ProgressModel) -> None:
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.copy_(torch.tensor([0.1, 0.2, 0.3, 0.4]).log())
    assert model.tactics_left(["⊢ True"]) == pytest.approx([(0.1 + 0.4 + 0.9) / 0.6])
    assert model.reached(["⊢ True"]) == pytest.approx([0.6])
    assert model.potentials(["⊢ True"]) == pytest.approx([0.1 / 2 + 0.2 / 3 + 0.3 / 4])


def test_padding_and_order_change_nothing(model: ProgressModel) -> None:
    together = model.potentials(TEXTS)
    alone = [model.potentials([text])[0] for text in TEXTS]
    assert together == pytest.approx(alone, abs=1e-6)
    assert model.potentials(TEXTS[::-1]) == pytest.approx(together[::-1], abs=1e-6)
    assert len(set(together)) == 3
    assert model.potentials([]) == model.tactics_left([]) == []


def test_all_goals_are_read(model: ProgressModel) -> None:
    assert model.encode(TEXTS[1]) != model.encode(TEXTS[1].split("\n\n")[0])


def test_a_saved_model_predicts_the_same(model: ProgressModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    loaded = ProgressModel.load(tmp_path)
    assert loaded.longest == 3
    assert loaded.tactics_left(TEXTS) == model.tactics_left(TEXTS)


def test_other_folders_are_refused(model: ProgressModel, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing", Path(__file__)):
        with pytest.raises(
            PolicyError, match=r"expected a folder that .*trainers\.progress wrote, got .*: no "
        ):
            ProgressModel.load(folder)
    model.save(tmp_path)
    facts = json.loads((tmp_path / FACTS).read_text())
    (tmp_path / FACTS).write_text(json.dumps(facts | {"longest": 5}))
    with pytest.raises(PolicyError, match=r"is damaged: head\.safetensors does not fit"):
        ProgressModel.load(tmp_path)
    (tmp_path / FACTS).write_text("{}")
    with pytest.raises(PolicyError, match=r"damaged \('longest'\)"):
        ProgressModel.load(tmp_path)


def test_batches_hold_prompts_of_similar_length() -> None:
    prompts = [(1,) * length for length in (9, 2, 30, 3, 8)]
    assert list(batches(prompts, limit=20)) == [[1, 3], [4, 0], [2]]
