from __future__ import annotations

import pytest

from trainers.algorithms import create_algorithm
from trainers.algorithms.rollout_rules import has_spread, mixed_probability


def test_flat_groups_are_replaced_a_bounded_number_of_times() -> None:
    dapo = create_algorithm("dapo", dynamic_sampling_rounds=2)
    groups = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    assert [dapo.groups_to_replace(groups, done) for done in range(3)] == [[0, 2], [0, 2], []]
    assert dapo.groups_to_replace([[0.0, 1.0]], 0) == []
    assert create_algorithm("grpo").groups_to_replace(groups, 0) == []


def test_rounding_is_no_spread() -> None:
    assert not has_spread([0.1 + 0.2, 0.3])
    assert has_spread([0.3, 0.31])


def test_length_is_charged_over_the_last_part_of_the_limit() -> None:
    dapo = create_algorithm("dapo", overlong_buffer=0.2, overlong_penalty=0.5)
    # Limit 20: free up to 16, then 0.125 per tactic.
    assert [dapo.overlong_charge(n, 20) for n in (3, 16, 17, 18, 20, 25)] == [0.0, 0.0, 0.125, 0.25, 0.5, 0.5]
    assert create_algorithm("grpo").overlong_charge(20, 20) == 0.0


def test_likely_proofs_are_charged_by_rank() -> None:
    """2506.02355: a proof keeps 1 - beta (G - rank) / G of its return, rank 0 for the most likely of the group."""
    rule = create_algorithm("grpo", unlikeliness=0.4)
    returns, proved = [1.0, 1.0, 0.0, 0.5], [True, True, False, True]
    found = rule.unlikeliness_charges(returns, proved, [-1.0, -9.0, -0.5, -3.0])
    # Ranks 1, 3, 0 and 2 of four: 0.4 times 3/4, 1/4 and, of a return of 0.5, 2/4.
    assert found == pytest.approx([0.3, 0.1, 0.0, 0.1])
    # Two equal proofs share the ranks 0 and 1.
    assert rule.unlikeliness_charges([1.0, 1.0], [True, True], [-2.0, -2.0]) == pytest.approx([0.3, 0.3])
    # A shaped failure keeps its return, and a proof that cost more than it earned is not paid for.
    assert rule.unlikeliness_charges([0.7, -0.2], [False, True], [-1.0, -2.0]) == [0.0, 0.0]
    assert create_algorithm("grpo").unlikeliness_charges(returns, proved, [0.0] * 4) == [0.0] * 4


def test_the_papers_overlong_punishment() -> None:
    # 2503.14476, section 3.4, with L_max 20480 and L_cache 4096; its value is the charge with sign reversed.
    dapo = create_algorithm("dapo", overlong_buffer=4096 / 20480, overlong_penalty=1.0)
    for length in (1, 16384, 17000, 20479, 20480, 30000):
        if length <= 20480 - 4096:
            expected = 0.0
        elif length <= 20480:
            expected = ((20480 - 4096) - length) / 4096
        else:
            expected = -1.0
        assert -dapo.overlong_charge(length, 20480) == pytest.approx(expected)


def test_group_size_follows_the_solve_rate() -> None:
    algorithm = create_algorithm("grpo", use_dynamic_groups=True, min_group_size=2, mixed_group_target=0.8)
    # p = 0.5: 1 - 2 * 0.5^G reaches 0.8 at G = 4 (0.875, after 0.75). p = 0.1: 1 - 0.1^G - 0.9^G reaches it at G = 16
    # (0.815, after 0.794 at 15).
    assert [algorithm.group_size_for(rate) for rate in (None, 0.5, 0.1, 0.9, 0.0, 1.0)] == [
        8,
        4,
        16,
        16,
        16,
        16,
    ]
    assert create_algorithm("grpo").group_size_for(0.5) == 8


def test_mixed_probability() -> None:
    # The figure of a study with p = 0.18: 70 % of groups of 2 are flat, 20 % of groups of 8.
    assert mixed_probability(0.18, 2) == pytest.approx(1 - 0.7048)
    assert mixed_probability(0.18, 8) == pytest.approx(1 - 0.2044, abs=1e-4)


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (4, [2, 2]), (5, [2, 2, 1])])
def test_every_minibatch_is_in_one_window(count: int, sizes: list[int]) -> None:
    windows = create_algorithm("grpo", sync_frequency=2).sync_windows(count)
    assert [len(window) for window in windows] == sizes
    assert [index for window in windows for index in window] == list(range(count))
