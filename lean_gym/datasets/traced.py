"""Theorem sets that `python -m lean_gym trace --jsonl` wrote: every theorem of a project as an episode."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from lean_gym.datasets.jsonl import read_jsonl
from lean_gym.errors import DataError
from lean_gym.types import Theorem

EPISODES: Final = "theorems.jsonl"
_IN_PROJECT: Final = "//"


def is_traced(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a traced data set."""
    return (Path(folder) / "metadata.json").is_file() and (Path(folder) / "corpus.jsonl").is_file()


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
    return [
        replace(theorem, position=f"{root}/{theorem.position}")
        if _IN_PROJECT in theorem.position
        else theorem
        for theorem in read_jsonl(root / EPISODES)
    ]
