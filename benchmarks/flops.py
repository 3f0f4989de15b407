"""Floating-point operations of a decoder-only transformer, counted from its shape.

The count includes the matrix products (two operations for each weight and token) and attention, but not norms,
activations and the softmax. A backward pass costs two forward passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transformers import PretrainedConfig

from trainers.policies.packing import PackedRow

TRAINING_FACTOR = 3
"""Cost of a forward and a backward pass, in forward passes."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Shape of a model.

    Attributes:
        layers: Number of transformer blocks.
        width: Width of the residual stream.
        query_width: Width of all query heads together.
        key_width: Width of all key heads together.
        inner_width: Width of the gated feed-forward part.
        vocabulary: Number of output tokens.
    """

    layers: int
    width: int
    query_width: int
    key_width: int
    inner_width: int
    vocabulary: int

    @classmethod
    def of(cls, config: PretrainedConfig) -> ModelShape:
        """Return the shape of a Llama- or Qwen-style model."""
        values = config.to_dict()
        heads = values["num_attention_heads"]
        size = values.get("head_dim") or values["hidden_size"] // heads
        return cls(
            layers=values["num_hidden_layers"],
            width=values["hidden_size"],
            query_width=heads * size,
            key_width=values["num_key_value_heads"] * size,
            inner_width=values["intermediate_size"],
            vocabulary=values["vocab_size"],
        )

    @property
    def weights_per_layer(self) -> int:
        """Return the number of weights of a block that multiply each token."""
        attention = self.width * (2 * self.query_width + 2 * self.key_width)
        return attention + 3 * self.width * self.inner_width

    def forward(self, work: Work) -> int:
        """Return the operations of a forward pass."""
        blocks = 2 * self.weights_per_layer * work.tokens + 4 * self.query_width * work.looks
        return self.layers * blocks + 2 * self.width * self.vocabulary * work.predictions


@dataclass(frozen=True, slots=True)
class Work:
    """Input of a model, without padding.

    Attributes:
        tokens: Number of tokens.
        looks: Pairs of a token and a token that it attends to, itself included.
        predictions: Number of positions whose next token is scored.
    """

    tokens: int = 0
    looks: int = 0
    predictions: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.tokens + other.tokens, self.looks + other.looks, self.predictions + other.predictions
        )


def continuing(before: int, tokens: int) -> Work:
    """Return the work of `tokens` scored tokens after `before` others, with causal attention."""
    return Work(tokens, before * tokens + tokens * (tokens + 1) // 2, tokens)


def reading(tokens: int) -> Work:
    """Return the work of a text without scored tokens."""
    return Work(tokens, tokens * (tokens + 1) // 2)


def packed(rows: Iterable[PackedRow]) -> Work:
    """Return the work of rows, in which a token attends to those on its way from the root."""
    total = Work()
    for row in rows:
        predicted = sum(len(completion) for _, completion in row.pairs)
        total += Work(len(row), sum(depth + 1 for depth in row.depths()), predicted)
    return total


def dialogue(prompt: int, mask: Sequence[int]) -> Work:
    """Return the work of a prompt and its completion, in which the tokens with mask 1 are scored."""
    whole = reading(prompt + len(mask))
    return Work(whole.tokens, whole.looks, sum(mask))
