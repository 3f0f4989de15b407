"""16-bit copies of the weights: fewer casts, the same numbers, and always those of the current weights."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import peft
import pytest
import torch
from torch.profiler import profile
from transformers import GPT2Config, GPT2LMHeadModel

from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig
from trainers.learning.learner import Learner
from trainers.policies.low_precision import LowPrecisionCopies
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy

GOALS = ["⊢ True ∧ True", "⊢ False ∨ True"] * 3


@pytest.fixture
def mixed(policy: TransformersPolicy) -> TransformersPolicy:
    return TransformersPolicy(
        policy.model, policy.tokenizer, RolloutConfig(max_tactic_tokens=6), compute_dtype=torch.bfloat16
    )


def sampled(policy: TransformersPolicy) -> list[Any]:
    with policy.seeded(0):
        return policy.sample(GOALS)


def without_copies(policy: TransformersPolicy) -> list[Any]:
    plain = copy.copy(policy)
    plain._copies = None
    return sampled(plain)


def matrix_casts(policy: TransformersPolicy) -> int:
    """Count the casts of matrices while sampling, the output layer's left out."""
    shapes = {
        tuple(p.shape) for p in policy.model.parameters() if p.dim() == 2 and len(p) != len(policy.tokenizer)
    }
    with profile(record_shapes=True) as found:
        sampled(policy)
    return sum(
        event.name == "aten::_to_copy" and bool(event.input_shapes) and tuple(event.input_shapes[0]) in shapes
        for event in found.events() or ()
    )


def test_no_matrix_is_cast_while_sampling(mixed: TransformersPolicy) -> None:
    sampled(mixed)
    assert matrix_casts(mixed) == 0
    assert mixed._copies is not None
    mixed._copies = None
    assert matrix_casts(mixed) > 2 * 14  # each matrix of the two layers for each token


def test_the_numbers_are_those_of_autocast_and_of_scoring(mixed: TransformersPolicy) -> None:
    completions = sampled(mixed)
    assert completions == without_copies(mixed)
    batch = build_batch(pack_rows([(c.prompt_ids, c.token_ids) for c in completions], share_prompts=False))
    with torch.no_grad():
        scores = mixed.score(batch).logprobs
    for place, member in enumerate(batch.members):
        own = completions[member].logprobs
        assert scores[place, : len(own)].tolist() == pytest.approx(own, abs=0.1)


def test_the_weights_are_back_after_sampling_and_after_an_error(mixed: TransformersPolicy) -> None:
    before = dict(mixed.model.named_parameters())
    sampled(mixed)
    copies = LowPrecisionCopies(torch.bfloat16)
    with pytest.raises(KeyError), copies.in_place_of_weights(mixed.model):
        assert mixed.model.model.layers[0].mlp.up_proj.weight.dtype == torch.bfloat16
        assert mixed.model.get_input_embeddings().weight.dtype == torch.float32
        raise KeyError
    after = dict(mixed.model.named_parameters())
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)


def test_sampling_sees_new_weights_at_once(mixed: TransformersPolicy) -> None:
    """After an optimiser step, after loading weights, and after resuming."""
    learner = Learner(mixed, create_algorithm("grpo"), LearnerConfig(learning_rate=0.1))
    stored = copy.deepcopy(learner.state_dict())
    first = sampled(mixed)
    sum(parameter.sum() for parameter in mixed.model.parameters()).backward()  # type: ignore[union-attr]
    learner.optimizer.step()
    second = sampled(mixed)
    assert second != first
    assert second == without_copies(mixed)
    learner.load_state_dict(stored)
    assert sampled(mixed) == first == without_copies(mixed)
    with torch.no_grad():
        for parameter in mixed.model.parameters():
            parameter.mul_(-1.0)
    third = sampled(mixed)
    assert third != first
    assert third == without_copies(mixed)


def test_copies_are_made_once_a_version_and_freed_with_the_weights() -> None:
    layers: list[Any] = [torch.nn.Linear(4, 4)]
    copies = LowPrecisionCopies(torch.bfloat16)

    def used() -> torch.Tensor:
        [layer] = layers
        with copies.in_place_of_weights(layer):
            return layer.weight  # type: ignore[no-any-return]

    first = used()
    assert used() is first
    with torch.no_grad():
        layers[0].weight.add_(1.0)
    second = used()
    assert second is not first
    assert torch.equal(second, layers[0].weight.bfloat16())
    layers[0].weight.data = torch.zeros(4, 4)
    assert not used().any()
    freed = weakref.ref(used())
    layers.clear()
    gc.collect()
    assert freed() is None


def test_adapters_are_copied_too(policy: TransformersPolicy) -> None:
    policy.model.add_adapter(peft.LoraConfig(r=2, target_modules=["q_proj", "down_proj"]))
    mixed = TransformersPolicy(policy.model, policy.tokenizer, policy.settings, compute_dtype=torch.bfloat16)
    first = sampled(mixed)
    with torch.no_grad():
        for name, parameter in mixed.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.5)
    assert sampled(mixed) != first
    assert sampled(mixed) == without_copies(mixed)


def test_models_with_other_linear_layers_are_copied_too(policy: TransformersPolicy) -> None:
    config = GPT2Config(
        vocab_size=len(policy.tokenizer), n_positions=64, n_embd=16, n_layer=1, n_head=2, eos_token_id=0
    )
    torch.manual_seed(0)
    mixed = TransformersPolicy(
        GPT2LMHeadModel(config), policy.tokenizer, policy.settings, compute_dtype=torch.bfloat16
    )
    assert mixed._copies is not None
    assert sampled(mixed) == without_copies(mixed)


def test_a_model_that_reads_its_weights_otherwise_gets_no_copies(policy: TransformersPolicy) -> None:
    class Exact(torch.nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:
            with torch.autocast("cpu", enabled=False):
                return input.float() @ self.weight.T

    head = policy.model.get_output_embeddings()
    exact = Exact(head.in_features, head.out_features, bias=False)
    exact.weight = head.weight
    policy.model.set_output_embeddings(exact)
    mixed = TransformersPolicy(policy.model, policy.tokenizer, policy.settings, compute_dtype=torch.bfloat16)
    assert mixed._copies is None
    assert len(sampled(mixed)) == len(GOALS)


def test_no_copies_without_autocast(policy: TransformersPolicy) -> None:
    assert policy._copies is None
