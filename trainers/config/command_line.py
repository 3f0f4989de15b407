"""The command line of the training runs: `RunConfig` by flags and files, and going on with a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trainers.config.cli import read_flags
from trainers.config.files import from_mapping
from trainers.config.run import RunConfig

RESUMABLE = ("max_iterations", "workers", "torch_threads", "checkpoint_every")
"""What may change when a run goes on: nothing that an update depends on."""


@dataclass(frozen=True, slots=True)
class Command:
    """What was asked for: a configuration, and the folder of the run to go on with, if any."""

    config: RunConfig
    resume: Path | None = None


def parse(arguments: Sequence[str] | None, prog: str, description: str) -> Command:
    """Turn a command line into a configuration.

    Args:
        arguments: Words after the program's name; `None` takes them from `sys.argv`.
        prog: Name of the program, for messages.
        description: First paragraph of `--help`.

    Raises:
        ConfigError: A file or a value cannot be used, or a flag does not go with `--resume`.
        SystemExit: After `--help`, or, with code 2, for an unknown flag.
    """
    given = read_flags(RunConfig, arguments, prog, description, resumable=RESUMABLE)
    stored = {} if given.resume is None else {"run_dir": str(given.resume)}
    return Command(from_mapping(RunConfig, given.values | stored), given.resume)
