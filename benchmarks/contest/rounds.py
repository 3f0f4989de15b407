"""Rounds of a contest: its processes in turn, and their figures."""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from rich.table import Table

from benchmarks.children import run_child
from benchmarks.contest.settings import Contest, Measurement, Phase, child_environment
from benchmarks.figures import Spread
from trainers.errors import ConfigError

SIDES = ("ours", "stock")
PHASES: tuple[Phase, ...] = ("learning", "iteration")

Run = Callable[[dict[str, Any]], dict[str, Any]]
"""Function that does a job of `benchmarks.contest.child`."""


@dataclass(slots=True)
class Outcome:
    """All measurements of a contest.

    Attributes:
        batch: Result of `prepare`: size and solve rate of the recorded batch.
        runs: (side, phase) -> the measurements, one for each round.
    """

    batch: dict[str, float]
    runs: dict[tuple[str, Phase], list[Measurement]] = field(default_factory=dict)

    def spread(self, side: str, phase: Phase, figure: Callable[[Measurement], Sequence[float]]) -> Spread:
        """Return the spread of a figure over all updates of all rounds."""
        return Spread.of([value for run in self.runs[side, phase] for value in figure(run)])


def hold_contest(
    contest: Contest, rounds: int, say: Callable[[str], None], run: Run | None = None
) -> Outcome:
    """Prepare, then measure each side in each phase, once per round; the sides take turns in starting.

    Args:
        contest: The settings.
        rounds: Number of rounds.
        say: Called with a line for each measurement.
        run: Does the jobs; in child processes if left out.

    Raises:
        ChildFailed: A process ended with an error.
        ConfigError: The recorded batch has no advantages.
    """
    apart = child_environment(contest)
    do = run or (lambda job: run_child("benchmarks.contest.child", job, apart))
    with tempfile.TemporaryDirectory() as folder:
        fixed = {"folder": folder, "contest": asdict(contest)}
        say("preparing: a model that has seen some proofs, and a batch of its episodes")
        outcome = Outcome(do(fixed | {"side": "preparation"}))
        for number in range(rounds):
            for phase in PHASES:
                for side in SIDES if number % 2 == 0 else reversed(SIDES):
                    say(f"round {number + 1} of {rounds}: {phase}, {side}")
                    found = Measurement(**do(fixed | {"side": side, "phase": phase}))
                    outcome.runs.setdefault((side, phase), []).append(found)
                    if (side, phase) == ("ours", "learning") and not found.rows:
                        raise ConfigError(
                            "the recorded batch gives no tactic an advantage, so there is nothing to compare; "
                            "let the model see its proofs more often (--warm-start-epochs)"
                        )
    return outcome


Kind = Literal["seconds", "rate", "memory", "fact"]


@dataclass(frozen=True, slots=True)
class Line:
    """Line of the table.

    Attributes:
        label: Name of the figure.
        ours: Figures of our side.
        stock: Figures of the stock trainer.
        kind: Meaning of the ratio; a `fact` has none.
        digits: Number of digits after the decimal point.
    """

    label: str
    ours: Spread
    stock: Spread
    kind: Kind
    digits: int = 0

    @property
    def ratio(self) -> str:
        """Return the comparison of the medians, from our side."""
        match self.kind:
            case "seconds":
                return f"{self.stock.over(self.ours):.2f}x as fast"
            case "rate":
                return f"{self.ours.over(self.stock):.2f}x as fast"
            case "memory":
                over = self.ours.over(self.stock)
                return "-" if math.isinf(over) else f"{over:.2f}x the memory"
            case "fact":
                return ""


def compare(
    outcome: Outcome,
    label: str,
    phase: Phase,
    figure: Callable[[Measurement], Sequence[float]],
    kind: Kind,
    digits: int = 0,
) -> Line:
    """Return a line of the table from a figure of each measurement."""
    ours, stock = (outcome.spread(side, phase, figure) for side in SIDES)
    return Line(label, ours, stock, kind, digits)


def per_thousand_tactics(seconds: Sequence[float], tactics: Sequence[int]) -> list[float]:
    """Return the seconds per 1,000 sampled tactics of each update."""
    return [1000.0 * value / count for value, count in zip(seconds, tactics, strict=True)]


def learning_lines(outcome: Outcome) -> list[Line]:
    """Return the lines about updates on the recorded batch."""

    def line(
        label: str, figure: Callable[[Measurement], Sequence[float]], kind: Kind, digits: int = 0
    ) -> Line:
        return compare(outcome, f"one batch: {label}", "learning", figure, kind, digits)

    return [
        line("update, s", lambda run: run.learning_s, "seconds", 3),
        line(
            "tokens of its tactics trained on/s",
            lambda run: [n / s for n, s in zip(run.tokens, run.learning_s, strict=True)],
            "rate",
        ),
        line("tactics that go through the model", lambda run: [run.rows], "fact"),
        *memory_lines(outcome, "learning", "one batch"),
    ]


def memory_lines(outcome: Outcome, phase: Phase, label: str) -> list[Line]:
    """Return the lines about the peak memory of a phase, with one figure for each process."""
    return [
        compare(outcome, f"{label}: peak memory, MiB", phase, lambda run: [run.peak_mib], "memory"),
        compare(
            outcome,
            f"{label}: peak above what was loaded, MiB",
            phase,
            lambda run: [max(0.0, run.peak_mib - run.loaded_mib)],
            "memory",
        ),
    ]


def table_of(lines: Sequence[Line]) -> Table:
    """Return the table of the lines: median, with the range over updates and rounds in brackets."""
    table = Table("", "ours", "trl.GRPOTrainer", "ours is")
    for line in lines:
        table.add_row(line.label, line.ours.text(line.digits), line.stock.text(line.digits), line.ratio)
    return table


def add_contest_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the settings of a contest, common to both commands."""
    default = Contest()
    for name, text in (
        ("theorems", "sets by name or path, by commas"),
        ("backend", "the prover"),
        ("workers", "prover processes, 0 for one per core"),
        ("threads", "of torch, 0 for torch's own choice"),
        ("theorems_per_update", "groups of an update"),
        ("group_size", "episodes of a group"),
        ("max_steps", "tactics of an episode"),
        ("max_tactic_tokens", "tokens of a tactic"),
        ("warm_start_epochs", "passes over the proofs that the tiny model is shown"),
        ("warm_ups", "updates of each process that are not counted"),
        ("updates", "updates of each process that are"),
        ("optimizer_steps", "of an update"),
        ("stock_rows", "episodes that TRL passes through the model at once; its own default is 8"),
        ("seed", "of everything random"),
    ):
        value = getattr(default, name)
        flag = "--" + name.replace("_", "-")
        parser.add_argument(flag, type=type(value), default=value, help=f"{text} [%(default)s]")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind [%(default)s]")


def contest_of(given: argparse.Namespace) -> Contest:
    """Return the contest from the command line.

    Raises:
        ConfigError: A setting is out of range.
    """
    if given.rounds < 1:
        raise ConfigError(f"rounds: expected at least 1, got {given.rounds}")
    values = {name: value for name, value in vars(given).items() if name in asdict(Contest())}
    return Contest(**values)
