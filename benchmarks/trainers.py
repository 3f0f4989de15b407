"""Speed of our rollout and learner, compared with a stock `trl.GRPOTrainer` on the same environment.

    python -m benchmarks.trainers                                    the tiny model, a few minutes
    python -m benchmarks.trainers --rounds 5 --threads 1 --workers 1
    python -m benchmarks.trainers --optimizer-steps 1                spares TRL a pass for the old log-probabilities

Both sides use the same machine, model, theorems, provers, threads, dtype, episodes and optimiser steps. There are two
measurements:

one batch     updates on one batch of episodes that a tiny model played before, so both train on the same sampled
              tactics. We have a row for each tactic; TRL, with `trainers.integrations.trl`, one for each episode.
own episodes  whole iterations on different theorems. Each side samples its own episodes, so the numbers of tactics
              differ a little, and seconds are given for 1,000 sampled tactics. Learning is everything but the rollout.

A model trained on single goals proves less in a dialogue, the format of TRL, so its episodes are longer there. Tactics
answered from the cache were tried before by the same group, because each theorem is played once.

Each measurement is a separate process, which begins with uncounted updates; the sides take turns in starting. Figures
are medians, with the range over updates and rounds in brackets; memory has one figure per process. Memory is that of
the training process, without the provers. Add figures worth keeping to docs/log.md, together with the command.
"""

from __future__ import annotations

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
from lean_gym.command_line import Parser
from trainers.errors import ConfigError


def iteration_lines(outcome: Outcome) -> list[Line]:
    """Return the lines about iterations on each side's own episodes."""
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
    """Return the share of the tactics in our iterations that the cache answered, from 0 to 1."""
    runs = outcome.runs["ours", "iteration"]
    return sum(run.hits for run in runs) / sum(run.tried for run in runs)


def main(arguments: Sequence[str] | None = None, run: Run | None = None) -> None:
    """Print the table."""
    parser = Parser("python -m benchmarks.trainers", description=(__doc__ or "").partition("\n")[0])
    add_contest_flags(parser)
    given = parser.parse_args(arguments)
    progress, console = Console(stderr=True), open_console()
    try:
        contest = contest_of(given)
        reset_peak()  # fails at once if memory cannot be measured
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
