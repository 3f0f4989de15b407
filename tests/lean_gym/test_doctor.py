import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.command_line import CLOSED
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import VARIABLE, find_library


@pytest.fixture
def no_repl(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_an_installation_without_a_repl_is_healthy(no_repl, capsys):
    assert main(["doctor"]) == 0
    report = capsys.readouterr().out
    assert "minilean:       embedded, needs nothing" in report
    assert (
        "REPL:           none: backend='auto' is the embedded Lean\n                -> (optional) install Lean's"
        in report
    )


def test_a_repl_that_is_needed_and_missing_fails(no_repl, tmp_path, capsys):
    assert main(["doctor", "--project", str(tmp_path)]) == 1
    assert "REPL:           none\n                -> install Lean's" in capsys.readouterr().out


def test_missing_trainers_are_no_failure(no_repl, capsys, monkeypatch):
    monkeypatch.setattr("lean_gym.doctor._installed", lambda package: "not installed")
    assert main(["doctor"]) == 0
    assert (
        "-> (optional) to train and measure policies: pip install 'lean-gym[train]'"
        in capsys.readouterr().out
    )


def test_leans_kernel_is_tried(no_repl, capsys):
    try:
        found = find_library()
    except BackendUnavailable as error:
        pytest.skip(str(error))
    assert main(["doctor"]) == 0
    assert (
        f"Lean's kernel:  Lean 4.35.0, {found}, asked under verify='independent'; its tactics: backend='lean'"
        in capsys.readouterr().out
    )


def test_a_named_library_that_cannot_be_loaded_fails(no_repl, tmp_path, capsys, monkeypatch):
    file = tmp_path / "libleanshared.so"
    file.touch()
    monkeypatch.setenv(VARIABLE, str(file))
    assert main(["doctor"]) == 1
    report = capsys.readouterr().out
    assert f"Lean's kernel:  no answer: error: {file} is no library of Lean 4.35.0" in report
    assert "-> name another library in LEAN_GYM_LEAN_LIBRARY, or unset it" in report


@pytest.mark.parametrize("words", [[], ["doctor"]])
def test_a_reader_that_leaves_gets_no_traceback(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "lean_gym", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=100,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (CLOSED, "")


def test_with_a_repl():
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "lean_gym",
            "doctor",
            "--repl-command",
            f"{sys.executable} -m minilean repl",
        ],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = dict(line.split(":", 1) for line in run.stdout.splitlines())
    assert lines["REPL"].strip() == f"{sys.executable} -m minilean repl (from repl_command)"
    assert lines["REPL version"].strip()[0].isdigit()
    cost = r"in \d+\.\d s, \d+ MiB of its own and \d+ MiB of files that processes share"
    assert re.fullmatch(f"imports Init {cost}", lines["start"].strip())
    assert re.match(
        f"beside the first {cost}; each set of imports has one process in each worker",
        lines["second start"].strip(),
    )
    assert lines["verify"].strip() == "full (statements compared by frontend.track)"


def test_a_repl_of_an_earlier_version(capsys):
    program = Path(__file__).parent / "backends" / "pantograph" / "older_repl.py"
    assert main(["doctor", "--repl-command", f"{sys.executable} {program} 0.2.18 --"]) == 1
    report = capsys.readouterr().out.splitlines()
    assert (
        "it has no `frontend.process` (Unknown command frontend.process), expected Pantograph 0.2.19"
        in report[-2]
    )
    assert report[-1].startswith("                -> install Lean's toolchain manager elan")
    assert not any(line.startswith("verify") for line in report)


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
    (project / "lakefile.toml").touch()
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


UNKNOWN = "REPL version:   unknown (it does not answer --version)\n"
WITHOUT_END = "while true; do printf '{garbage'; printf 'more of it' >&2; done"


@pytest.mark.parametrize(
    ("says", "start_seconds", "answer_seconds", "text"),
    [
        ("echo ready.; cat > /dev/null", 60, 0.5, "options.set: no answer within 0.5 s; it was killed"),
        (
            "echo 'one: no' >&2; echo 'two: no' >&2; exit 3",
            60,
            60,
            "standard error ends with: one: no two: no",
        ),
        ("kill -SEGV $$", 60, 60, "the REPL was killed by signal 11"),
        ("sleep 1000", 0.5, 60, "did not start: not ready within 0.5 s; it was killed"),
        ("echo '<html>1.2</html>'; echo more", 60, 60, "began with '<html>1.2</html>', expected 'ready.'"),
        (
            WITHOUT_END,
            0.5,
            60,
            "did not start: not ready within 0.5 s; it was killed",
        ),
        (
            "echo ready.; read line; echo 3.14",
            60,
            60,
            "answered '3.14', expected one line with a JSON object",
        ),
    ],
    ids=["ignores", "dies", "is killed", "hangs", "garbage", "garbage without end", "no JSON"],
)
def test_a_repl_that_does_not_behave(
    says, start_seconds, answer_seconds, text, capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr("lean_gym.doctor._VERSION_SECONDS", 0.5)
    monkeypatch.setattr("lean_gym.backends.pantograph.repl._SYNC_SECONDS", answer_seconds)
    program = tmp_path / "repl"
    program.write_text(f"#!/bin/sh\n{says}\n")
    program.chmod(0o755)
    assert main(["doctor", "--repl-command", str(program), "--start-seconds", str(start_seconds)]) == 1
    report = capsys.readouterr().out
    assert UNKNOWN in report
    assert text in report
    assert f"\n                -> run `{program} Init` yourself: it must say 'ready.'" in report


def test_a_program_that_is_not_there(capsys):
    assert main(["doctor", "--repl-command", "/no/such/repl --fast"]) == 1
    report = capsys.readouterr().out
    assert "REPL:           '/no/such/repl' is no program that can be run\n" in report
    assert main(["doctor", "--repl-command", "repl 'x"]) == 1
    assert (
        "which no shell could split: No closing quotation\nREPL:           none\n" in capsys.readouterr().out
    )


@pytest.mark.parametrize("made", [[], ["folder"]])
def test_a_project_without_a_lakefile(made, capsys, tmp_path):
    for name in made:
        (tmp_path / name).mkdir()
    assert main(["doctor", "--repl-command", "/bin/true", "--project", str(tmp_path / "folder")]) == 1
    assert capsys.readouterr().out.endswith("-> pass --project with the folder of the lakefile\n")
