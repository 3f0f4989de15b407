from __future__ import annotations

from math import exp, log
from typing import Any

import pytest
import torch

from trainers.policies.mismatch import importance_weights, mismatch_metrics

# p / q: 1, 1/2, 4 and, on padding, a value that must not count.
LEARNER = torch.tensor([[log(0.2), log(0.1)], [log(0.8), -50.0]])
SAMPLER = torch.tensor([[log(0.2), log(0.2)], [log(0.2), -1.0]])
MASK = torch.tensor([[1.0, 1.0], [1.0, 0.0]])


def test_weights_by_hand() -> None:
    weights = importance_weights(LEARNER, SAMPLER, MASK, high=2.0)
    assert torch.allclose(weights, torch.tensor([[1.0, 0.5], [2.0, 1.0]]))
    assert torch.allclose(importance_weights(LEARNER, SAMPLER, MASK, high=5.0)[1, 0], torch.tensor(4.0))


def test_weights_carry_no_gradient_and_do_not_overflow() -> None:
    learner = torch.tensor([[0.0]], requires_grad=True)
    weights = importance_weights(learner, torch.tensor([[-1e4]]), torch.ones(1, 1), high=3.0)
    assert not weights.requires_grad
    assert weights.item() == pytest.approx(3.0)


def test_a_weighted_mean_is_that_of_the_learner() -> None:
    """Drawn from q, weighted by p / q: the expectation of any value is that under p."""
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.4, 0.4, 0.2])
    value = torch.tensor([1.0, -2.0, 5.0])
    weights = importance_weights(p.log().unsqueeze(0), q.log().unsqueeze(0), torch.ones(1, 3), high=2.0)
    assert (q * weights.squeeze(0) * value).sum().item() == pytest.approx((p * value).sum().item(), rel=1e-6)


@pytest.mark.parametrize(
    ("bounds", "name"),
    [
        ({"high": 0.5}, "high"),
        ({"high": float("nan")}, "high"),
        ({"low": 1.5}, "low"),
        ({"low": -0.1}, "low"),
    ],
)
def test_bounds_on_the_wrong_side_of_one_are_refused(bounds: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: got .*, expected"):
        importance_weights(LEARNER, SAMPLER, MASK, **bounds)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("token_truncate", [[1.0, 0.8], [3.0, 1.0]]),
        ("token_mask", [[1.0, 0.0], [0.0, 1.0]]),
        ("sequence_truncate", [[0.8], [3.0]]),
        ("sequence_mask", [[0.0], [0.0]]),
        ("none", [[1.0, 1.0], [1.0, 1.0]]),
    ],
)
def test_modes_by_hand(mode: Any, expected: list[list[float]]) -> None:
    """p / q is 1 and 1/2 in the first row, 4 in the second."""
    found = importance_weights(LEARNER, SAMPLER, MASK, mode, low=0.8, high=3.0)
    assert torch.allclose(found, torch.tensor(expected))
    wide = importance_weights(LEARNER, SAMPLER, MASK, mode, low=0.0, high=None)
    whole = [[0.5], [4.0]] if "sequence" in mode else [[1.0, 0.5], [4.0, 1.0]]
    assert torch.allclose(wide, torch.ones(2, 2) if mode == "none" else torch.tensor(whole))


@pytest.mark.parametrize("high", [1.0, 1.5, None])
@pytest.mark.parametrize("low", [0.0, 0.7])
def test_weights_equal_the_formula_of_trl(low: float, high: float | None) -> None:
    """TRL computes them inside of its rollout; its lines, on random rows."""
    generator = torch.Generator().manual_seed(0)
    learner, sampler = (-2 * torch.rand(5, 4, generator=generator) for _ in range(2))
    mask = torch.tensor([[1.0] * length + [0.0] * (4 - length) for length in (4, 1, 2, 3, 4)])
    difference = (learner - sampler) * mask
    for level, apart in (("token", difference), ("sequence", difference.sum(-1, keepdim=True))):
        ratio = apart.exp()
        outside = (ratio < low) | (ratio > (float("inf") if high is None else high))
        for mode, theirs in (("truncate", ratio.clamp(low, high)), ("mask", ratio.masked_fill(outside, 0.0))):
            ours = importance_weights(learner, sampler, mask, f"{level}_{mode}", low, high)  # type: ignore[arg-type]
            assert torch.allclose(ours, theirs)


def test_metrics_by_hand() -> None:
    found = mismatch_metrics(LEARNER, SAMPLER, MASK, cap=2.0)
    differences = [0.0, -log(2.0), log(4.0)]
    assert found == pytest.approx(
        {
            "mean_difference": sum(map(abs, differences)) / 3,
            "largest_difference": log(4.0),
            "kl": sum(exp(d) - 1.0 - d for d in differences) / 3,
            "mean_weight": (1.0 + 0.5 + 4.0) / 3,
            "capped_share": 1 / 3,
        },
        rel=1e-5,
    )
