"""States of traced proofs with the premises that the next tactic used, from a split in LeanDojo's layout.

random/{train,val,test}.json, novel_premises/{...}.json
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.datasets.formats.leandojo_steps import TracedTheorem, read_traced_theorems
from lean_gym.errors import DataError
from trainers.corpora.retrieval.corpus import Corpus, Mask, Position
from trainers.errors import ConfigError

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
        found = list(_tactics(read_traced_theorems(folder, split, part), corpus))
    except DataError as error:
        raise ConfigError(str(error)) from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    rows = tuple(one for one, _ in found if one is not None)
    return Examples(rows, len(found) - len(rows), sum(unknown for _, unknown in found))


def _tactics(theorems: Sequence[TracedTheorem], corpus: Corpus) -> Iterator[tuple[Example | None, int]]:
    masks: dict[Position, Mask] = {}
    for theorem in theorems:
        position = Position(theorem.file_path, theorem.start)
        if position not in masks:
            masks[position] = corpus.accessible(position)
        for step in theorem.steps:
            if step.state == NO_GOALS:
                continue
            used, unknown = set(), 0
            for premise in step.premises:
                number = corpus.find(premise.path, premise.full_name, premise.start)
                if number is None or not masks[position][number]:
                    unknown += 1
                else:
                    used.add(number)
            yield (Example(step.state, tuple(sorted(used)), position) if used else None), unknown
