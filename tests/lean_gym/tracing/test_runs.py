"""Runs of the tracer: what is traced again, broken files, an ended run, git, several processes, the program."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.errors import DataError
from lean_gym.tracing import FileState, trace
from lean_gym.tracing.folder import RECORDS
from lean_gym.tracing.sources import find_source

FILES = {
    "A.lean": "theorem a (n : Nat) : n = n := by rfl\n",
    "B.lean": "import A\ntheorem b : 1 = 1 := by exact a 1\n",
    "C.lean": "theorem c : 2 = 2 := rfl\n",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def states(files: tuple[FileState, ...]) -> dict[str, str]:
    return {file.path: file.status for file in files}


def test_only_changed_files_and_their_importers_are_traced_again(tmp_path: Path) -> None:
    project, out = written(tmp_path / "p", FILES), tmp_path / "out"
    assert set(states(trace(project, out).files).values()) == {"traced"}
    assert set(states(trace(project, out).files).values()) == {"kept"}
    written(project, {"A.lean": FILES["A.lean"] + "theorem a2 : 1 = 1 := rfl\n"})
    again = trace(project, out, jsonl=True)
    assert states(again.files) == {"A.lean": "traced", "B.lean": "traced", "C.lean": "kept"}
    assert again.counts["theorems"] == 4
    (project / "C.lean").unlink()
    assert trace(project, out).counts["theorems"] == 3


def test_a_damaged_record_is_made_again(tmp_path: Path) -> None:
    project, out = written(tmp_path / "p", FILES), tmp_path / "out"
    trace(project, out)
    (out / RECORDS / "C.lean.json").write_text('{"path": "C.lean"')
    assert states(trace(project, out).files) == {"A.lean": "kept", "B.lean": "kept", "C.lean": "traced"}


def test_broken_files_are_rows_and_lines_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = written(
        tmp_path / "p",
        {
            **FILES,
            "Bad.lean": "theorem no : 1 = 2 := by rfl\ntheorem yes : 1 = 1 := by rfl\n",
            "Beyond.lean": 'elab "x" : term => return .const `Nat []\n',
            "X.lean": "import Y\n",
            "Y.lean": "import X\n",
            "Far.lean": "import Mathlib.Data.Nat.Basic\n",
        },
    )
    (project / "Latin.lean").write_bytes(b"-- \xe4\n")
    assert main(["trace", str(project), "--out", str(tmp_path / "out")]) == 1
    captured = capsys.readouterr()
    lines = captured.err.strip().splitlines()
    assert len(lines) == 6 and captured.out.startswith("2 failed, 4 left out, 3 traced\n")
    metadata = json.loads((tmp_path / "out" / "metadata.json").read_text())
    rows = {row["path"]: row for row in metadata["files"]}
    assert {path for path, row in rows.items() if row["reason"]} == {
        *("Bad.lean", "Beyond.lean", "X.lean", "Y.lean", "Far.lean", "Latin.lean")
    }
    assert all("\n" not in row["reason"] for row in rows.values())
    assert "import cycle" in rows["X.lean"]["reason"] and "not UTF-8" in rows["Latin.lean"]["reason"]
    assert metadata["counts"]["theorems"] == 4  # `yes` is there


def test_an_ended_run_goes_on_where_it_was(tmp_path: Path) -> None:
    project, out = written(tmp_path / "p", FILES), tmp_path / "out"

    def end(done: int, total: int, path: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace(project, out, on_progress=end)
    metadata = json.loads((out / "metadata.json").read_text())
    assert metadata["interrupted"]
    assert {row["path"]: row["status"] for row in metadata["files"]} == {
        "A.lean": "traced",
        "B.lean": "not traced",
        "C.lean": "not traced",
    }
    assert states(trace(project, out).files) == {"A.lean": "kept", "B.lean": "traced", "C.lean": "traced"}


def test_several_processes_trace_the_same(tmp_path: Path) -> None:
    project = written(tmp_path / "p", FILES)
    trace(project, tmp_path / "one")
    assert set(states(trace(project, tmp_path / "two", jobs=2).files).values()) == {"traced"}
    for name in ("corpus.jsonl", "random/train.json", "random/test.json", "metadata.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def git(folder: Path, *arguments: str) -> str:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(folder), *author, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_commit_of_a_repository_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    origin = written(tmp_path / "origin", {"A.lean": FILES["A.lean"]})
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "one")
    first = git(origin, "rev-parse", "HEAD")
    written(origin, FILES)
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "two")
    second = git(origin, "rev-parse", "HEAD")
    url = f"file://{origin}"
    old, new = find_source(f"{url}@{first}"), find_source(f"{url}@main")
    assert (old.url, old.commit, new.commit) == (url, first, second)
    assert sorted(path.name for path in old.root.iterdir()) == ["A.lean"]
    assert sorted(path.name for path in new.root.iterdir()) == ["A.lean", "B.lean", "C.lean"]
    assert find_source(f"{origin}@{first[:10]}").commit == first
    assert find_source(url).commit == second
    assert (find_source(str(origin)).root, find_source(str(origin)).commit) == (origin, second)
    written(origin, {"A.lean": ""})
    assert find_source(str(origin)).commit == ""
    shutil.rmtree(origin)
    assert find_source(f"{url}@{first}") == old
    with pytest.raises(DataError, match="git fetch failed"):
        find_source(f"{url}@{'0' * 40}")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("missing_folder", "no folder and no git URL"),
        ("https://host/owner/x@--upload-pack=touch", "expected a hash, branch or tag"),
        ("ext::sh -c touch% /tmp/x", "no folder and no git URL"),
        ("--upload-pack=x", "no folder and no git URL"),
    ],
)
def test_a_source_that_is_none_is_refused(source: str, expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        find_source(source)


def test_a_folder_without_lean_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "has no .lean file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
