from __future__ import annotations

import pytest

from trainers.config.credit import CreditConfig
from trainers.learning.values import VALUE_SOURCES, check_potentials, goal_size, goals_left


def test_fewer_goals_stand_higher() -> None:
    assert goals_left([("⊢ p",), ("⊢ p", "⊢ q"), ("a", "b", "c", "d"), ()]) == [1.0, 0.5, 0.25, 1.0]


def test_shorter_goals_stand_higher() -> None:
    assert goal_size([("x" * 100,), ("x" * 150, "y" * 150), ()]) == [0.5, 0.25, 1.0]


def test_every_choice_of_the_setting_has_a_potential() -> None:
    for name in VALUE_SOURCES:
        assert CreditConfig(value=name).value == name


@pytest.mark.parametrize(
    ("values", "message"),
    [([0.5], "one potential for each of 2 states, got 1"), ([0.5, 1.5], "from 0 to 1, got 1.5")],
)
def test_potentials_are_checked(values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_potentials(values, 2)
