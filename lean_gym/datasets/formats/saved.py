"""Theorem sets as data sets of the `datasets` package: on disk, and on the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets.formats.hub import hub_rows, save_parts
from lean_gym.datasets.formats.rows import check_unique, row_from_theorem, theorem_from_row
from lean_gym.errors import DataError
from lean_gym.types import Theorem

DATASETS_PREFIX: Final = "datasets:"
"""Beginning of a source that is a folder of `save_dataset` or a hub id."""
_UNSPLIT: Final = "all"
"""Part of the data set with the theorems without a split."""
_VALID: Final = "validation"
"""The hub's name for the split `valid`."""

_COLUMNS: Final = {field.name: "string" for field in fields(Theorem)} | {
    "imports": "list of string",
    "difficulty": "float64",
    "automation": "bool",
    "permitted_axioms": "list of string",
}
"""Column -> type of its values; all but name and statement may be missing in a row."""


def load_dataset(place: str) -> list[Theorem]:
    """Load a theorem set from the `datasets` package.

    Args:
        place: A folder that `save_dataset` or `Dataset.save_to_disk` wrote, a folder of Parquet files, or a hub id. The
            columns are fields of `Theorem`. The column `split` names the split of a row; without it, its part does.

    Raises:
        DataError: The package is missing, the place cannot be loaded, or a row cannot be used.
    """
    theorems, places = [], []
    for part, number, row in hub_rows(place):
        where = f"{place}, {part or _UNSPLIT}, row {number}"
        theorems.append(theorem_from_row(_filled(row, part), where))
        places.append(where)
    if not theorems:
        raise DataError(f"{place}: got an empty data set, expected at least one theorem")
    check_unique(theorems, places)
    return theorems


def save_dataset(theorems: Sequence[Theorem], folder: Path) -> None:
    """Save theorems as a `DatasetDict`, one part for each split; its `push_to_hub` puts it on the hub.

    Args:
        theorems: At least one.
        folder: A folder that does not exist yet, or is empty.

    Raises:
        DataError: The package is missing, there is no theorem, or the folder has something in it.
    """
    if not theorems:
        raise DataError("save_dataset: got no theorem, expected at least one")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"save_dataset: {folder} exists; expected a new or an empty folder")
    parts: dict[str, list[dict[str, Any]]] = {}
    for theorem in theorems:
        row = row_from_theorem(theorem)
        part = {"valid": _VALID, "": _UNSPLIT}.get(theorem.split, theorem.split)
        parts.setdefault(part, []).append({name: row.get(name) for name in _COLUMNS})
    save_parts(parts, _COLUMNS, folder)


def _filled(row: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Return a row without the fields that it leaves open, and with the split that its part stands for."""
    given = {name: value for name, value in row.items() if value is not None}
    split = {_VALID: "valid", _UNSPLIT: ""}.get(part, part)
    return {"split": split, **given} if split else given
