"""Log of the finished episodes of an evaluation, one JSON line each, so that an interrupted one can be resumed.

The first line holds the settings; a log made with other settings is never continued. An incomplete last line, left by a
killed program, is dropped. Stored proofs are replayed before they count.
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
class LoggedEpisode:
    """One finished episode.

    Attributes:
        theorem: Name of the theorem.
        sample: Number of the episode among those of the theorem, from 0.
        outcome: A value of `lean_gym.types.Outcome`.
        tactics: The accepted tactics.
        steps: Number of tactics tried.
        refused: Number of tactics that Lean refused.
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
        """Open an existing log, or start a new one.

        Args:
            path: The file; its folder exists.
            header: Settings of the evaluation, JSON-able; must equal those of an existing log.

        Raises:
            ConfigError: The file belongs to another evaluation, or is not such a log.
        """
        self.path = path
        self._rows: dict[tuple[str, int], LoggedEpisode] = {}
        head = json.dumps(header, ensure_ascii=False, sort_keys=True)
        if not path.is_file():
            write_text(path, head + "\n")
            return
        lines = read_text(path, "cannot read the episodes in").split("\n")
        stored = self._header(lines[0])
        if len(lines) <= 2:  # no finished episode: start again
            stored, lines = json.loads(head), [head, ""]
        self._check_header(stored, json.loads(head))
        # Text after the last line break is an incomplete line.
        for number, line in enumerate(lines[1:-1], start=2):
            row = self._read(line, number)
            self._rows[row.theorem, row.sample] = row
        write_text(path, "".join(line + "\n" for line in lines[:-1]))

    @property
    def rows(self) -> Sequence[LoggedEpisode]:
        """Return all finished episodes."""
        return list(self._rows.values())

    def holds(self, episodes: Iterable[tuple[str, int]]) -> bool:
        """Return whether all of these (theorem, sample) are finished."""
        return all(episode in self._rows for episode in episodes)

    def append(self, rows: Sequence[LoggedEpisode]) -> None:
        """Append episodes to the file."""
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
                f"{self.path}: its first line does not hold the settings; take another --out-dir"
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

    def _read(self, line: str, number: int) -> LoggedEpisode:
        try:
            values = json.loads(line)
            return LoggedEpisode(**{**values, "tactics": tuple(values["tactics"])})
        except (ValueError, TypeError, KeyError):
            raise ConfigError(
                f"{self.path}, line {number}: expected a finished episode, got {line[:80]!r}; take another --out-dir"
            ) from None
