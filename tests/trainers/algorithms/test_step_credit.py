"""Hand-computed credit on a small group.

a: start -> mid -> (end)      proved, return 1
b: start -> mid -> (end)      failed, return 0
c: start -> start -> side     first tactic refused, failed
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from trainers.algorithms.settings import GroupSettings
from trainers.algorithms.step_credit import (
    CreditKind,
    Trace,
    agreement,
    anchor_advantages,
    anchor_share,
    charge_end,
    charge_steps,
    credit_coverage,
    graph_values,
    leave_one_out,
    returns_to_go,
    spare_sound_prefix,
    step_credit,
    unit_scale,
    value_differences,
)

PROVED = Trace(("start", "mid"), (0.0, 1.0), (False, False))
FAILED = Trace(("start", "mid"), (0.0, 0.0), (False, True))
STUCK = Trace(("start", "start", "side"), (0.0, 0.0, 0.0), (True, False, False))
GROUP = [PROVED, FAILED, STUCK]
PLAIN = GroupSettings(advantage_norm="none")
"""GiGPO's form with F = 1."""
DIVIDED = GroupSettings(std_epsilon=1e-12)
"""Its form with F = the standard deviation."""


def flat(credit: list[list[float]]) -> list[float]:
    return [value for episode in credit for value in episode]


def test_returns_to_go() -> None:
    assert returns_to_go([1.0, 0.0, 4.0], 0.5) == [2.0, 2.0, 4.0]
    assert returns_to_go([], 0.5) == []


def test_anchor_advantages() -> None:
    # gamma 0.5. start is met with 0.5, 0, 0, 0 (mean 0.125), mid with 1 and 0, side once.
    assert anchor_advantages(GROUP, 0.5, PLAIN) == [[0.375, 0.5], [-0.125, -0.5], [-0.125, -0.125, 0.0]]


def test_both_terms_of_gigpo_are_divided_by_their_deviation() -> None:
    # start: deviations 0.375 and three times -0.125, std 0.25. mid: 0.5 and -0.5, std sqrt(0.5). side: once.
    root = 0.5 / 0.5**0.5
    expected = [1.5, root, -0.5, -root, -0.5, -0.5, 0.0]
    assert flat(anchor_advantages(GROUP, 0.5, DIVIDED)) == pytest.approx(expected)
    whole = step_credit("gigpo", GROUP, [0.0, 0.0, 0.0], gamma=0.5, omega=2.0, norm=DIVIDED)
    assert flat(whole) == pytest.approx([2.0 * value for value in expected])


def test_the_step_term_of_graph_is_divided_by_its_deviation() -> None:
    # 1/6, 1/2, 1/6, -1/2, 0, -1/3, 0 have mean 0 and squares that add up to 2/3: variance 1/9 over six freedoms.
    found = step_credit("graph", GROUP, [0.0, 0.0, 0.0], gamma=1.0, omega=1.0, norm=DIVIDED)
    expected = [3.0 * value for value in (1 / 6, 1 / 2, 1 / 6, -1 / 2, 0.0, -1 / 3, 0.0)]
    assert flat(found) == pytest.approx(expected)


def test_ranks_and_quantiles_hold_for_the_step_term_too() -> None:
    # start is met with 0.5, 0, 0, 0: one above three, and three below one and level with two.
    ranked = anchor_advantages(GROUP, 0.5, GroupSettings(advantage_norm="rank"))
    assert ranked == [[1.0, 1.0], [pytest.approx(-1 / 3), -1.0], [pytest.approx(-1 / 3)] * 2 + [0.0]]


def test_credit_in_units_of_return_gets_a_root_mean_square_of_one() -> None:
    groups = [[[1.0, -1.0], [0.0]], [[2.0], [0.0, 0.0]]]  # six steps whose squares add up to 6
    scaled = unit_scale(groups, DIVIDED)
    assert flat(scaled[0]) + flat(scaled[1]) == pytest.approx([1.0, -1.0, 0.0, 2.0, 0.0, 0.0])
    assert unit_scale([[[3.0, 4.0]]], DIVIDED)[0][0] == pytest.approx([3 / 12.5**0.5, 4 / 12.5**0.5])
    assert unit_scale([[[3.0, 4.0]]], PLAIN) == [[[3.0, 4.0]]]
    assert unit_scale([], DIVIDED) == []


def test_agreement_with_the_episode() -> None:
    found = agreement([1.0, 2.0, -1.0, 0.0], [1.0, 1.0, 1.0, -1.0])
    # Deviations 0.5, 1.5, -1.5, -0.5 and 0.5, 0.5, 0.5, -1.5: 1 / sqrt(5 * 3). One of four signs is opposite.
    assert found == {"sign_differs": 0.25, "correlation": pytest.approx(1 / 15**0.5)}
    assert agreement([1.0, 2.0], [0.0, 0.0]) == {"sign_differs": 0.0}
    assert agreement([], []) == {}


def test_gigpo_adds_both() -> None:
    found = step_credit("gigpo", GROUP, [2.0, -1.0, -1.0], gamma=0.5, omega=2.0, norm=PLAIN)
    assert found == [[2.75, 3.0], [-1.25, -2.0], [-1.25, -1.25, -1.0]]


def test_episode_credit_is_the_same_on_every_step() -> None:
    found = step_credit("episode", GROUP, [2.0, -1.0, -1.0], gamma=0.5, omega=1.0, norm=PLAIN)
    assert found == [[2.0, 2.0], [-1.0, -1.0], [-1.0, -1.0, -1.0]]


def test_leave_one_out() -> None:
    # gamma 1. start: others of a have 0 and 0, others of b 1 and 0, others of c 1 and 0. mid: a and b only.
    # side: c alone was there, so its baseline is that of the step before, 0.5; no reward came in between.
    assert leave_one_out(GROUP, 1.0) == [[1.0, 1.0], [-0.5, -1.0], [-0.5, -0.5, -0.5]]
    found = step_credit("state", GROUP, [9.0, 9.0, 9.0], gamma=1.0, omega=9.0, norm=PLAIN)
    assert found == leave_one_out(GROUP, 1.0)


def test_a_state_that_nobody_else_met_has_the_baseline_of_the_last_shared_state() -> None:
    """A reward of -0.1 per extra goal: splitting costs 0.1 and gets it back at the end, so all returns are 0."""
    split = Trace(("start", "two goals", "two goals"), (-0.1, 0.0, 0.1), (False, True, False))
    stay = Trace(("start", "start"), (0.0, 0.0), (True, True))
    assert split.total == stay.total == 0.0
    for credit in leave_one_out([split, stay, stay], 1.0):
        assert credit == pytest.approx([0.0] * len(credit))  # not 0.1 from the second step of `split` on
    stopped = Trace(("start", "two goals", "two goals"), (-0.1, 0.0, 0.0), (False, True, True))
    assert leave_one_out([stopped, stay, stay], 1.0)[0] == pytest.approx([-0.1, -0.1, -0.1])


def test_a_later_shared_state_has_a_baseline_of_its_own_again() -> None:
    alone = Trace(("start", "own", "mid"), (0.5, 0.25, 1.0), (False, False, False))
    found = leave_one_out([alone, FAILED], 1.0)[0]
    # start: 1.75 - 0. own: 1.25 - (0 - 0.5). mid: 1 - 0.
    assert found == pytest.approx([1.75, 1.75, 1.0])
    # Without any shared state: the mean return of the others, less the rewards so far.
    assert leave_one_out([Trace(("x", "y"), (0.5, 1.0), (False,) * 2), PROVED], 1.0)[0] == [0.5, 0.5]


@pytest.mark.parametrize(("kind", "biased"), [("episode", False), ("state", False), ("graph", True)])
def test_the_expected_gradient_over_all_groups_of_two(chain: Any, kind: CreditKind, biased: bool) -> None:
    """By enumeration: the mean over every pair of episodes is the gradient of the expected return, or is not."""

    def credit_of(pair: list[Any]) -> list[list[float]]:
        traces = [chain.trace(walk) for walk in pair]
        apart = traces[0].total - traces[1].total  # leave-one-out of two returns
        return step_credit(kind, traces, [apart, -apart], gamma=1.0, omega=1.0, norm=PLAIN)

    assert sum(chance for chance, _ in chain.all_walks()) == pytest.approx(1.0)
    exact = chain.exact_gradient()
    assert np.allclose(chain.mean_gradient(credit_of), exact, atol=1e-12) != biased
    assert np.abs(exact).max() > 0.05


ROOT = (0.3, 0.7)
"""A policy of two choices at the root of a tree; the left child has two leaves, the right child one."""
LEFT = (0.6, 0.4)
LEAVES = {
    "left-left": (0.3, ("root", 0), ("left", 0)),
    "left-right": (0.3, ("root", 0), ("left", 1)),
    "right": (-0.2, ("root", 1), ("right", 0)),
}
"""Leaf -> reward of the first step, then the choices that lead to it."""
LAST_REWARD = {"left-left": 1.0, "left-right": -0.3, "right": 0.5}


def test_the_gradient_stays_unbiased_where_states_are_met_alone() -> None:
    """By enumeration over every group of three on a small tree with rewards on the way."""

    def trace(leaf: str) -> Trace:
        reward, *way = LEAVES[leaf]
        return Trace(tuple(s for s, _ in way), (reward, LAST_REWARD[leaf]), (False, False))

    def gradient(leaf: str, credit: Sequence[float]) -> np.ndarray:
        (_, first), (child, second) = LEAVES[leaf][1:]
        root = credit[0] * (np.eye(2)[first] - np.array(ROOT))
        left = credit[1] * (np.eye(2)[second] - np.array(LEFT)) if child == "left" else np.zeros(2)
        return np.concatenate([root, left])

    chances = {"left-left": 0.3 * 0.6, "left-right": 0.3 * 0.4, "right": 0.7}
    exact = sum(p * gradient(leaf, [trace(leaf).total] * 2) for leaf, p in chances.items())
    found, alone = np.zeros(4), 0.0
    for leaves in itertools.product(chances, repeat=3):
        chance = np.prod([chances[leaf] for leaf in leaves])
        credits = leave_one_out([trace(leaf) for leaf in leaves], 1.0)
        found += chance * sum(map(gradient, leaves, credits)) / 3
        alone += chance * (sum(leaf.startswith("left") for leaf in leaves) == 1)
    assert alone > 0.4  # the left child is met by one of the three in these groups
    assert np.allclose(found, exact, atol=1e-12)


def test_a_loop_counts_once_and_never_against_itself() -> None:
    # gamma 0.5: the loop meets x with 0.25, 0.5, 1 (mean 7/12); the other with 0.5.
    loop = Trace(("x", "x", "x"), (0.0, 0.0, 1.0), (True, True, False))
    other = Trace(("x", "y"), (0.0, 1.0), (False, False))
    found = leave_one_out([loop, other], 0.5)
    assert found[0] == pytest.approx([-0.25, 0.0, 0.5])
    # y is met by the other alone: its baseline is that of x, the mean of the loop's visits.
    assert found[1] == pytest.approx([0.5 - 7 / 12, 1.0 - 7 / 12])


def test_a_group_of_one_says_nothing() -> None:
    assert leave_one_out([PROVED], 1.0) == [[0.0, 0.0]]
    assert anchor_advantages([PROVED], 1.0, PLAIN) == [[0.0, 0.0]]
    assert value_differences([PROVED], 1.0) == [[0.0, 0.0]]


def test_values_on_the_merged_graph() -> None:
    # mid: mean of 1 and 0. side: 0. start: four choices lead to mid, mid, start, side:
    # V = (0.5 + 0.5 + V + 0) / 4, so V = 1/3.
    assert graph_values(GROUP, 1.0) == pytest.approx({"start": 1 / 3, "mid": 0.5, "side": 0.0})


def test_discounted_values_on_the_merged_graph() -> None:
    # gamma 0.5: V = 0.5 (0.5 + 0.5 + V) / 4, so V = 0.5 / 3.5.
    assert graph_values(GROUP, 0.5) == pytest.approx({"start": 1 / 7, "mid": 0.5, "side": 0.0})


def test_value_differences() -> None:
    # Reaching mid gains 1/6, proving from there 0.5; the refused tactic changes nothing; side loses 1/3.
    expected = [1 / 6, 0.5, 1 / 6, -0.5, 0.0, -1 / 3, 0.0]
    assert flat(value_differences(GROUP, 1.0)) == pytest.approx(expected)


def test_graph_credit_reaches_rollouts_that_did_not_see_the_outcome() -> None:
    """b took another way to mid and failed there; its way is credited with what a found out about mid."""
    detour = Trace(("start", "by", "mid"), (0.0, 0.0, 0.0), (False, False, False))
    values = graph_values([PROVED, detour], 1.0)
    assert values == pytest.approx({"start": 0.5, "mid": 0.5, "by": 0.5})


def test_graph_adds_the_episode() -> None:
    found = step_credit("graph", GROUP, [1.0, -1.0, -1.0], gamma=1.0, omega=2.0, norm=PLAIN)
    expected = [1 + 1 / 3, 2.0, -1 + 1 / 3, -2.0, -1.0, -1 - 2 / 3, -1.0]
    assert flat(found) == pytest.approx(expected)
    alone = step_credit("graph", GROUP, [0.0] * 3, gamma=1.0, omega=1.0, norm=PLAIN)
    assert flat(alone) == pytest.approx(flat(value_differences(GROUP, 1.0)))


def test_sound_prefix_is_spared_blame_and_keeps_praise() -> None:
    trace = Trace(("a", "b", "c", "d"), (0.0,) * 4, (False, False, True, False))
    assert spare_sound_prefix(trace, [-1.0, 0.5, -1.0, -1.0]) == [0.0, 0.5, -1.0, -1.0]
    assert spare_sound_prefix(FAILED, [-1.0, -1.0]) == [0.0, -1.0]
    assert spare_sound_prefix(PROVED, [-1.0, -1.0]) == [-1.0, -1.0]


def test_step_cost_comes_off_every_step() -> None:
    charged = charge_steps(STUCK, 0.1)
    assert charged.rewards == (-0.1, -0.1, -0.1)
    assert charged.total == pytest.approx(-0.3)
    assert charged.states == STUCK.states
    assert charge_end(PROVED, 0.25).rewards == (0.0, 0.75)
    assert charge_end(Trace((), (), ()), 0.25).rewards == ()


def test_coverage_counts_steps_at_mixed_anchors() -> None:
    # start (4 steps) and mid (2) are met with returns 1 and 0; side (1) once.
    assert credit_coverage(GROUP) == pytest.approx(6 / 7)
    assert credit_coverage([FAILED, STUCK]) == 0.0
    assert anchor_share(GROUP) == pytest.approx(6 / 7)
    assert anchor_share([FAILED, STUCK]) == pytest.approx(3 / 5)
    assert credit_coverage([]) == anchor_share([]) == 0.0


def test_keys_are_compared_as_they_are() -> None:
    """Token ids, not text: prompts that differ in one token share nothing."""
    near = [Trace(((1, 2),), (1.0,), (False,)), Trace(((1, 3),), (0.0,), (False,))]
    assert anchor_advantages(near, 1.0, PLAIN) == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("advantages", "gamma", "message"),
    [
        ([1.0], 1.0, r"one advantage per episode \(3\), got 1"),
        ([1.0] * 3, 0.0, "gamma above 0 and at most 1, got 0.0"),
    ],
)
def test_arguments_are_checked(advantages: list[float], gamma: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        step_credit("gigpo", GROUP, advantages, gamma=gamma, omega=1.0, norm=PLAIN)


def test_traces_are_checked() -> None:
    with pytest.raises(ValueError, match=r"as states \(2\), got 1 and 2"):
        Trace(("a", "b"), (0.0,), (False, False))
