"""Theorem sets as splits of numbered tasks.

The owner of a server names the sets. A client names a split by a key of the loaded table and never a place, so it
cannot make the server read a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

import numpy as np

from lean_gym.datasets import load_theorems
from lean_gym.datasets.splits import cut_split
from lean_gym.errors import excerpt, unknown_name
from lean_gym.types import Theorem
from lean_gym.verification.canaries import canary_theorems

SERVED: Final = ("logic", "nat", "algebra")
"""Sets that a server serves by default."""
CANARIES: Final = "canaries"
"""Split of the false theorems, which nothing proves: an episode on one of them never earns a reward."""
_OPTIONS: Final = ("split", "index", "theorem")


@dataclass(frozen=True, slots=True)
class Task:
    """A theorem and its place in the table.

    Attributes:
        split: Its split.
        index: Its number in the split, from 0.
        theorem: The theorem.
    """

    split: str
    index: int
    theorem: Theorem

    def describe(self) -> dict[str, Any]:
        """Return what a client may know, as JSON: everything but the reference proof."""
        theorem = self.theorem
        return {
            "id": f"{self.split}/{theorem.name}",
            "split": self.split,
            "index": self.index,
            "theorem": theorem.name,
            "statement": theorem.statement,
            "context": theorem.context,
            "imports": list(theorem.imports),
            "domain": theorem.domain,
            "difficulty": theorem.difficulty,
        }


def public_row(theorem: Theorem) -> dict[str, Any]:
    """Return a theorem as a row that `theorem_from_row` reads, without what would give its proof away."""
    return {
        "name": theorem.name,
        "statement": theorem.statement,
        "context": theorem.context,
        "imports": list(theorem.imports),
        "domain": theorem.domain,
    }


class TaskSets:
    """Tasks by split and number.

    Args:
        sources: Sets as `load_theorems` takes them, by name or path. A set with splits becomes one split for each,
            `logic:train`; a file is called by its name without folder and ending.

    Attributes:
        splits: Split -> its tasks; the last split is that of the canaries.

    Raises:
        DataError: A set cannot be read.
        ValueError: No source, or two of one name.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        if not sources:
            raise ValueError("theorems: got no set, expected at least one, e.g. 'logic'")
        theorems: dict[str, list[Theorem]] = {}
        for source in sources:
            own: dict[str, list[Theorem]] = {}
            for theorem in load_theorems(source):
                own.setdefault(_split_name(source, theorem), []).append(theorem)
            if twice := sorted(own.keys() & theorems.keys()):
                raise ValueError(
                    f"theorems: got the split {twice[0]!r} twice, expected sets of different names"
                )
            theorems |= own
        theorems[CANARIES] = list(canary_theorems())
        self.splits: Mapping[str, tuple[Task, ...]] = {
            split: tuple(Task(split, index, theorem) for index, theorem in enumerate(members))
            for split, members in theorems.items()
        }

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """All theorems."""
        return tuple(task.theorem for tasks in self.splits.values() for task in tasks)

    def tasks(self, split: object) -> tuple[Task, ...]:
        """Return the tasks of a split.

        Raises:
            ValueError: No such split.
        """
        if not isinstance(split, str):
            raise ValueError(f"split: got {excerpt(split)}, expected one of {', '.join(self.splits)}")
        if split not in self.splits:
            raise ValueError(unknown_name("split", split, self.splits))
        return self.splits[split]

    def task(self, split: object, index: object) -> Task:
        """Return a task.

        Raises:
            ValueError: No such split, or the index is no integer.
            IndexError: No task of that number.
        """
        tasks = self.tasks(split)
        if isinstance(index, bool) or not isinstance(index, int):
            raise ValueError(f"index: got {excerpt(index)}, expected an integer")
        if not 0 <= index < len(tasks):
            raise IndexError(f"index: got {excerpt(index)}, expected 0 to {len(tasks) - 1} in {split!r}")
        return tasks[index]

    def chosen(self, options: Mapping[str, Any], rng: np.random.Generator) -> Task:
        """Return the task that a client asks for, or draw one.

        Args:
            options: `split` (by default the first), and in it `index`, or `theorem`, a name; neither draws uniformly.
            rng: Draws.

        Raises:
            ValueError: An unknown option, split or theorem.
            IndexError: No task of that number.
        """
        for name in options:
            if name not in _OPTIONS:
                raise ValueError(
                    unknown_name("reset option", str(name), [*_OPTIONS, "seed", "injected_state"])
                )
        asked, index, theorem = (options.get(option) for option in _OPTIONS)
        split = next(iter(self.splits)) if asked is None else asked
        if index is not None and theorem is not None:
            raise ValueError("index and theorem: got both, expected one of them")
        if index is not None:
            return self.task(split, index)
        tasks = self.tasks(split)
        if theorem is None:
            return tasks[int(rng.integers(len(tasks)))]
        for task in tasks:
            if task.theorem.name == theorem:
                return task
        raise ValueError(
            f"theorem: got {excerpt(theorem)}, expected the name of one of the theorems of {split!r}"
        )


def _split_name(source: str, theorem: Theorem) -> str:
    place, split = cut_split(source)
    is_file = place.endswith(".jsonl") or (os.sep in place and ":" not in place)
    name = PurePath(place).stem if is_file else place
    split = theorem.split if split is None else split
    return f"{name}:{split}" if split else name
