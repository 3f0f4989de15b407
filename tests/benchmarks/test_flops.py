"""The count is compared with torch's own counter of the matrix products of a forward pass."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.big_models import SIZES, build_big_model
from benchmarks.flops import ModelShape, Work, continuing, dialogue, packed, reading
from trainers.policies.packing import pack_rows


def test_the_count_is_that_of_torch() -> None:
    model = build_big_model("tiny", 0, torch.device("cpu"), seed=0)
    model.set_attn_implementation("eager")  # which multiplies whole squares, the upper half included
    tokens, kept = 7, 3
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.ones(1, tokens, dtype=torch.long), logits_to_keep=kept)
    assert (
        ModelShape.of(model.config).forward(Work(tokens, tokens * tokens, kept)) == counter.get_total_flops()
    )


def test_the_shape_of_a_model_without_a_head_size() -> None:
    shape = ModelShape.of(SIZES["0.5b"])
    assert (shape.query_width, shape.key_width) == (896, 128)  # 896 / 14 heads = 64 each, 2 key heads
    assert shape.weights_per_layer == 896 * (2 * 896 + 2 * 128) + 3 * 896 * 4864


@pytest.mark.parametrize(("size", "billions"), [("0.1b", 0.12), ("0.5b", 0.49), ("0.6b", 0.60), ("1b", 0.94)])
def test_sizes_are_named_after_their_parameters(size: str, billions: float) -> None:
    with torch.device("meta"):
        model = build_big_model(size, 0, torch.device("meta"), seed=0)
    assert sum(one.numel() for one in model.parameters()) / 1e9 == pytest.approx(billions, abs=0.01)


def test_work_by_hand() -> None:
    assert reading(3) == Work(tokens=3, looks=1 + 2 + 3, predictions=0)
    assert continuing(3, 2) == Work(tokens=2, looks=4 + 5, predictions=2)
    # What is scored: the four sampled tokens of six that follow the prompt.
    assert dialogue(2, [1, 1, 0, 0, 1, 1]) == Work(tokens=8, looks=36, predictions=4)


def test_a_shared_prompt_is_read_once() -> None:
    pairs = [((1, 2, 3), (4, 5)), ((1, 2, 3), (6,))]
    together, apart = (packed(pack_rows(pairs, share_prompts=shared)) for shared in (True, False))
    assert together == Work(tokens=3 + 2 + 1, looks=6 + 9 + 4, predictions=3)
    assert apart == Work(tokens=together.tokens + 3, looks=together.looks + 6, predictions=3)
