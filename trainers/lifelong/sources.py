"""Repositories of a course by name: projects to trace, folders that are traced, theorem sets."""

from __future__ import annotations

import re
from pathlib import Path

from lean_gym.datasets.procedural import GENERATED_PREFIX
from lean_gym.datasets.traced import EPISODES
from trainers.curriculum.theorems import load_sets
from trainers.errors import ConfigError
from trainers.lifelong.records import Repository, TracedTheorem
from trainers.lifelong.seams import Tracer
from trainers.lifelong.traced import read_traced


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
    if (place / "metadata.json").is_file():
        repository, traced, sources = read_traced(place), place, copied_sources(place)
    elif place.is_dir() or "@" in source or "://" in source or source == "minilean":
        tracer(source, out)
        repository, traced = read_traced(out), out
        sources = place if place.is_dir() else copied_sources(out)
    else:
        repository, traced, sources = _of_set(source), out, out
    if not any(each.episode is not None for each in repository.theorems):
        raise ConfigError(
            f"repos: {source} has no theorem that can be played (expected {EPISODES} beside the trace)"
        )
    return repository, traced.resolve(), sources.resolve()


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
    theorems = [
        TracedTheorem(one.name, one.source or source, (0, 0), (0, 0), one.statement, episode=one)
        for one in load_sets(source)
    ]
    return Repository(source, "", slug(source), theorems=theorems)
