"""Opening of the store's file: recognised before anything is written to it, and brought to the newest schema.

A file that is no database, another program's database and one of a newer schema are left exactly as they are. Several
processes may open a new or an old file at once: one of them changes the schema, in one transaction.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from trainers.errors import ConfigError

APPLICATION: Final = 0x4C47_4442
"""SQLite's `application_id` of our files, "LGDB"."""
BUSY_S: Final = 60.0
"""Seconds to wait for another process that writes."""
_HEADER: Final = b"SQLite format 3\x00"

_FIRST: Final = """
CREATE TABLE repositories (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  name TEXT NOT NULL,
  lean_version TEXT NOT NULL,
  tracer_version TEXT NOT NULL,
  metadata TEXT NOT NULL,
  files_traced TEXT NOT NULL,
  pr_url TEXT,
  UNIQUE (url, commit_id)
);
CREATE TABLE theorems (
  id INTEGER PRIMARY KEY,
  repository INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  file TEXT NOT NULL,
  name TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  start_column INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  end_column INTEGER NOT NULL,
  statement TEXT,
  tactics TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('proven', 'sorry', 'sorry_proved')),
  episode TEXT
);
CREATE INDEX theorems_of_repository ON theorems (repository, place);
CREATE TABLE premise_files (
  repository INTEGER NOT NULL REFERENCES repositories (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  path TEXT NOT NULL,
  imports TEXT NOT NULL,
  premises TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (repository, place)
);
CREATE TABLE proofs (
  theorem INTEGER NOT NULL REFERENCES theorems (id) ON DELETE CASCADE,
  script TEXT NOT NULL,
  steps INTEGER NOT NULL,
  axioms TEXT NOT NULL,
  source TEXT NOT NULL,
  UNIQUE (theorem, script)
);
CREATE TABLE attempts (
  theorem INTEGER NOT NULL REFERENCES theorems (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  tries INTEGER NOT NULL CHECK (tries >= 0),
  solved INTEGER NOT NULL CHECK (solved BETWEEN 0 AND tries),
  PRIMARY KEY (theorem, source)
);
CREATE TABLE difficulties (
  theorem INTEGER PRIMARY KEY REFERENCES theorems (id) ON DELETE CASCADE,
  rating REAL NOT NULL
);
"""
MIGRATIONS: Final = (_FIRST,)
"""Each brings a file from the schema of its place in the list to the next one. Entries are added, never changed."""


def open_file(path: Path) -> sqlite3.Connection:
    """Open the file of a store, which is made if it does not exist.

    Returns:
        A connection without transactions of its own: `BEGIN` and `COMMIT` are up to the caller.

    Raises:
        ConfigError: The file is another one than a store's, of a newer schema, damaged, or cannot be opened.
    """
    _check_content(path)
    with naming_damaged(path):
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        try:
            _migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def naming_damaged(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one line that names the file.

    Raises:
        ConfigError: SQLite reported an error in the block.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise ConfigError(f"database: cannot use {path}: {error}") from error


def _check_content(path: Path) -> None:
    """Refuse a file that is no database, without opening it as one: SQLite may write to what it opens."""
    try:
        if not path.parent.is_dir():
            raise ConfigError(f"database: expected a file in a folder that exists, got {path}")
        if not path.exists():
            return
        if path.is_dir():
            raise ConfigError(f"database: expected a file, got the folder {path}")
        with path.open("rb") as file:
            begin = file.read(len(_HEADER))
    except OSError as error:
        raise ConfigError(f"database: cannot read {path}: {error.strerror}") from None
    if begin not in (b"", _HEADER):  # an empty file is one that another process is about to fill
        hint = "; a database of LeanDojo-v2 is read by `add`" if begin.lstrip()[:1] == b"{" else ""
        raise ConfigError(
            f"database: {path} is no database of this program and is left as it is; name another file{hint}"
        )


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    _check_owner(connection, path)  # before the first write
    connection.execute("PRAGMA foreign_keys = ON")
    _use_wal(connection)
    if _number(connection, "user_version") == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _check_owner(connection, path)
        for number in range(_number(connection, "user_version"), len(MIGRATIONS)):
            for statement in filter(str.strip, MIGRATIONS[number].split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a database of another program, and one of a newer schema."""
    owner, version = _number(connection, "application_id"), _number(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if owner != APPLICATION and (owner or version or tables):
        raise ConfigError(
            f"database: {path} is a database of another program and is left as it is; name another file"
        )
    if version > len(MIGRATIONS):
        raise ConfigError(
            f"database: {path} has schema {version}, and this version knows up to {len(MIGRATIONS)}; "
            "use the newer version that wrote it"
        )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log, with which readers do not wait for a writer."""
    until = time.monotonic() + BUSY_S
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # The switch does not wait for processes that read or switch at the same time.
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
