"""Places of theorems beside the corpus of an index: `places.jsonl`, a line per theorem.

    {"name": "t", "statement": "theorem t : p", "domain": "Main", "path": "Main.lean", "at": [5, 1]}

At `"path": null` no premise is accessible.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from trainers.corpora.retrieval.corpus import Places, Position, TheoremKey
from trainers.errors import ConfigError

PLACES: Final = "places.jsonl"


def write_places(folder: Path, places: Places) -> None:
    """Write places into a folder; nothing where there are none."""
    if places:
        lines = (json.dumps(_row(key, place), ensure_ascii=False) + "\n" for key, place in places.items())
        (folder / PLACES).write_text("".join(lines), encoding="utf-8")


def read_places(folder: Path) -> Places:
    """Read the places of a folder; none if it has no file of them.

    Raises:
        ConfigError: The file cannot be read.
    """
    path = folder / PLACES
    if not path.is_file():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return dict(_place(json.loads(line)) for line in lines if line)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: expected places of theorems: {error}; write the index again") from None


def _row(key: TheoremKey, place: Position | None) -> dict[str, Any]:
    name, statement, domain = key
    at = {"path": None} if place is None else {"path": place.path, "at": list(place.at)}
    return {"name": name, "statement": statement, "domain": domain, **at}


def _place(row: dict[str, Any]) -> tuple[TheoremKey, Position | None]:
    key = str(row["name"]), str(row["statement"]), str(row["domain"])
    if row["path"] is None:
        return key, None
    line, column = row["at"]
    return key, Position(str(row["path"]), (int(line), int(column)))
