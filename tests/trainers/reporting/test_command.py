"""The program: what it writes, and one line for what it cannot use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trainers.report import main, run_names

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_written_into_the_folder_of_the_run(
    write_run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run()
    assert main([str(folder)]) == 0
    page = folder / "report.html"
    assert "<!DOCTYPE html>" in page.read_text(encoding="utf-8")[:20]
    assert capsys.readouterr() == (f"report: {page} ({page.stat().st_size / 1e6:.1f} MB)\n", "")
    assert main([str(folder)]) == 0  # again, over the page that is there


def test_several_runs_and_another_file(
    write_run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [str(write_run("a")), str(write_run("b", trajectories=None))]
    assert main([*folders, "--out", str(tmp_path / "both.html")]) == 0
    assert (tmp_path / "both.html").is_file()
    assert not (tmp_path / "a" / "report.html").exists()
    assert capsys.readouterr().err.startswith("note: b: no episode is stored")


def test_what_cannot_be_used_is_one_line(
    write_run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(write_run())
    broken = write_run("broken")
    (broken / "config.yaml").write_text("a: [")
    none = str(tmp_path / "none")
    for arguments, line in [
        ([none], f"error: {none}: no such folder; expected the folder of a run"),
        ([folder, folder + "/."], "error: RUN: expected different runs, got one of them twice"),
        ([str(broken)], "error: cannot parse the settings file"),
        (
            [folder, "--out", str(tmp_path)],
            f"error: --out {tmp_path}: expected a file in a folder that exists",
        ),
        ([folder, "--out", f"{none}/x.html"], f"error: --out {none}/x.html: expected a file in a folder"),
        ([folder, "--uot", "x"], "error: python -m trainers.report: unknown flag --uot; see --help"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        shown = capsys.readouterr().err
        assert ended.value.code == 2
        assert shown.startswith(line) and shown.count("\n") == 1


def test_no_torch_is_loaded(write_run: Any) -> None:
    code = (
        "import sys; from trainers.report import main; main([sys.argv[1]]); "
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(write_run())], cwd=ROOT, timeout=100)
    assert done.returncode == 0


def test_names_of_runs() -> None:
    assert run_names([Path("/x/a"), Path("/y/b")]) == ["a", "b"]
    assert run_names([Path("/x/a"), Path("/y/a")]) == ["x/a", "y/a"]
