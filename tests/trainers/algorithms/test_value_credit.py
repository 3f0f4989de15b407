from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trainers.algorithms import create_algorithm
from trainers.algorithms.step_credit import Trace
from trainers.algorithms.value_credit import mean_return_of_others, td_advantages

PROVED = Trace(("start", "mid", "near"), (0.0, 0.0, 1.0), (False, False, False))
FAILED = Trace(("start", "mid"), (0.0, 0.0), (False, False))
STUCK = Trace(("start", "start"), (0.0, 0.0), (True, True))
GROUP = [PROVED, FAILED, STUCK]
HEIGHTS = [[0.5, 0.25, 1.0], [0.5, 0.25], [0.5, 0.5]]
"""Potentials: start 0.5, mid 0.25, near 1."""


def test_the_baseline_is_that_of_the_others() -> None:
    assert mean_return_of_others(GROUP, 1.0) == [0.0, 0.5, 0.5]
    assert mean_return_of_others(GROUP, 0.5) == [0.0, 0.125, 0.125]  # the proof is worth 1/4 at the start
    assert mean_return_of_others([PROVED], 1.0) == [1.0]
    assert mean_return_of_others([Trace((), (), ()), PROVED], 1.0) == [1.0, 0.0]


def test_td_by_hand() -> None:
    # w = 0.4. Proved: values 0, -0.1, 0.2, differences -0.1, 0.3, 0.8, halved per step of distance.
    # Failed: values 0.5, 0.4; differences -0.1, -0.4. Stuck: 0.5, 0.5; differences 0, -0.5.
    found = td_advantages(GROUP, HEIGHTS, 1.0, 0.5, 0.4)
    assert found[0] == pytest.approx([-0.1 + 0.15 + 0.2, 0.3 + 0.4, 0.8])
    assert found[1] == pytest.approx([-0.1 - 0.2, -0.4])
    assert found[2] == pytest.approx([-0.25, -0.5])


def test_td_discounts_rewards_and_values() -> None:
    # gamma 0.5, lambda 0: r + 0.5 V(next) - V. Proved: b = 0, w = 1: values 0, -0.25, 0.5.
    found = td_advantages(GROUP, HEIGHTS, 0.5, 0.0, 1.0)
    assert found[0] == pytest.approx([-0.125, 0.5, 0.5])


def test_with_lambda_1_and_no_potential_td_is_the_episode_with_the_baseline_of_rloo() -> None:
    advantages = create_algorithm("rloo").compute_group_advantages([[t.total for t in GROUP]])[0].tolist()
    found = td_advantages(GROUP, HEIGHTS, 1.0, 1.0, 0.0)
    for credit, advantage in zip(found, advantages, strict=True):
        assert credit == pytest.approx([advantage] * len(credit), abs=1e-7)


def test_progress_counts_where_all_fail() -> None:
    """A step that halves what is left gains, one that doubles it loses, a refused one gets neither of its own."""
    up = Trace(("one", "two", "two"), (0.0, 0.0, 0.0), (False, True, False))
    down = Trace(("one", "four", "four"), (0.0, 0.0, 0.0), (False, True, False))
    found = td_advantages([up, down], [[0.5, 1.0, 1.0], [0.5, 0.25, 0.25]], 1.0, 0.5, 1.0)
    # The potential is taken back at the end, at a quarter of its weight two steps before.
    assert found[0] == pytest.approx([0.5 - 0.125, -0.25, -0.5])
    assert found[1] == pytest.approx([-0.25 + 0.0625, 0.125, 0.25])
    whole = create_algorithm("rloo").compute_group_advantages([[up.total, down.total]])[0]
    assert whole.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("td_lambda", "biased"), [(1.0, False), (0.5, True)])
def test_the_expected_gradient_of_td(chain: Any, td_lambda: float, biased: bool) -> None:
    """By enumeration of all pairs of episodes: unbiased at lambda 1 whatever the potential is, else biased."""
    heights = {"open": 0.2, "near": 0.9}

    def credit_of(pair: list[Any]) -> list[list[float]]:
        traces = [chain.trace(walk) for walk in pair]
        return td_advantages(traces, [[heights[s] for s in t.states] for t in traces], 1.0, td_lambda, 0.7)

    assert np.allclose(chain.mean_gradient(credit_of), chain.exact_gradient(), atol=1e-12) != biased
