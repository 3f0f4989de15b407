"""The trace of one file, as it is kept between runs: declarations, theorems, tactics, errors.

Positions are LeanDojo's: `[line, column]`, both from 1, columns in characters; the end of a range is the position after
its last character.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.tracing.folder import write_whole

Position = tuple[int, int]

OPEN: Final = "\ue000"
CLOSE: Final = "\ue001"
"""The characters around a mentioned constant in `TacticRecord.marked`."""


@dataclass(frozen=True, slots=True)
class PremiseRecord:
    """A declaration that later proofs can use; `code` is its text without its proof, `kind` its keyword."""

    full_name: str
    code: str
    start: Position
    end: Position
    kind: str


@dataclass(frozen=True, slots=True)
class TacticRecord:
    """One tactic of a proof.

    Attributes:
        tactic: Its text, moved to the first column.
        marked: The same with `OPEN` and `CLOSE` around each constant that it names.
        mentions: The full names of those constants, in the order of the marks.
        used: The constants that it brought into the proof term, where the prover tells; sorted.
        state_before: The goals, as Lean prints them.
        state_after: The goals after it; `no goals` for none.
    """

    tactic: str
    marked: str
    mentions: tuple[str, ...]
    used: tuple[str, ...]
    state_before: str
    state_after: str


@dataclass(frozen=True, slots=True)
class TheoremRecord:
    """A theorem of a file.

    Attributes:
        full_name: Its full name.
        statement: Its header under this name.
        start: Its first position.
        end: The position after its proof.
        has_sorry: Its statement or proof contains `sorry`.
        proof: The block of tactics that proves it, moved to the first column; `""` for a proof by terms.
        offset: The offset of its first character in the file.
        is_episode: The statement, read where the theorem stands, is what the theorem states.
        tactics: The tactics of its proof, an outer one before those inside it.
    """

    full_name: str
    statement: str
    start: Position
    end: Position
    has_sorry: bool
    proof: str
    offset: int
    is_episode: bool
    tactics: tuple[TacticRecord, ...]


@dataclass(frozen=True, slots=True)
class FileError:
    """A message about a file: the position, or `None` when it is about the file as a whole."""

    message: str
    place: Position | None = None

    def __str__(self) -> str:
        """The message in one line, with its position."""
        text = " ".join(self.message.split())
        return text if self.place is None else f"{self.place[0]}:{self.place[1]}: {text}"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The trace of a file.

    Attributes:
        path: Its path in the project.
        module: Its module.
        imports: The paths of the files that it imports.
        key: Hash of its text, of the keys of its imports and of the tracer.
        premises: Its declarations, in order.
        theorems: Its theorems, in order.
        errors: What the prover refused in it.
        outside: Declarations of other packages that its proofs use, with the path of their file.
        missing: What the prover does not tell about it.
    """

    path: str
    module: str
    imports: tuple[str, ...]
    key: str
    premises: tuple[PremiseRecord, ...] = ()
    theorems: tuple[TheoremRecord, ...] = ()
    errors: tuple[FileError, ...] = ()
    outside: tuple[tuple[str, PremiseRecord], ...] = ()
    missing: tuple[str, ...] = ()


def write_record(path: Path, record: FileRecord) -> None:
    """Write a record; the file is there as a whole or not at all."""
    write_whole(path, json.dumps(asdict(record), ensure_ascii=False))


def read_record(path: Path) -> FileRecord | None:
    """Return the record of a file; `None` if there is none or it is damaged."""
    try:
        return _record(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _record(row: Mapping[str, Any]) -> FileRecord:
    premises = tuple(PremiseRecord(**_placed(premise)) for premise in row["premises"])
    theorems = tuple(
        TheoremRecord(**{**_placed(theorem), "tactics": tuple(map(_tactic, theorem["tactics"]))})
        for theorem in row["theorems"]
    )
    errors = tuple(
        FileError(error["message"], None if error["place"] is None else _position(error["place"]))
        for error in row["errors"]
    )
    outside = tuple((path, PremiseRecord(**_placed(premise))) for path, premise in row["outside"])
    return FileRecord(
        row["path"],
        row["module"],
        tuple(row["imports"]),
        row["key"],
        premises,
        theorems,
        errors,
        outside,
        tuple(row["missing"]),
    )


def _placed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "start": _position(row["start"]), "end": _position(row["end"])}


def _tactic(row: Mapping[str, Any]) -> TacticRecord:
    return TacticRecord(**{**row, "mentions": tuple(row["mentions"]), "used": tuple(row["used"])})


def _position(pair: list[int]) -> Position:
    line, column = pair
    return line, column


class Lines:
    """Positions in a text: line and column of an offset, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]

    def __call__(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
