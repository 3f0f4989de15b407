"""Counts over stored episodes."""

from __future__ import annotations

from typing import Any

import pytest

from trainers.reporting.episodes import accepted_before, count_episodes, first_word
from trainers.reporting.rows import EpisodeRow


def rows(*stored: Any) -> list[EpisodeRow]:
    return [EpisodeRow.model_validate(each) for each in stored]


def test_counts(samples: Any) -> None:
    played, failures = count_episodes(rows(samples.lost, samples.picked, samples.swapped))
    assert played["swap"].by_iteration == {1: (1, 0), 2: (1, 1)}
    assert (played["swap"].attempts, played["swap"].proved) == (2, 1)
    assert failures.outcomes == {"proved": 2, "step_limit": 1}
    assert (failures.tactics, failures.refused) == (7, 3)
    assert failures.refusals["swap", (), "exact g"] == 2
    assert failures.by_word == {"exact": 2, "</script><script>window.hacked": 1}


def test_a_refusal_is_known_by_the_tactics_before_it(samples: Any) -> None:
    steps = [("⊢ a", "x", False), ("⊢ b", "y", True)]
    _, failures = count_episodes(rows(samples.episode("t", "step_limit", steps)))
    assert failures.refusals == {("t", ("x",), "y"): 1}


def test_the_shortest_proofs_and_the_last_failures_are_kept(samples: Any) -> None:
    long = [("⊢ a", "x", False), ("⊢ b", "y", False)]
    proofs = [samples.episode("t", "proved", steps) for steps in (long, long, long[:1])]
    failed = [samples.episode("t", "step_limit", long, iteration=number) for number in (1, 2, 3)]
    played, _ = count_episodes(rows(*proofs, *failed))
    assert [each.tactics for each in played["t"].proofs] == [("x",), ("x", "y")]
    assert [each.iteration for each in played["t"].failed] == [2, 3]


def test_an_episode_from_a_branch_point_has_tactics_before_its_steps(samples: Any) -> None:
    stored = samples.episode("t", "proved", [("⊢ b", "y", False)])
    [row] = rows({**stored, "tactics": ["x", "y"]})
    assert accepted_before(row) == ("x",)


@pytest.mark.parametrize(
    ("tactic", "word"),
    [
        ("rw [h]", "rw"),
        ("simp[h]", "simp"),
        ("exact?", "exact?"),
        ("·  x", "·"),
        ("", "(empty)"),
        ("⟨a⟩", "⟨a⟩"),
    ],
)
def test_first_words(tactic: str, word: str) -> None:
    assert first_word(tactic) == word
