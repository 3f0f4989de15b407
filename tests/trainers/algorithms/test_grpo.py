from __future__ import annotations

import math

import pytest
import torch

from trainers.algorithms import LossBatch, create_algorithm


def batch(**changes: object) -> dict[str, object]:
    """Two rows of two tokens; ratios 1.5 and 1 at advantage 1, ratio 0.5 and padding at advantage -1."""
    old = torch.tensor([[-2.0, -1.0], [-1.0, 0.0]])
    return {
        "logprobs": old + torch.tensor([[math.log(1.5), 0.0], [math.log(0.5), 0.0]]),
        "old_logprobs": old,
        "advantages": torch.tensor([1.0, -1.0]),
        "mask": torch.tensor([[1.0, 1.0], [1.0, 0.0]]),
        **changes,
    }


def test_advantages_of_one_short_group() -> None:
    # mean 0.52, squared deviations 0.628, std sqrt(0.628 / 4) = 0.396232
    advantages = create_algorithm("grpo", group_size=8).compute_advantages([0.0, 0.5, 1.0, 0.3, 0.8])
    expected = [(r - 0.52) / 0.396332 for r in (0.0, 0.5, 1.0, 0.3, 0.8)]
    assert advantages.tolist() == pytest.approx(expected, abs=1e-5)


def test_consecutive_rewards_form_groups() -> None:
    algorithm = create_algorithm("grpo", group_size=2)
    # each group: mean in the middle, std = |difference| / sqrt(2)
    advantages = algorithm.compute_advantages([0.0, 1.0, 5.0, 5.0, 3.0, 1.0])
    assert advantages.tolist() == pytest.approx([-0.70701, 0.70701, 0.0, 0.0, 0.70706, -0.70706], abs=1e-4)
    table = algorithm.compute_advantages(torch.tensor([[0.0, 1.0], [5.0, 5.0], [3.0, 1.0]]))
    assert table.flatten().tolist() == advantages.tolist()


def test_a_group_of_one_has_no_advantage() -> None:
    assert create_algorithm("grpo", group_size=2).compute_advantages([1.0, 0.0, 1.0])[2] == 0.0


def test_loss_by_hand() -> None:
    # row 1: -(1.2 + 1) / 2 = -1.1 (1.5 is clipped to 1.2); row 2: max(0.5, 0.8) = 0.8; mean -0.15
    loss = create_algorithm("grpo", epsilon=0.2, beta=0.0).compute_loss(batch())
    assert loss.item() == pytest.approx(-0.15, abs=1e-6)


def test_kl_term_by_hand() -> None:
    values = batch()
    reference = values["logprobs"].clone()  # type: ignore[attr-defined]
    reference[0, 0] += math.log(2.0)  # k3 = 2 - ln 2 - 1 = 0.306853 on one of row 1's two tokens
    values["ref_logprobs"] = reference
    algorithm = create_algorithm("grpo", epsilon=0.2, beta=0.5)
    assert algorithm.compute_loss(values).item() == pytest.approx(-0.15 + 0.5 * 0.306853 / 2 / 2, abs=1e-6)
    metrics = algorithm.compute_metrics(values)
    assert metrics["kl"] == pytest.approx(0.306853 / 3, abs=1e-6)
    assert metrics["clip_fraction"] == pytest.approx(2 / 3)
    assert metrics["ratio"] == pytest.approx(1.0)


def test_k3_has_the_mean_of_the_exact_divergence() -> None:
    policy, reference = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.3, 0.5])
    exact = float((policy * (policy / reference).log()).sum())
    rows = {
        "logprobs": policy.log().unsqueeze(1),
        "old_logprobs": policy.log().unsqueeze(1),
        "ref_logprobs": reference.log().unsqueeze(1),
        "advantages": torch.zeros(3),
        "mask": torch.ones(3, 1),
    }
    algorithm = create_algorithm("grpo", beta=1.0)
    one_by_one = [
        algorithm.compute_metrics({name: value[at : at + 1] for name, value in rows.items()})["kl"]
        for at in range(3)
    ]
    assert min(one_by_one) >= 0.0
    assert float((policy * torch.tensor(one_by_one)).sum()) == pytest.approx(exact, abs=1e-6)


def test_clipping_stops_the_gradient() -> None:
    values = batch()
    logprobs = values["logprobs"].requires_grad_()  # type: ignore[attr-defined]
    create_algorithm("grpo", epsilon=0.2, beta=0.0).compute_loss(values).backward()
    # only row 1's second token is inside the interval: -(1/2 tokens) / 2 rows
    assert logprobs.grad.tolist() == [[0.0, -0.25], [0.0, 0.0]]


def test_parts_of_a_step_add_up() -> None:
    algorithm = create_algorithm("grpo", beta=0.0)
    whole = algorithm.compute_loss(batch())
    parts = [
        algorithm.compute_loss(
            LossBatch(**{n: v[at : at + 1] for n, v in batch().items()}, total_rows=2)  # type: ignore[index]
        )
        for at in range(2)
    ]
    assert sum(part.item() for part in parts) == pytest.approx(whole.item())


def test_advantages_per_token() -> None:
    values = batch(advantages=torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
    loss = create_algorithm("grpo", epsilon=0.2, beta=0.0).compute_loss(values)  # type: ignore[arg-type]
    assert loss.item() == pytest.approx((-1.2 / 2 + 0.8) / 2, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilom": 0.1}, "did you mean 'epsilon'"),
        ({"group_size": 1}, "at least 2, got 1"),
        ({"epsilon": 1.0}, "between 0 and 1, got 1.0"),
        ({"beta": -1.0}, "at least 0, got -1.0"),
        ({"std_epsilon": 0.0}, "above 0, got 0.0"),
    ],
)
def test_settings_are_checked(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_algorithm("grpo", **settings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"advantage": torch.zeros(2)}, "unknown batch key 'advantage'; did you mean 'advantages'"),
        ({"mask": torch.ones(2, 3)}, "mask of shape"),
        ({"advantages": torch.zeros(3)}, "advantages of shape"),
    ],
)
def test_batches_are_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_algorithm("grpo", beta=0.0).compute_loss(batch(**changes))  # type: ignore[arg-type]


def test_missing_parts_are_named() -> None:
    values = batch()
    del values["mask"]
    with pytest.raises(ValueError, match="lacks mask"):
        create_algorithm("grpo").compute_loss(values)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs ref_logprobs"):
        create_algorithm("grpo", beta=0.1).compute_loss(batch())  # type: ignore[arg-type]
