"""Log of the completed stages of a course: one file, replaced whole after each stage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainers.config.files import read_text
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text

Result = dict[str, Any]
"""Result of a stage, JSON-able but for paths."""


class StageEnded(Exception):
    """A stage ended before it was done: interrupted by a signal, or by a false theorem that counted as proved.

    Attributes:
        code: Exit code of the program.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


class StageLog:
    """The stages that are done, with their results. A stage that is not in it is carried out from its beginning.

    Paths in a result are kept relative to the folder of the file where they lie in it, so that the folder can be moved:
    `{"path": "1-logic/sft/policy"}`.
    """

    def __init__(self, path: Path) -> None:
        """Read the file, which need not exist.

        Raises:
            ConfigError: It is damaged.
        """
        self._path = path.absolute()
        self._done: dict[str, Result] = {}
        if path.is_file():
            try:
                text = read_text(path, "cannot read the stages of the run in")
                stored = json.loads(text, object_hook=self._found)
            except ValueError as error:
                raise ConfigError(f"{path}: expected the stages of a run: {error}") from None
            if not isinstance(stored, dict) or not all(isinstance(one, dict) for one in stored.values()):
                raise ConfigError(f"{path}: expected an object with the results of stages")
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
        text = json.dumps(self._done, indent=1, ensure_ascii=False, default=self._written)
        write_text(self._path, text + "\n")

    def carry_out(self, stage: str, work: Callable[[], Result], on_begin: Callable[[], None]) -> Result:
        """Carry out a stage unless it is done, and return its result.

        Args:
            stage: Its name.
            work: Does it.
            on_begin: Called before, if it is not done; may raise to stop.
        """
        done = self.result(stage)
        if done is None:
            on_begin()
            done = work()
            self.finish(stage, done)
        return done

    def _written(self, value: object) -> dict[str, str]:
        if not isinstance(value, Path):
            raise TypeError(f"expected a path, got {type(value).__name__}")
        home = self._path.parent
        inside = value.is_relative_to(home)
        return {"path": (value.relative_to(home) if inside else value).as_posix()}

    def _found(self, value: dict[str, Any]) -> Any:
        return self._path.parent / value["path"] if value.keys() == {"path"} else value


def expect_done(code: int) -> None:
    """Check the exit code of a stage.

    Raises:
        StageEnded: It is not 0.
    """
    if code:
        raise StageEnded(code)
