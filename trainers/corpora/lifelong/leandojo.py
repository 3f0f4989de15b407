"""LeanDojo-v2's database as a JSON file: read into repositories, and written from them.

In the file a position is the text "Pos(line, column)", an infinite difficulty the word Infinity, and the theorems of a
repository are three lists: proven_theorems, sorry_theorems_proved, sorry_theorems_unproved. The numbers of theorems,
premises and files that it holds as well are computed from the lists.

Source: `lean_dojo_v2/database/models` of LeanDojo-v2 1.0.9.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from trainers.config.files import read_text
from trainers.corpora.lifelong.records import Position, PremiseFile, Repository, Status, TracedTheorem
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text

_POSITION: Final = re.compile(r"Pos\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_LISTS: Final[dict[str, Status]] = {
    "proven_theorems": "proven",
    "sorry_theorems_proved": "sorry_proved",
    "sorry_theorems_unproved": "sorry",
}


def read_database(path: Path) -> list[Repository]:
    """Read a database of LeanDojo-v2.

    Raises:
        ConfigError: The file cannot be read, or has another format; the line names the place.
    """
    try:
        content = json.loads(read_text(path, "cannot read the database"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{path}: expected JSON: {error}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("repositories"), list):
        raise ConfigError(f"{path}: expected an object with a list `repositories`, as LeanDojo-v2 writes it")
    found = []
    for number, row in enumerate(content["repositories"]):
        with naming(f"{path}: repositories[{number}]"):
            found.append(_repository(row))
    return found


def write_database(path: Path, repositories: Sequence[Repository]) -> None:
    """Write a database for LeanDojo-v2, by atomic replacement.

    Raises:
        ConfigError: The file cannot be written.
    """
    content = {"repositories": [_row(repository) for repository in repositories]}
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False))


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Turn a row of another format into one line that names its place.

    Raises:
        ConfigError: The block raised what such a row leads to.
    """
    try:
        yield
    except KeyError as error:
        raise ConfigError(f"{place}: the field {error} is missing") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"{place}: {error}") from None


def position_of(value: Any) -> Position:
    """Return a position that is given as "Pos(line, column)" or as a list.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(value, str) and (found := _POSITION.fullmatch(value.strip())):
        return int(found[1]), int(found[2])
    match value:
        case [int(line), int(column)]:
            return line, column
    raise ValueError(f'expected "Pos(line, column)" or [line, column], got {str(value)[:60]!r}')


def tactic_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a traced tactic with positions as lists.

    Raises:
        KeyError: A field is missing.
        ValueError: A position has another form.
    """
    text, premises = row["annotated_tactic"]
    return {
        "tactic": _text(row["tactic"]),
        "annotated_tactic": [
            text,
            [
                {
                    "full_name": each["full_name"],
                    "def_path": each["def_path"],
                    "def_pos": list(position_of(each["def_pos"])),
                    "def_end_pos": list(position_of(each["def_end_pos"])),
                }
                for each in premises
            ],
        ],
        "state_before": _text(row["state_before"]),
        "state_after": _text(row["state_after"]),
    }


def premise_file_of(row: Mapping[str, Any]) -> PremiseFile:
    """Return a file with its premises, positions as lists.

    Raises:
        KeyError: A field is missing.
        ValueError: A position has another form.
    """
    premises = tuple(
        {
            "full_name": each["full_name"],
            "code": each["code"],
            "start": list(position_of(each["start"])),
            "end": list(position_of(each["end"])),
            "kind": each["kind"],
        }
        for each in row["premises"]
    )
    return PremiseFile(_text(row["path"]), tuple(map(_text, row["imports"])), premises)


def theorem_of(row: Mapping[str, Any], status: Status) -> TracedTheorem:
    """Return a theorem of a database or of a traced folder.

    Raises:
        KeyError: A field is missing.
        ValueError: A value has another type.
    """
    rating, statement = row.get("difficulty_rating"), row.get("theorem_statement")
    return TracedTheorem(
        name=_text(row["full_name"]),
        file=_text(row["file_path"]),
        start=position_of(row["start"]),
        end=position_of(row["end"]),
        statement=None if statement is None else _text(statement),
        tactics=tuple(tactic_of(each) for each in row.get("traced_tactics") or ()),
        status=status,
        rating=None if rating is None else float(rating),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {str(value)[:60]!r}")
    return value


def _repository(row: Mapping[str, Any]) -> Repository:
    metadata = dict(row["metadata"])
    if "date_processed" not in metadata:
        raise ValueError("metadata: expected a field `date_processed`")
    return Repository(
        url=_text(row["url"]),
        commit=_text(row["commit"]),
        name=_text(row["name"]),
        lean_version=_text(row["lean_version"]),
        tracer_version=_text(row["lean_dojo_version"]),
        metadata=metadata,
        theorems=[theorem_of(each, status) for name, status in _LISTS.items() for each in row.get(name, [])],
        premise_files=[premise_file_of(each) for each in row.get("premise_files", [])],
        files_traced=[_text(each) for each in row.get("files_traced", [])],
        pr_url=row.get("pr_url"),
    )


def _row(repository: Repository) -> dict[str, Any]:
    by_status = {
        name: [_theorem_row(repository, each) for each in repository.theorems if each.status == status]
        for name, status in _LISTS.items()
    }
    proven, proved, unproved = map(len, by_status.values())
    metadata = dict(repository.metadata)
    metadata.setdefault("date_processed", datetime.fromtimestamp(0).isoformat())  # LeanDojo-v2 wants one
    return {
        "url": repository.url,
        "name": repository.name,
        "commit": repository.commit,
        "lean_version": repository.lean_version,
        "lean_dojo_version": repository.tracer_version,
        "metadata": metadata,
        "total_theorems": proven + proved + unproved,
        "num_proven_theorems": proven,
        "num_sorry_theorems": proved + unproved,
        "num_sorry_theorems_proved": proved,
        "num_sorry_theorems_unproved": unproved,
        "num_premise_files": len(repository.premise_files),
        "num_premises": sum(len(each.premises) for each in repository.premise_files),
        "num_files_traced": len(repository.files_traced),
        **by_status,
        "premise_files": [
            {
                "path": file.path,
                "imports": list(file.imports),
                "premises": [_with_texts(each, "start", "end") for each in file.premises],
            }
            for file in repository.premise_files
        ],
        "files_traced": list(repository.files_traced),
        "pr_url": repository.pr_url,
    }


def _theorem_row(repository: Repository, theorem: TracedTheorem) -> dict[str, Any]:
    return {
        "full_name": theorem.name,
        "theorem_statement": theorem.statement,
        "file_path": theorem.file,
        "start": _position_text(theorem.start),
        "end": _position_text(theorem.end),
        "url": repository.url,
        "commit": repository.commit,
        "traced_tactics": [
            {
                **each,
                "annotated_tactic": [
                    each["annotated_tactic"][0],
                    [_with_texts(one, "def_pos", "def_end_pos") for one in each["annotated_tactic"][1]],
                ],
            }
            for each in theorem.tactics
        ],
        "difficulty_rating": theorem.rating,
    }


def _with_texts(row: Mapping[str, Any], *fields: str) -> dict[str, Any]:
    return {**row, **{name: _position_text(row[name]) for name in fields}}


def _position_text(position: Sequence[int]) -> str:
    line, column = position
    return f"Pos({line}, {column})"
