from __future__ import annotations

from math import exp, log

import pytest
import torch

from trainers.policies.mismatch import mismatch_metrics, truncated_weights

# p / q: 1, 1/2, 4 and, on padding, a value that must not count.
LEARNER = torch.tensor([[log(0.2), log(0.1)], [log(0.8), -50.0]])
SAMPLER = torch.tensor([[log(0.2), log(0.2)], [log(0.2), -1.0]])
MASK = torch.tensor([[1.0, 1.0], [1.0, 0.0]])


def test_weights_by_hand() -> None:
    weights = truncated_weights(LEARNER, SAMPLER, MASK, cap=2.0)
    assert torch.allclose(weights, torch.tensor([[1.0, 0.5], [2.0, 1.0]]))
    assert torch.allclose(truncated_weights(LEARNER, SAMPLER, MASK, cap=5.0)[1, 0], torch.tensor(4.0))


def test_weights_carry_no_gradient_and_do_not_overflow() -> None:
    learner = torch.tensor([[0.0]], requires_grad=True)
    weights = truncated_weights(learner, torch.tensor([[-1e4]]), torch.ones(1, 1), cap=3.0)
    assert not weights.requires_grad
    assert weights.item() == pytest.approx(3.0)


def test_a_weighted_mean_is_that_of_the_learner() -> None:
    """Drawn from q, weighted by p / q: the expectation of any value is that under p."""
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.4, 0.4, 0.2])
    value = torch.tensor([1.0, -2.0, 5.0])
    weights = truncated_weights(p.log().unsqueeze(0), q.log().unsqueeze(0), torch.ones(1, 3), cap=2.0)
    assert (q * weights.squeeze(0) * value).sum().item() == pytest.approx((p * value).sum().item(), rel=1e-6)


@pytest.mark.parametrize("cap", [0.5, 0.0, float("nan")])
def test_a_cap_below_one_is_refused(cap: float) -> None:
    with pytest.raises(ValueError, match="expected at least 1"):
        truncated_weights(LEARNER, SAMPLER, MASK, cap)


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
