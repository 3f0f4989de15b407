"""Losses stay finite and exact where numbers are extreme, and look at nothing but sampled tokens."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from trainers.algorithms import ALGORITHMS, create_algorithm

OFF, NAN = -math.inf, math.nan


def loss_and_gradient(name: str, batch: dict[str, Any], **settings: Any) -> tuple[Tensor, Tensor]:
    leaf = batch["logprobs"].clone().requires_grad_()
    loss = create_algorithm(name, **settings).compute_loss(batch | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    return loss.detach(), leaf.grad


def one_token(new: float, old: float, advantage: float, ref: float = -1.0) -> dict[str, Tensor]:
    """Two rows of one token; the second one's ratio is 1 and its advantage 0."""
    return {
        "logprobs": torch.tensor([[new], [-1.0]]),
        "old_logprobs": torch.tensor([[old], [-1.0]]),
        "ref_logprobs": torch.tensor([[ref], [-1.0]]),
        "advantages": torch.tensor([advantage, 0.0]),
        "mask": torch.ones(2, 1),
    }


@pytest.mark.parametrize("filling", [NAN, OFF, math.inf, 1e30])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_stands_on_padding_does_not_matter(rows: dict[str, Tensor], name: str, filling: float) -> None:
    padding = rows["mask"] == 0
    dirty = {
        key: rows[key].masked_fill(padding, filling) for key in ("logprobs", "old_logprobs", "ref_logprobs")
    }
    # The fifth row has no token at all, so nothing of it may count.
    dirty["advantages"] = rows["advantages"].masked_fill(rows["mask"].sum(1) == 0, filling)
    expected = loss_and_gradient(name, rows, beta=0.05)
    found = loss_and_gradient(name, rows | dirty | {"mask": rows["mask"].bool()}, beta=0.05)
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
    algorithm = create_algorithm(name, beta=0.05)
    assert algorithm.compute_metrics(rows | dirty) == algorithm.compute_metrics(rows)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_half_precision_is_computed_in_full(rows: dict[str, Tensor], name: str) -> None:
    half = {key: value.bfloat16() for key, value in rows.items()}
    expected = loss_and_gradient(name, {key: value.float() for key, value in half.items()}, beta=0.05)
    found = loss_and_gradient(name, half, beta=0.05)
    assert found[0].dtype == torch.float32
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1].bfloat16())


@pytest.mark.parametrize("level", ["token", "sequence", "sequence_token", "geometric_mean"])
def test_a_ratio_that_would_overflow_counts_as_the_largest(level: str) -> None:
    settings = {"beta": 0.0, "is_level": level}
    # Clipped from above at 1.2, mean of two rows; a negative advantage leaves e^20.
    loss, gradient = loss_and_gradient("grpo", one_token(-0.5, -300.0, 1.0), **settings)
    assert (loss.item(), gradient.flatten().tolist()) == (pytest.approx(-0.6), [0.0, 0.0])
    loss, gradient = loss_and_gradient("grpo", one_token(-0.5, -300.0, -1.0), **settings)
    assert (loss.item(), gradient.flatten().tolist()) == (pytest.approx(math.exp(20) / 2), [0.0, 0.0])
    # Up to there nothing changes: e^19 with its gradient.
    loss, gradient = loss_and_gradient("grpo", one_token(-1.0, -20.0, -1.0), **settings)
    assert loss.item() == pytest.approx(math.exp(19) / 2)
    assert gradient[0].item() == pytest.approx(
        math.exp(19) / 2 if level != "geometric_mean" else 0.5 * math.exp(19)
    )


@pytest.mark.parametrize("advantage", [1.0, -1.0, 0.0])
@pytest.mark.parametrize(
    ("new", "old", "ref"),
    [(-0.5, -300.0, -1.0), (-1.0, OFF, -1.0), (OFF, -1.0, -1.0), (OFF, OFF, OFF), (-1.0, -1.0, OFF)],
)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_everything_stays_finite(name: str, new: float, old: float, ref: float, advantage: float) -> None:
    batch = one_token(new, old, advantage, ref)
    settings: dict[str, Any] = {"beta": 0.05}
    for estimator in ("k3", "k2", "abs", "k1"):
        loss, gradient = loss_and_gradient(name, batch, kl_estimator=estimator, **settings)
        assert loss.isfinite() and gradient.isfinite().all()
    assert all(map(math.isfinite, create_algorithm(name).compute_metrics(batch).values()))


def test_a_token_that_the_policy_excludes_has_no_gradient() -> None:
    # Ratio 0 at advantage -1: the clip holds it at 0.8; k2 of the 1e4 nats between the policies is 0.5e8.
    loss, gradient = loss_and_gradient("grpo", one_token(OFF, -1.0, -1.0), beta=0.0)
    assert (loss.item(), gradient.flatten().tolist()) == (pytest.approx(0.4), [0.0, 0.0])
    loss, gradient = loss_and_gradient("grpo", one_token(OFF, -1.0, 0.0), beta=1.0, kl_estimator="k2")
    assert loss.item() == pytest.approx(0.25e8, rel=1e-3)
    assert gradient.flatten().tolist() == [0.0, 0.0]


def test_k3_is_bounded_where_the_policy_left_the_start_policys_tokens() -> None:
    # d = 50 counts as 20, and the pull ends there; d = 3 is e^3 - 4 with the gradient 1 - e^3, by two rows.
    loss, gradient = loss_and_gradient("grpo", one_token(-51.0, -51.0, 0.0, ref=-1.0), beta=1.0)
    assert loss.item() == pytest.approx((math.exp(20) - 21) / 2)
    assert gradient[0].item() == 0.0
    loss, gradient = loss_and_gradient("grpo", one_token(-4.0, -4.0, 0.0, ref=-1.0), beta=1.0)
    assert loss.item() == pytest.approx((math.exp(3) - 4) / 2)
    assert gradient[0].item() == pytest.approx((1 - math.exp(3)) / 2)
