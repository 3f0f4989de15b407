"""`--dry-run`: the plan of a program, its sizes, and what is missing on this machine.

report.py   the lines of the plan
sizes.py    weights of a model without loading them, memory that they take
missing.py  packages, prover, model and devices that a run needs
"""

from __future__ import annotations

from pathlib import Path

from trainers.config.cli import announce_loading
from trainers.config.run import ProgramConfig


def print_plan(config: ProgramConfig, program: str, resume: Path | None = None) -> int:
    """Print the plan of a program and return the exit code, see `trainers.plan.report.dry_run`."""
    announce_loading()
    from trainers.plan.report import dry_run

    return dry_run(config, program, resume)
