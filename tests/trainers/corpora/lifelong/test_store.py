"""The store: what it keeps, what it refuses to touch, and processes that write at once or are killed."""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lean_gym import Theorem
from trainers.corpora.lifelong import schema
from trainers.corpora.lifelong.records import PremiseFile, Repository, TracedTheorem
from trainers.corpora.lifelong.store import Store
from trainers.errors import ConfigError

TACTIC = {
    "tactic": "rfl",
    "annotated_tactic": ["rfl", []],
    "state_before": "⊢ 1 = 1",
    "state_after": "no goals",
}


def theorem(name: str, **changes: object) -> TracedTheorem:
    made = TracedTheorem(
        name=name,
        file="A.lean",
        start=(1, 1),
        end=(2, 3),
        statement=f"theorem {name} : 1 = 1",
        tactics=(TACTIC,),
        episode=Theorem(name, f"theorem {name} : 1 = 1", context="open Nat", proof="rfl"),
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


REPOSITORY = Repository(
    url="https://example.org/a",
    commit="c1",
    name="example/a",
    lean_version="4.24.0",
    tracer_version="1",
    metadata={"date_processed": "2026-01-01T00:00:00", "extra": {"ü": [1]}},
    theorems=[
        theorem("t"),
        theorem("open", status="sorry", rating=math.inf),
        theorem("bare", episode=None, statement=None),
    ],
    premise_files=[PremiseFile("A.lean", ("B.lean",), ({"full_name": "t", "code": "…", "start": [1, 1]},))],
    files_traced=["A.lean", "B.lean"],
    pr_url="https://example.org/a/pull/1",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "theorems.db"


def test_what_is_added_is_read_back(path: Path) -> None:
    with Store(path) as store:
        number = store.add(REPOSITORY)
    with Store(path) as store:
        assert store.load(number) == REPOSITORY
        (row,) = store.repositories()
    assert (row.files, row.premises, row.verified) == (2, 1, 0)
    assert row.theorems == {"proven": 2, "sorry": 1, "sorry_proved": 0}


def test_a_proof_settles_a_sorry(path: Path) -> None:
    with Store(path) as store:
        number = store.add(REPOSITORY)
        _, open_one, _ = store.theorems(number)
        assert store.add_proof(open_one.id, ["simp", "rfl"], ["propext"], "run")
        assert store.add_proof(open_one.id, ["rfl"], [], "run")
        assert not store.add_proof(open_one.id, ["rfl"], [], "another run")
        again = store.theorems(number)[1]
        assert again.proofs == (("rfl",), ("simp", "rfl"))
        assert again.traced.status == "sorry_proved"
        with pytest.raises(ConfigError, match="FOREIGN KEY"):
            store.add_proof(9999, ["rfl"], [], "run")
        assert store.repositories()[0].verified == 1


def test_attempts_of_one_source_are_recorded_once(path: Path) -> None:
    with Store(path) as store:
        number = store.add(REPOSITORY)
        first, second, _ = store.theorems(number)
        store.record_attempts("measured 1", {first.id: (8, 2), second.id: (8, 0)})
        store.record_attempts("measured 1", {first.id: (8, 2)})
        store.record_attempts("measured 2", {first.id: (4, 3)})
        counted = [(each.tries, each.solved) for each in store.theorems(number)]
        assert counted == [(12, 5), (8, 0), (0, 0)]
        with pytest.raises(ConfigError, match="CHECK"):
            store.record_attempts("wrong", {first.id: (1, 2)})
        assert [(each.tries, each.solved) for each in store.theorems(number)] == counted


def test_ratings_may_be_infinite(path: Path) -> None:
    with Store(path) as store:
        number = store.add(REPOSITORY)
        ids = [each.id for each in store.theorems(number)]
        store.rate({ids[0]: 2.5, ids[1]: math.inf})
        assert [each.traced.rating for each in store.theorems(number)] == [2.5, math.inf, None]


def test_a_repository_that_is_traced_again_keeps_what_is_known(path: Path) -> None:
    with Store(path) as store:
        number = store.add(REPOSITORY)
        before = store.theorems(number)
        store.add_proof(before[1].id, ["rfl"], [], "run")
        store.record_attempts("measured", {before[0].id: (8, 1)})
        moved = [
            theorem("new"),
            theorem("open", status="sorry", start=(7, 1), end=(8, 1)),
            theorem(
                "t", statement="theorem t : 2 = 2"
            ),  # a theorem of the same name that says something else
        ]
        assert store.add(dataclasses.replace(REPOSITORY, theorems=moved, pr_url=None)) == number
        new, still_open, changed = store.theorems(number)
        assert (still_open.id, still_open.traced.start, still_open.proofs) == (
            before[1].id,
            (7, 1),
            (("rfl",),),
        )
        assert still_open.traced.status == "sorry_proved"
        assert (changed.tries, new.tries) == (0, 0)
        assert changed.id != before[0].id
        assert store.load(number).pr_url == REPOSITORY.pr_url
        other = store.add(dataclasses.replace(REPOSITORY, commit="c2"))
        assert [each.proofs for each in store.theorems(other)] == [(), (), ()]


def test_repositories_are_found_by_name_and_address(path: Path) -> None:
    with Store(path) as store:
        store.add(REPOSITORY)
        latest = store.add(dataclasses.replace(REPOSITORY, commit="c2"))
        assert store.find("example/a").id == store.find("https://example.org/a").id == latest
        assert store.find("https://example.org/a@c1").commit == "c1"
        store.add(dataclasses.replace(REPOSITORY, url="https://example.com/a"))
        with pytest.raises(ConfigError, match=r"several repositories are named 'example/a'.*example\.com"):
            store.find("example/a")
        with pytest.raises(ConfigError, match=r"no repository 'b' in .*known: example/a"):
            store.find("b")


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE cats (name TEXT)")
    connection.close()


def newer_database(path: Path) -> None:
    with Store(path) as store:
        store.add(REPOSITORY)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("# my notes\n"), "is no database of this program and is left as it is"),
        (lambda path: path.write_text('{"repositories": []}'), "a database of LeanDojo-v2 is read by `add`"),
        (lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 4000), "cannot use"),
        (foreign_database, "a database of another program and is left as it is"),
        (newer_database, "has schema 99, and this version knows up to 1"),
    ],
    ids=["text", "json", "damaged", "foreign", "newer"],
)
def test_other_files_are_refused_and_left_alone(path: Path, make: object, message: str) -> None:
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=message) as caught:
        Store(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_places_that_hold_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a file, got the folder"):
        Store(tmp_path)
    with pytest.raises(ConfigError, match="expected a file in a folder that exists"):
        Store(tmp_path / "missing" / "x.db")


def test_an_older_schema_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(path) as store:
        store.add(REPOSITORY)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "ALTER TABLE proofs ADD COLUMN note TEXT"))
    with Store(path) as store:
        assert store.load(1) == REPOSITORY
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE a (x); CREATE TABLE a (x)"))
    with pytest.raises(ConfigError, match="already exists"):
        Store(path)
    with sqlite3.connect(path) as connection:  # a step that fails changes nothing
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'a'").fetchone() == (0,)
    connection.close()


WRITER = """
import sys
from pathlib import Path
from trainers.corpora.lifelong.records import Repository, TracedTheorem
from trainers.corpora.lifelong.store import Store

theorems = [TracedTheorem(f"t{n}", "A.lean", (n, 1), (n, 2), "theorem") for n in range(300)]
print("ready", flush=True)
sys.stdin.readline()
number = 0
with Store(Path(sys.argv[1])) as store:
    while number != int(sys.argv[3]):
        store.add(Repository(sys.argv[2], str(number), "w", theorems=theorems))
        number += 1
        print(number, flush=True)
"""


def started(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_write_at_once_and_one_is_killed(path: Path) -> None:
    """Two that make the file at the same moment, and one killed while it writes: nothing is lost, nothing is half."""
    steady, killed = writers = [started(path, "steady", 6), started(path, "killed", -1)]
    for each in writers:
        assert each.stdout is not None and each.stdin is not None
        assert each.stdout.readline() == "ready\n"
    for each in writers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    assert killed.stdout is not None
    told = [int(killed.stdout.readline()) for _ in range(3)][-1]
    os.kill(killed.pid, signal.SIGKILL)
    told += len(killed.stdout.read().splitlines())
    killed.communicate()
    steady.communicate()
    assert steady.returncode == 0
    with Store(path) as store:
        rows = store.repositories()
    assert sum(row.url == "steady" for row in rows) == 6
    assert sum(row.url == "killed" for row in rows) in (told, told + 1)
    assert {row.theorems["proven"] for row in rows} == {300}
