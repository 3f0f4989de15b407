"""Theorem sets and generators in words: sizes, subjects, the share that automation proves, cards, samples."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from lean_gym.datasets.generators.procedural import GENERATED_PREFIX, generator_module, generator_names
from lean_gym.datasets.sets import CORE, CORE_RANDOM, DATA_PACKAGE, load_theorems, set_names
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import Theorem

_NO_SPLIT: Final = "all"
_SAMPLE_DIFFICULTY: Final = 0.2
"""A difficulty of which every generator has theorems."""


@dataclass(frozen=True, slots=True)
class SetOverview:
    """A set that ships with the project.

    Attributes:
        name: Its name.
        theorems: Number of theorems of each split; `all` stands for theorems without one.
        domains: The subjects, sorted.
        automation: Share of each split, from 0 to 1, that automation scripts prove; `None` where a theorem of the split
            was not measured.
    """

    name: str
    theorems: Mapping[str, int]
    domains: tuple[str, ...]
    automation: Mapping[str, float | None]


def source_names() -> tuple[str, ...]:
    """Return all names that `load_theorems` takes: the sets that ship, then `generated:NAME` of each generator."""
    sets = (*set_names(), *([CORE_RANDOM] if CORE in set_names() else []))
    return (*sets, *(GENERATED_PREFIX + name for name in generator_names()))


def set_overview(name: str) -> SetOverview:
    """Count the theorems of a set.

    Raises:
        DataError: There is no such set.
    """
    theorems = load_theorems(name)
    splits: dict[str, list[Theorem]] = {}
    for theorem in theorems:
        splits.setdefault(theorem.split or _NO_SPLIT, []).append(theorem)
    counts = Counter({split: len(members) for split, members in splits.items()})
    domains = {theorem.domain for theorem in theorems if theorem.domain}
    shares = {split: _share(members) for split, members in splits.items()}
    return SetOverview(name, dict(counts), tuple(sorted(domains)), shares)


def _share(theorems: Sequence[Theorem]) -> float | None:
    """Return the share that automation proves, `None` unless it is known of every theorem."""
    flags = [theorem.automation for theorem in theorems]
    return None if None in flags else flags.count(True) / len(flags)


def generator_purpose(source: str) -> str:
    """Return in one line the theorems that a generator draws.

    Args:
        source: As for `load_theorems`, `generated:NAME` with or without settings.

    Raises:
        ValueError: There is no such generator.
    """
    return card(source).partition("\n")[0]


def card(source: str) -> str:
    """Return the card of a set as Markdown, or the documentation of a generator.

    Args:
        source: One of `source_names()`; a generator may have settings, as for `load_theorems`.

    Raises:
        DataError: There is no such set.
        ValueError: There is no such generator.
    """
    if source.startswith(GENERATED_PREFIX):
        name = source.removeprefix(GENERATED_PREFIX).partition("?")[0]
        return inspect.getdoc(generator_module(name)) or ""
    if source not in source_names():
        raise DataError(unknown_name("theorem set", source, source_names()))
    file = files(DATA_PACKAGE) / f"{CORE if source == CORE_RANDOM else source}.md"
    return file.read_text(encoding="utf-8").rstrip()


def sample(source: str) -> Theorem:
    """Return a theorem with a reference proof: the first of a set, or of what a generator draws.

    Args:
        source: As for `card`.

    Raises:
        DataError: There is no such set or generator, or its settings cannot be used.
    """
    if source.startswith(GENERATED_PREFIX) and "?" not in source:
        source += f"?size=1&difficulty={_SAMPLE_DIFFICULTY}"
    return load_theorems(source)[0]
