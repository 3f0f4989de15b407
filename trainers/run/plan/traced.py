"""Memory of passes through a model, from passes of the real code on tensors without numbers.

`FakeTensorMode` gives tensors that have shape and dtype but no memory. The model is built from its configuration, the
scoring of the learner runs forward and backward on them, and the bytes of what exists at a time are added up: what a
block of this architecture keeps for its backward pass, the casts of autocast, the scores of the vocabulary. No formula
for an architecture is needed. The blocks of a model are alike, so two shallow models tell what a deep one takes.
"""

from __future__ import annotations

import copy
import functools
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    DynamicCache,
    PretrainedConfig,
    PreTrainedModel,
)

from trainers.config.lora import LoraSettings
from trainers.policies.adapters import Adapter
from trainers.policies.encoder_decoder import encode, has_encoder
from trainers.policies.packing import MOST_TOKENS, PackedRow, build_batch
from trainers.policies.scoring import blocks_of, save_activation_memory, score
from trainers.run.plan.counting import TensorBytes

# It prints a traceback for each operation that asks for numbers; the plan says it in a line.
logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)

_DEPTHS: Final = (2, 3)
"""Blocks of the two shallow models; two, so that the first block, whose input needs no gradient, is not all."""
_SAME_NUMBERS: Final = ("prim.device", "aten.alias", "aten.slice", "aten._to_copy")
"""Operations that change no logit; autocast casts a weight where it is used first."""
_VOCABULARY, _OTHER = "vocabulary", "other"


@dataclass(frozen=True, slots=True)
class Passes:
    """Bytes that exist beside weights and gradients when a pass needs most.

    Attributes:
        activations: Of an update: what blocks keep for the backward pass, and the work of one block.
        vocabulary: Of an update: scores of tokens over the vocabulary, and gradients of its matrices.
        reading: Of sampling: keys, values and the work of one block while prompts are read.
        known: Whether the model ran; 0 stands for what is not known.
    """

    activations: float = 0.0
    vocabulary: float = 0.0
    reading: float = 0.0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Pass:
    """Settings of the passes.

    Attributes:
        device: Its kernels decide what is kept.
        half: Autocast computes in 16 bits.
        lora: The adapter that is trained, if any.
        checkpointing: The blocks are computed again in the backward pass.
        stored: Dtype of weights that are not trained.
    """

    device: torch.device
    half: bool = False
    lora: LoraSettings | None = None
    checkpointing: bool = False
    stored: torch.dtype = torch.float32


def fullest_rows(tokens: int, prompt: int, answer: int) -> list[PackedRow]:
    """Return the largest batch that the learner packs: rows that are as long as possible, each of one prompt.

    Args:
        tokens: Most padded tokens of the batch. A row is never divided, so one that is longer is a batch.
        prompt: Tokens of a prompt.
        answer: Tokens of a completion.
    """
    longest = prompt + max(answer, MOST_TOKENS)
    count = -(-tokens // longest)
    columns = tokens // count
    if columns < prompt + answer:
        count, columns = max(1, count - 1), max(prompt + answer, min(longest, tokens))
    rows = []
    for number in range(count):
        row, left = PackedRow(), columns - prompt
        for member in range(left // answer):
            size = answer + (left % answer if member == 0 else 0)
            # Prompts differ in their first token, and completions of a prompt too: nothing else is shared.
            row.add(((number, *[0] * (prompt - 1)), (member, *[0] * (size - 1))), member)
        rows.append(row)
    return rows


def trace_update(shape: PretrainedConfig, settings: Pass, tokens: int, prompt: int, answer: int) -> Passes:
    """Return what a pass forward and back takes; the gradients of earlier batches are there already.

    Args:
        shape: The model.
        settings: Settings of the passes.
        tokens: Most padded tokens of the batch.
        prompt: Tokens of a prompt.
        answer: Tokens of a completion.
    """
    found = _of_update(_Shape(shape.to_json_string(), shape), settings, tokens, prompt, answer)
    return Passes(activations=found[_OTHER], vocabulary=found[_VOCABULARY])


def trace_reading(shape: PretrainedConfig, settings: Pass, rows: int, prompt: int) -> float:
    """Return what the reading of so many prompts of so many tokens takes."""
    return sum(_of_reading(_Shape(shape.to_json_string(), shape), settings, rows, prompt).values())


@dataclass(frozen=True, slots=True)
class _Shape:
    """A configuration that can be compared."""

    text: str
    config: PretrainedConfig = field(compare=False)


@functools.cache
def _of_update(shape: _Shape, settings: Pass, tokens: int, prompt: int, answer: int) -> Counter[str]:
    rows = fullest_rows(tokens, prompt, answer)
    return _at_full_depth(shape.config, settings, lambda model: _update(model, settings, rows))


@functools.cache
def _of_reading(shape: _Shape, settings: Pass, rows: int, prompt: int) -> Counter[str]:
    return _at_full_depth(shape.config, settings, lambda model: _reading(model, settings, rows, prompt))


def build(shape: PretrainedConfig, dtype: torch.dtype) -> PreTrainedModel:
    """Return a model of this shape whose weights take no memory."""
    kind: Any = AutoModelForSeq2SeqLM if shape.is_encoder_decoder else AutoModelForCausalLM
    with torch.device("meta"):
        model: PreTrainedModel = kind.from_config(shape, dtype=dtype).eval()
    return model


def _at_full_depth(
    shape: PretrainedConfig, settings: Pass, measure: Callable[[PreTrainedModel], Counter[str]]
) -> Counter[str]:
    """Return bytes by kind for the whole model: of itself where it is shallow, else drawn on from two shallow ones."""
    whole = build(shape, settings.stored)
    count = len(blocks_of(whole))
    if count <= _DEPTHS[-1]:
        return measure(_prepared(whole, settings))
    found = []
    for depth in _DEPTHS:
        model = _prepared(build(_with_depth(shape, depth), settings.stored), settings)
        found.append((len(blocks_of(model)), measure(model)))
    (few, least), (more, most) = found
    if few == more:  # a configuration that names its depth otherwise
        return measure(_prepared(whole, settings))
    share = (count - few) / (more - few)
    return Counter({kind: round(least[kind] + share * (most[kind] - least[kind])) for kind in most})


def _prepared(model: PreTrainedModel, settings: Pass) -> PreTrainedModel:
    """Prepare a model as for a run."""
    if settings.lora is not None:
        Adapter(model, settings.lora, "", seed=0)
    if settings.checkpointing:
        save_activation_memory(model)
    return model


def _with_depth(shape: PretrainedConfig, layers: int) -> PretrainedConfig:
    """Return the configuration of a model with fewer blocks."""
    found = copy.deepcopy(shape)
    # T5 and BART count the blocks of the decoder apart.
    for name in ("num_hidden_layers", "num_decoder_layers", "encoder_layers", "decoder_layers"):
        if getattr(found, name, None):
            setattr(found, name, layers)
    if getattr(found, "layer_types", None):
        found.layer_types = found.layer_types[:layers]
    return found


@contextmanager
def _without_numbers(model: PreTrainedModel, settings: Pass) -> Iterator[None]:
    """Put a model on the device, and make all tensors without numbers within the block."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        moved: dict[int, nn.Parameter] = {}  # tied weights stay one
        for module in model.modules():
            for name, weight in module._parameters.items():
                if weight is not None:
                    if id(weight) not in moved:
                        data = torch.empty_like(weight, device=settings.device)
                        moved[id(weight)] = nn.Parameter(data, requires_grad=weight.requires_grad)
                    module._parameters[name] = moved[id(weight)]
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = torch.empty_like(buffer, device=settings.device)
        with torch.autocast(settings.device.type, torch.bfloat16, enabled=settings.half):
            yield


def _update(model: PreTrainedModel, settings: Pass, rows: Sequence[PackedRow]) -> Counter[str]:
    batch = build_batch(rows)
    counter = _counter(model, settings, sum(len(answer) for row in rows for _, answer in row.pairs))
    with _without_numbers(model, settings):
        in_pieces = _scores_in_pieces(model, settings)
        for weight in model.parameters():
            if weight.requires_grad:
                weight.grad = torch.zeros_like(weight)  # of the earlier batches of the optimiser step
        with counter:
            scores = score(model, batch, 1.0, in_pieces=in_pieces)
            with torch.autocast(settings.device.type, enabled=False):
                scores.logprobs.sum().backward()
    return counter.peak


def _scores_in_pieces(model: PreTrainedModel, settings: Pass) -> bool:
    """Return whether the logits are the output layer applied to the output of the body, and nothing else.

    The learner compares numbers, see `trainers.policies.scoring`; here the operations are compared.
    """
    if has_encoder(model):
        return False
    ids = torch.zeros(1, 2, dtype=torch.long)
    counters = [_counter(model, settings, 0) for _ in range(2)]
    with torch.no_grad(), counters[0]:
        model(input_ids=ids, use_cache=False)
    with torch.no_grad(), counters[1]:
        model.get_output_embeddings()(model.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state)
    whole, parts = (counter.operations for counter in counters)
    return all(name.startswith(_SAME_NUMBERS) for name in whole - parts)


def _reading(model: PreTrainedModel, settings: Pass, rows: int, prompt: int) -> Counter[str]:
    ids, mask = (torch.ones(rows, prompt, dtype=torch.long) for _ in range(2))
    counter = _counter(model, settings, 0)
    with _without_numbers(model, settings), torch.no_grad(), counter:
        if has_encoder(model):
            encode(model, ids, mask)
        else:
            model(
                input_ids=ids,
                attention_mask=mask,
                position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0),
                past_key_values=DynamicCache(config=model.config),
                use_cache=True,
                logits_to_keep=1,
            )
    return counter.peak


def _counter(model: PreTrainedModel, settings: Pass, chosen: int) -> TensorBytes:
    vocabulary = model.config.vocab_size

    def kind(tensor: Tensor) -> str:
        return _VOCABULARY if vocabulary in tensor.shape else _OTHER

    return TensorBytes(settings.device, kind, chosen)
