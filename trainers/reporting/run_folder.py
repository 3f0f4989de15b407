"""Reading of a run's folder: settings, facts, summary, proofs, and whether the run is over.

A folder that is no run is an error. Whatever else is missing or broken becomes a note on the page.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from trainers.config.files import flattened, read_file
from trainers.errors import ConfigError
from trainers.reporting.rows import EpisodeRow, FactsRow, Lines, ProofRow, SummaryRow, read_object

FINISHED: Final = "finished"
RUNNING: Final = "still running"
STOPPED: Final = "not finished"
LOCK: Final = "run.lock"
"""The file that `trainers.run.claim` locks."""

T = TypeVar("T")


@dataclass(slots=True)
class RunRecord:
    """A run as its folder tells it.

    Attributes:
        path: The folder.
        name: Name on the page.
        state: `FINISHED`, `RUNNING` or `STOPPED`.
        settings: Dotted path of a setting -> its value.
        facts: Versions, seed, backend, checksum of the theorems.
        summary: The result, `None` before the end of the run.
        proofs: Proofs of theorems whose reference proof was not shown.
        notes: One line for each thing that is missing or broken.
    """

    path: Path
    name: str
    state: str
    settings: dict[str, Any]
    facts: FactsRow
    summary: SummaryRow | None
    proofs: list[ProofRow]
    notes: list[str] = field(default_factory=list)

    @property
    def plays(self) -> bool:
        """Return whether the program of the run plays episodes and measures; supervised fine-tuning does not."""
        return "evaluation.held_out" in self.settings

    def episodes(self) -> Iterator[EpisodeRow]:
        """Yield the stored episodes of training; a run without `save_trajectories` has none."""
        yield from self.rows("trajectories.jsonl", EpisodeRow)

    def rows(self, name: str, kind: type[T]) -> Iterator[T]:
        """Yield the rows of a JSONL file of the folder, and note broken lines."""
        path = self.path / name
        if path.is_file():
            lines = Lines(path, kind)  # type: ignore[type-var]
            yield from lines
            if lines.problem:
                self.notes.append(lines.problem)


def read_run(path: Path, name: str) -> RunRecord:
    """Read a folder.

    Args:
        path: The folder.
        name: Name on the page.

    Raises:
        ConfigError: It is no run, or its settings cannot be read.
    """
    if not (path / "config.yaml").is_file():
        raise ConfigError(_no_run(path))
    notes: list[str] = []
    settings = flattened(read_file(path / "config.yaml"))
    facts = _optional(path / "run.json", FactsRow, notes) or FactsRow()
    summary = _optional(path / "summary.json", SummaryRow, notes)
    if is_locked(path / LOCK):
        state = RUNNING
        notes.append("the run is still going on: this is its record up to now")
    elif (path / "summary.json").is_file():
        state = FINISHED
    else:
        state = STOPPED
        notes.append(f"no summary.json: the run did not end; to resume: --resume {path}")
    record = RunRecord(path, name, state, settings, facts, summary, [], notes)
    record.proofs = list(record.rows("proofs.jsonl", ProofRow))
    return record


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of a run; a file that a killed process left is not locked."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _no_run(path: Path) -> str:
    if not path.is_dir():
        return f"{path}: no such folder; expected the folder of a run, such as runs/LeanProof-v0-grpo-seed0"
    if (path / "result.json").is_file() or (path / "episodes.jsonl").is_file():
        return f"{path}: an evaluation, expected the folder of a run; an evaluation beside its run is found"
    return f"{path}: no run there (no config.yaml in that folder)"


def _optional(path: Path, kind: type[T], notes: list[str]) -> T | None:
    if not path.is_file():
        return None
    try:
        return read_object(path, kind)  # type: ignore[type-var]
    except ConfigError as error:
        notes.append(str(error))
        return None
