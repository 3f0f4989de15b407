from __future__ import annotations

from itertools import combinations

import pytest

from trainers.evaluation.held_out import Evaluation, evaluate, pass_at_k
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer


@pytest.mark.parametrize("successes", range(7))
@pytest.mark.parametrize("k", [1, 2, 5, 6])
def test_pass_at_k_is_the_mean_over_all_draws(successes: int, k: int) -> None:
    results = [True] * successes + [False] * (6 - successes)
    draws = [any(draw) for draw in combinations(results, k)]
    assert pass_at_k(6, successes, k) == pytest.approx(sum(draws) / len(draws))


@pytest.mark.parametrize("arguments", [(4, 5, 1), (4, -1, 1), (4, 2, 5), (4, 2, 0)])
def test_pass_at_k_refuses_impossible_counts(arguments: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected 0 <= successes <= samples"):
        pass_at_k(*arguments)


def test_evaluation_counts_and_repeats(player: EpisodePlayer, policy: TransformersPolicy) -> None:
    first = evaluate(player, policy, ["t0", "t1", "t6"], 8, seed=1)
    counts = [sum(episode.proved for episode in first.episodes[at : at + 8]) for at in (0, 8, 16)]
    assert [episode.theorem for episode in first.episodes] == ["t0"] * 8 + ["t1"] * 8 + ["t6"] * 8
    assert 0 < sum(counts) < 24
    assert first.rates() == pytest.approx(
        {"pass@1": sum(counts) / 24, "pass@8": sum(count > 0 for count in counts) / 3}
    )
    assert first.rates(["t1"])["pass@1"] == counts[1] / 8
    proofs = [len(episode.tactics) for episode in first.episodes if episode.proved]
    assert first.mean_length == pytest.approx(sum(proofs) / len(proofs))
    again = evaluate(player, policy, ["t0", "t1", "t6"], 8, seed=1)
    assert [e.tactics for e in again.episodes] == [e.tactics for e in first.episodes]


@pytest.mark.parametrize(
    ("samples", "names"), [(1, ["pass@1"]), (4, ["pass@1", "pass@4"]), (12, ["pass@1", "pass@8"])]
)
def test_few_episodes_give_what_they_can(samples: int, names: list[str]) -> None:
    measured = Evaluation(samples, {"a": samples, "b": 0}, 1.0, ())
    assert measured.rates() == dict.fromkeys(names, 0.5)
