"""`python -m lean_gym check`: minilean's messages, and Lean's own kernel on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import VARIABLE, find_library

GOOD = "theorem t (a b : Nat) : a + b = b + a := by omega\ninductive T | a | b (x : T)\n"


@pytest.fixture
def lean_here() -> None:
    try:
        find_library()
    except BackendUnavailable as error:
        pytest.skip(str(error))


def written(folder: Path, text: str, name: str = "F.lean") -> str:
    file = folder / name
    file.write_text(text, "utf-8")
    return str(file)


@pytest.mark.usefixtures("lean_here")
def test_leans_kernel_has_the_last_word(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, GOOD)
    assert main(["check", "--kernel", "lean", file]) == 0
    [line] = capfd.readouterr().out.splitlines()
    assert line.startswith(f"{file}: Lean 4.35.0 accepts ")
    assert main(["check", "--kernel", "lean", "--json", file]) == 0
    row = json.loads(capfd.readouterr().out)
    assert (row["fileName"], row["kernel"], row["accepted"]) == (file, "lean", True)
    assert row["declarations"] > 2


@pytest.mark.usefixtures("lean_here")
def test_an_export_is_for_leans_kernel(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "no export\n", "f.ndjson")
    assert main(["check", "--kernel", "lean", file]) == 1
    assert capfd.readouterr().out.startswith(f"{file}: error: Lean's kernel: line 1: no row of the format")
    with pytest.raises(SystemExit):
        main(["check", file])
    assert ".ndjson files are for --kernel lean" in capfd.readouterr().err


@pytest.mark.usefixtures("lean_here")
@pytest.mark.parametrize("text", ["theorem t : 1 = 2 := by rfl\n", "theorem t : 1 = 2 := by sorry\n"])
def test_a_file_that_proves_nothing_is_not_accepted(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--kernel", "lean", written(tmp_path, text)]) == 1
    assert "accepts" not in capfd.readouterr().out


def test_a_kernel_that_is_not_here_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    assert main(["check", "--kernel", "lean", written(tmp_path, GOOD)]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: kernel 'lean': Lean's library: expected the file")


def test_without_a_kernel_it_is_minileans_check(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = written(tmp_path, "theorem t : 1 = 2 := by rfl\n")
    assert main(["check", bad]) == 1
    assert capfd.readouterr().out.startswith(f"{bad}:1:24: error: ")
    assert main(["check", "--root", str(tmp_path), "--json", bad]) == 1
    assert json.loads(capfd.readouterr().out.splitlines()[0])["severity"] == "error"
    assert main(["check", str(tmp_path / "none.lean")]) == 2
