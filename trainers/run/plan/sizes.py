"""Sizes of a model without its weights, and the memory that training them takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    LlamaForCausalLM,
    PreTrainedModel,
)

from trainers.config.lora import LoraSettings
from trainers.config.run import TinyConfig
from trainers.policies.demo import find_demo
from trainers.policies.tiny import tiny_shape

_IN_NAME: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bBmM])(?![a-zA-Z0-9])")
_ADAM: Final = 8
_FLOAT: Final = 4
_HALF: Final = 2
_FOUR_BIT: Final = 0.5
_ACTIVATIONS: Final = 34
"""Bytes per token, layer and unit of width that the backward pass needs, in 16 bits and without those of attention
scores. Source: Korthikanti et al. 2022, arXiv:2205.05198, equation 1."""


@dataclass(frozen=True, slots=True)
class ModelSize:
    """Numbers of a model.

    Attributes:
        weights: All of them.
        linear: Those of linear layers but the output; 0 where only the name is known.
        adapter: Those of the adapter, 0 without one.
        vocabulary: Tokens; 0 where only the name is known.
        width: Hidden size; 0 where only the name is known.
        layers: Blocks; 0 where only the name is known.
        cached: Numbers that the keys and values of one token are; 0 where only the name is known.
        by_name: The number of weights is that in the model's name.
    """

    weights: int
    linear: int = 0
    adapter: int = 0
    vocabulary: int = 0
    width: int = 0
    layers: int = 0
    cached: int = 0
    by_name: bool = False


def measure(name: str, tiny: TinyConfig, lora: LoraSettings | None) -> ModelSize | None:
    """Return the size of a model; `None` where neither the model nor a number in its name is at hand.

    Args:
        name: `tiny`, a demo model, a folder, or a hub id whose model was downloaded before.
        tiny: Shape of the model `tiny`.
        lora: The adapter, if any.
    """
    with torch.device("meta"):
        if name == "tiny":
            model: PreTrainedModel = LlamaForCausalLM(tiny_shape(tiny, tiny.vocabulary))
        else:
            if (demo := find_demo(name)) is not None:
                name = str(demo.folder) if demo.folder.is_dir() else demo.hub
            try:
                shape = AutoConfig.from_pretrained(name, local_files_only=True)
                kind: Any = AutoModelForSeq2SeqLM if shape.is_encoder_decoder else AutoModelForCausalLM
                model = kind.from_config(shape)
            except Exception:  # loaders raise many kinds; all of them say that the model is not here
                found = _IN_NAME.findall(name.rpartition("/")[2].replace("-", " "))
                return ModelSize(_number(*found[-1]), by_name=True) if found else None
    return _count(model, lora)


def _number(digits: str, unit: str) -> int:
    """Return the number that billions, "b", or millions, "m", stand for."""
    return round(float(digits) * (1e9 if unit in "bB" else 1e6))


def _count(model: PreTrainedModel, lora: LoraSettings | None) -> ModelSize:
    output = model.get_output_embeddings()
    layers = {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and module is not output
    }
    named = () if lora is None or lora.targets == ("all-linear",) else lora.targets
    adapted = [one for name, one in layers.items() if not named or name.rpartition(".")[2] in named]
    rank = 0 if lora is None else lora.r
    config = model.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    head_size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return ModelSize(
        weights=sum(weight.numel() for weight in model.parameters()),
        linear=sum(one.weight.numel() for one in layers.values()),
        adapter=sum(rank * (one.in_features + one.out_features) for one in adapted),
        vocabulary=config.vocab_size,
        width=config.hidden_size,
        layers=config.num_hidden_layers,
        cached=2 * config.num_hidden_layers * heads * head_size,
    )


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of an update that decide on its memory.

    Attributes:
        lora: An adapter is trained; the model's own weights stand still.
        four_bit: Those are held in 4 bits.
        half: The model computes in 16 bits.
        reference: Another copy of the model is kept for the KL term.
        tokens: Padded tokens per forward pass.
        checkpointing: The blocks are computed again in the backward pass.
    """

    lora: bool
    four_bit: bool
    half: bool
    reference: bool
    tokens: int
    checkpointing: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that a model takes, by use: what is always held, and what only sampling or only the update needs.

    Sampling frees its memory before the update and the other way round, so the larger of both counts.
    """

    held: dict[str, float]
    sampling: dict[str, float]
    update: dict[str, float]

    @property
    def total(self) -> float:
        """Return the largest number of bytes in use at a time."""
        return sum(self.held.values()) + max(sum(self.sampling.values()), sum(self.update.values()))


def memory(size: ModelSize, training: Training | None, sampled_tokens: int, half: bool) -> Memory:
    """Estimate the bytes that a model takes.

    Args:
        size: The model.
        training: `None` for a model that only samples, with weights of 32 bits.
        sampled_tokens: Tokens of prompts and answers that one batch of sampling holds, with their padding; 0 without
            sampling in this process.
        half: Sampling computes in 16 bits.
    """
    sampling = {"keys and values of sampling": sampled_tokens * size.cached * (_HALF if half else _FLOAT)}
    if training is None:
        return _memory({"weights": size.weights * _FLOAT}, sampling, {})
    trained = size.adapter if training.lora else size.weights
    at_rest = _FOUR_BIT if training.four_bit else _HALF if training.lora and training.half else _FLOAT
    one_pass = training.tokens * size.width * _ACTIVATIONS * (1 if training.half else 2)
    kept = training.tokens * size.width * size.layers * (_HALF if training.half else _FLOAT)
    held = {
        "weights": size.weights * at_rest + (size.adapter * _FLOAT if training.lora else 0),
        "gradients and optimiser": trained * (_FLOAT + _ADAM),
        "copies in 16 bits for sampling": size.linear * _HALF if training.half and not training.lora else 0,
        "reference model": size.weights * _FLOAT if training.reference and not training.lora else 0,
    }
    update = {
        "activations": kept + one_pass if training.checkpointing else one_pass * size.layers,
        "scores of the vocabulary": 2 * training.tokens * size.vocabulary * _FLOAT,
    }
    return _memory(held, sampling, update)


def _memory(*parts: Mapping[str, float]) -> Memory:
    return Memory(*({use: float(amount) for use, amount in part.items() if amount} for part in parts))
