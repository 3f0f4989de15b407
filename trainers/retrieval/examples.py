"""States of traced proofs with the premises that the next tactic used, from a split in LeanDojo's layout.

random/{train,val,test}.json, novel_premises/{...}.json
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trainers.errors import ConfigError
from trainers.retrieval.corpus import Corpus, Mask, Position

PARTS: Final = ("train", "val", "test")
NO_GOALS: Final = "no goals"


@dataclass(frozen=True, slots=True)
class Example:
    """A state, and the premises of its tactic.

    Attributes:
        state: The goals as Lean prints them.
        used: Numbers of the premises in the corpus, ascending; all are accessible.
        position: Start of the theorem.
    """

    state: str
    used: tuple[int, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of one file.

    Attributes:
        rows: Those with a premise.
        without: Tactics that use no premise, or none that the corpus has.
        unknown: Premises named by tactics that the corpus lacks or that are not accessible there.
    """

    rows: tuple[Example, ...]
    without: int
    unknown: int


def read_examples(folder: Path, split: str, part: str, corpus: Corpus) -> Examples:
    """Read the examples of a part of a split.

    Args:
        folder: The data set.
        split: Name of the folder of the split: `random` or `novel_premises`.
        part: `train`, `val` or `test`.
        corpus: The corpus of the data set.

    Raises:
        ConfigError: There is no such file, or it cannot be read.
    """
    path = folder / split / f"{part}.json"
    if not path.is_file():
        raise ConfigError(f"{folder}: no {split}/{part}.json in it; expected a folder in LeanDojo's layout")
    try:
        theorems = json.loads(path.read_bytes())
        found = list(_tactics(theorems, corpus))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise ConfigError(f"{path}: {type(error).__name__}: {error}") from None
    rows = tuple(one for one, _ in found if one is not None)
    return Examples(rows, len(found) - len(rows), sum(unknown for _, unknown in found))


def _tactics(theorems: list[Mapping[str, Any]], corpus: Corpus) -> Iterator[tuple[Example | None, int]]:
    masks: dict[Position, Mask] = {}
    for theorem in theorems:
        line, column = theorem["start"]
        position = Position(str(theorem["file_path"]), (int(line), int(column)))
        if position not in masks:
            masks[position] = corpus.accessible(position)
        for tactic in theorem["traced_tactics"]:
            state = str(tactic["state_before"])
            if state == NO_GOALS:
                continue
            used, unknown = set(), 0
            for premise in tactic["annotated_tactic"][1]:
                place = premise.get("def_pos") or (0, 0)
                start = (int(place[0]), int(place[1]))
                number = corpus.find(str(premise["def_path"]), str(premise["full_name"]), start)
                if number is None or not masks[position][number]:
                    unknown += 1
                else:
                    used.add(number)
            yield (Example(state, tuple(sorted(used)), position) if used else None), unknown
