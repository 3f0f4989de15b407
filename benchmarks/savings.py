"""Ablation of the savings of our learner, beside TRL on the same rows: tokens, operations, seconds and memory.

    python -m benchmarks.savings                                     the tiny model, some minutes a batch
    python -m benchmarks.savings --batches recorded,proofs --rounds 5 --threads 1
    python -m benchmarks.savings --size 0.1b --theorems-per-update 4 --max-steps 4 --batches recorded

All sides learn from one batch of episodes. From line to line of the table a saving is switched off: tactics of a prompt
share one pass over it, and prompts their common beginning; equal rows are one row; rows without an advantage are left
out. The last lines are TRL 1.16: with our rows, a tactic each (`trainers.integrations.trl_tactics`), and its stock
trainer, whose rows are dialogues of an episode. `distinct` prompts have nothing in common, `long` tactics have 64
tokens, `proofs` are one answer of 256 tokens for each episode; see `benchmarks.contest.settings`.

Each measurement is a process of its own with one uncounted update; the sides of a round take turns in starting.
Seconds are medians over updates and rounds, with the range; memory is the peak above what was loaded.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import get_args

from rich.console import Console
from rich.table import Table

from benchmarks.big_models import SIZES
from benchmarks.children import ChildFailed, run_child
from benchmarks.contest.rounds import Run, add_contest_flags, contest_of
from benchmarks.contest.settings import Batch, Contest, Measurement, Side, child_environment
from benchmarks.figures import Spread, open_console
from lean_gym.command_line import Parser
from trainers.errors import ConfigError

LABELS: dict[Side, str] = {
    "ours": "ours",
    "apart": ".. each row with its prompt",
    "each": ".. and equal rows one by one",
    "all": ".. and rows without advantage",
    "rows": "TRL, a row per tactic",
    "stock": "TRL, a row per episode",
}


def measure(
    contest: Contest,
    batches: Sequence[Batch],
    rounds: int,
    say: Callable[[str], None],
    run: Run | None = None,
) -> dict[Batch, dict[Side, list[Measurement]]]:
    """Return the measurements of every side for every batch, one for each round; after Ctrl-C those that were made.

    Args:
        contest: The settings.
        batches: The batches.
        rounds: Number of rounds.
        say: Called with a line for each measurement.
        run: Does the jobs of `benchmarks.contest.child`; in child processes if left out.

    Raises:
        ChildFailed: A process ended with an error.
    """
    apart = child_environment(contest)
    do = run or (lambda job: run_child("benchmarks.contest.child", job, apart))
    found: dict[Batch, dict[Side, list[Measurement]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        say("preparing: a model that has seen some proofs, and a batch of its episodes")
        do({"folder": folder, "contest": asdict(contest), "side": "preparation"})
        jobs = [
            (number, batch, side)
            for number in range(rounds)
            for batch in batches
            for side in (LABELS if number % 2 == 0 else reversed(LABELS))
        ]
        try:
            for number, batch, side in jobs:
                say(f"round {number + 1} of {rounds}: {batch}, {LABELS[side]}")
                settings = asdict(replace(contest, batch=batch))
                job = {"folder": folder, "contest": settings, "phase": "learning", "side": side}
                measured = Measurement(**do(job))
                found.setdefault(batch, {}).setdefault(side, []).append(measured)
        except KeyboardInterrupt:
            say("interrupted; what was measured:")
    return found


def table_of(batch: Batch, sides: dict[Side, list[Measurement]]) -> Table:
    """Return the table of a batch."""
    table = Table(
        batch, "rows", "tokens", "TFLOP", "seconds", "MiB", "times the seconds of ours", "tokens/s of ours"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    seconds = {side: Spread.of([s for run in runs for s in run.learning_s]) for side, runs in sides.items()}
    ours, passed = seconds["ours"], sides["ours"][0].passed[0]
    for side, label in LABELS.items():
        if side not in sides:
            continue
        runs = sides[side]
        tokens = runs[0].passed[0]
        memory = Spread.of([max(0.0, run.peak_mib - run.loaded_mib) for run in runs])
        slower = seconds[side].over(ours)
        table.add_row(
            label,
            f"{runs[0].rows:,}",
            f"{tokens:,}",
            f"{runs[0].learning_flops[0] / 1e12:.3f}",
            seconds[side].text(2),
            memory.text(0),
            f"{slower:.2f}",
            f"{tokens / passed / slower:.2f}",
        )
    return table


def main(arguments: Sequence[str] | None = None, run: Run | None = None) -> None:
    """Print a table for each batch."""
    parser = Parser("python -m benchmarks.savings", description=(__doc__ or "").partition("\n")[0])
    add_contest_flags(parser)
    known = get_args(Batch)
    parser.add_argument(
        "--batches", default=",".join(known), help=f"of {', '.join(known)}, by commas [%(default)s]"
    )
    parser.add_argument(
        "--size",
        choices=sorted(SIZES),
        default="",
        help="a larger model with random weights [the tiny model]",
    )
    # One step spares TRL a pass for the old log-probabilities.
    parser.set_defaults(optimizer_steps=1, updates=2)
    given = parser.parse_args(arguments)
    batches: list[Batch] = [name for name in known if name in given.batches.split(",")]
    if set(given.batches.split(",")) - set(known):
        parser.error(f"--batches: expected names among {', '.join(known)}, got {given.batches!r}")
    progress, console = Console(stderr=True), open_console()
    try:
        contest = contest_of(given)
        found = measure(contest, batches, given.rounds, progress.print, run)
    except (ConfigError, ChildFailed) as error:
        parser.exit(2, f"error: {error}\n")
    console.print(f"Python {platform.python_version()}, {os.cpu_count()} cores; {contest}")
    for batch, sides in found.items():
        console.print(table_of(batch, sides))


if __name__ == "__main__":
    main()
