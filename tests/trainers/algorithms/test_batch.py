"""Parts of an optimiser step add up, and batches are checked."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from trainers.algorithms import ALGORITHMS, LossBatch, create_algorithm


def part(rows: dict[str, Any], start: int, end: int, **totals: Any) -> LossBatch:
    return LossBatch(**{name: value[start:end] for name, value in rows.items()}, **totals)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_parts_of_a_step_add_up(rows: dict[str, Any], name: str) -> None:
    settings = {"dpo_beta": 0.4} if name == "dgpo" else {}
    algorithm = create_algorithm(name, **settings, beta=0.05)
    # Any weights will do here: what is tested is that nothing depends on how rows are split.
    rows = rows | {"pair_weights": torch.tensor([0.3, -0.3, 0.1, -0.1, 0.0, 0.0], dtype=torch.float64)}
    totals = {"total_rows": 6, "total_tokens": float(rows["mask"].sum())}
    whole = algorithm.compute_loss(LossBatch(**rows))
    parts = [
        algorithm.compute_loss(part(rows, start, end, **totals)) for start, end in ((0, 1), (1, 4), (4, 6))
    ]
    assert sum(loss.item() for loss in parts) == pytest.approx(whole.item(), abs=1e-12)


@pytest.mark.parametrize("name", ["dapo", "cispo", "reinforce_pp"])
def test_a_mean_over_tokens_needs_their_number(rows: dict[str, Tensor], name: str) -> None:
    with pytest.raises(ValueError, match="needs total_tokens in a batch of 2 of 6 rows"):
        create_algorithm(name, beta=0.0).compute_loss(part(rows, 0, 2, total_rows=6))
    assert torch.isfinite(create_algorithm(name, beta=0.0).compute_loss(part(rows, 0, 6, total_rows=6)))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_empty_row_has_no_gradient(rows: dict[str, Tensor], name: str) -> None:
    leaf = rows["logprobs"].clone().requires_grad_()
    create_algorithm(name, beta=0.05).compute_loss(rows | {"logprobs": leaf}).backward()
    assert leaf.grad is not None
    assert leaf.grad[4].abs().max() == 0.0
    assert torch.equal(leaf.grad != 0, (leaf.grad != 0) & rows["mask"].bool())


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "dgpo"])
def test_divergence_needs_the_start_policy(rows: dict[str, Tensor], name: str) -> None:
    assert create_algorithm(name, beta=0.1).needs_reference
    assert not create_algorithm(name, beta=0.0).needs_reference
    del rows["ref_logprobs"]
    assert torch.isfinite(create_algorithm(name, beta=0.0).compute_loss(rows))
    for settings in ({}, {"use_baseline": False}) if name == "reinforce_pp" else ({},):
        with pytest.raises(ValueError, match="needs ref_logprobs in the batch; got none"):
            create_algorithm(name, beta=0.1, **settings).compute_loss(rows)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_on_policy_every_ratio_is_one(rows: dict[str, Tensor], name: str) -> None:
    metrics = create_algorithm(name).compute_metrics(rows | {"logprobs": rows["old_logprobs"]})
    assert (metrics["ratio"], metrics["clip_fraction"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampler_weights": torch.ones(6)}, r"sampler_weights of shape \(6, 5\) or \(6, 1\), got \(6,\)"),
        ({"pair_weights": torch.ones(6, 5)}, r"pair_weights of shape \(6,\), got \(6, 5\)"),
        ({"total_row": 6}, "unknown batch key 'total_row'; did you mean 'total_rows'"),
        ({"logprobs": torch.ones(6)}, r"logprobs of shape \(rows, tokens\), got \(6,\)"),
        ({"advantages": [1.0] * 6}, "expected advantages to be a tensor, got list"),
        ({"mask": None}, "expected mask to be a tensor, got NoneType"),
    ],
)
def test_shapes_and_keys_are_checked(rows: dict[str, Tensor], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_algorithm("grpo").compute_loss(rows | changes)


def test_weights_per_row_of_another_sampler(rows: dict[str, Tensor]) -> None:
    """Truncated weights scale the policy loss and leave the divergence alone."""
    algorithm = create_algorithm("grpo", beta=0.1)
    plain = create_algorithm("grpo", beta=0.0).compute_loss(rows)
    divergence = algorithm.compute_loss(rows) - plain
    halved = algorithm.compute_loss(rows | {"sampler_weights": torch.full((6, 1), 0.5, dtype=torch.float64)})
    assert halved.item() == pytest.approx((0.5 * plain + divergence).item())


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_batch_of_no_rows_has_no_loss(rows: dict[str, Tensor], name: str) -> None:
    none = {key: value[:0] for key, value in rows.items()}
    leaf = none["logprobs"].clone().requires_grad_()
    loss = create_algorithm(name, beta=0.05).compute_loss(none | {"logprobs": leaf})
    loss.backward()
    assert loss.item() == 0.0


@pytest.mark.parametrize("name", ALGORITHMS)
def test_only_the_policy_gets_a_gradient(rows: dict[str, Tensor], name: str) -> None:
    """The sampler's log-probabilities are those of a while ago, also where they are the very same tensor."""
    leaf = rows["logprobs"].clone().requires_grad_()
    algorithm = create_algorithm(name, beta=0.05)
    algorithm.compute_loss(rows | {"logprobs": leaf, "old_logprobs": leaf}).backward()
    expected = rows["logprobs"].clone().requires_grad_()
    algorithm.compute_loss(rows | {"logprobs": expected, "old_logprobs": rows["logprobs"]}).backward()
    assert leaf.grad is not None and expected.grad is not None
    assert torch.equal(leaf.grad, expected.grad) and leaf.grad.abs().max() > 0.0


def test_the_entropy_bonus_by_hand(rows: dict[str, Tensor]) -> None:
    """Entropies 1, 3 and 2 of three tokens: a mean of 2, of which half is taken off the loss."""
    entropy = torch.tensor([[1.0, 3.0], [2.0, 9.0]], requires_grad=True)
    mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    logprobs = torch.full((2, 2), -1.0, requires_grad=True)
    batch = LossBatch(logprobs, logprobs.detach(), torch.zeros(2), mask, entropy=entropy)
    loss = create_algorithm("grpo", beta=0.0, entropy_coef=0.5).compute_loss(batch)
    assert loss.item() == pytest.approx(-1.0)
    loss.backward()
    assert entropy.grad is not None
    assert entropy.grad.flatten().tolist() == pytest.approx([-1 / 6, -1 / 6, -1 / 6, 0.0])
    del rows["entropy"]
    with pytest.raises(ValueError, match=r"needs entropy in the batch; got none \(set entropy_coef=0"):
        create_algorithm("grpo", entropy_coef=0.5).compute_loss(rows)
