"""Floating-point operations of a decoder-only transformer, counted from its shape.

Counted are the matrix products (two operations for each weight and token) and attention; norms, activations and the
softmax are not. A backward pass costs two forward passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transformers import PretrainedConfig

from trainers.policies.packing import PackedRow

TRAINING_FACTOR = 3
"""Forward and backward pass, in forward passes."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What the count depends on.

    Attributes:
        layers: Transformer blocks.
        width: Of the residual stream.
        query_width: All query heads together.
        key_width: All key heads together.
        inner_width: Of the gated feed-forward part.
        vocabulary: Output tokens.
    """

    layers: int
    width: int
    query_width: int
    key_width: int
    inner_width: int
    vocabulary: int

    @classmethod
    def of(cls, config: PretrainedConfig) -> ModelShape:
        """The shape of a Llama- or Qwen-style model."""
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
        """Weights of a block that multiply each token."""
        attention = self.width * (2 * self.query_width + 2 * self.key_width)
        return attention + 3 * self.width * self.inner_width

    def forward(self, work: Work) -> int:
        """Operations of a forward pass."""
        blocks = 2 * self.weights_per_layer * work.tokens + 4 * self.query_width * work.looks
        return self.layers * blocks + 2 * self.width * self.vocabulary * work.predictions


@dataclass(frozen=True, slots=True)
class Work:
    """What goes through a model, padding left out.

    Attributes:
        tokens: Tokens read.
        looks: Tokens that each of them attends to, itself included, added up.
        predictions: Positions whose next token is scored.
    """

    tokens: int = 0
    looks: int = 0
    predictions: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.tokens + other.tokens, self.looks + other.looks, self.predictions + other.predictions
        )


def continuing(before: int, tokens: int) -> Work:
    """Tokens that follow `before` others and attend to all before them, each one's probability scored."""
    return Work(tokens, before * tokens + tokens * (tokens + 1) // 2, tokens)


def reading(tokens: int) -> Work:
    """A text of which nothing is scored."""
    return Work(tokens, tokens * (tokens + 1) // 2)


def packed(rows: Iterable[PackedRow]) -> Work:
    """Prompts that are read once, each followed by its completions, which do not see each other."""
    total = Work()
    for row in rows:
        total += reading(len(row.prompt))
        for completion in row.completions:
            total += continuing(len(row.prompt), len(completion))
    return total


def dialogue(prompt: int, mask: Sequence[int]) -> Work:
    """A prompt and what follows it, of which the tokens with mask 1 are scored."""
    whole = reading(prompt + len(mask))
    return Work(whole.tokens, whole.looks, sum(mask))
