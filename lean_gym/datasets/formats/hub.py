"""Rows of data sets on the Hugging Face hub and of saved ones, read and written through the `datasets` package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import DataError

_SAVED: Final = ("dataset_dict.json", "dataset_info.json")


def is_saved_dataset(folder: Path) -> bool:
    """Return whether `Dataset.save_to_disk` wrote the folder."""
    return any((folder / name).is_file() for name in _SAVED)


def hub_rows(place: str) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """The rows of every split.

    Args:
        place: A hub id, `"owner/name"`; a folder written by `save_to_disk`; or a folder of Parquet files.

    Yields:
        Split name (`""` where there is none), row number from 0, and row.

    Raises:
        DataError: The `datasets` package is missing, or it cannot load the place.
    """
    try:
        library = import_module("datasets")
    except ImportError:
        raise DataError(
            f"{place}: data sets of the Hugging Face hub and Parquet files need the 'datasets' package: "
            "pip install datasets, or give a folder with JSONL or Lean files"
        ) from None
    load = library.load_from_disk if is_saved_dataset(Path(place)) else library.load_dataset
    try:
        loaded = load(place)
    except Exception as error:
        # The library raises whatever its file systems and readers do: all of it means that there are no rows.
        raise DataError(f"{place}: cannot be loaded: {type(error).__name__}: {error}") from error
    parts = loaded.items() if isinstance(loaded, Mapping) else [("", loaded)]
    for split, part in parts:
        for number, row in enumerate(part):
            yield str(split), number, row


def save_parts(
    parts: Mapping[str, Sequence[Mapping[str, Any]]], columns: Mapping[str, str], folder: Path
) -> None:
    """Save rows as a `DatasetDict`.

    Args:
        parts: Name of a part -> its rows, which have all columns.
        columns: Column -> type of its values, `"string"`, `"float64"`, `"bool"` or `"list of string"`.
        folder: Folder to write.

    Raises:
        DataError: The `datasets` package is missing.
    """
    try:
        library = import_module("datasets")
    except ImportError:
        raise DataError("saving a data set needs the 'datasets' package: pip install datasets") from None
    features = library.Features(
        {
            name: [library.Value("string")] if kind == "list of string" else library.Value(kind)
            for name, kind in columns.items()
        }
    )
    made = {part: library.Dataset.from_list(list(rows), features=features) for part, rows in parts.items()}
    library.DatasetDict(made).save_to_disk(str(folder))
