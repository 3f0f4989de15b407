"""Sizes of a model without its weights, and the memory that training them takes.

Weights, gradients and optimiser state are counted; what passes through the model take comes from `traced.py`. How far
the sum is from measured peaks is in docs/log.md (`python -m benchmarks.memory_plan`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

import torch
from torch import nn
from transformers import AutoConfig, LlamaConfig, PretrainedConfig, PreTrainedModel
from transformers.pytorch_utils import Conv1D

from trainers.config.lora import LoraSettings
from trainers.config.run import TinyConfig
from trainers.policies.demo import find_demo
from trainers.policies.scoring import blocks_of
from trainers.policies.tiny import tiny_shape
from trainers.run.plan.traced import Passes, build

_IN_NAME: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bBmM])(?![a-zA-Z0-9])")
_ADAM: Final = 8
"""Bytes of AdamW's two averages of a weight, in 32 bits."""
_FLOAT: Final = 4
_HALF: Final = 2
_FOUR_BIT: Final = 0.5 + (1 + 4 / 256) / 64
"""Bytes of a weight in 4 bits with a scale of 8 bits for 64 of them, and one of 32 bits for 256 of those. Source:
Dettmers et al. 2023, arXiv:2305.14314, section 3, double quantization."""
_WIDTH_PER_LAYER: Final = 128
_HEAD: Final = 128


@dataclass(frozen=True, slots=True)
class ModelSize:
    """Numbers of a model.

    Attributes:
        weights: All of them.
        linear: Those of linear layers, the output too: autocast and sampling cast them to 16 bits.
        adapted: Those of linear layers but the output, which 4 bits can hold.
        adapter: Those of the adapter, 0 without one.
        vocabulary: Tokens.
        layers: Blocks, those of an encoder too.
        block: Those of the largest block.
        outer: Those outside of the blocks.
        cached: Numbers that the keys and values of one token are.
        stored: Bytes of a number in the model's files.
        by_name: The number of weights is that in the model's name, and the shape is that of a Llama of this size.
        shape: The configuration.
    """

    weights: int
    linear: int = 0
    adapted: int = 0
    adapter: int = 0
    vocabulary: int = 0
    layers: int = 0
    block: int = 0
    outer: int = 0
    cached: int = 0
    stored: int = _FLOAT
    by_name: bool = False
    shape: PretrainedConfig | None = field(default=None, compare=False, repr=False)


def measure(name: str, tiny: TinyConfig, lora: LoraSettings | None) -> ModelSize | None:
    """Return the size of a model; `None` where neither the model nor a number in its name is at hand.

    Args:
        name: `tiny`, a demo model, a folder (its config.json is enough), or a hub id whose configuration was downloaded
            before.
        tiny: Shape of the model `tiny`.
        lora: The adapter, if any.
    """
    if name == "tiny":
        shape: PretrainedConfig = tiny_shape(tiny, tiny.vocabulary)
        return _count(build(shape, torch.float32), lora)
    if (demo := find_demo(name)) is not None:
        name = str(demo.folder) if demo.folder.is_dir() else demo.hub
    try:
        shape = AutoConfig.from_pretrained(name, local_files_only=True)
        return _count(
            build(shape, shape.dtype if isinstance(shape.dtype, torch.dtype) else torch.float32), lora
        )
    except Exception:  # loaders raise many kinds; all of them say that the model is not here
        found = _IN_NAME.findall(name.rpartition("/")[2].replace("-", " "))
    if not found:
        return None
    weights = _number(*found[-1])
    model = build(_llama_of(weights), torch.bfloat16)
    return replace(_count(model, lora), weights=weights, by_name=True)


def _llama_of(weights: int) -> LlamaConfig:
    """Return the shape of a Llama of about so many weights.

    A block has about 12 times the square of its width, and a model is about 128 times as wide as it has blocks: Llama
    7B has 32 of width 4096, 65B 80 of width 8192. Source: Touvron et al. 2023, arXiv:2302.13971, table 2.
    """
    layers = max(1, round((weights / (12 * _WIDTH_PER_LAYER**2)) ** (1 / 3)))
    heads = max(1, round((weights / (12 * layers)) ** 0.5 / _HEAD))
    width = heads * _HEAD
    return LlamaConfig(
        hidden_size=width,
        intermediate_size=8 * width // 3,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        head_dim=_HEAD,
        vocab_size=32000,
    )


def _number(digits: str, unit: str) -> int:
    """Return the number that billions, "b", or millions, "m", stand for."""
    return round(float(digits) * (1e9 if unit in "bB" else 1e6))


def _count(model: PreTrainedModel, lora: LoraSettings | None) -> ModelSize:
    output = model.get_output_embeddings()
    linear = {
        name: module for name, module in model.named_modules() if isinstance(module, nn.Linear | Conv1D)
    }
    layers = {name: module for name, module in linear.items() if module is not output}
    named = () if lora is None or lora.targets == ("all-linear",) else lora.targets
    adapted = [one for name, one in layers.items() if not named or name.rpartition(".")[2] in named]
    rank = 0 if lora is None else lora.r
    config = model.config
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    head_size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    blocks = [sum(weight.numel() for weight in block.parameters()) for block in blocks_of(model)]
    weights = sum(weight.numel() for weight in model.parameters())
    return ModelSize(
        weights=weights,
        linear=sum(weight.numel() for one in linear.values() for weight in one.parameters()),
        adapted=sum(one.weight.numel() for one in layers.values()),
        adapter=sum(rank * sum(one.weight.shape) for one in adapted),
        vocabulary=config.vocab_size,
        layers=len(blocks),
        block=max(blocks, default=0),
        outer=weights - sum(blocks),
        cached=2 * config.num_hidden_layers * heads * head_size,
        stored=model.dtype.itemsize,
        shape=config,
    )


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of an update that decide on its memory.

    Attributes:
        lora: An adapter is trained; the model's own weights stand still.
        four_bit: Those are held in 4 bits.
        half: The model computes in 16 bits.
        reference: Another copy of the model is kept for the KL term.
        on_cpu: Its blocks lie in the memory of the CPU, which is not that of the model.
        ahead: Another copy of the model samples while this one is updated.
        foreach: The optimiser's step handles all weights at once, as it does on a GPU.
    """

    lora: bool = False
    four_bit: bool = False
    half: bool = False
    reference: bool = False
    on_cpu: bool = False
    ahead: bool = False
    foreach: bool = False


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of sampling that decide on its memory.

    Attributes:
        rows: Prompts that are answered at a time.
        prompt: Tokens of a prompt.
        answer: Tokens of an answer.
    """

    rows: int
    prompt: int
    answer: int


@dataclass(frozen=True, slots=True)
class Division:
    """Processes of a run, and what they divide among them.

    Attributes:
        processes: Their number; each has a GPU of its own, or its part of the machine's memory.
        weights: Weights, the reference model, gradients and averages: FSDP.
        gradients: Gradients and averages: ZeRO 2.
        averages: The optimiser's averages: ZeRO 1.
        gathered: Weights of all blocks stay gathered from the forward to the backward pass: FSDP that does not reshard.
    """

    processes: int = 1
    weights: bool = False
    gradients: bool = False
    averages: bool = False
    gathered: bool = False

    def __str__(self) -> str:
        """Return what is divided, in words."""
        if self.weights:
            return "weights, gradients and optimiser"
        parts = ["gradients"] * self.gradients + ["optimiser"] * self.averages
        return " and ".join(parts) or "episodes and batches"

    def share(self, divided: bool) -> float:
        """Return the part of a process, 1 of what is not divided."""
        return 1 / self.processes if divided else 1.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that a model takes in one process, by use: what is always held, and what only a phase needs.

    Sampling frees its memory before the update and the other way round, so the larger of both counts; if another copy
    samples `ahead`, both do.
    """

    held: dict[str, float]
    sampling: dict[str, float]
    update: dict[str, float]
    ahead: bool = False
    passes_known: bool = True

    @property
    def total(self) -> float:
        """Return the largest number of bytes in use at a time."""
        phases = (sum(self.sampling.values()), sum(self.update.values()))
        return sum(self.held.values()) + (sum(phases) if self.ahead else max(phases))

    @property
    def largest(self) -> tuple[str, float]:
        """Return the use that takes most when most is in use."""
        sampling, update = (sum(phase.values()) for phase in (self.sampling, self.update))
        used = dict(self.held)
        if self.ahead or sampling >= update:
            used |= self.sampling
        if self.ahead or update >= sampling:
            used |= self.update
        return max(used.items(), key=lambda item: item[1])


def memory(
    size: ModelSize,
    training: Training | None,
    sampling: Sampling | None,
    passes: Passes,
    division: Division | None = None,
    engine: float = 0.0,
    engine_rests: bool = False,
) -> Memory:
    """Estimate the bytes that a model takes in one process.

    Args:
        size: The model.
        training: `None` for a model that only samples, with weights of 32 bits.
        sampling: `None` without sampling by this model.
        passes: What passes through the model take, see `traced.py`.
        division: The processes; one if left out.
        engine: Bytes of an engine that samples on the same device.
        engine_rests: Whether it frees them during updates.
    """
    division, training_of = division or Division(), training or Training()
    lora, half = training_of.lora, training_of.half
    trained = 0 if training is None else size.adapter if lora else size.weights
    # Trained weights have 32 bits, see `make_policy`; so have the others where nothing computes in 16.
    at_rest = size.stored if lora and half else _FLOAT
    weights: float = size.weights * at_rest
    if training_of.four_bit:
        weights = size.adapted * _FOUR_BIT + (size.weights - size.adapted) * _HALF
    copies = 0
    if sampling is not None and half:  # of every linear layer with weights of 32 bits, see `low_precision.py`
        copies = _HALF * (size.adapter * lora + (size.linear if at_rest == _FLOAT else 0))
    divided = division.share(division.weights)
    plain = division.processes > 1 and not (division.weights or division.averages)
    held = {
        "weights": (weights + size.adapter * lora * _FLOAT) * divided,
        "optimiser": trained * _ADAM * division.share(division.weights or division.averages),
        "copies in 16 bits for sampling": 0 if division.weights else copies,
        "reference model": _of_reference(size, training_of) * divided,
        "copy that samples ahead": weights if training_of.ahead else 0,
        # torch's DistributedDataParallel keeps the gradients that it exchanges in buckets of their own.
        "exchange of gradients": trained * _FLOAT if plain else 0,
        "engine": 0 if engine_rests else engine,
    }
    update: dict[str, float] = {}
    if training is not None:
        work = passes.activations + passes.vocabulary
        update = {
            "gradients": trained * _FLOAT * division.share(division.weights or division.gradients),
            "gathered weights": _gathered(size, division, half),
            "activations": passes.activations,
            "scores of the vocabulary": passes.vocabulary,
            # torch: an AdamW that handles all weights at once takes about their size more. No pass runs meanwhile.
            "step of the optimiser": max(0.0, trained * _FLOAT * divided - work)
            if training_of.foreach
            else 0,
        }
    # Without division, the model and its copies; with it, a temporary copy in the dtype of computing.
    whole = (size.weights + size.adapter * lora) * _HALF if division.weights and half else weights + copies
    sampled = _of_sampling(size, sampling, passes, half, whole, division)
    if engine_rests:
        sampled["engine"] = engine
    phases = held, sampled, update
    used = [{use: float(amount) for use, amount in phase.items() if amount} for phase in phases]
    return Memory(used[0], used[1], used[2], training_of.ahead, passes.known)


def _of_reference(size: ModelSize, training: Training) -> int:
    if training.lora or not training.reference:
        return 0
    return (size.outer + size.block if training.on_cpu else size.weights) * _FLOAT


def _of_sampling(
    size: ModelSize, sampling: Sampling | None, passes: Passes, half: bool, whole: float, division: Division
) -> dict[str, float]:
    """Return the bytes of sampling; `whole` are those of the weights that are not divided."""
    if sampling is None:
        return {}
    token = size.cached * (_HALF if half else _FLOAT)
    # A stream of episodes remembers the prompts that it has read, beside the rows, see `TokenStream`.
    cache = sampling.rows * (2 * sampling.prompt + sampling.answer) * token
    return {
        "keys and values": cache,
        "reading prompts": max(0.0, passes.reading - cache),
        "undivided weights": whole if division.weights else 0,  # see `Processes.whole`
    }


def _gathered(size: ModelSize, division: Division, half: bool) -> float:
    """Return the bytes that FSDP gathers: weights outside of the blocks, a block and the next one, and a gradient.

    With `half`, weights are gathered in 16 bits; gradients, which come in 16, are summed in 32.
    """
    if not division.weights:
        return 0.0
    blocks = size.weights - size.outer if division.gathered else 2 * size.block
    dtype = _HALF if half else _FLOAT
    return (size.outer + blocks) * dtype + (size.outer + size.block) * (_FLOAT + _HALF * half)
