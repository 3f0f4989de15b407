from __future__ import annotations

import numpy as np
import pytest

from trainers.imitation.progress_report import baselines, compare, measure
from trainers.rollouts.step_rows import LabelledState


def state(left: int | None, *goals: str) -> LabelledState:
    return LabelledState("t", goals, left)


# One goal leaves 1 and 3 tactics, two goals 4: the line through (1, 2) and (2, 4) is 2 n.
TRAINING = [state(1, "abcd"), state(3, "ab"), state(4, "a", "b"), state(None, "a", "b", "c", "d")]


def test_baselines_are_fitted_to_the_proofs_of_the_training_part() -> None:
    found = baselines([state(9, "x" * 3), state(9, "x", "y", "z")], TRAINING)
    assert found["goals"] == pytest.approx([2.0, 6.0])
    assert found["mean"] == pytest.approx([8 / 3, 8 / 3])
    # Sizes 4, 2, 2 and tactics 1, 3, 4: the slope is (1 - 3.5) / 2, the mean size 8 / 3.
    assert found["goal_size"] == pytest.approx([8 / 3 - 1.25 * (3 - 8 / 3)] * 2)


def test_a_feature_without_variation_predicts_the_mean() -> None:
    known = [state(1, "a"), state(4, "a")]
    found = baselines([state(1, "a", "bcd")], known)
    assert found["goals"] == found["goal_size"] == pytest.approx([2.5])


def test_error_and_rank_correlation() -> None:
    found = compare(np.array([1.0, 2.5, 2.0]), np.array([1.0, 2.0, 3.0]))
    assert found["mae"] == pytest.approx((0.0 + 0.5 + 1.0) / 3)
    # Ranks 1, 3, 2 against 1, 2, 3: 1 - 6 (0 + 1 + 1) / (3 * 8).
    assert found["rank_correlation"] == pytest.approx(0.5)
    assert compare(np.ones(2), np.array([1.0, 2.0]))["rank_correlation"] is None


def test_failed_states_count_in_the_ranking_of_chances_only() -> None:
    states = [state(1, "a"), state(None, "b"), state(3, "c"), state(None, "d")]
    found = measure(states, [1.0, 50.0, 2.0, 50.0], [0.9, 0.5, 0.4, 0.1], TRAINING)
    assert (found["states"], found["failed"], found["theorems"]) == (2, 2, 1)
    assert found["model"] == {"mae": 0.5, "rank_correlation": pytest.approx(1.0)}
    assert found["reached_auc"] == 3 / 4
    assert measure(states[:1], [1.0], [0.9], TRAINING)["reached_auc"] is None
