"""Markdown table of an ablation: mean ± standard deviation over seeds, and the cost of reaching a rate.

A credit that correlates with `episode` above `SAME_CREDIT` is nearly the same training signal, so the difference of two
runs is one of seeds: the table shows the correlation instead of results.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)

from benchmarks.figures import mean_and_deviation

SAME_CREDIT = 0.95
"""Correlation with `episode` above which a credit is not compared."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Course of a run.

    Attributes:
        rates: Completed iterations -> pass@1 on the held-out theorems, for each evaluation.
        seconds: Seconds of each iteration, rollout and update.
        tactics: Number of tactics sampled in each iteration, those of vine rollouts included.
        correlation: Mean correlation of its credit with that of `episode`; `None` for `episode` itself.
    """

    rates: Mapping[int, float]
    seconds: Sequence[float]
    tactics: Sequence[float]
    correlation: float | None = None

    def reaches(self, rate: float) -> tuple[float, float] | None:
        """Return seconds of training and sampled tactics until an evaluation first reached the rate, or `None`."""
        done = next((at for at in sorted(self.rates) if self.rates[at] >= rate), None)
        return None if done is None else (sum(self.seconds[:done]), sum(self.tactics[:done]))


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a finished run.

    Attributes:
        before: Rates on the held-out theorems after the warm start, by name (`pass@1`, `pass@8`).
        after: The same after training.
        curve: Course of the run between them.
    """

    before: Mapping[str, float]
    after: Mapping[str, float]
    curve: Curve


def read_result(folder: Path) -> Result:
    """Read `summary.json` and the TensorBoard scalars of a finished run."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return Result(summary["eval"]["before"], summary["eval"]["after"], read_curve(folder))


def read_curve(folder: Path) -> Curve:
    """Read the scalars of a run; iterations repeated after an interruption count once."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()

    def scalars(tag: str) -> dict[int, float]:
        return {event.step: event.value for event in events.Scalars(tag)} if tag in tags else {}

    tags = events.Tags()["scalars"]
    tactics = scalars("rollout/tactics")
    seconds, agreed = scalars("time/iteration"), scalars("credit/correlation")
    return Curve(
        rates=scalars("eval/pass_at_1"),
        seconds=[seconds[at] for at in sorted(seconds)],
        tactics=[tactics[at] for at in sorted(seconds)],
        correlation=float(np.mean(list(agreed.values()))) if agreed else None,
    )


def markdown(results: Mapping[str, Sequence[Result]], target: float) -> str:
    """Return the table, one line per variant.

    Args:
        results: Variant -> its finished runs, one for each seed.
        target: Rate, from 0 to 1, whose cost is shown.
    """
    at = f"{100 * target:g}%"
    head = (
        *("variant", "seeds", "pass@1 before", "pass@1 after", "gain", "pass@8 after", "minutes of training"),
        *(f"reached {at}", f"minutes to {at}", f"thousand tactics to {at}"),
    )
    body = [_row(name, runs, target) for name, runs in results.items()]
    rows = [head, ("---",) * len(head), *(row + ("-",) * (len(head) - len(row)) for row in body)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _row(name: str, runs: Sequence[Result], target: float) -> tuple[str, ...]:
    agreed = [run.curve.correlation for run in runs if run.curve.correlation is not None]
    if agreed and (mean := float(np.mean(agreed))) > SAME_CREDIT:
        shown = f"{mean:.2f}".removeprefix("0")
        return (name, str(len(runs)), f"correlates {shown}, not compared")
    reached = [cost for run in runs if (cost := run.curve.reaches(target)) is not None]

    def percent(values: Sequence[float]) -> str:
        return mean_and_deviation(values, 1, 100)

    return (
        name,
        str(len(runs)),
        percent([run.before["pass@1"] for run in runs]),
        percent([run.after["pass@1"] for run in runs]),
        percent([run.after["pass@1"] - run.before["pass@1"] for run in runs]),
        percent([run.after["pass@8"] for run in runs]),
        mean_and_deviation([sum(run.curve.seconds) for run in runs], 1, 1 / 60),
        f"{len(reached)} of {len(runs)}",
        mean_and_deviation([seconds for seconds, _ in reached], 1, 1 / 60),
        mean_and_deviation([tactics for _, tactics in reached], 1, 1 / 1000),
    )
