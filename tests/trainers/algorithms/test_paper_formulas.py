"""Losses against the papers' formulas, written out in NumPy one token at a time, and their gradients.

Gradients of losses without stopped parts are checked by central differences of the same transcription; those with
stopped parts against the gradient that the paper derives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from trainers.algorithms import create_algorithm

Arrays = dict[str, Any]
Loss = Callable[[Arrays], float]


def arrays(rows: dict[str, Tensor]) -> Arrays:
    """Rows as lists of NumPy vectors without padding; an advantage per row stays a number."""
    lengths = rows["mask"].sum(1).long().tolist()
    cut = ("logprobs", "old_logprobs", "ref_logprobs")
    found: Arrays = {
        name: [row[:n].numpy() for row, n in zip(rows[name], lengths, strict=True)] for name in cut
    }
    advantages = rows["advantages"]
    found["advantages"] = advantages.numpy() if advantages.dim() == 1 else [a.numpy() for a in advantages]
    return found


def differences(loss: Loss, values: Arrays, shape: tuple[int, int]) -> np.ndarray:
    """Gradient of `loss` with respect to every log-probability, by central differences."""
    gradient = np.zeros(shape)
    for row, tokens in enumerate(values["logprobs"]):
        for at in range(len(tokens)):
            sides = []
            for step in (1e-6, -1e-6):
                moved = [t.copy() for t in values["logprobs"]]
                moved[row][at] += step
                sides.append(loss(values | {"logprobs": moved}))
            gradient[row, at] = (sides[0] - sides[1]) / 2e-6
    return gradient


def clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def sign(value: float) -> float:
    return float(np.sign(value))


def grpo(kl: Callable[[float], float], beta: float) -> Loss:
    """The objective of 2402.03300, with the KL estimate as a function of d = log pi_ref - log pi."""

    def loss(v: Arrays) -> float:
        total = 0.0
        for new, old, ref, a in zip(
            v["logprobs"], v["old_logprobs"], v["ref_logprobs"], v["advantages"], strict=True
        ):
            row = 0.0
            for n, o, r in zip(new, old, ref, strict=True):
                ratio = math.exp(n - o)
                row += min(ratio * a, clip(ratio, 0.8, 1.2) * a) - beta * kl(r - n)
            total += row / len(new) if len(new) else 0.0
        return -total / len(v["logprobs"])

    return loss


def half_way(v: Arrays) -> float:
    """GRPO's surrogate with the ratio sqrt(r_t s), s the geometric mean of the row's r_t."""
    total = 0.0
    for new, old, a in zip(v["logprobs"], v["old_logprobs"], v["advantages"], strict=True):
        if not len(new):
            continue
        sequence = math.exp(sum(new - old) / len(new))
        ratios = [math.sqrt(math.exp(n - o) * sequence) for n, o in zip(new, old, strict=True)]
        total += sum(min(r * a, clip(r, 0.8, 1.2) * a) for r in ratios) / len(new)
    return -total / len(v["logprobs"])


def gmpo(v: Arrays) -> float:
    """The objective of 2507.20673: the product of clipped ratios to the power 1/|o|."""
    total = 0.0
    for new, old, a in zip(v["logprobs"], v["old_logprobs"], v["advantages"], strict=True):
        product = 1.0
        for n, o in zip(new, old, strict=True):
            ratio, s = math.exp(n - o), sign(a)
            product *= min(ratio**s, clip(ratio, math.exp(-0.4), math.exp(0.4)) ** s) ** s
        total += (product ** (1.0 / len(new)) if len(new) else 0.0) * a
    return -total / len(v["logprobs"])


def rloo(v: Arrays) -> float:
    """2402.14740 with one ratio per row and the divergence in the reward, beta 0.05."""
    total = 0.0
    columns = zip(v["logprobs"], v["old_logprobs"], v["ref_logprobs"], v["advantages"], strict=True)
    for new, old, ref, a in columns:
        if not len(new):
            continue
        reward = a - 0.05 * (sum(old) - sum(ref))
        ratio = math.exp(sum(new) - sum(old))
        total += min(ratio * reward, clip(ratio, 0.8, 1.2) * reward)
    return -total / len(v["logprobs"])


def reinforce_baseline(v: Arrays) -> float:
    """2501.03262 with baseline: PPO clip, k2 in the loss with beta 0.05, mean over tokens."""
    total, count = 0.0, 0
    columns = zip(v["logprobs"], v["old_logprobs"], v["ref_logprobs"], v["advantages"], strict=True)
    for new, old, ref, a in columns:
        for n, o, r in zip(new, old, ref, strict=True):
            ratio = math.exp(n - o)
            total += min(ratio * a, clip(ratio, 0.8, 1.2) * a) - 0.05 * (n - r) ** 2 / 2
            count += 1
    return -total / count


def reinforce_plain(v: Arrays) -> float:
    """2501.03262 plain: the divergence from a token to the end of the row comes off its advantage."""
    total, count = 0.0, 0
    columns = zip(v["logprobs"], v["old_logprobs"], v["ref_logprobs"], v["advantages"], strict=True)
    for new, old, ref, a in columns:
        for at, (n, o) in enumerate(zip(new, old, strict=True)):
            advantage = a - 0.05 * sum(old[i] - ref[i] for i in range(at, len(old)))
            ratio = math.exp(n - o)
            total += min(ratio * advantage, clip(ratio, 0.8, 1.2) * advantage)
            count += 1
    return -total / count


def dgpo(v: Arrays) -> float:
    """GRPO without KL plus 0.5 times the DPO loss of rows (0, 3) and (2, 1) at beta 0.3."""
    gain = [sum(new) - sum(ref) for new, ref in zip(v["logprobs"], v["ref_logprobs"], strict=True)]
    losses = [math.log(1.0 + math.exp(-0.3 * (gain[best] - gain[worst]))) for best, worst in ((0, 3), (2, 1))]
    return grpo(lambda d: 0.0, 0.0)(v) + 0.5 * sum(losses) / 2


PAIRS = torch.tensor([[0, 3], [2, 1]])
CASES: list[Any] = [
    pytest.param(grpo(lambda d: math.exp(d) - d - 1, 0.1), "grpo", {"beta": 0.1}, {}, id="k3"),
    pytest.param(grpo(lambda d: d * d / 2, 0.1), "grpo", {"beta": 0.1, "kl_estimator": "mse"}, {}, id="mse"),
    pytest.param(grpo(abs, 0.1), "grpo", {"beta": 0.1, "kl_estimator": "abs"}, {}, id="abs"),
    pytest.param(grpo(lambda d: -d, 0.1), "grpo", {"beta": 0.1, "kl_estimator": "k1"}, {}, id="k1"),
    pytest.param(half_way, "grpo", {"beta": 0.0, "is_level": "geometric_mean"}, {}, id="geometric_mean"),
    pytest.param(gmpo, "gmpo", {}, {}, id="gmpo"),
    pytest.param(rloo, "rloo", {"beta": 0.05}, {}, id="rloo"),
    pytest.param(reinforce_baseline, "reinforce_pp", {"beta": 0.05}, {}, id="reinforce_pp"),
    pytest.param(
        reinforce_plain,
        "reinforce_pp",
        {"beta": 0.05, "use_baseline": False, "kl_estimator": "k1"},
        {},
        id="reinforce_pp-plain",
    ),
    pytest.param(dgpo, "dgpo", {"beta": 0.0, "dpo_beta": 0.3, "dpo_coef": 0.5}, {"pairs": PAIRS}, id="dgpo"),
]


@pytest.mark.parametrize(("formula", "name", "settings", "extra"), CASES)
def test_loss_and_gradient_are_the_papers(
    rows: dict[str, Tensor], formula: Loss, name: str, settings: dict[str, Any], extra: dict[str, Tensor]
) -> None:
    values = arrays(rows)
    leaf = rows["logprobs"].clone().requires_grad_()
    loss = create_algorithm(name, **settings).compute_loss(rows | extra | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    assert loss.item() == pytest.approx(formula(values), abs=1e-9)
    assert np.allclose(leaf.grad.numpy(), differences(formula, values, (6, 5)), atol=1e-7)
    assert leaf.grad.abs().max() > 1e-3


def test_gspo_token_has_the_papers_gradient(rows: dict[str, Tensor], token_advantages: Tensor) -> None:
    """2507.18071: s_i A_it times the gradient of log pi, averaged; 0 where s_i is clipped."""
    rows = rows | {"advantages": token_advantages}
    values = arrays(rows)
    expected, value = np.zeros((6, 5)), 0.0
    for row, (new, old) in enumerate(zip(values["logprobs"], values["old_logprobs"], strict=True)):
        if not len(new):
            continue
        s = math.exp(sum(new - old) / len(new))
        for at in range(len(new)):
            a = values["advantages"][row][at]
            chosen = min(s * a, clip(s, 0.7, 1.4) * a)
            value -= chosen / len(new) / 6
            if chosen == s * a:
                expected[row, at] = -s * a / len(new) / 6
    leaf = rows["logprobs"].clone().requires_grad_()
    algorithm = create_algorithm("gspo_token", epsilon=0.3, epsilon_high=0.4)
    loss = algorithm.compute_loss(rows | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    assert loss.item() == pytest.approx(value, abs=1e-9)
    assert np.allclose(leaf.grad.numpy(), expected, atol=1e-9)


def test_gspo_token_keeps_credit_that_gspo_loses() -> None:
    """Advantages of +1 and -1 on two tokens of one row cancel in one ratio per row, not in the token variant."""
    old = torch.tensor([[-1.0, -1.0]])
    gradients = {}
    for name in ("gspo", "gspo_token"):
        leaf = old.clone().requires_grad_()
        batch = {
            "logprobs": leaf,
            "old_logprobs": old,
            "advantages": torch.tensor([[1.0, -1.0]]),
            "mask": torch.ones(1, 2),
        }
        create_algorithm(name).compute_loss(batch).backward()
        gradients[name] = leaf.grad
    assert gradients["gspo"] is not None and gradients["gspo"].abs().max() == 0.0
    assert gradients["gspo_token"] is not None and gradients["gspo_token"].tolist() == [[-0.5, 0.5]]


def test_cispo_has_the_papers_gradient(rows: dict[str, Tensor]) -> None:
    """2506.13585: the bounded ratio times A times the gradient of log pi, over all tokens."""
    values = arrays(rows)
    count = sum(len(new) for new in values["logprobs"])
    expected, value = np.zeros((6, 5)), 0.0
    columns = zip(values["logprobs"], values["old_logprobs"], values["advantages"], strict=True)
    for row, (new, old, a) in enumerate(columns):
        for at, (n, o) in enumerate(zip(new, old, strict=True)):
            weight = clip(math.exp(n - o), 0.5, 1.3)
            expected[row, at] = -weight * a / count
            value -= weight * a * n / count
    leaf = rows["logprobs"].clone().requires_grad_()
    loss = create_algorithm(
        "cispo", ratio_min=0.5, ratio_max=1.3, off_policy_mask_threshold=None
    ).compute_loss(rows | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    assert loss.item() == pytest.approx(value, abs=1e-9)
    assert np.allclose(leaf.grad.numpy(), expected, atol=1e-9)


def test_sapo_by_hand() -> None:
    """At r = 1 the gate is 4 / tau * 1/2 and its slope 1, so the gradient is that of the plain policy gradient."""
    old = torch.tensor([[-1.0], [-1.0]])
    leaf = old.clone().requires_grad_()
    batch = {
        "logprobs": leaf,
        "old_logprobs": old,
        "advantages": torch.tensor([1.0, -1.0]),
        "mask": torch.ones(2, 1),
    }
    loss = create_algorithm("sapo", tau_positive=1.0, tau_negative=2.0).compute_loss(batch)
    loss.backward()
    assert loss.item() == pytest.approx((-2.0 + 1.0) / 2)
    assert leaf.grad is not None
    assert leaf.grad.flatten().tolist() == pytest.approx([-0.5, 0.5])


def test_gmpo_refuses_advantages_per_token(rows: dict[str, Tensor], token_advantages: Tensor) -> None:
    with pytest.raises(ValueError, match=r"one advantage per row, of shape \(6,\); got \(6, 5\)"):
        create_algorithm("gmpo").compute_loss(rows | {"advantages": token_advantages})


@pytest.mark.parametrize(
    ("ratio", "pull"), [(0.1, 0.0822), (0.5, 0.4700), (1.0, 1.0), (2.0, 1.5729), (3.0, 1.2599), (5.0, 0.3533)]
)
def test_the_pull_of_sapo_grows_before_it_fades(ratio: float, pull: float) -> None:
    # 4 sigmoid'(r - 1) r, e.g. at 2: sigmoid(1) = 0.73106, so 4 * 0.73106 * 0.26894 * 2
    for advantage, tau in ((1.0, {"tau_positive": 1.0}), (-1.0, {"tau_negative": 1.0})):
        logprobs = torch.tensor([[-4.0 + math.log(ratio)]], dtype=torch.float64, requires_grad=True)
        batch = {
            "logprobs": logprobs,
            "old_logprobs": torch.tensor([[-4.0]], dtype=torch.float64),
            "advantages": torch.tensor([advantage], dtype=torch.float64),
            "mask": torch.ones(1, 1, dtype=torch.float64),
        }
        create_algorithm("sapo", **tau, off_policy_mask_threshold=None).compute_loss(batch).backward()
        assert logprobs.grad is not None
        assert float(logprobs.grad) == pytest.approx(-advantage * pull, abs=5e-4)
