from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from trainers.algorithms import LossBatch, create_algorithm
from trainers.algorithms.dgpo import DGPO


def dgpo(**settings: Any) -> DGPO:
    made = create_algorithm("dgpo", **settings)
    assert isinstance(made, DGPO)
    return made


def gradient(algorithm: DGPO, batch: dict[str, Any]) -> Tensor:
    leaf = batch["logprobs"].clone().requires_grad_()
    algorithm.compute_loss(batch | {"logprobs": leaf}).backward()
    assert leaf.grad is not None
    return leaf.grad


def test_pairs_from_ranks_match_best_with_worst() -> None:
    assert dgpo().preference_pairs([0.2, 1.0, 0.0, 0.5]) == [(1, 2), (3, 0)]
    assert dgpo(pairs_per_group=1).preference_pairs([0.2, 1.0, 0.0, 0.5]) == [(1, 2)]


def test_equal_returns_make_no_pair() -> None:
    assert dgpo().preference_pairs([1.0, 1.0, 0.0, 1.0]) == [(0, 2)]
    assert dgpo().preference_pairs([1.0, 1.0, 1.0]) == []
    assert dgpo().preference_pairs([1.0]) == []


def test_given_preferences_win_over_ranks() -> None:
    assert dgpo().preference_pairs([0.0, 1.0, 2.0], [(0, 2)]) == [(0, 2)]


@pytest.mark.parametrize("pair", [(0, 3), (-1, 0), (1, 1)])
def test_given_preferences_are_checked(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="different positions from 0 to 2, got"):
        dgpo().preference_pairs([0.0, 1.0, 2.0], [pair])


def test_dpo_term_by_hand() -> None:
    # Gains over the start policy: ln 4 and 0; margin beta ln 4 = ln 2 at beta 0.5: -log sigmoid(ln 2) = ln 1.5.
    batch = {
        "logprobs": torch.tensor([[math.log(0.4)], [math.log(0.2)]]),
        "old_logprobs": torch.tensor([[math.log(0.4)], [math.log(0.2)]]),
        "ref_logprobs": torch.tensor([[math.log(0.1)], [math.log(0.2)]]),
        "advantages": torch.zeros(2),
        "mask": torch.ones(2, 1),
        "pairs": torch.tensor([[0, 1]]),
    }
    loss = dgpo(beta=0.0, dpo_beta=0.5, dpo_coef=0.3).compute_loss(batch)
    assert loss.item() == pytest.approx(0.3 * math.log(1.5), abs=1e-6)


def test_without_the_term_it_is_grpo(rows: dict[str, Tensor]) -> None:
    expected = create_algorithm("grpo", beta=0.02).compute_loss(rows)
    assert torch.equal(dgpo(beta=0.02, use_dpo_loss=False).compute_loss(rows), expected)
    assert torch.equal(dgpo(beta=0.02, dpo_coef=0.0).compute_loss(rows), expected)


def test_weights_give_the_gradient_of_pairs_to_scattered_rows(rows: dict[str, Tensor]) -> None:
    """Trajectories of several rows: the pair loss of summed log-ratios, and the same from weights, row by row."""
    algorithm = dgpo(beta=0.0, dpo_beta=0.4, dpo_coef=0.7)
    trajectory_of_row = torch.tensor([0, 0, 1, 2, 2, 1])
    pairs = [(0, 1), (0, 2)]
    leaf = rows["logprobs"].clone().requires_grad_()
    per_row = ((leaf - rows["ref_logprobs"]) * rows["mask"]).sum(1)
    gains = torch.zeros(3, dtype=torch.float64).index_add(0, trajectory_of_row, per_row)
    expected = (
        0.7
        * torch.stack(
            [-torch.nn.functional.logsigmoid(0.4 * (gains[best] - gains[worst])) for best, worst in pairs]
        ).mean()
    )
    expected.backward()
    assert leaf.grad is not None

    weights = algorithm.pair_weights(gains.detach(), pairs)[trajectory_of_row]
    silent = rows | {"advantages": torch.zeros(6, dtype=torch.float64)}
    found = [
        gradient(
            algorithm,
            {n: v[at : at + 1] for n, v in (silent | {"pair_weights": weights}).items()} | {"total_rows": 6},
        )
        for at in range(6)
    ]
    assert torch.allclose(torch.cat(found), leaf.grad, atol=1e-12)
    assert leaf.grad.abs().max() > 1e-3


def test_a_whole_batch_is_ranked_by_advantage(rows: dict[str, Tensor]) -> None:
    algorithm = dgpo(pairs_per_group=2)
    # Advantages 1.3 -0.7 0.4 -1.9 0.8 -0.2, and row 4 has no token: 0 over 3, 2 over 1.
    given = rows | {"pairs": torch.tensor([[0, 3], [2, 1]])}
    assert torch.equal(algorithm.compute_loss(rows), algorithm.compute_loss(given))


def test_no_pairs_no_term(rows: dict[str, Tensor]) -> None:
    without = rows | {"pairs": torch.zeros(0, 2, dtype=torch.long)}
    expected = gradient(dgpo(use_dpo_loss=False), rows)
    assert torch.equal(gradient(dgpo(), without), expected)
    assert dgpo().pair_weights(torch.zeros(3), []).tolist() == [0.0, 0.0, 0.0]


def test_a_step_of_a_trainer_must_bring_pairs(rows: dict[str, Tensor]) -> None:
    with pytest.raises(ValueError, match="needs pairs or pair_weights"):
        dgpo().compute_loss(LossBatch(**rows, total_rows=6))


def test_the_start_policy_is_needed_for_the_term(rows: dict[str, Tensor]) -> None:
    assert dgpo(beta=0.0).needs_reference
    assert not dgpo(beta=0.0, use_dpo_loss=False).needs_reference
    del rows["ref_logprobs"]
    with pytest.raises(ValueError, match="the DPO term needs ref_logprobs"):
        dgpo(beta=0.0).compute_loss(rows)


def test_shape_of_pairs_is_checked(rows: dict[str, Tensor]) -> None:
    with pytest.raises(ValueError, match=r"pairs of shape \(P, 2\), got \(3,\)"):
        dgpo().compute_loss(rows | {"pairs": torch.tensor([0, 1, 2])})
