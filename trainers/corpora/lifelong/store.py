"""Store of repositories, theorems, proofs, attempts and difficulties in one SQLite file.

Every change is one transaction, so a process that is killed leaves all of it or nothing, and several processes may
write in turn. Reading waits for nobody. Opening never erases anything, see `trainers.corpora.lifelong.schema`.

A proof in the store was verified by whoever added it. What another database claims to be proved is a status only, and
no program here learns from it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self, get_args

from lean_gym.datasets.formats.rows import row_from_theorem, theorem_from_row
from trainers.corpora.lifelong.records import (
    PremiseFile,
    Repository,
    Status,
    StoredRepository,
    StoredTheorem,
    TracedTheorem,
)
from trainers.corpora.lifelong.schema import naming_damaged, open_file
from trainers.errors import ConfigError

_THEOREM: Final = (
    "file, name, start_line, start_column, end_line, end_column, statement, tactics, status, episode"
)
Key = tuple[str, str, str | None]
"""(file, name, statement): what makes two theorems of one repository the same after it was traced again."""


class Store:
    """An open store; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open a store, which is made if the file does not exist.

        Raises:
            ConfigError: The file cannot be used, see `open_file`.
        """
        self.path = path
        self._connection = open_file(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add(self, repository: Repository) -> int:
        """Add a repository, or bring it up to date where its address and commit are known.

        Theorems that are still the same keep their proofs and attempts; those that are gone are removed.

        Returns:
            Its number.
        """
        with self._writing() as sql:
            number = self._add_repository(sql, repository)
            self._add_theorems(sql, number, repository.theorems)
            sql.execute("DELETE FROM premise_files WHERE repository = ?", (number,))
            sql.executemany(
                "INSERT INTO premise_files VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (number, place, each.path, _text(each.imports), _text(each.premises), len(each.premises))
                    for place, each in enumerate(repository.premise_files)
                ),
            )
        return number

    def add_proof(self, theorem: int, script: Sequence[str], axioms: Sequence[str], source: str) -> bool:
        """Add a verified proof, and mark a theorem without one in its source as proved.

        Args:
            theorem: Number of the theorem.
            script: The tactics.
            axioms: The axioms that the verdict lists.
            source: Where it was found, e.g. a run folder.

        Returns:
            Whether the script is new.
        """
        with self._writing() as sql:
            row = (theorem, _text(script), len(script), _text(axioms), source)
            added = sql.execute("INSERT OR IGNORE INTO proofs VALUES (?, ?, ?, ?, ?)", row).rowcount
            sql.execute(
                "UPDATE theorems SET status = 'sorry_proved' WHERE id = ? AND status = 'sorry'", (theorem,)
            )
        return bool(added)

    def record_attempts(self, source: str, counts: Mapping[int, tuple[int, int]]) -> None:
        """Record episodes; what one source recorded of a theorem before is replaced, so repeating it adds nothing.

        Args:
            source: The measurement that they belong to.
            counts: By number of the theorem, (episodes, episodes that proved it).
        """
        rows = ((theorem, source, tries, solved) for theorem, (tries, solved) in counts.items())
        with self._writing() as sql:
            sql.executemany("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)", rows)

    def rate(self, ratings: Mapping[int, float]) -> None:
        """Keep difficulties by number of the theorem; they may be infinite, and those not named lose theirs."""
        with self._writing() as sql:
            sql.execute("DELETE FROM difficulties")
            sql.executemany("INSERT INTO difficulties VALUES (?, ?)", ratings.items())

    def repositories(self) -> list[StoredRepository]:
        """Return the repositories, in the order in which they were added."""
        found = []
        with naming_damaged(self.path):
            rows = self._connection.execute(
                "SELECT id, url, commit_id, name, files_traced, (SELECT coalesce(sum(count), 0) FROM premise_files "
                "WHERE repository = r.id) FROM repositories r ORDER BY id"
            ).fetchall()
            for number, url, commit, name, files, premises in rows:
                counts = dict.fromkeys(get_args(Status), 0) | dict(
                    self._connection.execute(
                        "SELECT status, count(*) FROM theorems WHERE repository = ? GROUP BY status",
                        (number,),
                    )
                )
                (verified,) = self._connection.execute(
                    "SELECT count(DISTINCT theorem) FROM proofs JOIN theorems ON id = theorem WHERE repository = ?",
                    (number,),
                ).fetchone()
                parts = (number, url, commit, name, len(json.loads(files)), premises, counts, verified)
                found.append(StoredRepository(*parts))
        return found

    def find(self, name: str) -> StoredRepository:
        """Return the repository with an address, or with a short name that only one has; the latest commit of it.

        Raises:
            ConfigError: There is none, or several have the short name.
        """
        known = self.repositories()
        by_url = [each for each in known if name in (each.url, f"{each.url}@{each.commit}")]
        by_name = [each for each in known if each.name == name]
        if not by_url and len({each.url for each in by_name}) > 1:
            urls = ", ".join(dict.fromkeys(each.url for each in by_name))
            raise ConfigError(
                f"database: several repositories are named {name!r}; name one by its address: {urls}"
            )
        if not (found := by_url or by_name):
            names = ", ".join(each.name for each in known) or "none"
            raise ConfigError(f"database: no repository {name!r} in {self.path} (known: {names})")
        return found[-1]

    def theorems(self, repository: int) -> list[StoredTheorem]:
        """Return the theorems of a repository in its order."""
        with naming_damaged(self.path):
            rows = self._connection.execute(
                f"SELECT id, {_THEOREM}, rating, (SELECT coalesce(sum(tries), 0) FROM attempts WHERE theorem = id), "
                "(SELECT coalesce(sum(solved), 0) FROM attempts WHERE theorem = id) "
                "FROM theorems LEFT JOIN difficulties ON theorem = id WHERE repository = ? ORDER BY place",
                (repository,),
            ).fetchall()
            scripts: dict[int, list[tuple[str, ...]]] = {}
            for theorem, script in self._connection.execute(
                "SELECT theorem, script FROM proofs JOIN theorems ON id = theorem WHERE repository = ? "
                "ORDER BY steps, proofs.rowid",
                (repository,),
            ):
                scripts.setdefault(theorem, []).append(tuple(json.loads(script)))
        return [
            StoredTheorem(number, repository, _theorem(row), tries, solved, tuple(scripts.get(number, ())))
            for number, *row, tries, solved in rows
        ]

    def load(self, repository: int) -> Repository:
        """Return a repository with its theorems and premises.

        Raises:
            ConfigError: There is no repository of this number.
        """
        with naming_damaged(self.path):
            row = self._connection.execute(
                "SELECT url, commit_id, name, lean_version, tracer_version, metadata, files_traced, pr_url "
                "FROM repositories WHERE id = ?",
                (repository,),
            ).fetchone()
            if row is None:
                raise ConfigError(f"database: no repository with the number {repository} in {self.path}")
            files = self._connection.execute(
                "SELECT path, imports, premises FROM premise_files WHERE repository = ? ORDER BY place",
                (repository,),
            ).fetchall()
        url, commit, name, lean_version, tracer_version, metadata, traced, pr_url = row
        return Repository(
            url=url,
            commit=commit,
            name=name,
            lean_version=lean_version,
            tracer_version=tracer_version,
            metadata=json.loads(metadata),
            theorems=[each.traced for each in self.theorems(repository)],
            premise_files=[
                PremiseFile(path, tuple(json.loads(imports)), tuple(json.loads(premises)))
                for path, imports, premises in files
            ],
            files_traced=json.loads(traced),
            pr_url=pr_url,
        )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that is complete or did not happen."""
        with naming_damaged(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @staticmethod
    def _add_repository(sql: sqlite3.Connection, repository: Repository) -> int:
        facts = (
            repository.name,
            repository.lean_version,
            repository.tracer_version,
            _text(repository.metadata),
            _text(repository.files_traced),
            repository.pr_url,
        )
        (number,) = sql.execute(
            "INSERT INTO repositories (url, commit_id, name, lean_version, tracer_version, metadata, files_traced, "
            "pr_url) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (url, commit_id) DO UPDATE SET name = excluded.name, "
            "lean_version = excluded.lean_version, tracer_version = excluded.tracer_version, "
            "metadata = excluded.metadata, files_traced = excluded.files_traced, "
            "pr_url = coalesce(excluded.pr_url, pr_url) RETURNING id",
            (repository.url, repository.commit, *facts),
        ).fetchone()
        return int(number)

    @staticmethod
    def _add_theorems(sql: sqlite3.Connection, repository: int, theorems: Iterable[TracedTheorem]) -> None:
        """Insert the theorems of a repository, update those that are known, and remove those that are gone."""
        known: dict[Key, list[int]] = {}
        settled = set()
        for number, file, name, statement, status in sql.execute(
            "SELECT id, file, name, statement, status FROM theorems WHERE repository = ? ORDER BY place",
            (repository,),
        ):
            known.setdefault((file, name, statement), []).append(number)
            if status == "sorry_proved":
                settled.add(number)
        for place, each in enumerate(theorems):
            same = known.get((each.file, each.name, each.statement), [])
            old = same.pop(0) if same else None
            status = "sorry_proved" if each.status == "sorry" and old in settled else each.status
            episode = None if each.episode is None else _text(row_from_theorem(each.episode))
            placed = (each.file, each.name, *each.start, *each.end, each.statement)
            row = (repository, place, *placed, _text(each.tactics), status, episode)
            (number,) = sql.execute(
                f"INSERT INTO theorems (id, repository, place, {_THEOREM}) VALUES "
                "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET place = excluded.place, "
                "start_line = excluded.start_line, start_column = excluded.start_column, "
                "end_line = excluded.end_line, end_column = excluded.end_column, tactics = excluded.tactics, "
                "status = excluded.status, episode = excluded.episode RETURNING id",
                (old, *row),
            ).fetchone()
            if each.rating is not None:
                sql.execute("INSERT OR REPLACE INTO difficulties VALUES (?, ?)", (number, each.rating))
        gone = [(number,) for numbers in known.values() for number in numbers]
        sql.executemany("DELETE FROM theorems WHERE id = ?", gone)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _theorem(row: Sequence[Any]) -> TracedTheorem:
    (
        file,
        name,
        start_line,
        start_column,
        end_line,
        end_column,
        statement,
        tactics,
        status,
        episode,
        rating,
    ) = row
    return TracedTheorem(
        name=name,
        file=file,
        start=(start_line, start_column),
        end=(end_line, end_column),
        statement=statement,
        tactics=tuple(json.loads(tactics)),
        status=status,
        rating=rating,
        episode=None
        if episode is None
        else theorem_from_row(json.loads(episode), f"theorem {name!r} of the store"),
    )
