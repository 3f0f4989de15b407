from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from trainers.algorithms import create_algorithm
from trainers.algorithms.step_credit import Trace
from trainers.algorithms.value_credit import mean_return_of_others, td_advantages, vine_advantages

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


def test_vine_by_hand() -> None:
    # gamma 0.5. Proved: 0 + 0.5 * 0.6 - 0.4, then no value after, then 1 - 0.8. Others: b 0, returns 1/4 and 0.
    values = [[0.4, 0.6, None], [0.4, 0.6], [None, 0.25]]
    found = vine_advantages(GROUP, values, 0.5)
    assert found[0] == pytest.approx([-0.1, 0.25, 0.25])
    assert vine_advantages(GROUP, [[0.4, 0.6, 0.8], [0.4, 0.6], [None] * 2], 0.5)[0] == pytest.approx(
        [-0.1, -0.2, 0.2]
    )
    assert found[1] == pytest.approx([-0.1, -0.6])
    assert found[2] == pytest.approx([-0.125, -0.25])


def returns_from(chain: Any, state: str, left: int) -> list[tuple[float, float]]:
    """Every return of an episode from a state with so many choices left, with its probability."""
    return [(chance, chain.trace(walk).total) for chance, walk in chain.all_walks(state, left)]


def test_vine_credit_is_the_exact_advantage_where_rollouts_are_enumerated(chain: Any) -> None:
    def value(state: str, left: int) -> float:
        return sum(chance * earned for chance, earned in returns_from(chain, state, left))

    def credit_of(pair: list[Any]) -> list[list[float]]:
        values = [[value(state, 3 - at) for at, (state, _) in enumerate(walk)] for walk in pair]
        return vine_advantages([chain.trace(walk) for walk in pair], values, 1.0)

    for _, walk in chain.all_walks():
        for at, ((state, choice), credit) in enumerate(zip(walk, credit_of([walk, walk])[0], strict=True)):
            after = chain.leads_to[state][choice]
            ahead = 0.0 if after is None else value(after, 2 - at)
            assert credit == pytest.approx(
                float((state, choice) == ("near", 0)) + ahead - value(state, 3 - at)
            )
    assert np.allclose(chain.mean_gradient(credit_of), chain.exact_gradient(), atol=1e-12)


def test_vine_credit_is_unbiased_with_few_rollouts(chain: Any) -> None:
    """By enumeration of every pair of rollouts from the state and from the state after the step."""
    walk = (("open", 0), ("near", 1), ("open", 0))
    here, then = (returns_from(chain, state, left) for state, left in (("open", 3), ("near", 2)))
    mean = square = 0.0
    for (p, a), (q, b), (r, c), (s, d) in itertools.product(here, here, then, then):
        (credit, *_) = vine_advantages([chain.trace(walk)], [[(a + b) / 2, (c + d) / 2, None]], 1.0)[0]
        mean += p * q * r * s * credit
        square += p * q * r * s * credit**2
    exact = sum(p * a for p, a in then) - sum(p * a for p, a in here)
    assert mean == pytest.approx(exact)
    assert square > mean**2 + 0.01  # single estimates differ


def test_vine_credit_of_sampled_rollouts(chain: Any) -> None:
    """The mean over many estimates is the exact advantage within sampling error."""
    rng = np.random.default_rng(0)
    here, then = (returns_from(chain, state, left) for state, left in (("open", 3), ("near", 2)))

    def estimate(returns: list[tuple[float, float]]) -> float:
        chances, earned = zip(*returns, strict=True)
        return float(np.mean(rng.choice(earned, size=4, p=chances)))

    trace = chain.trace((("open", 0), ("near", 1)))
    credits = [vine_advantages([trace], [[estimate(here), estimate(then)]], 1.0)[0][0] for _ in range(2000)]
    exact = sum(p * a for p, a in then) - sum(p * a for p, a in here)
    error = float(np.std(credits)) / 2000**0.5
    assert abs(float(np.mean(credits)) - exact) < 4 * error < 0.05
