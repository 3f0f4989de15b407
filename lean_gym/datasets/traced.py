"""Theorem sets that `python -m lean_gym trace --jsonl` wrote: every theorem of a project as an episode."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from lean_gym.datasets.formats.jsonl import read_jsonl
from lean_gym.datasets.formats.lean_source import imported_modules, mask, without_scopes
from lean_gym.errors import DataError
from lean_gym.types import Theorem

EPISODES: Final = "theorems.jsonl"
BETWEEN: Final = "//"
"""Stands between the folder of a project and the file in positions."""
_IMPORT: Final = re.compile(r"^(?:public\s+)?import\s.*$", re.MULTILINE)


def traced_folder(path: str | os.PathLike[str]) -> Path | None:
    """Return the traced data set that a path names, by its folder or the file of its theorems; else `None`."""
    named = Path(path)
    folder = named.parent if named.name == EPISODES else named
    try:
        return (
            folder if all((folder / name).is_file() for name in ("metadata.json", "corpus.jsonl")) else None
        )
    except (OSError, ValueError):  # a path that no file has
        return None


def read_traced(folder: str | os.PathLike[str]) -> list[Theorem]:
    """Read the theorems of a traced data set.

    Args:
        folder: The data set; it holds the files in which the theorems stand and must stay where it is.

    Raises:
        DataError: It was traced without `--jsonl`, or a row cannot be used.
    """
    root = Path(folder).absolute()
    if not (root / EPISODES).is_file():
        raise DataError(
            f"{os.fspath(folder)}: is a traced data set without {EPISODES}; trace it again with --jsonl"
        )
    at_positions = (
        json.loads((root / "metadata.json").read_text(encoding="utf-8")).get("backend") == "minilean"
    )
    theorems = []
    for theorem in read_jsonl(root / EPISODES):
        if BETWEEN not in theorem.position:
            theorems.append(theorem)
        elif at_positions:
            theorems.append(replace(theorem, position=f"{root}/{theorem.position}"))
        else:
            theorems.append(_after_its_file(theorem, root))
    return theorems


def _after_its_file(theorem: Theorem, root: Path) -> Theorem:
    """Return a theorem with the imports of its file and with the file before it as context."""
    path, _, offset = theorem.position.replace(BETWEEN, "/").rpartition(":")
    source = _source(root / path)
    header = max((match.end() for match in _IMPORT.finditer(mask(source))), default=0)
    scopes, _ = without_scopes(source[int(offset) :])
    context = "\n".join([source[header : int(offset)].strip(), *scopes])
    return replace(theorem, context=context, imports=imported_modules(source), position="")


@lru_cache(maxsize=8)
def _source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
