"""Repositories and their theorems as plain values, as they are read from traced folders and databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lean_gym.types import Theorem

Position = tuple[int, int]
"""(line from 1, column from 1), as LeanDojo counts."""
Status = Literal["proven", "sorry", "sorry_proved"]
"""State of a theorem: proved in its source, not proved, or not proved there and by somebody since."""


@dataclass(frozen=True, slots=True)
class TracedTheorem:
    """A theorem of a repository.

    Attributes:
        name: Full name.
        file: Path in the repository.
        start: Where its declaration begins.
        end: Where it ends.
        statement: Its source without the proof; `None` where the trace has none.
        tactics: Traced tactics as LeanDojo's files have them: `tactic`, `annotated_tactic`, `state_before`,
            `state_after`, positions as lists.
        status: Its state; `sorry_proved` in what is read from elsewhere is a claim that nothing here has checked.
        rating: LeanDojo-v2's difficulty; `None` where it is not rated.
        episode: The theorem as one that can be played; `None` where the trace has no context for it.
    """

    name: str
    file: str
    start: Position
    end: Position
    statement: str | None
    tactics: tuple[Mapping[str, Any], ...] = ()
    status: Status = "proven"
    rating: float | None = None
    episode: Theorem | None = None


@dataclass(frozen=True, slots=True)
class PremiseFile:
    """A file with the premises that it declares: `full_name`, `code`, `start`, `end`, `kind`, positions as lists."""

    path: str
    imports: tuple[str, ...]
    premises: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """A traced repository.

    Attributes:
        url: Its address, or the path of a folder.
        commit: The commit; empty for a folder without one.
        name: A short name, `owner/repository`.
        lean_version: The Lean that traced it.
        tracer_version: The program that did.
        metadata: Whatever else is known, JSON-able; LeanDojo-v2 wants `date_processed`.
        theorems: Its theorems.
        premise_files: Its files with their premises, imports before importers.
        files_traced: The paths that were traced.
        pr_url: Address of a pull request with proofs; `None` for none.
    """

    url: str
    commit: str
    name: str
    lean_version: str = ""
    tracer_version: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    theorems: Sequence[TracedTheorem] = ()
    premise_files: Sequence[PremiseFile] = ()
    files_traced: Sequence[str] = ()
    pr_url: str | None = None


@dataclass(frozen=True, slots=True)
class StoredRepository:
    """A repository of the store, without its theorems.

    Attributes:
        id: Its number in the store.
        url: See `Repository`.
        commit: See `Repository`.
        name: See `Repository`.
        files: Number of traced files.
        premises: Number of premises.
        theorems: Number of theorems by status; all three are there.
        verified: Number of its theorems with a proof that was verified here.
    """

    id: int
    url: str
    commit: str
    name: str
    files: int
    premises: int
    theorems: Mapping[Status, int]
    verified: int


@dataclass(frozen=True, slots=True)
class StoredTheorem:
    """A theorem of the store.

    Attributes:
        id: Its number in the store.
        repository: Number of its repository.
        traced: The theorem.
        tries: Episodes that tried it.
        solved: Those of them that proved it.
        proofs: Its verified proofs, the shortest first.
    """

    id: int
    repository: int
    traced: TracedTheorem
    tries: int
    solved: int
    proofs: tuple[tuple[str, ...], ...]
