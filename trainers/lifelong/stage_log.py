"""Log of the completed stages of a course: one file, replaced whole after each stage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trainers.config.files import read_text
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text

Result = dict[str, Any]
"""Result of a stage, JSON-able."""


class StageLog:
    """The stages that are done, with their results. A stage that is not in it is carried out from its beginning."""

    def __init__(self, path: Path) -> None:
        """Read the file, which need not exist.

        Raises:
            ConfigError: It is damaged.
        """
        self._path = path
        self._done: dict[str, Result] = {}
        if path.is_file():
            try:
                stored = json.loads(read_text(path, "cannot read the stages of the run in"))
            except ValueError as error:
                raise ConfigError(f"{path}: expected the stages of a run: {error}") from None
            if not isinstance(stored, dict):
                raise ConfigError(f"{path}: expected the stages of a run, got {type(stored).__name__}")
            self._done = stored

    def result(self, stage: str) -> Result | None:
        """Return the result of a stage; `None` if it is not done."""
        return self._done.get(stage)

    def finish(self, stage: str, result: Result) -> None:
        """Note that a stage is done; its files are complete before.

        Raises:
            ConfigError: The file cannot be written.
        """
        self._done[stage] = result
        write_text(self._path, json.dumps(self._done, indent=1, ensure_ascii=False) + "\n")
