"""`--dry-run`: the plan of a program, its sizes, and what is missing on this machine.

report.py   the lines of the plan
sizes.py    weights of a model without loading them, memory that they take
traced.py   memory of passes through a model, from passes on tensors without numbers
counting.py bytes of the tensors that a computation holds
division.py what several processes divide, and the setting to change where the memory of one is too small
missing.py  packages, prover, model and devices that a run needs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainers.config.cli import announce_loading
from trainers.config.run import ProgramConfig

if TYPE_CHECKING:
    from lean_gym.types import Theorem  # loads Gymnasium


def print_plan(
    config: ProgramConfig,
    program: str,
    resume: Path | None = None,
    choose: Callable[[], Sequence[Theorem]] | None = None,
) -> int:
    """Print the plan of a program and return the exit code, see `trainers.run.plan.report.dry_run`."""
    announce_loading()
    from trainers.run.plan.report import dry_run

    return dry_run(config, program, resume, choose)
