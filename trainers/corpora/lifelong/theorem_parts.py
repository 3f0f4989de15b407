"""Training and held-out theorems of each repository of a course, and the sets that its stages read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lean_gym.datasets.formats.lean_source import renamed
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.datasets.splits import divide, train_and_test
from lean_gym.types import Theorem
from trainers.corpora.lifelong.records import Repository
from trainers.runtime.atomic_files import write_text
from trainers.runtime.seeding import derive_seed


@dataclass(frozen=True, slots=True)
class Parts:
    """Theorems of a repository that have a proof in their source.

    Attributes:
        train: Those to learn from.
        test: Those to measure on.
    """

    train: tuple[Theorem, ...]
    test: tuple[Theorem, ...]


def parts_of(repositories: Sequence[Repository], beside: Sequence[Theorem] = ()) -> list[Parts]:
    """Divide the theorems of each repository of a course.

    Theorems of a set with a test split keep it; others are divided as LeanDojo-v2 does, its parts `train` and `val`
    together being the training part. A `sorry` is in neither part. What is held out of one repository is trained on in
    none: a copy in another repository is left out of its training part.

    Args:
        repositories: In the order of the course.
        beside: Further theorems that are measured and never trained on.
    """
    divided = [_divided(repository) for repository in repositories]
    held_out = {_content(theorem) for part in divided for theorem in part.test} | set(map(_content, beside))
    return [
        Parts(tuple(one for one in part.train if _content(one) not in held_out), part.test)
        for part in divided
    ]


def write_set(path: Path, parts: Parts, replayed: Sequence[Theorem] = ()) -> None:
    """Write the theorems of a repository as one set with a test split; replayed theorems join the training part.

    Raises:
        ConfigError: The file cannot be written.
    """
    train = {one.name: replace(one, split="train") for one in (*replayed, *parts.train)}
    test = {one.name: replace(one, split="test") for one in parts.test}
    rows = (row_from_theorem(one) for one in {**train, **test}.values())
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def drawn_again(
    earlier: Sequence[Theorem], own: Sequence[Theorem], share: float, seed: int, number: int
) -> list[Theorem]:
    """Return theorems of earlier repositories for replay.

    Args:
        earlier: Those to draw from.
        own: Those of the new repository; a name that it uses is not drawn, as names are unique in a set.
        share: Their number, as a share of `own`.
        seed: Seed of the course.
        number: Number of the repository.
    """
    taken = {theorem.name for theorem in own}
    free = list({theorem.name: theorem for theorem in earlier if theorem.name not in taken}.values())
    rng = np.random.default_rng(derive_seed(seed, "replay", number))
    return [free[index] for index in rng.permutation(len(free))[: round(share * len(own))]]


def _divided(repository: Repository) -> Parts:
    playable = [
        each.episode for each in repository.theorems if each.episode is not None and each.status == "proven"
    ]
    theorems = list({theorem.name: theorem for theorem in playable}.values())
    train, test = train_and_test(theorems)
    if test:
        return Parts(tuple(train), tuple(test))
    at_random, _ = divide(theorems, key=lambda theorem: theorem.name, premises=lambda _: ())
    return Parts((*at_random["train"], *at_random["val"]), tuple(at_random["test"]))


def _content(theorem: Theorem) -> tuple[str, str]:
    """Return what a theorem says, without its name: the same in a copy of its repository."""
    return renamed(theorem.statement, "_"), theorem.context
