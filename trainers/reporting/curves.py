"""Scalars of a run's event files, and the charts of one or several runs as figures of Plotly."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)

from trainers.reporting.rows import AutomationRow

Curve = tuple[tuple[int, float], ...]
"""(step, value), in the order of the steps."""
Curves = Mapping[str, Curve]
"""Scalar -> curve."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one scalar.

    Attributes:
        scalar: Its name in the event files.
        title: Heading.
        share: The values are shares from 0 to 1.
        automation: The shares that automation proves belong into it.
        axis: Meaning of its steps.
    """

    scalar: str
    title: str
    share: bool = False
    automation: bool = False
    axis: str = "iteration"


MAIN: Final = (
    Chart("proof/solve_rate", "Training: share of the episodes that proved their theorem", share=True),
    Chart("eval/pass_at_1", "Held-out theorems: pass@1", share=True, automation=True),
    Chart("eval/pass_at_8", "Held-out theorems: pass@8", share=True, automation=True),
    Chart("proof/new", "New training theorems proved, in all"),
)
MORE: Final = (
    Chart("eval/proved", "Held-out theorems proved in a measurement, in all"),
    Chart("proof/refused_share", "Share of the tactics that Lean refused", share=True),
    Chart("proof/length", "Accepted tactics of a proof, mean"),
    Chart("reward/mean", "Return of an episode, mean"),
    Chart("group/zero_std_fraction", "Share of the groups that earned the same", share=True),
    Chart("policy/entropy", "Entropy of a sampled token, nats"),
    Chart("policy/kl", "KL divergence from the start policy, nats per token"),
    Chart("policy/clip_fraction", "Share of the tokens clipped", share=True),
    Chart("warm_start/loss", "Warm start: loss, nats per token", axis="epoch, 0 is the last one"),
    Chart("fine_tune/loss", "Fine-tuning: loss, nats per token"),
    Chart("train/loss", "Supervised training: loss", axis="optimiser step"),
    Chart("time/iteration", "Seconds of an iteration"),
)
DASHES: Final = {"best": "dash", "any": "dot"}
ALL_RUNS: Final = -1
"""Stands for the number of a run in a line that is of all runs."""
LABELS: Final = {"best": "automation, best script", "any": "automation, any script"}


class _Truncations(logging.Handler):
    """Collects the event files that TensorBoard stops reading at a broken record, which it tells its log only."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).startswith("Truncated record") and isinstance(record.args, tuple):
            self.files.append(Path(str(record.args[0])).name)


def read_curves(folder: Path) -> tuple[dict[str, Curve], list[str]]:
    """Read the scalars of the event files in a folder.

    Returns:
        The scalars, without values that are no finite number, and the names of the event files that have a broken
        record: of those, the scalars before it.
    """
    if not folder.is_dir():
        return {}, []
    logger, truncations = logging.getLogger("tensorboard"), _Truncations()
    level, propagate = logger.level, logger.propagate
    logger.addHandler(truncations)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    finally:
        logger.removeHandler(truncations)
        logger.setLevel(level)
        logger.propagate = propagate
    found = {}
    for tag in events.Tags()["scalars"]:
        # The later value of a step wins: a resumed run writes it again.
        points = {event.step: float(event.value) for event in events.Scalars(tag)}
        found[tag] = tuple(sorted((step, value) for step, value in points.items() if math.isfinite(value)))
    return {tag: curve for tag, curve in found.items() if curve}, sorted(set(truncations.files))


def automation_of(curves: Curves, measured: AutomationRow | None) -> dict[str, float]:
    """Return the shares that automation proves: those of the summary, else those of the scalars."""
    if measured is not None:
        return {"best": measured.best, "any": measured.any}
    stored = {name: curves.get(f"eval/automation_{name}") for name in LABELS}
    return {name: curve[-1][1] for name, curve in stored.items() if curve}


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of the same settings.

    Attributes:
        colour: Number of their colour.
        runs: Name, curves and shares of automation of each, at least one.
    """

    colour: int
    runs: Sequence[tuple[str, Curves, Mapping[str, float]]]


def figures(charts: Sequence[Chart], series: Sequence[Series]) -> list[dict[str, Any]]:
    """Return the charts for which a run has values.

    Returns:
        For each chart its title, the meaning of its steps, whether its values are shares, and its lines: name, colour
        or `ALL_RUNS`, dash, and points x and y; of several runs y is their mean, between `low` and `high`.
    """
    runs = [(each.colour, *run) for each in series for run in each.runs]
    found = []
    for chart in charts:
        lines = [line for each in series if (line := _run_line(chart.scalar, each)) is not None]
        if not lines:
            continue
        if chart.automation:
            steps = [step for line in lines for step in line["x"]]
            ends = (min(steps), max(max(steps), min(steps) + 1))
            lines += _automation_lines(runs, ends)
        found.append({"title": chart.title, "axis": chart.axis, "share": chart.share, "lines": lines})
    return found


def _run_line(scalar: str, series: Series) -> dict[str, Any] | None:
    """Return the curve of the runs that have the scalar, over the steps that all of these have."""
    curves = {name: dict(own[scalar]) for name, own, _ in series.runs if scalar in own}
    if not curves:
        return None
    names, values = ", ".join(curves), list(curves.values())
    if len(values) == 1:
        return _line(names, series.colour, "solid", tuple(values[0].items()))
    steps = [step for step in values[0] if all(step in own for own in values)]
    columns = [[own[step] for own in values] for step in steps]
    means = tuple((step, fmean(column)) for step, column in zip(steps, columns, strict=True))
    spread = {"low": [min(column) for column in columns], "high": [max(column) for column in columns]}
    name = f"mean and range of {len(values)} runs: {names}"
    return _line(name, series.colour, "solid", means) | spread if steps else None


def _automation_lines(
    runs: Sequence[tuple[int, str, Curves, Mapping[str, float]]], ends: tuple[int, int]
) -> list[dict[str, Any]]:
    """Return level lines, one for all runs where they have the same held-out theorems to all appearances."""
    lines = []
    for kind, label in LABELS.items():
        shares = [(colour, f"{name}: {label}", own[kind]) for colour, name, _, own in runs if kind in own]
        if len({share for _, _, share in shares}) == 1:
            shares = [(ALL_RUNS, label, shares[0][2])]
        for colour, name, share in shares:
            lines.append(_line(name, colour, DASHES[kind], tuple((end, share) for end in ends)))
    return lines


def _line(name: str, colour: int, dash: str, points: Curve) -> dict[str, Any]:
    return {
        "name": name,
        "run": colour,
        "dash": dash,
        "x": [step for step, _ in points],
        "y": [value for _, value in points],
    }
