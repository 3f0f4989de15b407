"""Measures of predicted tactics left against simple predictions from the goals.

Over the states from which a proof was reached, for the model and for the baselines:

    mean        the mean of the training states, whatever the goals are
    goals       a + b n for n open goals
    goal_size   a + b n for n characters of goals

with a and b by least squares on the training states. The mean absolute error is in tactics; the rank correlation is
Spearman's, and there is none where the prediction or the truth is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table
from scipy.stats import mannwhitneyu, spearmanr

from trainers.rollouts.step_rows import LabelledState

Numbers = npt.NDArray[np.float64]
ROWS = ("model", "goals", "goal_size", "mean")
"""Rows of the table."""


def measure(
    states: Sequence[LabelledState],
    left: Sequence[float],
    reached: Sequence[float],
    training: Sequence[LabelledState],
) -> dict[str, Any]:
    """Measure predictions.

    Args:
        states: The states to measure on.
        left: Predicted tactics left in each.
        reached: Predicted probability in each that a proof is reached.
        training: The states that the baselines are fitted to.

    Returns:
        Numbers of `states`, of `theorems` and of `failed` states; for each of `ROWS` its `mae` and `rank_correlation`
        (`None` where there is none); and `reached_auc`, the probability that a state of a proof gets a higher `reached`
        than one of a failed episode (`None` without both).
    """
    proofs = [at for at, state in enumerate(states) if state.left is not None]
    truth = _truth([states[at] for at in proofs])
    predicted = {"model": np.array([left[at] for at in proofs], dtype=np.float64)}
    predicted |= baselines([states[at] for at in proofs], training)
    chance = np.asarray(reached, dtype=np.float64)
    succeeded = np.array([state.left is not None for state in states], dtype=bool)
    return {
        "theorems": len({state.theorem for state in states}),
        "states": len(proofs),
        "failed": len(states) - len(proofs),
        **{name: compare(predicted[name], truth) for name in ROWS},
        "reached_auc": _auc(chance[succeeded], chance[~succeeded]),
    }


def baselines(states: Sequence[LabelledState], training: Sequence[LabelledState]) -> dict[str, Numbers]:
    """Return the prediction of each baseline for some states."""
    known = [state for state in training if state.left is not None]
    truth = _truth(known)
    found = {"mean": np.full(len(states), truth.mean())}
    for name, feature in (("goals", _goal_count), ("goal_size", _goal_size)):
        before, after = (
            np.array([feature(state) for state in part], dtype=float) for part in (known, states)
        )
        centred = before - before.mean()
        spread = float(centred @ centred)
        slope = float(centred @ truth) / spread if spread > 0.0 else 0.0
        found[name] = truth.mean() + slope * (after - before.mean())
    return found


def compare(predicted: Numbers, truth: Numbers) -> dict[str, float | None]:
    """Return the mean absolute error and the rank correlation of a prediction."""
    if not len(truth):
        return {"mae": None, "rank_correlation": None}
    varied = np.ptp(predicted) > 0.0 and np.ptp(truth) > 0.0
    return {
        "mae": float(np.abs(predicted - truth).mean()),
        "rank_correlation": float(spearmanr(predicted, truth).statistic) if varied else None,
    }


def table_of(result: dict[str, Any]) -> Table:
    """Return the table of a result's two parts."""
    table = Table(title="tactics left: mean absolute error and rank correlation")
    for heading in ("prediction", "training", "", "held out", ""):
        table.add_column(heading, justify="left" if heading == "prediction" else "right")
    for name in ROWS:
        cells = [
            "-" if (value := result[part][name][key]) is None else f"{value:.3f}"
            for part in ("training", "held_out")
            for key in ("mae", "rank_correlation")
        ]
        table.add_row(name, *cells)
    return table


def _truth(states: Sequence[LabelledState]) -> Numbers:
    return np.array([state.left for state in states], dtype=np.float64)


def _goal_count(state: LabelledState) -> float:
    return float(len(state.goals))


def _goal_size(state: LabelledState) -> float:
    return float(sum(map(len, state.goals)))


def _auc(higher: Numbers, lower: Numbers) -> float | None:
    if not len(higher) or not len(lower):
        return None
    return float(mannwhitneyu(higher, lower).statistic) / (len(higher) * len(lower))
