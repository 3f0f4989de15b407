"""Loss and gradient equal those of TRL's trainers on the same batch, to 1e-5, by running both.

TRL's `_compute_loss` runs as it is, on an object that has just the attributes it reads; the model's
log-probabilities are handed to it as a leaf.
"""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor
from trl import GRPOTrainer, RLOOTrainer
from trl.experimental.gmpo import GMPOTrainer

from trainers.algorithms import create_algorithm
from trainers.algorithms.ratios import least_entropy

TOLERANCE = 1e-5


class OneProcess:
    """The part of `accelerate` that TRL uses in a single process."""

    num_processes = 1
    sync_gradients = True

    def reduce(self, value: Tensor, reduction: str) -> Tensor:
        return value

    def gather(self, value: Tensor) -> Tensor:
        return value

    def pad_across_processes(self, value: Tensor, **_: int) -> Tensor:
        return value


def trl_mask(entropies: Tensor, mask: Tensor, threshold: float) -> Tensor:
    """TRL's own choice of the tokens above a quantile of entropy."""
    stand_in = SimpleNamespace(accelerator=OneProcess())
    return GRPOTrainer.get_high_entropy_mask(stand_in, entropies, mask, threshold)


def trl_loss(trainer: type, rows: dict[str, Tensor], **options: Any) -> tuple[Tensor, Tensor]:
    """Run TRL's `_compute_loss`; returns loss and gradient with respect to the log-probabilities."""
    leaf = rows["logprobs"].clone().requires_grad_()
    args = {
        "use_bias_correction_kl": False,
        "delta": None,
        "sapo_temperature_pos": 1.0,
        "sapo_temperature_neg": 1.05,
        "steps_per_generation": 1,
        "vespo_k_pos": 2.0,
        "vespo_lambda_pos": 3.0,
        "vespo_k_neg": 3.0,
        "vespo_lambda_neg": 2.0,
    }
    stand_in = {
        "loss_type": "grpo",
        "importance_sampling_level": "token",
        "epsilon_low": 0.2,
        "epsilon_high": 0.2,
        "beta": 0.0,
        "max_completion_length": 48,
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "get_gamma_weights": getattr(trainer, "get_gamma_weights", None),
        "get_off_policy_mask": getattr(trainer, "get_off_policy_mask", None),
        "get_high_entropy_mask": trl_mask,
        "use_vllm": "sampler_weights" in rows,
        "vllm_importance_sampling_correction": True,
        "aux_loss_enabled": False,
        "_entropy_bonus_enabled": False,
        "current_gradient_accumulation_steps": 1,
        "model": SimpleNamespace(training=True),
        "accelerator": OneProcess(),
        "_metrics": {"train": defaultdict(list)},
        "_get_per_token_logps_and_entropies": lambda *_, **__: (leaf, rows["entropy"], None),
    }
    for name, value in options.items():
        (args if name in args else stand_in)[name] = value
    tokens = torch.zeros_like(rows["mask"], dtype=torch.long)
    inputs = {
        "prompt_ids": tokens,
        "prompt_mask": tokens,
        "completion_ids": tokens,
        "completion_mask": rows["mask"],
        "advantages": rows["advantages"],
        "old_per_token_logps": rows["old_logprobs"],
        "old_logps": (rows["old_logprobs"] * rows["mask"]).sum(1),
        "ref_per_token_logps": rows["ref_logprobs"],
        "num_items_in_batch": rows["mask"].sum(),
        "importance_sampling_ratio": rows.get("sampler_weights"),
    }
    loss = trainer._compute_loss(SimpleNamespace(args=SimpleNamespace(**args), **stand_in), None, inputs)  # type: ignore[attr-defined]
    loss.backward()
    assert leaf.grad is not None
    return loss.detach(), leaf.grad


def our_loss(name: str, rows: dict[str, Tensor], **settings: Any) -> tuple[Tensor, Tensor]:
    leaf = rows["logprobs"].clone().requires_grad_()
    loss = create_algorithm(name, **settings).compute_loss(rows | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    return loss.detach(), leaf.grad


def assert_equal(ours: tuple[Tensor, Tensor], theirs: tuple[Tensor, Tensor]) -> None:
    assert theirs[1].abs().max() > 1e-3, "the case must have a gradient"
    assert torch.allclose(ours[0], theirs[0], rtol=0, atol=TOLERANCE)
    assert torch.allclose(ours[1], theirs[1], rtol=0, atol=TOLERANCE)


ASYMMETRIC = {"epsilon": 0.2, "epsilon_high": 0.28}
TRL_ASYMMETRIC = {"epsilon_low": 0.2, "epsilon_high": 0.28}
SEQUENCE = {"importance_sampling_level": "sequence"}
NO_MASK: dict[str, Any] = {"off_policy_mask_threshold": None}
CASES: list[Any] = [
    pytest.param("grpo", {"beta": 0.0}, {}, id="grpo"),
    pytest.param("grpo", {"beta": 0.04}, {"beta": 0.04}, id="grpo-k3"),
    pytest.param(
        "grpo",
        {"beta": 0.04, "use_unbiased_kl": True},
        {"beta": 0.04, "use_bias_correction_kl": True},
        id="kl-weight",
    ),
    pytest.param("grpo", {"beta": 0.0, "delta": 1.5}, {"delta": 1.5}, id="two-sided-clip"),
    pytest.param("grpo", {"beta": 0.0, **ASYMMETRIC}, TRL_ASYMMETRIC, id="asymmetric-clip"),
    pytest.param("grpo", {"beta": 0.0, "is_level": "sequence"}, SEQUENCE, id="grpo-sequence"),
    pytest.param(
        "grpo",
        {"beta": 0.04, "use_unbiased_kl": True, "is_level": "sequence"},
        {"beta": 0.04, "use_bias_correction_kl": True, **SEQUENCE},
        id="kl-weight-sequence",
    ),
    pytest.param("dapo", {}, {"loss_type": "dapo", **TRL_ASYMMETRIC}, id="dapo"),
    pytest.param("dapo", {}, {"loss_type": "bnpo", **TRL_ASYMMETRIC}, id="bnpo"),
    pytest.param(
        "dapo", {"is_level": "sequence"}, {"loss_type": "dapo", **TRL_ASYMMETRIC, **SEQUENCE}, id="dapo-seq"
    ),
    pytest.param("dapo", {"beta": 0.04}, {"loss_type": "dapo", "beta": 0.04, **TRL_ASYMMETRIC}, id="dapo-k3"),
    pytest.param("dr_grpo", {}, {"loss_type": "dr_grpo"}, id="dr_grpo"),
    pytest.param(
        "dr_grpo",
        {"max_completion_tokens": 7, "beta": 0.04},
        {"loss_type": "dr_grpo", "max_completion_length": 7, "beta": 0.04},
        id="dr_grpo-k3",
    ),
    pytest.param("gspo", {}, {"epsilon_low": 0.01, "epsilon_high": 0.013, **SEQUENCE}, id="gspo"),
    pytest.param(
        "gspo",
        {"epsilon": 0.3, "epsilon_high": 0.4},
        {"epsilon_low": 0.3, "epsilon_high": 0.4, **SEQUENCE},
        id="gspo-wide",
    ),
    pytest.param(
        "luspo",
        {},
        {"loss_type": "luspo", "epsilon_low": 0.01, "epsilon_high": 0.013, **SEQUENCE},
        id="luspo",
    ),
    pytest.param(
        "luspo",
        {"epsilon": 0.3, "epsilon_high": 0.4, "beta": 0.04},
        {"loss_type": "luspo", "epsilon_low": 0.3, "epsilon_high": 0.4, "beta": 0.04, **SEQUENCE},
        id="luspo-k3",
    ),
    # With one advantage and weight per row the token variant has the value and gradient of GSPO, which TRL has.
    pytest.param(
        "gspo_token",
        {"epsilon": 0.3, "epsilon_high": 0.4},
        {"epsilon_low": 0.3, "epsilon_high": 0.4, **SEQUENCE},
        id="gspo_token",
    ),
    pytest.param("cispo", NO_MASK, {"loss_type": "cispo", "epsilon_high": 5.0}, id="cispo"),
    pytest.param(
        "cispo", {"ratio_max": 1.2, **NO_MASK}, {"loss_type": "cispo", "epsilon_high": 1.2}, id="cispo-tight"
    ),
    pytest.param("sapo", NO_MASK, {"loss_type": "sapo"}, id="sapo"),
    pytest.param(
        "sapo",
        {"tau_positive": 2.0, "tau_negative": 3.0, "beta": 0.04, **NO_MASK},
        {"loss_type": "sapo", "sapo_temperature_pos": 2.0, "sapo_temperature_neg": 3.0, "beta": 0.04},
        id="sapo-k3",
    ),
    pytest.param("dgpo", {"use_dpo_loss": False, "beta": 0.04}, {"beta": 0.04}, id="dgpo-without-dpo"),
]
PER_TOKEN_CASES = [case for case in CASES if case.id != "gspo_token"]


MASKED = [
    pytest.param(
        name,
        {"off_policy_mask_threshold": 0.05, "beta": 0.04},
        {"loss_type": name, "off_policy_mask_threshold": 0.05, "beta": 0.04, **others},
        id=f"{name}-masked",
    )
    for name, others in (("grpo", {}), ("sapo", {}), ("cispo", {"epsilon_high": 5.0}))
]


@pytest.mark.parametrize(("name", "settings", "options"), [*CASES, *MASKED])
def test_loss_and_gradient_equal_trl(
    rows: dict[str, Tensor], name: str, settings: dict[str, Any], options: dict[str, Any]
) -> None:
    assert_equal(our_loss(name, rows, **settings), trl_loss(GRPOTrainer, rows, **options))


@pytest.mark.parametrize(("name", "settings", "options"), PER_TOKEN_CASES)
def test_advantages_per_token_equal_trl(
    rows: dict[str, Tensor],
    token_advantages: Tensor,
    name: str,
    settings: dict[str, Any],
    options: dict[str, Any],
) -> None:
    rows = rows | {"advantages": token_advantages}
    assert_equal(our_loss(name, rows, **settings), trl_loss(GRPOTrainer, rows, **options))


UNCERTAIN = [
    *PER_TOKEN_CASES,
    pytest.param("vespo", {}, {"loss_type": "vespo"}, id="vespo"),
    pytest.param("gmpo", {"beta": 0.04}, {"epsilon_low": 0.4, "epsilon_high": 0.4, "beta": 0.04}, id="gmpo"),
]


@pytest.mark.parametrize("share", [0.2, 0.6])
@pytest.mark.parametrize(("name", "settings", "options"), UNCERTAIN)
def test_training_the_most_uncertain_tokens_equals_trl(
    rows: dict[str, Tensor], share: float, name: str, settings: dict[str, Any], options: dict[str, Any]
) -> None:
    rows = without_empty_row(rows)
    least = least_entropy(rows["entropy"][rows["mask"] > 0], share)
    trained = {"trained": (rows["entropy"] >= least).to(rows["mask"])}
    theirs = trl_loss(
        GMPOTrainer if name == "gmpo" else GRPOTrainer, rows, top_entropy_quantile=share, **options
    )
    assert_equal(our_loss(name, rows | trained, **settings), theirs)
    assert not torch.allclose(our_loss(name, rows, **settings)[1], theirs[1], atol=TOLERANCE)


@pytest.mark.parametrize(("name", "settings", "options"), PER_TOKEN_CASES)
def test_weights_of_another_sampler_equal_trl(
    rows: dict[str, Tensor], name: str, settings: dict[str, Any], options: dict[str, Any]
) -> None:
    generator = torch.Generator().manual_seed(9)
    rows = rows | {"sampler_weights": 2.0 * torch.rand(6, 5, generator=generator, dtype=torch.float64)}
    assert_equal(our_loss(name, rows, **settings), trl_loss(GRPOTrainer, rows, **options))


@pytest.mark.parametrize("beta", [0.0, 0.04])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("grpo", {}),
        ("dapo", {"loss_type": "dapo", **TRL_ASYMMETRIC}),
        ("dr_grpo", {"loss_type": "dr_grpo"}),
        ("gspo", {"epsilon_low": 0.01, "epsilon_high": 0.013, **SEQUENCE}),
    ],
)
def test_leaving_out_a_row_equals_its_mask_of_zeros_in_trl(
    rows: dict[str, Tensor], name: str, options: dict[str, Any], beta: float
) -> None:
    """A truncated completion: the row counts, its tokens do not."""
    cut = 0
    masked = rows | {"mask": rows["mask"].clone()}
    masked["mask"][cut] = 0
    kept = [row for row in range(len(rows["mask"])) if row != cut]
    size = {"total_rows": float(len(rows["mask"])), "total_tokens": float(masked["mask"].sum())}
    loss, gradient = our_loss(name, {key: value[kept] for key, value in rows.items()} | size, beta=beta)
    whole = torch.zeros_like(rows["logprobs"])
    whole[kept] = gradient
    theirs = trl_loss(GRPOTrainer, masked, beta=beta, **options)
    assert_equal((loss, whole), theirs)
    assert not torch.allclose(theirs[0], trl_loss(GRPOTrainer, rows, beta=beta, **options)[0], atol=TOLERANCE)


@pytest.mark.parametrize("per_token", [False, True])
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("beta", [0.0, 0.04])
def test_vespo_equals_trl(
    rows: dict[str, Tensor], token_advantages: Tensor, per_token: bool, elsewhere: bool, beta: float
) -> None:
    if per_token:
        rows = rows | {"advantages": token_advantages}
    if elsewhere:  # TRL's weight of padding is 1
        drawn = 2.0 * torch.rand(6, 5, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
        rows = rows | {"sampler_weights": torch.where(rows["mask"] > 0, drawn, 1.0)}
    found = trl_loss(GRPOTrainer, rows, loss_type="vespo", beta=beta)
    assert_equal(our_loss("vespo", rows, beta=beta), found)


def without_empty_row(rows: dict[str, Tensor]) -> dict[str, Tensor]:
    """TRL gives a row without tokens the ratio 1 where it sums over rows; here such a row has no loss."""
    return {name: value[rows["mask"].sum(1) > 0] for name, value in rows.items()}


@pytest.mark.parametrize("beta", [0.0, 0.04])
def test_gmpo_equals_trl(rows: dict[str, Tensor], beta: float) -> None:
    rows = without_empty_row(rows)
    theirs = trl_loss(GMPOTrainer, rows, epsilon_low=0.4, epsilon_high=0.4, beta=beta)
    assert_equal(our_loss("gmpo", rows, beta=beta), theirs)


def test_rloo_equals_trl(rows: dict[str, Tensor]) -> None:
    rows = without_empty_row(rows)
    assert_equal(our_loss("rloo", rows, beta=0.0), trl_loss(RLOOTrainer, rows))


def test_rloo_with_divergence_in_the_reward_equals_trl(rows: dict[str, Tensor]) -> None:
    rows = without_empty_row(rows)
    # TRL takes beta times the summed k1 off the reward; here that is done by hand, without a baseline.
    spent = ((rows["old_logprobs"] - rows["ref_logprobs"]) * rows["mask"]).sum(1)
    theirs = trl_loss(RLOOTrainer, rows | {"advantages": rows["advantages"] - 0.05 * spent})
    assert_equal(our_loss("rloo", rows, beta=0.05), theirs)
