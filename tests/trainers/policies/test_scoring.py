from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

from trainers.errors import PolicyError
from trainers.policies.packing import PackedBatch, build_batch, pack_rows
from trainers.policies.scoring import can_score_in_pieces, save_activation_memory, score

VOCABULARY = 500
PAIRS = [((1, 2, 3), (4, 5, 9)), ((1, 2), (6,)), ((1, 2, 3), (7, 499)), ((8, 1, 2, 3, 4), (4, 5, 6, 3))]


def llama(tied: bool = False, layers: int = 2) -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=layers,
        num_attention_heads=2,
        tie_word_embeddings=tied,
    )
    return LlamaForCausalLM(config).eval().double()


def packed(share: bool) -> PackedBatch:
    return build_batch(pack_rows(PAIRS, share_prompts=share))


def gradient(model: torch.nn.Module, logprobs: Tensor) -> Tensor:
    model.zero_grad()
    weights = torch.linspace(-1.0, 2.0, logprobs.numel(), dtype=logprobs.dtype).reshape(logprobs.shape)
    (logprobs * weights).sum().backward()
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


def plain(model: LlamaForCausalLM, temperature: float) -> tuple[Tensor, Tensor]:
    """Scores of every completion in a separate row, all logits at once; in the order of PAIRS, (4, 4) each."""
    logprobs, entropies = [], []
    for prompt, completion in PAIRS:
        logits = model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1].float()
        distribution = torch.distributions.Categorical(logits=logits / temperature)
        pad = (0, 4 - len(completion))
        logprobs.append(torch.nn.functional.pad(distribution.log_prob(torch.tensor(completion)), pad))
        entropies.append(torch.nn.functional.pad(distribution.entropy(), pad))
    return torch.stack(logprobs), torch.stack(entropies)


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("most_logits", [1, 3 * VOCABULARY, 10**9])
def test_pieces_change_neither_values_nor_gradient(share: bool, tied: bool, most_logits: int) -> None:
    model, batch = llama(tied), packed(share)
    order = torch.tensor(batch.members).argsort()
    expected, entropy = plain(model, temperature=0.7)
    expected_gradient = gradient(model, expected)
    found = score(model, batch, 0.7, in_pieces=True, most_logits=most_logits)
    assert torch.allclose(found.logprobs[order], expected, atol=1e-6)
    assert torch.allclose(found.entropy[order], entropy, atol=1e-6)
    assert not found.entropy.requires_grad
    assert torch.allclose(gradient(model, found.logprobs[order]), expected_gradient, atol=1e-6)


class Largest(TorchDispatchMode):
    """Record the number of elements of the largest tensor that an operation creates."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, Tensor):
                self.elements = max(self.elements, leaf.numel())
        return out


def test_no_tensor_grows_with_vocabulary_times_tokens() -> None:
    model = llama()
    batch = build_batch(pack_rows([((1, 2), tuple(range(3, 63)))] * 4, share_prompts=False))
    sizes = {}
    for most_logits in (8 * VOCABULARY, 10**9):
        with Largest() as largest:
            scores = score(model, batch, 1.0, in_pieces=True, most_logits=most_logits)
            scores.logprobs.sum().backward()
        sizes[most_logits] = largest.elements
    # The rest is attention, 4 rows x 2 heads x 62 x 62, and the output layer's own gradient, 500 x 32.
    assert sizes[8 * VOCABULARY] <= 4 * 2 * 62 * 62
    assert sizes[10**9] >= 4 * 60 * VOCABULARY


def test_a_model_that_caps_its_logits_is_scored_whole() -> None:
    config = Gemma2Config(
        vocab_size=64,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        final_logit_softcapping=0.5,
    )
    torch.manual_seed(0)
    capped = Gemma2ForCausalLM(config).eval()
    capped.get_output_embeddings().weight.data *= 50.0
    assert not can_score_in_pieces(capped)
    assert can_score_in_pieces(llama())
    torch.manual_seed(0)
    assert can_score_in_pieces(
        GPT2LMHeadModel(GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2)).eval()
    )


def test_recomputed_blocks_give_the_same_gradient_and_keep_less() -> None:
    model, batch = llama(layers=4), packed(share=True)
    saving = copy.deepcopy(model)
    save_activation_memory(saving)
    found = []
    for each in (model, saving):
        kept: list[int] = []

        def pack(tensor: Tensor, kept: list[int] = kept) -> Tensor:
            kept.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            logprobs = score(each, batch, 1.0).logprobs
        found.append((logprobs.detach(), gradient(each, logprobs), sum(kept)))
    (values, gradients, memory), (values_again, gradients_again, memory_again) = found
    assert torch.allclose(values, values_again, atol=1e-12)
    assert torch.allclose(gradients, gradients_again, atol=1e-9)
    assert memory_again < memory / 2


def test_blocks_that_cannot_be_recomputed_are_named() -> None:
    with pytest.raises(PolicyError, match="the blocks of Linear cannot be computed again"):
        save_activation_memory(torch.nn.Linear(2, 2))  # type: ignore[arg-type]
