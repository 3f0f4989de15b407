"""Every key of every algorithm is checked, and every key does something."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor

from trainers.algorithms import ALGORITHMS, create_algorithm
from trainers.algorithms.__main__ import main, shown
from trainers.config.base import allowed_values

GROUPS = [
    [0.0, 0.0, 1.0, 0.0, 0.25, 0.0, 5.0, 0.0],
    [1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0],
    [0.0] * 8,
]

# key -> (settings that bring it into play, the value that must change something)
IN_PLAY: dict[str, tuple[dict[str, Any], Any]] = {
    "group_size": ({}, 4),
    "advantage_norm": ({}, "rank"),
    "winsorize_quantile": ({"advantage_norm": "winsorized"}, 0.7),
    "std_epsilon": ({"advantage_norm": "standard"}, 0.5),
    "positive_advantage_scale": ({}, 2.0),
    "negative_advantage_scale": ({}, 0.5),
    "population_size": ({"advantage_norm": "standard"}, 5),
    "advantage_ema_decay": ({"advantage_norm": "standard", "population_size": 5}, 0.5),
    "pass_at_k": ({}, 3),
    "unlikeliness": ({}, 0.5),
    "entropy_coef": ({}, 0.2),
    "use_consensus": ({}, True),
    "consensus_weight": ({"use_consensus": True}, 0.9),
    "sparse_reward_threshold": ({}, 0.3),
    "sparse_reward_bonus": ({"sparse_reward_threshold": 0.3}, 0.7),
    "dynamic_sampling_rounds": ({}, 7),
    "overlong_buffer": ({}, 0.4),
    "overlong_penalty": ({"overlong_buffer": 0.4}, 0.9),
    "use_dynamic_groups": ({}, True),
    "min_group_size": ({"use_dynamic_groups": True}, 6),
    "max_group_size": ({"use_dynamic_groups": True}, 12),
    "mixed_group_target": ({"use_dynamic_groups": True}, 0.99),
    "sync_frequency": ({}, 2),
    "is_level": ({}, "sequence"),
    "epsilon": ({}, 0.15),
    "epsilon_high": ({}, 0.35),
    "delta": ({}, 1.3),
    "beta": ({}, 0.3),
    "kl_estimator": ({"beta": 0.1}, "abs"),
    "use_unbiased_kl": ({"beta": 0.1}, True),
    "max_completion_tokens": ({}, 20),
    "ratio_min": ({}, 0.9),
    "ratio_max": ({}, 1.1),
    "use_baseline": ({}, False),
    "k_positive": ({}, 4.0),
    "lambda_positive": ({}, 1.0),
    "k_negative": ({}, 1.0),
    "lambda_negative": ({}, 4.0),
    "tau_positive": ({}, 2.0),
    "tau_negative": ({}, 2.0),
    "use_dpo_loss": ({}, False),
    "dpo_beta": ({}, 0.5),
    "dpo_coef": ({}, 0.9),
    "pairs_per_group": ({}, 1),
    "off_policy_mask_threshold": ({"off_policy_mask_threshold": 50.0}, 0.05),
}
KEYS = [(name, key) for name, kind in ALGORITHMS.items() for key in kind.settings_type.model_fields]


def everything_it_does(name: str, settings: dict[str, Any], rows: dict[str, Tensor]) -> list[Any]:
    """All that an algorithm answers, twice over, because some of it depends on what it has seen."""
    algorithm = create_algorithm(name, **settings)
    leaf = rows["logprobs"].clone().requires_grad_()
    loss = algorithm.compute_loss(rows | {"logprobs": leaf})
    loss.backward()
    assert leaf.grad is not None
    return [
        loss.item(),
        leaf.grad.tolist(),
        algorithm.compute_metrics(rows),
        algorithm.needs_reference,
        [algorithm.compute_group_advantages(GROUPS[:2])[0].tolist() for _ in range(2)],
        [group.tolist() for group in algorithm.compute_group_advantages(GROUPS)],
        algorithm.unlikeliness_charges([1.0, 1.0, 0.0], [True, True, False], [-1.0, -2.0, -3.0]),
        algorithm.compute_advantages([value for group in GROUPS for value in group]).tolist(),
        [algorithm.group_size_for(rate) for rate in (None, 0.0, 0.2, 0.5)],
        [algorithm.groups_to_replace(GROUPS, done) for done in range(10)],
        [algorithm.overlong_charge(length, 10.0) for length in range(12)],
        algorithm.sync_windows(5),
    ]


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_no_key_is_without_effect(rows: dict[str, Tensor], name: str, key: str) -> None:
    base, value = IN_PLAY[key]
    valid = ALGORITHMS[name].settings_type.model_fields
    base = {other: setting for other, setting in base.items() if other in valid}
    assert getattr(create_algorithm(name, **base).settings, key) != value
    assert everything_it_does(name, base, rows) != everything_it_does(name, base | {key: value}, rows)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_beta_and_its_estimator_enter_the_loss(rows: dict[str, Tensor], name: str) -> None:
    """Not only the metrics and what is asked of the trainer."""
    pairs = {"pairs": torch.tensor([[0, 1]])}
    losses = [
        create_algorithm(name, **settings).compute_loss(rows | pairs).item()
        for settings in ({"beta": 0.0}, {"beta": 0.3}, {"beta": 0.3, "kl_estimator": "abs"})
    ]
    assert len(set(losses)) == 3


@pytest.mark.parametrize("name", ALGORITHMS)
def test_equal_settings_do_the_same(rows: dict[str, Tensor], name: str) -> None:
    assert everything_it_does(name, {}, rows) == everything_it_does(name, {}, rows)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_unknown_keys_are_named_with_all_valid_ones(name: str) -> None:
    valid = ", ".join(sorted(ALGORITHMS[name].settings_type.model_fields))
    with pytest.raises(ValueError) as caught:
        create_algorithm(name, groupsize=8)
    assert (
        str(caught.value)
        == f"unknown setting of {name} 'groupsize'; did you mean 'group_size'? (known: {valid})"
    )


@pytest.mark.parametrize("name", ALGORITHMS)
def test_settings_are_frozen(name: str) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        create_algorithm(name).settings.group_size = 4


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("grpo", {"epsilon": 1.0}, "epsilon: expected a number between 0 and 1, got 1.0"),
        ("grpo", {"group_size": 1}, "group_size: expected a whole number at least 2, got 1"),
        ("grpo", {"group_size": 2.5}, "group_size: expected a whole number at least 2, got 2.5"),
        ("grpo", {"group_size": True}, "group_size: expected a whole number at least 2, got True"),
        ("grpo", {"pass_at_k": 8}, "pass_at_k: expected below the group size .8., got 8"),
        (
            "dapo",
            {"pass_at_k": 4, "use_dynamic_groups": True},
            "pass_at_k: expected below the group size .4., got 4",
        ),
        ("grpo", {"pass_at_k": 2, "advantage_norm": "rank"}, "advantage_norm='rank' replaces it"),
        ("grpo", {"pass_at_k": 2, "population_size": 9}, "population_size=9 replaces it"),
        ("grpo", {"pass_at_k": 2, "use_consensus": True}, "use_consensus=True replaces it"),
        ("grpo", {"use_consensus": 1}, "use_consensus: expected true or false, got 1"),
        ("grpo", {"beta": "0.1"}, "beta: expected a number at least 0, got '0.1'"),
        ("grpo", {"beta": float("nan")}, "beta: expected a finite number at least 0, got nan"),
        ("grpo", {"epsilon_high": 0}, "epsilon_high: expected a number above 0, or null, got 0"),
        ("grpo", {"delta": 1.0}, "delta: expected a number above 1, or null, got 1.0"),
        ("grpo", {"advantage_norm": "std"}, "one of standard, winsorized, rank, none, got 'std'"),
        ("grpo", {"is_level": ["token"]}, "one of token, sequence, sequence_token, geometric_mean, got"),
        ("grpo", {"kl_estimator": "k4"}, "one of schulman, k3, abs, mse, k2, k1, got 'k4'"),
        ("grpo", {"beta": None}, "beta: expected a number at least 0, got None"),
        ("grpo", {"winsorize_quantile": 0.5}, "above 0.5 and at most 1, got 0.5"),
        ("grpo", {"min_group_size": 20}, r"min_group_size: expected at most max_group_size \(16\), got 20"),
        ("grpo", {"population_size": 5, "advantage_norm": "rank"}, "set advantage_norm to 'standard'"),
        ("dr_grpo", {"population_size": 5}, "advantage_norm='none' divides by none"),
        ("gspo", {"is_level": "token"}, "unknown setting of gspo 'is_level'"),
        ("cispo", {"epsilon": 0.2}, "unknown setting of cispo 'epsilon'"),
        ("rloo", {"use_unbiased_kl": True}, "unknown setting of rloo 'use_unbiased_kl'"),
        ("reinforce_pp", {"use_unbiased_kl": True, "use_baseline": False}, "set one of them differently"),
    ],
)
def test_values_are_checked(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_algorithm(name, **settings)


def test_both_names_of_an_estimator_are_the_same(rows: dict[str, Tensor]) -> None:
    for names in (("schulman", "k3"), ("mse", "k2")):
        losses = [create_algorithm("grpo", beta=0.1, kl_estimator=name).compute_loss(rows) for name in names]
        assert torch.equal(losses[0], losses[1])


def documented(name: str) -> dict[str, tuple[str, str]]:
    """Default and values of docs/trainers/algorithms.md for each key, a later table winning over an earlier one."""
    text = (Path(__file__).resolve().parents[3] / "docs" / "trainers" / "algorithms.md").read_text(
        encoding="utf-8"
    )
    found: dict[str, tuple[str, str]] = {}
    for section in text.split("\n### ")[1:]:
        heading, _, table = section.partition("\n")
        named = re.findall(r"`(\w+)`", heading)
        if heading.startswith("All but"):
            named = [other for other in ALGORITHMS if other not in named]
        if heading.startswith("All algorithms") or name in named:
            for key, default, values in re.findall(
                r"^\| `(\w+)` \| (\S+) \| (.*?) \| ", table, flags=re.MULTILINE
            ):
                found[key] = (default, values)
    return found


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_documented_settings_are_the_settings(name: str) -> None:
    settings = create_algorithm(name).settings
    values = allowed_values(type(settings))
    assert documented(name) == {key: (shown(getattr(settings, key)), values[key]) for key in values}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_table_of_settings_has_them_all(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 0
    keys = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]]
    assert keys == list(ALGORITHMS[name].settings_type.model_fields)
