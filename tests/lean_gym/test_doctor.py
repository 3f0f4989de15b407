import subprocess
import sys

import pytest

from lean_gym.__main__ import main


@pytest.fixture
def no_repl(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_without_a_repl(no_repl, capsys):
    assert main(["doctor"]) == 1
    report = capsys.readouterr().out
    assert "minilean:       embedded, needs nothing" in report
    assert (
        "REPL:           none: backend='auto' is the embedded Lean\n                -> install Lean's"
        in report
    )


def test_with_a_repl():
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "lean_gym",
            "doctor",
            "--repl-command",
            f"{sys.executable} -m lean_gym.minilean",
        ],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = dict(line.split(":", 1) for line in run.stdout.splitlines())
    assert lines["REPL"].strip() == f"{sys.executable} -m lean_gym.minilean (from repl_command)"
    assert lines["REPL version"].strip()[0].isdigit()
    assert lines["start"].strip().startswith("imports Init in ")
    assert lines["verify"].strip() == "full (statements compared by frontend.track)"


def test_a_repl_that_does_not_start(capsys):
    command = f"{sys.executable} -c 'import sys; sys.exit(\"unknown module prefix Mathlib\")'"
    assert main(["doctor", "--repl-command", command, "--import", "Mathlib"]) == 1
    report = capsys.readouterr().out
    assert "did not start" in report
    assert "unknown module prefix Mathlib" in report
    assert "-> pass --project with the folder of a built Lake project" in report


def test_a_project_for_another_lean(capsys, monkeypatch, tmp_path):
    repl, project, bin_ = (tmp_path / name for name in ("repl", "project", "bin"))
    for folder in (repl, project, bin_):
        folder.mkdir()
    (repl / "lean-toolchain").write_text("leanprover/lean4:v4.29.1\n")
    (project / "lean-toolchain").write_text("leanprover/lean4:v4.21.0\n")
    for path, text in (
        (repl / "pantograph-repl", "#!/bin/sh\necho 0.3.15\n"),
        (bin_ / "lake", "#!/bin/sh\necho nowhere\n"),
    ):
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    assert main(["doctor", "--repl-command", str(repl / "pantograph-repl"), "--project", str(project)]) == 1
    report = capsys.readouterr().out
    assert "REPL version:   0.3.15" in report
    assert "is for leanprover/lean4:v4.21.0, the REPL for leanprover/lean4:v4.29.1" in report
    assert "1 folders are not there, e.g. nowhere" in report


def test_a_command_that_does_not_exist(capsys):
    with pytest.raises(SystemExit):
        main(["docter"])
    assert "invalid choice: 'docter'" in capsys.readouterr().err
