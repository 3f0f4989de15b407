"""Repositories of a course by name: projects to trace, folders that are traced, theorem sets."""

from __future__ import annotations

import re
from pathlib import Path

from lean_gym.datasets.generators.procedural import GENERATED_PREFIX
from lean_gym.datasets.traced import EPISODES
from trainers.corpora.lifelong.records import Repository, TracedTheorem
from trainers.corpora.lifelong.seams import Tracer
from trainers.corpora.lifelong.traced import read_traced
from trainers.curriculum.theorems import load_sets
from trainers.errors import ConfigError


def read_source(source: str, out: Path, tracer: Tracer) -> tuple[Repository, Path, Path]:
    """Read a repository, which is traced if it has to be.

    Args:
        source: Folder of a project, `URL[@COMMIT]`, `minilean` for its library, a traced folder, or a theorem set by
            name or JSONL file.
        out: Where a project is traced to.
        tracer: Traces it.

    Returns:
        The repository, its traced folder, and the folder of its source files; the last two need not exist for a set.

    Raises:
        ConfigError: It cannot be read, or has no theorem that can be played.
    """
    place = Path(source)
    if is_project(source):
        tracer(source, out)
        repository, traced = read_known(str(out)), out
        sources = place if place.is_dir() else copied_sources(out)
    elif (place / "metadata.json").is_file():
        repository, traced, sources = read_known(source), place, copied_sources(place)
    else:
        repository, traced, sources = read_known(source), out, out
    if not any(each.episode is not None for each in repository.theorems):
        raise ConfigError(
            f"repos: {source} has no theorem that can be played (expected {EPISODES} beside the trace)"
        )
    return repository, traced.resolve(), sources.resolve()


def is_project(source: str) -> bool:
    """Return whether a source has to be traced: no theorem set, and no folder that is traced already."""
    place = Path(source)
    if (place / "metadata.json").is_file():
        return False
    return place.is_dir() or "@" in source or "://" in source or source == "minilean"


def read_known(source: str) -> Repository:
    """Read a traced folder or a theorem set.

    Raises:
        ConfigError: It cannot be read.
    """
    place = Path(source)
    return read_traced(place) if (place / "metadata.json").is_file() else _of_set(source)


def copied_sources(traced: Path) -> Path:
    """Return the folder of the files that a trace has copied; it need not exist."""
    copies = sorted((traced / "sources").glob("*/")) if (traced / "sources").is_dir() else []
    return copies[0] if copies else traced / "sources"


def slug(source: str) -> str:
    """Return a short name for a repository, usable as that of a folder."""
    place = source.rstrip("/").partition("@")[0]
    if source.startswith(GENERATED_PREFIX):
        place = source.removeprefix(GENERATED_PREFIX).partition("?")[0]
    last = place.removesuffix(".git").removesuffix(".jsonl").rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", last).strip("-.")[:40] or "repository"


def _of_set(source: str) -> Repository:
    """Return a theorem set as a repository without premises.

    Raises:
        ConfigError: There is no such set.
    """
    # Another folder may have a file of the same name.
    url = str(Path(source).resolve()) if Path(source).is_file() else source
    theorems = [
        TracedTheorem(one.name, one.source or source, (0, 0), (0, 0), one.statement, episode=one)
        for one in load_sets(source)
    ]
    return Repository(url, "", slug(source), theorems=theorems)
