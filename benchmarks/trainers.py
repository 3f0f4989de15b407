"""How fast do our rollout and learner train, next to a stock `trl.GRPOTrainer` on the same environment?

    python -m benchmarks.trainers                                    the tiny model, a few minutes
    python -m benchmarks.trainers --rounds 5 --threads 1 --workers 1
    python -m benchmarks.trainers --optimizer-steps 1                spares TRL a pass for the old log-probabilities

Same machine, model, theorems, provers, threads, kind of numbers, episodes and optimiser steps. Two things are measured:

one batch     updates on one batch of episodes that a tiny model played before, so both train on the very same sampled
              tactics. Ours has a row for each tactic; TRL, fed by `trainers.integrations.trl`, one for each episode.
own episodes  whole iterations on different theorems. Each side samples for itself, so the numbers of tactics differ a
              little, and seconds are given for 1,000 sampled tactics. Learning is all that is not rollout.

A model that has read goals alone proves less in a dialogue, as TRL has it, so its episodes are longer there. Tactics
answered from the cache had been tried before by the same group, each theorem being played once.

Each measurement is a process of its own, with updates that are not counted first; sides take turns in beginning.
Figures are medians, in brackets the range over updates and rounds, one figure a process for memory. Memory is that
of the training process, without the provers. A figure worth keeping goes into docs/log.md together with the command.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence

from rich.console import Console

from benchmarks.children import ChildFailed
from benchmarks.contest.rounds import (
    Line,
    Outcome,
    Run,
    add_contest_flags,
    compare,
    contest_of,
    hold_contest,
    learning_lines,
    memory_lines,
    per_thousand_tactics,
    table_of,
)
from benchmarks.figures import open_console
from benchmarks.memory import MemoryUnknown, reset_peak
from trainers.errors import ConfigError


def iteration_lines(outcome: Outcome) -> list[Line]:
    """Iterations on episodes of each side's own."""
    label = "own episodes"
    return [
        compare(
            outcome,
            f"{label}: rollout, s per 1,000 tactics",
            "iteration",
            lambda run: per_thousand_tactics(run.rollout_s, run.tactics),
            "seconds",
            2,
        ),
        compare(
            outcome,
            f"{label}: learning, s per 1,000 tactics",
            "iteration",
            lambda run: per_thousand_tactics(run.learning_s, run.tactics),
            "seconds",
            2,
        ),
        compare(
            outcome,
            f"{label}: whole iteration, s per 1,000 tactics",
            "iteration",
            lambda run: per_thousand_tactics(
                [a + b for a, b in zip(run.rollout_s, run.learning_s, strict=True)], run.tactics
            ),
            "seconds",
            2,
        ),
        compare(outcome, f"{label}: tactics of an update", "iteration", lambda run: run.tactics, "fact"),
        compare(outcome, f"{label}: tokens of an update", "iteration", lambda run: run.tokens, "fact"),
        *memory_lines(outcome, "iteration", label),
    ]


def saved_share(outcome: Outcome) -> float:
    """Share of the tactics tried in our iterations that the cache answered, from 0 to 1."""
    runs = outcome.runs["ours", "iteration"]
    return sum(run.hits for run in runs) / sum(run.tried for run in runs)


def main(arguments: Sequence[str] | None = None, run: Run | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.trainers", description=(__doc__ or "").partition("\n")[0]
    )
    add_contest_flags(parser)
    given = parser.parse_args(arguments)
    progress, console = Console(stderr=True), open_console()
    try:
        contest = contest_of(given)
        reset_peak()  # where memory cannot be read, that should be known before minutes have passed
        outcome = hold_contest(contest, given.rounds, progress.print, run)
    except (ConfigError, ChildFailed, MemoryUnknown) as error:
        parser.exit(2, f"error: {error}\n")
    batch = outcome.batch
    console.print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores; {contest}\n"
        f"recorded batch: {batch['episodes']:.0f} episodes, {batch['solve_rate']:.0%} of them proofs, "
        f"{batch['tactics']:.0f} tactics, {batch['tokens']:.0f} tokens",
    )
    console.print(table_of([*learning_lines(outcome), *iteration_lines(outcome)]))
    console.print(
        f"tactics answered from the cache of the group: {saved_share(outcome):.1%}", highlight=False
    )


if __name__ == "__main__":
    main()
