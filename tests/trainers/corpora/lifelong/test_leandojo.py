"""LeanDojo-v2's database, read and written; other formats are refused with their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainers.corpora.lifelong.leandojo import read_database, write_database
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.traced import read_traced, write_merged
from trainers.errors import ConfigError


def test_a_database_goes_through_the_store_unchanged(
    database: dict[str, Any], database_file: Path, tmp_path: Path
) -> None:
    with Store(tmp_path / "theorems.db") as store:
        numbers = [store.add(each) for each in read_database(database_file)]
        write_database(tmp_path / "back.json", [store.load(number) for number in numbers])
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8")) == database
    assert (tmp_path / "back.json").read_bytes() == database_file.read_bytes()


def test_positions_may_be_lists(database: dict[str, Any], database_file: Path) -> None:
    row = database["repositories"][0]["proven_theorems"][0]
    row["start"], row["end"] = [5, 1], [7, 20]
    before = read_database(database_file)
    database_file.write_text(json.dumps(database), encoding="utf-8")
    assert read_database(database_file) == before


def spoil(database: dict[str, Any], *place: str | int, value: Any) -> None:
    inner: Any = database
    for name in place[:-1]:
        inner = inner[name]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("repositories",), {}, "expected an object with a list `repositories`"),
        (("repositories", 0, "url"), None, r"repositories\[0\]: the field 'url' is missing"),
        (("repositories", 0, "metadata"), {}, "metadata: expected a field `date_processed`"),
        (("repositories", 0, "name"), 3, "expected a text, got '3'"),
        (("repositories", 0, "proven_theorems", 0, "start"), "Pos(1)", r"expected \"Pos\(line, column\)\""),
        (("repositories", 0, "proven_theorems", 0), "t", r"repositories\[0\]: "),
    ],
)
def test_other_formats_are_refused(
    database: dict[str, Any], database_file: Path, place: tuple[str | int, ...], value: Any, message: str
) -> None:
    spoil(database, *place, value=value)
    database_file.write_text(json.dumps(database), encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        read_database(database_file)
    assert "\n" not in str(caught.value)


def test_no_json(database_file: Path) -> None:
    database_file.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="expected JSON"):
        read_database(database_file)


def test_a_merged_folder_is_leandojos_layout(database_file: Path, tmp_path: Path) -> None:
    (repository,) = read_database(database_file)
    write_merged(tmp_path / "merged", [repository, repository])
    found = sorted(
        str(path.relative_to(tmp_path / "merged")) for path in (tmp_path / "merged").rglob("*.json*")
    )
    splits = ("test.json", "train.json", "val.json")
    assert found == [
        *("corpus.jsonl", "metadata.json"),
        *(f"{strategy}/{split}" for strategy in ("novel_premises", "random") for split in splits),
        "traced_files.jsonl",
    ]
    rows = [
        row for split in splits for row in json.loads((tmp_path / "merged" / "random" / split).read_text())
    ]
    assert sorted(row["full_name"] for row in rows) == ["by_term", "s1", "s2", "t1"]  # each once
    (first,) = (row for row in rows if row["full_name"] == "t1")
    assert (first["start"], first["url"]) == ([5, 1], "https://github.com/example/sums")
    assert first["traced_tactics"][0]["annotated_tactic"][1][0]["def_pos"] == [3, 9]
    assert json.loads((tmp_path / "merged" / "metadata.json").read_text())["num_sorry_theorems"] == 4
    with pytest.raises(ConfigError, match="expected a new or empty folder"):
        write_merged(tmp_path / "merged", [repository])


def test_a_traced_folder_is_read(database_file: Path, tmp_path: Path) -> None:
    (repository,) = read_database(database_file)
    out = tmp_path / "traced"
    write_merged(out, [repository])
    row = {
        "name": "t1",
        "statement": "theorem t1 (a b : Nat) : a + b = b + a",
        "context": "open Nat",
        "imports": [],
    }
    (out / "theorems.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    found = read_traced(out)
    assert (found.url, found.commit, found.name) == (repository.url, repository.commit, "example/sums")
    assert [each.name for each in found.theorems] == ["t1", "by_term", "s1", "s2"]  # in the order of the file
    assert [each.status for each in found.theorems] == ["proven", "proven", "sorry", "sorry"]
    assert found.theorems[0].episode is not None
    assert found.theorems[0].episode.context == "open Nat"
    assert found.theorems[1].episode is None
    assert found.premise_files == repository.premise_files
    (out / "random" / "train.json").write_text('[{"full_name": "x"}]', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"train\.json, row 0: the field 'traced_tactics' is missing"):
        read_traced(out)
