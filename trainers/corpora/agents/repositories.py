"""Repositories that were traced, in the order in which they are learned, and the theorem sets made of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainers.corpora.lifelong.keeping import by_difficulty
from trainers.corpora.lifelong.records import Repository
from trainers.corpora.lifelong.seams import Tracer
from trainers.corpora.lifelong.sources import copied_sources, read_source, slug
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.theorem_parts import Parts, parts_of, write_set
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import naming_unwritable
from trainers.runtime.terminal import warn


@dataclass(frozen=True, slots=True)
class TracedRepository:
    """A repository on this machine.

    Attributes:
        source: As the user named it.
        folder: Folder of what belongs to it.
        repository: Its theorems and premises.
        traced: Folder of the trace.
        sources: Copy of its files as they were traced.
        local: Its own folder, whose files may be written; `None` for one that was fetched.
    """

    source: str
    folder: Path
    repository: Repository
    traced: Path
    sources: Path
    local: Path | None

    @property
    def train(self) -> Path:
        """The set of its training theorems."""
        return self.folder / "train.jsonl"

    @property
    def test(self) -> Path:
        """The set of its held-out theorems."""
        return self.folder / "test.jsonl"


def trace_into(folder: Path, source: str, tracer: Tracer) -> TracedRepository:
    """Trace a repository; a file that is traced already stays so.

    Args:
        folder: Folder of all repositories; this one gets a folder in it.
        source: Folder of a project, `URL[@COMMIT]` or `FOLDER@COMMIT`.
        tracer: Traces it.

    Raises:
        ConfigError: It cannot be traced, has no theorem, or is no project of files.
    """
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    place = folder / f"{slug(source)}-{digest}"
    with naming_unwritable(place):
        place.mkdir(parents=True, exist_ok=True)
    repository, traced, _ = read_source(source, place / "traced", tracer)
    sources = copied_sources(traced)
    if not sources.is_dir():
        raise ConfigError(
            f"repository: expected a project of Lean files, got {source}, whose trace has no copy of them"
        )
    for name in {theorem.file for theorem in repository.theorems}:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ConfigError(f"repository: {source}: expected files inside it, got a theorem of {name!r}")
    own = Path(source)
    is_project = own.is_dir() and own.resolve() != traced
    local = own.resolve() if is_project else None
    return TracedRepository(source, place, repository, traced, sources, local)


def in_order(store: Store, members: Sequence[tuple[int, TracedRepository]]) -> list[TracedRepository]:
    """Return repositories in LeanDojo-v2's order, those with more easy theorems first.

    Args:
        store: The database, which gets the ratings.
        members: The repositories with their numbers in it.
    """
    by_number = dict(members)
    rows = [row for row in store.repositories() if row.id in by_number]
    return [by_number[row.id] for row in by_difficulty(store, rows)]


def write_sets(repositories: Sequence[TracedRepository]) -> list[tuple[TracedRepository, Parts]]:
    """Write the training and the held-out theorems of each repository as sets.

    They are divided as a course of `trainers.lifelong` divides them. A theorem whose name an earlier repository has is
    left out, as names are unique over all sets of a training.

    Raises:
        ConfigError: A file cannot be written.
    """
    found = []
    taken: set[str] = set()
    divided = parts_of([each.repository for each in repositories])
    for each, parts in zip(repositories, divided, strict=True):
        kept = replace(parts, train=tuple(one for one in parts.train if one.name not in taken))
        if left_out := len(parts.train) - len(kept.train):
            warn(f"{each.source}: {left_out} theorems are left out, as earlier repositories have their names")
        taken.update(one.name for one in kept.train)
        write_set(each.train, Parts(kept.train, ()))
        write_set(each.test, Parts((), kept.test))
        found.append((each, kept))
    return found


def expect_some(members: Collection[object]) -> None:
    """Check that a repository was set up.

    Raises:
        ConfigError: None was.
    """
    if not members:
        raise ConfigError(
            "no repository is set up; call setup_local_repository(path) or setup_github_repository(url, commit) first"
        )
