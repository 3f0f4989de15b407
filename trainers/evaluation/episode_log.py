"""Finished episodes of an evaluation, one JSON line each, so that an interrupted one goes on where it stopped.

The first line says what was measured; a log made with other settings is never gone on with. A line that a killed
program left half-written is dropped. Nothing read back is believed: proofs are replayed before they count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trainers.config.files import read_text
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import naming_unwritable, write_text


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One finished episode.

    Attributes:
        theorem: Name of the theorem.
        sample: Which of the theorem's episodes, from 0.
        outcome: A value of `lean_gym.types.Outcome`.
        tactics: The accepted tactics.
        steps: Tactics tried.
        refused: How many of them Lean refused.
    """

    theorem: str
    sample: int
    outcome: str
    tactics: tuple[str, ...]
    steps: int
    refused: int


class EpisodeLog:
    """The file `episodes.jsonl` of an evaluation."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Open the log, or start it.

        Args:
            path: The file; its folder exists.
            header: What is measured, JSON-able; must equal that of a log that is there.

        Raises:
            ConfigError: The file is of another measurement, or is no such log.
        """
        self.path = path
        self._rows: dict[tuple[str, int], EpisodeRow] = {}
        head = json.dumps(header, ensure_ascii=False, sort_keys=True)
        if not path.is_file():
            write_text(path, head + "\n")
            return
        lines = read_text(path, "cannot read the episodes in").split("\n")
        stored = self._header(lines[0])
        if len(lines) <= 2:  # nothing was finished, so there is nothing to go on with
            stored, lines = json.loads(head), [head, ""]
        self._check_header(stored, json.loads(head))
        # What follows the last line break is a line cut off by a kill.
        for number, line in enumerate(lines[1:-1], start=2):
            row = self._read(line, number)
            self._rows[row.theorem, row.sample] = row
        write_text(path, "".join(line + "\n" for line in lines[:-1]))

    @property
    def rows(self) -> Sequence[EpisodeRow]:
        """All finished episodes."""
        return list(self._rows.values())

    def holds(self, episodes: Iterable[tuple[str, int]]) -> bool:
        """Whether all of these (theorem, sample) are finished."""
        return all(episode in self._rows for episode in episodes)

    def append(self, rows: Sequence[EpisodeRow]) -> None:
        """Write episodes down."""
        self._rows |= {(row.theorem, row.sample): row for row in rows}
        with naming_unwritable(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows))

    def _header(self, line: str) -> dict[str, Any]:
        try:
            stored = json.loads(line)
        except ValueError:
            stored = None
        if not isinstance(stored, dict):
            raise ConfigError(
                f"{self.path}: its first line does not say what was measured; take another --out-dir"
            )
        return stored

    def _check_header(self, stored: Mapping[str, Any], header: Mapping[str, Any]) -> None:
        for name in sorted({*stored, *header}):
            there, asked = stored.get(name), header.get(name)
            if isinstance(there, dict) and isinstance(asked, dict):
                self._check_header(there, asked)
            elif there != asked:
                raise ConfigError(
                    f"out_dir: {self.path.parent} holds an evaluation with another {name} (there: {there!r}, asked "
                    f"for: {asked!r}); take another --out-dir"
                )

    def _read(self, line: str, number: int) -> EpisodeRow:
        try:
            values = json.loads(line)
            return EpisodeRow(**{**values, "tactics": tuple(values["tactics"])})
        except (ValueError, TypeError, KeyError):
            raise ConfigError(
                f"{self.path}, line {number}: expected a finished episode, got {line[:80]!r}; take another --out-dir"
            ) from None
