"""Errors of a whole proof by position, from the command on files of a process for episodes.

The script was tried there before and refused, so the file decides nothing: it is read for its messages alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lean_gym.backends.pantograph.dialect import is_error, message_text, read_units
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.repl import Repl
from lean_gym.backends.scripts import script_file
from lean_gym.types import ScriptError, Theorem
from lean_gym.verification.tactic_filter import refused_text

_PLACED: Final = re.compile(r"[^\n]*?:(\d+):(\d+): error[^:\n]*: ?(.*)", re.DOTALL)


def file_errors(repl: Repl, theorem: Theorem, script: str, seconds: float) -> tuple[ScriptError, ...]:
    """Return Lean's errors about a theorem with a script for its proof; none where it does not say their places.

    Args:
        repl: A process for episodes.
        theorem: The statement.
        script: A tactic block; one that holds a command is not compiled.
        seconds: Wall-clock seconds.

    Raises:
        BackendTimeout: It did not answer in time.
        BackendCrashed: The process is gone.
        ProtocolError: It answered in an unknown shape.
    """
    if not repl.dialect.listing or refused_text(script, repl.allow_tactics) is not None or seconds <= 0:
        return ()
    file = script_file(theorem, script)
    repl.settle()
    payload = {"file": file.text, "readHeader": False, "inheritEnv": False}
    answer = repl.limited("frontend.process", payload, seconds)
    if "error" in answer:
        return ()
    read_units(answer)  # refuses an unknown shape
    repl.adopt(answer)
    return file.errors(_placed(answer))


def _placed(answer: Json) -> Iterator[ScriptError]:
    """Yield the errors of a processed file that have a position."""
    for unit in answer["units"]:
        for message in filter(is_error, unit["messages"]):
            error = _read(message)
            if error is not None:
                yield error


def _read(message: Any) -> ScriptError | None:
    match message:
        case {
            "pos": {"line": int(line), "column": int(column)},
            "endPos": {"line": int(end), "column": int(to)},
        }:
            return ScriptError(line, column, message_text(message), end, to)
        case {"pos": {"line": int(line), "column": int(column)}}:
            return ScriptError(line, column, message_text(message))
        case str(text) if (found := _PLACED.match(text)) is not None:
            return ScriptError(int(found[1]), int(found[2]), found[3].rstrip())
        case _:
            return None
