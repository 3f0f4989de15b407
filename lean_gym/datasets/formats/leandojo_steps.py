"""The proof steps and premises of a traced data set, in the layout of LeanDojo Benchmark 4 or LeanDojo-v2.

    for theorem in read_traced_theorems(Path("traced/library"), "novel_premises", "train"):
        for step in theorem.steps:
            step.state, step.tactic, step.premises

`lean_gym.datasets.formats.leandojo` reads the theorems of such a data set as problems to prove.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import DataError, unknown_name

CORPUS: Final = "corpus.jsonl"
PARTS: Final = ("train", "val", "test")
Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CorpusPremise:
    """A declaration of the corpus: full name, file, code without its proof, range of positions, keyword."""

    full_name: str
    path: str
    code: str
    start: Position
    end: Position
    kind: str


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus; `imports` are the paths that it imports directly."""

    path: str
    imports: tuple[str, ...]
    premises: tuple[CorpusPremise, ...]


@dataclass(frozen=True, slots=True)
class PremiseRef:
    """A premise that the text of a tactic names, with the place of its declaration."""

    full_name: str
    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One step of a proof.

    Attributes:
        state: The goals before it, as Lean prints them.
        tactic: Its text.
        premises: The premises that the text names, each once, in their order.
        used: Full names of all premises that it used, where the data set tells: also those that it does not name.
        state_after: The goals after it; `no goals` for none.
    """

    state: str
    tactic: str
    premises: tuple[PremiseRef, ...]
    used: tuple[str, ...]
    state_after: str


@dataclass(frozen=True, slots=True)
class TracedTheorem:
    """A theorem with the steps of its proof; none for a proof by terms.

    Attributes:
        full_name: Its full name.
        file_path: Its file in the corpus.
        statement: Its header; `""` where the data set has none.
        start: Its first position.
        end: The position after its last character.
        has_sorry: Its proof has a gap.
        url: The traced repository.
        commit: The commit of the repository.
        part: `train`, `val` or `test`.
        steps: The steps, an outer tactic before those inside it.
    """

    full_name: str
    file_path: str
    statement: str
    start: Position
    end: Position
    has_sorry: bool
    url: str
    commit: str
    part: str
    steps: tuple[TracedStep, ...]


def corpus_rows(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of the corpus of a data set, each with its place for messages.

    Raises:
        DataError: There is none, or a line is no object.
    """
    corpus = folder / CORPUS
    try:
        with corpus.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{corpus}, line {number}", _object(line, f"{corpus}, line {number}")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{corpus}: cannot be read: {error}") from error


def table_rows(table: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the rows of a part of a split, each with its place for messages.

    Raises:
        DataError: It cannot be read, or is no list of objects.
    """
    try:
        rows = json.loads(table.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{table}: cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{table}: got {type(rows).__name__}, expected a list of objects")
    return [(f"{table}, row {number}", row) for number, row in enumerate(rows)]


def read_corpus(folder: Path) -> list[CorpusFile]:
    """Read the corpus of a data set.

    Raises:
        DataError: There is none, or a line is something else.
    """
    found = []
    for place, row in corpus_rows(folder):
        try:
            found.append(corpus_file(row))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{place}: expected an object with 'path', 'imports' and 'premises' ({type(error).__name__}: {error})"
            ) from error
    return found


def corpus_file(row: Mapping[str, Any]) -> CorpusFile:
    """Return the file of a row of a corpus.

    Raises:
        ValueError: A position is no pair of numbers, and like `KeyError` and `TypeError`: the row is something else.
    """
    premises = tuple(_corpus_premise(premise, row["path"]) for premise in row["premises"])
    return CorpusFile(row["path"], tuple(row["imports"]), premises)


def corpus_row(file: CorpusFile) -> dict[str, Any]:
    """Return the row of a file of a corpus, from which `corpus_file` makes the same file."""
    premises = [
        {"full_name": p.full_name, "code": p.code, "start": list(p.start), "end": list(p.end), "kind": p.kind}
        for p in file.premises
    ]
    return {"path": file.path, "imports": list(file.imports), "premises": premises}


def read_traced_theorems(
    folder: Path, strategy: str = "random", part: str | None = None
) -> list[TracedTheorem]:
    """Read the theorems of a data set.

    Args:
        folder: The data set.
        strategy: Name of the split, `random` or `novel_premises`.
        part: `train`, `val` or `test`; `None` for all.

    Raises:
        DataError: There is no such file, or a row is something else.
    """
    if part is not None and part not in PARTS:
        raise DataError(unknown_name("part", part, PARTS))
    found = []
    for name in PARTS if part is None else (part,):
        for place, row in table_rows(folder / strategy / f"{name}.json"):
            try:
                found.append(_theorem(row, name))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DataError(
                    f"{place}: expected a theorem with 'traced_tactics' ({type(error).__name__}: {error})"
                ) from error
    return found


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: no JSON object: {error}") from error
    if not isinstance(row, dict):
        raise DataError(f"{place}: expected a JSON object, got {type(row).__name__}")
    return row


def _corpus_premise(row: Mapping[str, Any], path: str) -> CorpusPremise:
    return CorpusPremise(
        row["full_name"],
        path,
        row["code"],
        _position(row["start"]),
        _position(row["end"]),
        str(row.get("kind", "")),
    )


def _theorem(row: Mapping[str, Any], part: str) -> TracedTheorem:
    return TracedTheorem(
        full_name=row["full_name"],
        file_path=row["file_path"],
        statement=str(row.get("theorem_statement") or ""),
        start=_position(row["start"]),
        end=_position(row["end"]),
        has_sorry=bool(row.get("has_sorry", False)),
        url=str(row.get("url") or ""),
        commit=str(row.get("commit") or ""),
        part=part,
        steps=tuple(_step(step) for step in row.get("traced_tactics") or ()),
    )


def _step(row: Mapping[str, Any]) -> TracedStep:
    _, places = row["annotated_tactic"]
    premises = dict.fromkeys(
        PremiseRef(
            place["full_name"],
            place["def_path"],
            _position(place["def_pos"]),
            _position(place["def_end_pos"]),
        )
        for place in places
    )
    names = [premise.full_name for premise in premises]
    return TracedStep(
        row["state_before"],
        row["tactic"],
        tuple(premises),
        tuple(row.get("premises", names)),
        row["state_after"],
    )


def _position(pair: Any) -> Position:
    line, column = pair
    return int(line), int(column)
