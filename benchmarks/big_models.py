"""Qwen-style models with random weights, for measurements that depend on the size of a model only."""

from __future__ import annotations

import copy

import torch
from transformers import PreTrainedModel, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

VOCABULARY = 151936
"""Vocabulary size of the Qwen family."""

SIZES: dict[str, Qwen2Config | Qwen3Config] = {
    "tiny": Qwen3Config(
        vocab_size=2048, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, tie_word_embeddings=True,
    ),
    "0.1b": Qwen3Config(
        vocab_size=VOCABULARY, hidden_size=512, intermediate_size=1536, num_hidden_layers=12,
        num_attention_heads=8, num_key_value_heads=4, head_dim=64, tie_word_embeddings=True,
    ),
    "0.5b": Qwen2Config(  # the shape of Qwen2.5-0.5B
        vocab_size=VOCABULARY, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
        num_attention_heads=14, num_key_value_heads=2, tie_word_embeddings=True,
    ),
    "0.6b": Qwen3Config(  # the shape of Qwen3-0.6B
        vocab_size=VOCABULARY, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28,
        num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True,
    ),
    "1b": Qwen3Config(
        vocab_size=VOCABULARY, hidden_size=1536, intermediate_size=4096, num_hidden_layers=28,
        num_attention_heads=12, num_key_value_heads=4, head_dim=128, tie_word_embeddings=True,
    ),
}  # fmt: skip
"""Approximate number of parameters -> shape."""


def build_big_model(size: str, end_token: int, device: torch.device, seed: int) -> PreTrainedModel:
    """Make a model with random weights of 32 bits, the same one for the same seed and device.

    Args:
        size: A key of `SIZES`.
        end_token: Token that ends a tactic, and pads rows.
        device: Device of the model.
        seed: Seed of the weights.
    """
    config = copy.deepcopy(SIZES[size])
    config.eos_token_id = config.pad_token_id = end_token
    torch.manual_seed(seed)
    with device:
        if isinstance(config, Qwen2Config):
            return Qwen2ForCausalLM(config)
        return Qwen3ForCausalLM(config)
