"""Projects and folders as nobody should make them: names, links, encodings, leftovers, two runs at once."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.errors import DataError
from lean_gym.tracing import Summary, project, trace
from lean_gym.tracing.folder import RECORDS, alone_in
from lean_gym.verification.verify import verify_script

PLAIN = "theorem {} (p : Prop) (h : p) : p := by exact h\n"


def reasons(summary: Summary) -> dict[str, str]:
    return {file.path: file.reason for file in summary.files}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary]:
    """A project with odd files, traced once: its data set, and the result."""
    root = tmp_path_factory.mktemp("odd")
    project = root / "project"
    (project / "my folder").mkdir(parents=True)
    (root / "Secret.lean").write_text(PLAIN.format("secret"))
    texts = {
        "My File.lean": PLAIN.format("spaces"),
        "my folder/a-b.lean": PLAIN.format("dashes"),
        "A.B.lean": PLAIN.format("dotted"),
        "it's.lean": PLAIN.format("quote"),
        "Uses.lean": "import «My File»\nimport «my folder».«a-b»\nimport «A.B» -- so\ntheorem uses : 1 = 1 := by rfl\n"
        + PLAIN.format("used").replace("exact h", "exact spaces p (dashes p (dotted p h))"),
        "Apart.lean": "import A.B\n",
        "Self.lean": "import Self\n",
        "co:lon.lean": PLAIN.format("colon"),
        "new\nline.lean": PLAIN.format("newline"),
        "Long.lean": "-- " + "x" * 100_000 + "\n" + PLAIN.format("long"),
        "Names.lean": "namespace «a.b»\ntheorem «c d» (p : Prop) (h : p) : p := by exact h\nend «a.b»\n"
        "namespace A\nnamespace B.C\n"
        + PLAIN.format("deep")
        + "end B.C\n"
        + PLAIN.format("B.deep")
        + "end A\n"
        "section\nvariable {p q : Prop} (h : p ∧ q)\ninclude h\ntheorem sec : q := by exact h.2\nend\n"
        "mutual\ntheorem m1 : 1 = 1 := by rfl\ntheorem m2 : 2 = 2 := by rfl\nend\n",
        "Same.lean": PLAIN.format("spaces"),
        "Empty.lean": "",
    }
    for name, text in texts.items():
        (project / name).write_text(text, "utf-8")
    (project / "Crlf.lean").write_bytes(
        b"import Init\r\n" + PLAIN.format("crlf").replace("\n", "\r\n").encode()
    )
    (project / "Bom.lean").write_bytes(b"\xef\xbb\xbf" + PLAIN.format("bom").encode())
    (project / "Out.lean").symlink_to(root / "Secret.lean")
    (project / "Gone.lean").symlink_to(root / "nothing.lean")
    (project / "Loop.lean").symlink_to("Loop.lean")
    (project / "up").symlink_to("..")
    os.mkfifo(project / "Pipe.lean")
    (project / "Folder.lean").mkdir()
    with open(os.path.join(os.fsencode(project), b"\xff.lean"), "w") as file:
        file.write(PLAIN.format("bytes"))
    out = root / "out"
    return out, trace(project, out, jsonl=True)


def test_odd_files_are_rows_with_a_reason(odd: tuple[Path, Summary]) -> None:
    found = reasons(odd[1])
    good = ("My File", "my folder/a-b", "A.B", "it's", "Uses", "Long", "Names", "Same", "Empty", "Crlf")
    assert [found.pop(f"{name}.lean") for name in good] == [""] * len(good)
    assert found.pop("Out.lean") == "a link that leads out of the project"
    assert found.pop("Self.lean") == "import cycle: Self -> Self"
    assert "there is no such file" in found.pop("Apart.lean")
    assert "character that no module can have" in found.pop("co:lon.lean")
    assert "character that no module can have" in found.pop("new?line.lean")
    assert found.pop("?.lean") == "its name is not UTF-8"
    assert found.pop("Bom.lean").startswith("1:1: ")
    assert found == {}
    rows = json.loads((odd[0] / "metadata.json").read_text("utf-8"))["files"]
    assert all("\n" not in row["reason"] and "\n" not in row["path"] for row in rows)


def test_nothing_from_outside_is_copied(odd: tuple[Path, Summary]) -> None:
    content = "".join(path.read_text("utf-8") for path in odd[0].rglob("*") if path.is_file())
    assert "dashes" in content and "secret" not in content


def test_their_theorems_are_played(odd: tuple[Path, Summary]) -> None:
    backend = create_backend("minilean")
    names = set()
    for theorem in load_theorems(str(odd[0])):
        names.add(theorem.name)
        assert verify_script(backend, theorem, [theorem.proof]).proved, theorem.name
    assert names == {
        *("spaces", "dashes", "dotted", "quote", "uses", "used", "crlf", "long", "sec"),
        *("«a.b».«c d»", "A.B.C.deep", "A.B.deep"),
    }


def test_what_is_gone_leaves_nothing(tmp_path: Path) -> None:
    project, out = tmp_path / "p", tmp_path / "out"
    (project / "Sub").mkdir(parents=True)
    (project / "A.lean").write_text(PLAIN.format("kept"))
    (project / "Sub" / "B.lean").write_text(PLAIN.format("gone"))
    trace(project, out, jsonl=True)
    (out / "corpus.jsonl.17.partial").write_text("killed")
    (out / RECORDS / "A.lean.json.17.partial").write_text("killed")
    (out / "sources" / "partial").mkdir()
    (project / "Sub" / "B.lean").unlink()
    assert trace(project, out).counts["theorems"] == 1
    files = [path for path in out.rglob("*") if path.is_file()]
    assert all(
        "gone" not in path.read_text("utf-8") and "killed" not in path.read_text("utf-8") for path in files
    )
    assert [path.relative_to(out / RECORDS).as_posix() for path in (out / RECORDS).rglob("*")] == [
        "A.lean.json"
    ]
    assert len(list((out / "sources").iterdir())) == 1
    assert [theorem.name for theorem in load_theorems(str(out))] == ["kept"]


def test_a_data_set_inside_the_project_is_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(PLAIN.format("a"))
    for _ in range(2):
        assert [file.path for file in trace(tmp_path, tmp_path / "traced" / "x", jsonl=True).files] == [
            "A.lean"
        ]
    with pytest.raises(DataError, match="is the folder of the project"):
        trace(tmp_path, tmp_path)


def test_one_run_writes_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.lean").write_text(PLAIN.format("a"))
    out = tmp_path / "out"
    out.mkdir()
    with alone_in(out), pytest.raises(DataError, match="another process is tracing into"):
        trace(tmp_path / "p", out)
    assert not (out / "corpus.jsonl").exists()
    trace(tmp_path / "p", out)


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("file", "error: {}: File exists\n"),
        ("file/inside", "error: {}: Not a directory\n"),
        ("/proc/x", "error: {}: "),
    ],
)
def test_a_folder_that_cannot_be_written_is_one_line(
    out: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "A.lean").write_text(PLAIN.format("a"))
    (tmp_path / "file").write_text("")
    assert main(["trace", str(tmp_path), "--out", str(tmp_path / out)]) == 2
    assert capsys.readouterr().err.startswith(expected.format(tmp_path / out))


@pytest.mark.parametrize(
    "lakefile", ["lean_lib = 3\n", 'srcDir = "\\u0000"\n', 'srcDir = "../.."\n', "srcDir = 7\n", "= broken"]
)
def test_a_strange_lakefile_leads_nowhere(
    lakefile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "lakefile.toml").write_text(lakefile)
    assert main(["trace", str(tmp_path / "p"), "--out", str(tmp_path / "out")]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("error: trace: ") and shown.count("\n") == 1


def test_a_full_disk_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "A.lean").write_text(PLAIN.format("a"))
    words = ["trace", str(tmp_path), "--out", str(tmp_path / "traced" / "out")]
    monkeypatch.setattr(project, "write_record", full)
    assert main(words) == 2
    assert capsys.readouterr().err == f"error: {words[-1]}: No space left on device\n"
    monkeypatch.undo()
    assert main(words) == 0
