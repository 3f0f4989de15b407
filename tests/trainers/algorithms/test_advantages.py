from __future__ import annotations

import itertools
import math

import pytest
import torch

from trainers.algorithms import ALGORITHMS, Algorithm, create_algorithm
from trainers.algorithms.advantages import best_of_sets


def one_group(returns: list[float], name: str = "grpo", **settings: object) -> list[float]:
    found: list[float] = create_algorithm(name, **settings).compute_group_advantages([returns])[0].tolist()
    return found


def test_no_normalisation_subtracts_the_mean() -> None:
    assert one_group([0.0, 0.0, 1.0, 3.0], "dr_grpo") == [-1.0, -1.0, 0.0, 2.0]


def test_winsorized_pulls_in_an_outlier() -> None:
    # Quantile 0.75 of 0, 1, 2, 10 is 2 + 0.25 * 8 = 4, quantile 0.25 is 0.75: 0.75, 1, 2, 4 with mean 1.9375,
    # squared deviations 1.41016 + 0.87891 + 0.00391 + 4.25391 = 6.54688, std sqrt(6.54688 / 3) = 1.47727.
    found = one_group(
        [0.0, 1.0, 2.0, 10.0], advantage_norm="winsorized", winsorize_quantile=0.75, std_epsilon=1e-9
    )
    assert found == pytest.approx([(v - 1.9375) / 1.47727 for v in (0.75, 1.0, 2.0, 4.0)], abs=1e-4)


def test_winsorized_forgets_the_only_success_of_a_large_group() -> None:
    # Quantile 0.9 of nine 0 and a 1 stands at 0.9 * 9 = 8.1, a tenth of the way to 1; of ten 0 and a 1 at 9.0, a 0.
    assert one_group([0.0] * 9 + [1.0], advantage_norm="winsorized")[-1] > 1.0
    assert one_group([0.0] * 10 + [1.0], advantage_norm="winsorized") == [0.0] * 11


def test_ranks_are_spread_evenly_and_ties_share() -> None:
    assert one_group([5.0, 0.0, 100.0], advantage_norm="rank") == [0.0, -1.0, 1.0]
    # 1 beats 2 others, one above: (2 - 1) / 4; the two zeros: (0 - 3) / 4; the three-way top: (3 - 0) / 4 shared as
    # (below - above) / 4
    assert one_group([0.0, 0.0, 1.0, 2.0, 2.0], advantage_norm="rank") == [-0.75, -0.75, 0.0, 0.75, 0.75]
    assert one_group([1.0, 1.0], advantage_norm="rank") == [0.0, 0.0]


def test_leave_one_out_is_the_distance_to_the_mean_of_the_others() -> None:
    # 0 - (1 + 2) / 2, 1 - (0 + 2) / 2, 2 - (0 + 1) / 2
    assert one_group([0.0, 1.0, 2.0], "rloo") == pytest.approx([-1.5, 0.0, 1.5])


def test_pass_at_k_is_the_papers_analytical_advantage() -> None:
    """2508.10751: mean 1 - C(n, k) / C(N, k) and deviation sqrt(mean (1 - mean)), with n failures of N."""
    found = one_group([0.0, 1.0, 0.0, 0.0], pass_at_k=2, std_epsilon=1e-9)
    # Mean 1 - 3/6, deviation 0.5; a success 1 - 0.5; a failure 1 - C(2, 1) / C(3, 1) - 0.5 = -1/6.
    assert found == pytest.approx([-1 / 3, 1.0, -1 / 3, -1 / 3])
    # Two of four: mean 1 - 1/6, deviation sqrt(5) / 6; a success 1/6; a failure 1 - 1/3 - 5/6 = -1/6.
    root = 5**0.5
    found = one_group([1.0, 0.0, 1.0, 0.0], pass_at_k=2, std_epsilon=1e-9)
    assert found == pytest.approx([1 / root, -1 / root, 1 / root, -1 / root])
    # Three of four: every pair has a proof.
    assert one_group([1.0, 1.0, 1.0, 0.0], pass_at_k=2) == [0.0] * 4


def test_pass_at_k_prefers_what_is_rare() -> None:
    """The proof of a group with one counts more, and that of a group with many counts less."""
    plain, best = (create_algorithm("grpo", pass_at_k=k) for k in (1, 4))
    one, many = [1.0] + [0.0] * 7, [1.0] * 4 + [0.0] * 4

    def ratio(algorithm: Algorithm) -> float:
        few, often = algorithm.compute_group_advantages([one, many])
        return float(few[0] / often[0])

    assert ratio(plain) == pytest.approx(7**0.5, abs=1e-3)
    # One of 8: mean 1/2, advantage 1. Four: mean 69/70, advantage (1/70) / sqrt(69) * 70 = 1 / sqrt(69).
    assert ratio(best) == pytest.approx(69**0.5, abs=0.1)


def test_the_best_of_any_returns() -> None:
    # Pairs of 0, 1, 3: best 1, 3, 3, mean 7/3, squares 16/9 and twice 4/9: variance 24/27.
    best, std = best_of_sets(torch.tensor([3.0, 0.0, 1.0], dtype=torch.float64), 2)
    assert best.tolist() == pytest.approx([3.0, 2.0, 2.0])
    assert float(std) == pytest.approx((24 / 27) ** 0.5)
    assert best.mean() == pytest.approx(7 / 3)
    same, _ = best_of_sets(torch.tensor([3.0, 0.0, 1.0], dtype=torch.float64), 1)
    assert same.tolist() == [3.0, 0.0, 1.0]


def test_the_gradient_of_pass_at_k() -> None:
    """By enumeration of all groups of four: with leave-one-out it is that of 1 - (1 - p)^k, divided by k."""
    p, count, k = 0.3, 4, 2
    algorithm = create_algorithm("rloo", group_size=count, pass_at_k=k)
    groups = list(itertools.product((0.0, 1.0), repeat=count))
    found = 0.0
    for group, advantages in zip(groups, algorithm.compute_group_advantages(groups), strict=True):
        chance = math.prod(p if success else 1 - p for success in group)
        # the gradient of log pi with respect to the logit of success
        found += chance * sum(a * (s - p) for a, s in zip(advantages.tolist(), group, strict=True)) / count
    assert found == pytest.approx(k * (1 - p) ** (k - 1) * p * (1 - p) / k, abs=1e-6)


def test_a_smaller_group_has_smaller_sets() -> None:
    algorithm = create_algorithm("grpo", group_size=8, pass_at_k=4, std_epsilon=1e-9)
    three, pair, one = algorithm.compute_group_advantages([[1.0, 0.0, 0.0], [1.0, 0.0], [1.0]])
    assert three.tolist() == pytest.approx(one_group([1.0, 0.0, 0.0], pass_at_k=2, std_epsilon=1e-9))
    assert pair.tolist() == pytest.approx([0.5**0.5, -(0.5**0.5)])
    assert one.tolist() == [0.0]


def test_reinforce_pp_standardises_over_the_batch() -> None:
    # Centred in their groups: -0.5, 0.5, 0, 0, -1.5, 1.5; squares 0.25 + 0.25 + 2.25 + 2.25 = 5, std sqrt(5 / 5) = 1.
    algorithm = create_algorithm("reinforce_pp", group_size=2, std_epsilon=1e-9)
    found = algorithm.compute_advantages([0.0, 1.0, 5.0, 5.0, 0.0, 3.0])
    assert found.tolist() == pytest.approx([-0.5, 0.5, 0.0, 0.0, -1.5, 1.5])
    # Plain: mean 14 / 6, squares of 0 1 5 5 0 3: 60 - 6 (14 / 6)^2 = 27.3333, std sqrt(27.3333 / 5) = 2.33809.
    plain = create_algorithm("reinforce_pp", group_size=2, std_epsilon=1e-9, use_baseline=False)
    expected = [(value - 14 / 6) / 2.33809 for value in (0.0, 1.0, 5.0, 5.0, 0.0, 3.0)]
    assert plain.compute_advantages([0.0, 1.0, 5.0, 5.0, 0.0, 3.0]).tolist() == pytest.approx(
        expected, abs=1e-5
    )


def test_scales_by_sign() -> None:
    found = one_group([0.0, 2.0], "dr_grpo", positive_advantage_scale=3.0, negative_advantage_scale=0.5)
    assert found == [-0.5, 3.0]


def test_population_gives_the_spread_and_the_group_the_mean() -> None:
    algorithm = create_algorithm("grpo", population_size=2, advantage_ema_decay=1.0, std_epsilon=1e-9)
    algorithm.compute_group_advantages([[100.0, -100.0]])
    algorithm.compute_group_advantages([[0.0, 2.0]])
    # The window has dropped the first group: 0, 2, 4, 6 with std sqrt(20 / 3).
    found = algorithm.compute_group_advantages([[4.0, 6.0]])[0]
    assert found.tolist() == pytest.approx([-1.0 / math.sqrt(20 / 3), 1.0 / math.sqrt(20 / 3)])
    # An own group without spread still has advantage 0.
    assert algorithm.compute_group_advantages([[5.0, 5.0]])[0].tolist() == [0.0, 0.0]


def test_older_groups_of_the_population_weigh_less() -> None:
    algorithm = create_algorithm("grpo", population_size=2, advantage_ema_decay=0.5, std_epsilon=1e-9)
    algorithm.compute_group_advantages([[0.0, 2.0]])
    # Weights 0.5 0.5 1 1: mean (1 + 10) / 3 = 11/3; spread 0.5 (121 + 25) / 9 + (1 + 49) / 9 = 123 / 9 = 13.6667;
    # freedom 3 - 2.5 / 3 = 2.16667; std sqrt(6.30769) = 2.51151.
    found = algorithm.compute_group_advantages([[4.0, 6.0]])[0]
    assert found.tolist() == pytest.approx([-1 / 2.51151, 1 / 2.51151], abs=1e-5)


def test_population_of_one_group_is_that_group() -> None:
    plain = create_algorithm("grpo").compute_group_advantages([[0.0, 1.0, 5.0]])[0]
    for decay in (0.5, 1.0):
        algorithm = create_algorithm("grpo", population_size=1, advantage_ema_decay=decay)
        assert torch.allclose(algorithm.compute_group_advantages([[0.0, 1.0, 5.0]])[0], plain)


def test_population_survives_a_checkpoint() -> None:
    groups = [[[0.0, 1.0]], [[3.0, 9.0]], [[2.0, 4.0]]]
    whole = create_algorithm("grpo", population_size=8)
    expected = [whole.compute_group_advantages(group)[0].tolist() for group in groups]
    first = create_algorithm("grpo", population_size=8)
    first.compute_group_advantages(groups[0])
    second = create_algorithm("grpo", population_size=8)
    second.load_state_dict(first.state_dict())
    assert [second.compute_group_advantages(group)[0].tolist() for group in groups[1:]] == expected[1:]


def test_without_population_nothing_is_kept() -> None:
    algorithm = create_algorithm("grpo")
    algorithm.compute_group_advantages([[0.0, 1.0]])
    assert algorithm.state_dict() == {"population": {"groups": []}}


def test_consensus_compares_with_all_groups() -> None:
    algorithm = create_algorithm("dr_grpo", use_consensus=True, consensus_weight=0.25)
    # All: mean 1.5. Group means 0.5 and 2.5; the blend is 0.75 of the distance to the own mean and 0.25 to 1.5.
    low, high = algorithm.compute_group_advantages([[0.0, 1.0], [2.0, 3.0]])
    assert low.tolist() == pytest.approx([0.75 * -0.5 + 0.25 * -1.5, 0.75 * 0.5 + 0.25 * -0.5])
    assert high.tolist() == pytest.approx([0.75 * -0.5 + 0.25 * 0.5, 0.75 * 0.5 + 0.25 * 1.5])


def test_consensus_lets_flat_groups_learn() -> None:
    algorithm = create_algorithm("grpo", use_consensus=True, consensus_weight=1.0)
    failed, proved = algorithm.compute_group_advantages([[0.0, 0.0], [1.0, 1.0]])
    assert (failed < 0).all() and (proved > 0).all()


def test_consensus_reaches_back_over_the_population() -> None:
    algorithm = create_algorithm("grpo", use_consensus=True, consensus_weight=1.0, population_size=4)
    algorithm.compute_group_advantages([[0.0, 0.0]])
    assert (algorithm.compute_group_advantages([[1.0, 1.0]])[0] > 0).all()


def test_sparse_rewards_favour_what_earned_something() -> None:
    # Three of four episodes earned nothing: more than 0.7, so the one that did gets 0.2 on top.
    settings = {"sparse_reward_threshold": 0.7, "sparse_reward_bonus": 0.2}
    assert one_group([0.0, 0.0, 0.0, 1.0], "dr_grpo", **settings) == pytest.approx(
        [-0.25, -0.25, -0.25, 0.95]
    )
    # Half of them is not.
    assert one_group([0.0, 0.0, 1.0, 1.0], "dr_grpo", **settings) == [-0.5, -0.5, 0.5, 0.5]
    # A penalty is nothing earned.
    assert one_group([-1.0, -1.0, -1.0, -1.0], "dr_grpo", **settings) == [0.0, 0.0, 0.0, 0.0]


def test_groups_may_differ_in_size() -> None:
    found = create_algorithm("dr_grpo").compute_group_advantages([[0.0, 1.0], [3.0], [0.0, 0.0, 3.0]])
    assert [group.tolist() for group in found] == [[-0.5, 0.5], [0.0], [-1.0, -1.0, 2.0]]


@pytest.mark.parametrize("name", ["grpo", "rloo", "reinforce_pp"])
def test_nothing_in_nothing_out(name: str) -> None:
    algorithm = create_algorithm(name)
    assert algorithm.compute_group_advantages([]) == []
    assert algorithm.compute_advantages([]).tolist() == []


def test_rewards_of_three_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="1 or 2 dimensions, got 3"):
        create_algorithm("grpo").compute_advantages(torch.zeros(2, 2, 2))


@pytest.mark.parametrize("norm", ["standard", "winsorized", "rank", "none"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_equal_returns_teach_nothing_at_all(name: str, norm: str) -> None:
    """The mean of three times 0.1 is not 0.1 to the last bit, and an optimiser such as Adam scales any gradient up."""
    algorithm = create_algorithm(name, advantage_norm=norm)
    for value in (0.1, -0.15, 1 / 3, 1000.1):
        for size in range(2, 12):
            assert algorithm.compute_group_advantages([[value] * size])[0].tolist() == [0.0] * size
    # Equal but for rounding; beside a group that is not, because some algorithms look at all of them.
    flat, _ = algorithm.compute_group_advantages([[0.1 + 0.2 + 0.3, 0.6, 0.3 + 0.2 + 0.1], [0.0, 0.6, 1.2]])
    assert flat.tolist() == [0.0, 0.0, 0.0]


def test_rounding_does_not_change_ranks() -> None:
    # 0.1 + 0.2 + 0.3 is larger than 0.6 by one unit in the last place.
    assert one_group([0.1 + 0.2 + 0.3, 0.6, 1.0], advantage_norm="rank") == [-0.5, -0.5, 1.0]


def test_rounding_is_nothing_earned() -> None:
    settings = {"sparse_reward_threshold": 0.6, "sparse_reward_bonus": 0.2}
    # 0.1 + 0.2 - 0.3 is 5.6e-17: two of three episodes earned nothing.
    assert one_group([0.1 + 0.2 - 0.3, 0.0, 0.3], "dr_grpo", **settings) == pytest.approx([-0.1, -0.1, 0.4])


def test_small_differences_on_large_returns_are_seen() -> None:
    # 32 bits would round 100000.01 to 100000.0078.
    found = one_group([100000.0, 100000.01], "dr_grpo")
    assert found == pytest.approx([-0.005, 0.005], abs=1e-6)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["grpo", "reinforce_pp"])
def test_returns_must_be_finite(name: str, value: float) -> None:
    message = f"expected finite returns, got {value} for episode 2 of group 1"
    with pytest.raises(ValueError, match=message):
        create_algorithm(name).compute_group_advantages([[0.0, 1.0], [0.0, 1.0, value]])
    with pytest.raises(ValueError, match=message):
        create_algorithm(name, group_size=3).compute_advantages([0.0, 1.0, 0.5, 0.0, 1.0, value])


def test_a_spread_of_the_latest_groups_is_that_of_a_batch() -> None:
    """TRL's `scale_rewards="batch"`: less the mean of the group, by the standard deviation of all returns."""
    # 0 1 5 5 0 3: mean 14 / 6, squares 60 - 6 (14 / 6)^2 = 27.3333, std sqrt(27.3333 / 5) = 2.33809.
    algorithm = create_algorithm("grpo", group_size=2, population_size=3, advantage_ema_decay=1.0)
    for _ in range(2):
        found = algorithm.compute_advantages([0.0, 1.0, 5.0, 5.0, 0.0, 3.0])
        expected = [value / (2.33809 + 1e-4) for value in (-0.5, 0.5, 0.0, 0.0, -1.5, 1.5)]
        assert found.tolist() == pytest.approx(expected, abs=1e-5)
