"""The estimate of an update against the bytes that torch's allocator reports while the learner takes one."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    GPTNeoXConfig,
    LlamaConfig,
    PretrainedConfig,
)

from trainers.config.lora import LoraSettings
from trainers.policies.adapters import Adapter
from trainers.policies.packing import build_batch
from trainers.policies.scoring import save_activation_memory, score
from trainers.run.plan.traced import Pass, fullest_rows, trace_update

CPU = torch.device("cpu")


def drawn_shape(draw: random.Random, kind: type[PretrainedConfig]) -> PretrainedConfig:
    heads, size = draw.choice([2, 4]), draw.choice([16, 32])
    options = {
        "hidden_size": heads * size,
        "intermediate_size": draw.choice([64, 160, 256]),
        "num_hidden_layers": draw.choice([2, 4, 6]),
        "num_attention_heads": heads,
        "vocab_size": draw.choice([300, 900, 2000]),
    }
    if kind is not GPTNeoXConfig:
        options |= {"num_key_value_heads": draw.choice([1, heads]), "head_dim": size}
    return kind(**options)


def allocated_peak(work: Callable[[], None]) -> int:
    """Return the most bytes that the allocator handed out during some work, above those before it."""
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as seen:
        work()
    events = enumerate(seen.profiler.kineto_results.events())
    changes = sorted((each.start_ns(), at, each.nbytes()) for at, each in events if each.name() == "[memory]")
    return max(itertools.accumulate(size for _, _, size in changes))


def loaded(shape: PretrainedConfig, settings: Pass) -> torch.nn.Module:
    model = AutoModelForCausalLM.from_config(shape).eval()
    if settings.lora is not None:
        Adapter(model, settings.lora, "", 0)
    if settings.checkpointing:
        save_activation_memory(model)
    return model


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (LlamaConfig, Pass(CPU)),
        (GPTNeoXConfig, Pass(CPU, checkpointing=True)),
        (Gemma2Config, Pass(CPU, half=True)),
        (LlamaConfig, Pass(CPU, half=True, lora=LoraSettings(4), checkpointing=True)),
    ],
    ids=["plain", "checkpointing", "half", "adapter"],
)
def test_a_pass_takes_what_is_estimated(kind: type[PretrainedConfig], settings: Pass) -> None:
    draw = random.Random(f"{kind.__name__} {settings}")
    shape, prompt, answer = drawn_shape(draw, kind), draw.randint(16, 60), draw.randint(8, 40)
    tokens = draw.randint(600, 1500)
    rows = fullest_rows(tokens, prompt, answer)
    assert tokens - len(rows) < len(rows) * len(rows[0]) <= tokens
    estimated = trace_update(shape, settings, tokens, prompt, answer)
    model, batch = loaded(shape, settings), build_batch(rows)
    for weight in model.parameters():
        weight.grad = torch.zeros_like(weight) if weight.requires_grad else None

    def update() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.half):
            scores = score(model, batch, 1.0, in_pieces=True)
        scores.logprobs.sum().backward()

    measured = allocated_peak(update)
    assert estimated.activations + estimated.vocabulary == pytest.approx(measured, rel=0.15)
