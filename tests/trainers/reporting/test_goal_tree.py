"""Episodes as trees of goals."""

from __future__ import annotations

from typing import Any

from trainers.reporting.goal_tree import GoalNode, tree_of
from trainers.reporting.rows import EpisodeRow


def tree(samples: Any, outcome: str, *steps: tuple[str, str, bool], history: bool = False) -> list[GoalNode]:
    return tree_of(EpisodeRow.model_validate(samples.episode("t", outcome, steps)), history)


def plain(nodes: list[GoalNode]) -> list[tuple[int, str, str | None]]:
    return [(node.parent, node.goal, node.tactic) for node in nodes]


def test_each_goal_has_its_tactic_and_the_goals_that_replaced_it(samples: Any) -> None:
    nodes = tree_of(EpisodeRow.model_validate(samples.swapped))
    assert plain(nodes) == [
        (-1, samples.start, "constructor"),
        (0, samples.left, "exact h.2"),
        (0, samples.right, "exact h.1"),
    ]
    assert nodes[0].refused == {"exact g": 1}
    assert not any(node.joint for node in nodes)


def test_a_failed_attempt_leaves_a_goal_open(samples: Any) -> None:
    nodes = tree(samples, "step_limit", ("⊢ a", "x", False), ("⊢ b", "y", True), ("⊢ b", "y", True))
    assert plain(nodes) == [(-1, "⊢ a", "x"), (0, "⊢ b", None)]
    assert nodes[1].refused == {"y": 2}


def test_the_goals_after_the_last_tactic_of_a_failure_are_not_known(samples: Any) -> None:
    assert plain(tree(samples, "step_limit", ("⊢ a", "x", False))) == [(-1, "⊢ a", "x")]


def test_a_tactic_on_several_goals(samples: Any) -> None:
    nodes = tree(samples, "proved", ("⊢ a\n\n⊢ b\n\n⊢ c", "all_goals x", False), ("⊢ d\n\n⊢ c", "y", False))
    assert plain(nodes) == [
        (-1, "⊢ a", "all_goals x"),
        (-1, "⊢ b", "all_goals x"),
        (-1, "⊢ c", "y"),
        (0, "⊢ d", "y"),
    ]
    assert [node.joint for node in nodes] == [False, True, True, False]


def test_a_tactic_on_another_goal_than_the_first(samples: Any) -> None:
    nodes = tree(samples, "proved", ("⊢ a\n\n⊢ b", "case b => x", False), ("⊢ a", "y", False))
    assert plain(nodes) == [(-1, "⊢ a", "y"), (-1, "⊢ b", "case b => x")]


def test_a_tactic_that_changes_no_goal(samples: Any) -> None:
    nodes = tree(
        samples,
        "proved",
        ("⊢ a\n\n⊢ b", "rotate_left", False),
        ("⊢ b\n\n⊢ a", "x", False),
        ("⊢ a", "y", False),
    )
    assert plain(nodes) == [(-1, "⊢ a", "rotate_left"), (-1, "⊢ b", "x"), (0, "⊢ a", "y")]


def test_equal_goals_are_different_ones(samples: Any) -> None:
    nodes = tree(samples, "proved", ("⊢ a\n\n⊢ a", "x", False), ("⊢ a", "y", False))
    assert sorted(node.tactic or "" for node in nodes) == ["x", "y"]


def test_accepted_tactics_above_the_goals_are_left_out(samples: Any) -> None:
    steps = [("⊢ a", "x", False), ("-- x\n⊢ b", "y", False)]
    assert plain(tree(samples, "proved", *steps, history=True)) == [(-1, "⊢ a", "x"), (0, "⊢ b", "y")]


def test_an_episode_without_steps() -> None:
    row = EpisodeRow(iteration=None, theorem="t", outcome="proved", tactics=("x",), steps=())
    assert tree_of(row) == []
