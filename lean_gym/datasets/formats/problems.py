"""Problems as a benchmark holds them, made into theorems: unique names, no `sorry` in what is given, provenance."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from lean_gym.datasets.formats.lean_source import declared_name, has_sorry, mask, renamed
from lean_gym.datasets.formats.rows import theorem_from_row
from lean_gym.datasets.formats.toolchain import Versions
from lean_gym.datasets.splits import split_word
from lean_gym.errors import DataError
from lean_gym.types import Theorem

_IDENTIFIER: Final = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """One statement as it was found.

    Attributes:
        name: What the benchmark calls it; characters that no Lean name has become `_`.
        statement: Lean source of the theorem without its proof.
        context: The commands before it.
        imports: The modules it needs.
        where: File and line, or data set and row.
        split: As in `Theorem`.
        proof: A reference proof as in `Theorem`.
        versions: What it was written for.
    """

    name: str
    statement: str
    context: str
    imports: tuple[str, ...]
    where: str
    split: str = ""
    proof: str = ""
    versions: Versions = field(default_factory=Versions)


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement that cannot be used.

    Attributes:
        name: Its name.
        source: Where it was found.
        message: Why not; Lean's message where Lean refused it.
    """

    name: str
    source: str
    message: str


@dataclass(frozen=True, slots=True)
class BenchmarkSet:
    """Content of a benchmark: the usable theorems in order, and the others with the reasons."""

    theorems: list[Theorem] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def benchmark_set(
    layout: str, problems: Iterable[FoundStatement | Failure], split: str | None = None
) -> BenchmarkSet:
    """Make theorems of problems; those that cannot be used are listed.

    Args:
        layout: The benchmark, for `Theorem.source`.
        problems: What was found, and what could not be read.
        split: Keep this split only; `None` keeps all.

    Raises:
        DataError: Nothing was found, or nothing of that split.
    """
    found = BenchmarkSet()
    taken: set[str] = set()
    splits: set[str] = set()
    for problem in problems:
        if isinstance(problem, Failure):
            found.failures.append(problem)
            continue
        splits.add(problem.split)
        if split is not None and problem.split != (split_word(split) or split):
            continue
        name = _free_name(problem, taken)
        try:
            theorem = _theorem(layout, problem, name)
        except (DataError, ValueError) as error:
            found.failures.append(Failure(name, problem.where, str(error)))
            continue
        taken.add(name)
        found.theorems.append(theorem)
    if not found.theorems and not found.failures:
        known = ", ".join(sorted(filter(None, splits))) or "none"
        raise DataError(
            f"{layout}: no theorems found"
            if split is None
            else f"{layout}: no theorems in split {split!r} (splits found: {known})"
        )
    return found


def usable_theorems(layout: str, found: BenchmarkSet) -> list[Theorem]:
    """The theorems of a set, with one warning about what is left out.

    Raises:
        DataError: There are none.
    """
    if found.failures:
        first = found.failures[0]
        total = len(found.theorems) + len(found.failures)
        message = (
            f"{layout}: {len(found.failures)} of {total} statements cannot be used, the first being {first.name!r} "
            f"({first.source}): {first.message}"
        )
        if not found.theorems:
            raise DataError(message)
        warnings.warn(f"{message}; python -m lean_gym.datasets.convert lists them all", stacklevel=3)
    return found.theorems


def _theorem(layout: str, problem: FoundStatement, name: str) -> Theorem:
    """Raises: DataError, ValueError: the problem cannot be used."""
    for part, source in (("statement", problem.statement), ("context", problem.context)):
        if has_sorry(source):
            raise DataError(
                f"the {part} says `sorry`, so no proof of it could be free of sorryAx; expected a definition with its "
                "value, or a placeholder followed by `-- value`"
            )
    source = mask(problem.statement)
    if source.count("(") != source.count(")"):
        raise DataError(f"the statement has not as many `)` as `(`: it ends with {problem.statement[-40:]!r}")
    row = {
        "name": name,
        "statement": renamed(problem.statement, name),
        "context": problem.context,
        "imports": problem.imports,
        "split": problem.split,
        "proof": problem.proof,
        "source": f"{layout}: {problem.where}",
        "lean_version": problem.versions.lean,
        "mathlib_revision": problem.versions.mathlib,
    }
    return theorem_from_row(row, problem.where)


def _free_name(problem: FoundStatement, taken: set[str]) -> str:
    """The problem's name as a Lean name that no other theorem of the set has."""
    cleaned = re.sub(r"[^\w'.!?]+", "_", problem.name).strip("_")
    name = cleaned if _IDENTIFIER.fullmatch(cleaned) else declared_name(problem.statement) or problem.name
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
