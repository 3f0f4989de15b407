"""Actions of `python -m trainers.database`."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets import proof_steps
from lean_gym.datasets.formats.rows import row_from_theorem
from trainers.corpora.lifelong.leandojo import read_database, write_database
from trainers.corpora.lifelong.records import Repository, StoredRepository, StoredTheorem
from trainers.corpora.lifelong.sources import is_project, read_known, slug
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.traced import write_merged
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.curriculum.difficulty import CATEGORIES, categories, measured_difficulty, rating_of, thresholds
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text


def read(source: str, database: Path) -> list[Repository]:
    """Read a traced folder, a theorem set, or a database of LeanDojo-v2; a project is traced.

    Args:
        source: A path, `URL[@COMMIT]`, or the name of a theorem set.
        database: The file of the store; projects are traced into the folder `traced` beside it, and must stay there, as
            their theorems are proved at their places.

    Raises:
        ConfigError: It is none of these, cannot be traced, or has another format.
    """
    if Path(source).is_file() and not source.endswith(".jsonl"):
        return read_database(Path(source))
    if is_project(source):
        whole = str(Path(source).resolve()) if Path(source).is_dir() else source
        # Projects in different places may have the same name.
        place = f"{slug(source)}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"
        out = database.parent / "traced" / place
        print(f"{source} is traced into {out}", file=sys.stderr, flush=True)
        tracer_of("auto", {})(source, out)
        return [read_known(str(out))]
    try:
        return [read_known(source)]
    except ConfigError as error:
        raise ConfigError(
            f"add: expected a project (folder or URL@COMMIT), a traced folder, a theorem set, or a JSON file of "
            f"LeanDojo-v2, got {source}: {error}"
        ) from None


def add(store: Store, paths: Sequence[str], repos: Sequence[str], as_json: bool) -> str:
    """Add what some sources hold; nothing is added unless all can be read. Returns a line for each repository.

    Raises:
        ConfigError: A source cannot be read.
    """
    found = [repository for source in paths for repository in read(source, store.path)]
    numbers = [store.add(repository) for repository in found]
    known = {row.id: row for row in store.repositories()}
    return _table([known[number] for number in dict.fromkeys(numbers)], as_json)


def listing(store: Store, paths: Sequence[str], repos: Sequence[str], as_json: bool) -> str:
    """Return a line for each repository."""
    return _table(chosen(store, repos), as_json)


def export(store: Store, paths: Sequence[str], repos: Sequence[str], as_json: bool) -> str:
    """Write repositories to a file or folder, by its ending, and return what was written.

    Raises:
        ConfigError: The place cannot be written, or there is nothing to write.
    """
    path, rows = Path(paths[0]), chosen(store, repos)
    if not rows:
        raise ConfigError(f"export: there is no repository in {store.path}")
    if path.suffix == ".jsonl":
        theorems = [each.traced.episode for row in rows for each in store.theorems(row.id)]
        playable = {one.name: one for one in theorems if one is not None}
        if not playable:
            raise ConfigError(
                "export: no theorem with its context; trace the repositories again with --jsonl"
            )
        lines = (json.dumps(row_from_theorem(one), ensure_ascii=False) for one in playable.values())
        write_text(path, "".join(f"{line}\n" for line in lines))
        return f"{len(playable)} of {len(theorems)} theorems: {path}"
    repositories = [store.load(row.id) for row in rows]
    if path.suffix == ".json":
        write_database(path, repositories)
    else:
        write_merged(path, repositories)
    return f"{len(rows)} repositories, {sum(len(one.theorems) for one in repositories)} theorems: {path}"


def stats(store: Store, paths: Sequence[str], repos: Sequence[str], as_json: bool) -> str:
    """Return numbers of theorems by difficulty, episodes and verified proofs, for each repository and over all."""
    rows = chosen(store, repos)
    theorems = {row.id: store.theorems(row.id) for row in rows}
    limits = thresholds([rating(each) for found in theorems.values() for each in found])
    counted = {_label(row): _counts(row, theorems[row.id], limits) for row in rows}
    if as_json:
        whole = {"thresholds": [limit if limit < float("inf") else None for limit in limits]}
        return json.dumps(whole | {"repositories": counted}, indent=1, ensure_ascii=False)
    lines = [f"easy up to exp(steps) {limits[0]:g}, medium up to {limits[1]:g}"]
    for name, numbers in counted.items():
        lines.append(name)
        lines += [f"  {key:<24}{value if value is not None else 'unknown'}" for key, value in numbers.items()]
    return "\n".join(lines)


def chosen(store: Store, repos: Sequence[str]) -> list[StoredRepository]:
    """Return the named repositories, or all.

    Raises:
        ConfigError: One is not known.
    """
    return [store.find(name) for name in repos] if repos else store.repositories()


def rating(theorem: StoredTheorem) -> float | None:
    """Return LeanDojo-v2's rating.

    A `sorry` with a verified proof has that of its shortest one, and a theorem of a set that of its reference proof.
    """
    if theorem.proofs:
        return rating_of(len(theorem.proofs[0]), is_sorry=False)
    traced = theorem.traced
    steps = len(traced.tactics)
    if not steps and traced.episode is not None and traced.episode.proof.strip():
        steps = len(proof_steps(traced.episode.proof))
    return rating_of(steps, traced.status != "proven")


def by_difficulty(store: Store, rows: Sequence[StoredRepository]) -> list[StoredRepository]:
    """Rate all theorems of the store, and return repositories in LeanDojo-v2's order: more easy theorems first."""
    rated = {
        row.id: {each.id: rating(each) for each in store.theorems(row.id)} for row in store.repositories()
    }
    known = {number: value for one in rated.values() for number, value in one.items() if value is not None}
    store.rate(known)
    limits = thresholds([value for row in rows for value in rated[row.id].values()])
    easy = {row.id: categories(list(rated[row.id].values()), limits).count("Easy") for row in rows}
    return sorted(rows, key=lambda row: -easy[row.id])


def _counts(
    row: StoredRepository, theorems: Sequence[StoredTheorem], limits: tuple[float, float]
) -> dict[str, Any]:
    found = categories([rating(each) for each in theorems], limits)
    tries, solved = (sum(getattr(each, name) for each in theorems) for name in ("tries", "solved"))
    return {
        "theorems": len(theorems),
        **{name: found.count(name) for name in CATEGORIES},
        "sorry": row.theorems["sorry"],
        "sorry, claimed proved": row.theorems["sorry_proved"] - _settled(theorems),
        "sorry, proved here": _settled(theorems),
        "premises": row.premises,
        "episodes": tries,
        "measured difficulty": measured_difficulty(tries, solved),
    }


def _settled(theorems: Sequence[StoredTheorem]) -> int:
    """Return the number of theorems with a `sorry` in their source and a proof that was verified here."""
    return sum(each.traced.status == "sorry_proved" and bool(each.proofs) for each in theorems)


def _table(rows: Sequence[StoredRepository], as_json: bool) -> str:
    if as_json:
        return "\n".join(json.dumps(_as_row(row), ensure_ascii=False) for row in rows)
    lines = [f"{'theorems':>9}{'sorry':>7}{'proved':>7}{'premises':>9}{'files':>7}  repository"]
    for row in rows:
        total, open_ones = sum(row.theorems.values()), row.theorems["sorry"]
        numbers = f"{total:>9}{open_ones:>7}{row.verified:>7}{row.premises:>9}{row.files:>7}"
        lines.append(f"{numbers}  {_label(row)}  {row.url}")
    return "\n".join(lines)


def _label(row: StoredRepository) -> str:
    return f"{row.name}@{row.commit[:12]}" if row.commit else row.name


def _as_row(row: StoredRepository) -> dict[str, Any]:
    named: dict[str, Any] = {
        "name": row.name,
        "url": row.url,
        "commit": row.commit,
        "files": row.files,
        "premises": row.premises,
    }
    counts = {str(status): count for status, count in row.theorems.items()}
    return named | counts | {"verified": row.verified}


@dataclass(frozen=True, slots=True)
class Action:
    """An action: what it does, the numbers of paths that it takes, and whether the database may be new.

    Attributes:
        run: Carries it out and returns what is printed.
        least: Fewest paths.
        most: Most paths.
        makes: Whether it makes a database that does not exist.
    """

    run: Callable[[Store, Sequence[str], Sequence[str], bool], str]
    least: int = 0
    most: int = 0
    makes: bool = False

    def check(self, paths: Sequence[str], database: Path) -> None:
        """Check the command line before the database is opened, which would make it.

        Raises:
            ConfigError: The number of paths is another one, or there is no database to read.
        """
        if not self.least <= len(paths) <= self.most:
            expected = "no path" if not self.most else "one path" if self.most == 1 else "at least one path"
            raise ConfigError(f"database: expected {expected} for this action, got {len(paths)}")
        if not self.makes and not database.exists():
            raise ConfigError(f"database: there is no {database}; `add` makes it")


ACTIONS: Final[dict[str, Action]] = {
    "add": Action(add, 1, 10**6, makes=True),
    "list": Action(listing),
    "export": Action(export, 1, 1),
    "stats": Action(stats),
}
"""The actions by name."""
