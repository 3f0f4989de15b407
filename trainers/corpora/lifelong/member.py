"""Repository of a course, with its folder and its number in the store, and the indexes of premises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from lean_gym.types import Theorem
from trainers.corpora.lifelong.stage_log import Result

TRAINING: Final = "training"
"""Name of the index for training with replayed theorems."""


@dataclass(frozen=True, slots=True)
class Member:
    """A repository of the course.

    Attributes:
        name: Short name, of its folder and in tables.
        folder: Its folder.
        id: Its number in the store.
        traced: Its traced folder; need not exist for a theorem set.
        sources: Folder of its files; need not exist for a theorem set.
    """

    name: str
    folder: Path
    id: int
    traced: Path
    sources: Path

    @property
    def set(self) -> Path:
        """The set of its theorems."""
        return self.folder / "set.jsonl"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A theorem that is trained on again.

    Attributes:
        theorem: The theorem.
        origin: Number of its repository in the order of the course, from 0.
    """

    theorem: Theorem
    origin: int


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes at a point of a course, by the names of their repositories.

    Attributes:
        encoder: Folder of the encoder, or its hub id; empty for BM25.
        folders: The indexes; that for training with replayed theorems is `training`.
    """

    encoder: str | Path = ""
    folders: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def read(cls, result: Result) -> Self:
        """Return what the result of a stage names."""
        return cls(result["encoder"], result["indexes"])

    def of(self, member: Member) -> str:
        """Return the index for measuring and proving the theorems of a repository; empty for none."""
        return str(self.folders.get(member.name, ""))

    def for_training(self, member: Member) -> str:
        """Return the index for training on the set of a repository; empty for none."""
        return str(self.folders.get(TRAINING, self.of(member)))
