"""`python -m trainers.database`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trainers.corpora.lifelong.keeping import by_difficulty
from trainers.corpora.lifelong.store import Store
from trainers.database import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_add_list_stats_export(here: Path, database_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # adding again changes nothing
        assert main(["add", str(database_file), "--json"]) == 0
        (row,) = map(json.loads, lines(capsys))
        assert row == {
            "name": "example/sums",
            "url": "https://github.com/example/sums",
            "commit": "0123456789abcdef",
            "files": 2,
            "premises": 1,
            "proven": 2,
            "sorry": 1,
            "sorry_proved": 1,
            "verified": 0,
        }
    assert main(["list"]) == 0
    heading, line = lines(capsys)
    assert heading.split() == ["theorems", "sorry", "proved", "premises", "files", "repository"]
    assert line.split()[:5] == ["4", "1", "0", "1", "2"]

    assert main(["stats", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (numbers,) = told["repositories"].values()
    assert told["thresholds"] == [None, None]  # two of three ratings are infinite
    # exp(2) is easy; the proof by a term, of unknown length, is the rest of a third; a `sorry` is hard.
    assert [numbers[name] for name in ("Easy", "Medium", "Hard")] == [1, 0, 3]
    assert numbers["sorry, claimed proved"] == 1
    assert numbers["sorry, proved here"] == 0
    assert numbers["measured difficulty"] is None

    assert main(["export", "out.json"]) == 0
    assert (here / "out.json").read_bytes() == database_file.read_bytes()
    assert main(["export", "merged", "--repos", "example/sums"]) == 0
    assert main(["add", "merged", "--database", "other.db"]) == 0
    assert "4 " in lines(capsys)[-1]


def test_projects_are_traced_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two projects of the same name, one of them with a file that does not parse."""
    for place, text in (
        ("a", "theorem t : True := by\n  trivial\n"),
        ("b", "theorem s : True := by sorry\n"),
    ):
        (here / place / "sums").mkdir(parents=True)
        (here / place / "sums" / "Main.lean").write_text(text)
    (here / "b" / "sums" / "Broken.lean").write_text("theorem theorem := ((\n")
    assert main(["add", "a/sums", "b/sums", "logic", "--json"]) == 0
    told = capsys.readouterr()
    assert "b/sums is traced into traced/sums-" in told.err
    assert "Broken.lean" in told.err
    first, second, third = map(json.loads, told.out.splitlines())
    assert (first["proven"], second["sorry"], third["url"]) == (1, 1, "logic")
    assert main(["add", "a/sums", "--json"]) == 0  # nothing is traced again, and nothing is there twice
    assert json.loads(capsys.readouterr().out) == first
    assert main(["export", "all.jsonl"]) == 0
    played = {
        json.loads(line)["name"]: json.loads(line) for line in (here / "all.jsonl").read_text().splitlines()
    }
    folder, _, place = played["t"]["position"].partition("//")
    assert Path(folder).is_relative_to(here / "traced")
    assert (Path(folder) / place.partition(":")[0]).is_file()


def test_the_claim_of_another_database_is_no_proof(here: Path, database_file: Path) -> None:
    """An attack: a file that says that its `sorry` is proved. A proof found here settles it."""
    assert main(["add", str(database_file)]) == 0
    with Store(here / "theorems.db") as store:
        theorems = {each.traced.name: each for each in store.theorems(1)}
        assert theorems["s1"].traced.status == "sorry_proved"
        assert theorems["s1"].proofs == ()
        assert store.repositories()[0].verified == 0
        store.add_proof(theorems["s2"].id, ["omega"], [], "run")
        assert store.repositories()[0].verified == 1


def test_repositories_by_difficulty(here: Path, database: dict[str, Any]) -> None:
    hard = database["repositories"][0]
    easy = {**hard, "url": "https://github.com/example/easy", "sorry_theorems_unproved": []}
    easy["proven_theorems"] = [
        {**row, "full_name": f"e{number}"} for number, row in enumerate(hard["proven_theorems"] * 3)
    ]
    (here / "two.json").write_text(json.dumps({"repositories": [hard, easy]}), encoding="utf-8")
    assert main(["add", "two.json"]) == 0
    with Store(here / "theorems.db") as store:
        assert [row.url[-4:] for row in by_difficulty(store, store.repositories())] == ["easy", "sums"]
        assert store.theorems(1)[0].traced.rating == pytest.approx(7.389056)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["list"], "there is no theorems.db; `add` makes it"),
        (["add"], "expected at least one path for this action, got 0"),
        (
            ["add", "missing"],
            "add: expected a project (folder or URL@COMMIT), a traced folder, a theorem set",
        ),
        (["list", "x"], "expected no path for this action, got 1"),
        (["list", "--sorted"], "unknown flag --sorted"),
    ],
)
def test_mistakes_end_with_one_line(
    here: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_exports_that_cannot_be_written(
    here: Path, database_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["add", str(database_file)])
    (here / "full").mkdir()
    (here / "full" / "notes").touch()
    for words, message in (
        (["full"], "expected a new or empty folder"),
        (["set.jsonl"], "no theorem with its context"),
        (["no/folder.json"], "cannot write"),
        (["out", "--repos", "b"], "no repository 'b'"),
    ):
        with pytest.raises(SystemExit):
            main(["export", *words])
        assert message in capsys.readouterr().err
    assert [path.name for path in (here / "full").iterdir()] == ["notes"]


def test_it_loads_no_torch() -> None:
    program = (
        "import sys\nimport trainers.database, trainers.corpora.lifelong.keeping\n"
        "sys.exit(sorted({'torch', 'transformers'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
