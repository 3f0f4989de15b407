"""`python -m minilean`: its commands, their help, and what is no command."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from minilean.__main__ import main
from minilean.command_line import ending_in_want
from minilean.repl.server import VERSION

COMMANDS = ("check", "repl", "export", "recheck-library")


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert all(f"python -m minilean {command} " in err for command in COMMANDS)


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"python -m minilean {command} " in out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main([command, "--help"])
    except SystemExit as end:
        assert isinstance(end.code, int)
        status = end.code
    assert status == 0
    assert f"python -m minilean {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("chek", "python -m minilean: unknown command 'chek'; did you mean check?\n"),
        (
            "Init",
            "python -m minilean: unknown command 'Init'; expected one of check, repl, export, "
            "export-proof, judge, recheck-library\n",
        ),
        (
            "--json",
            "python -m minilean: unknown command '--json'; expected one of check, repl, export, "
            "export-proof, judge, recheck-library\n",
        ),
    ],
)
def test_an_unknown_command_is_one_line(word: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word, "x"]) == 2
    assert capsys.readouterr() == ("", line)


def test_check_is_run_with_its_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "A.lean").write_text("#check Nat", "utf-8")
    assert main(["check", str(tmp_path / "A.lean")]) == 0
    assert capsys.readouterr().out == "Nat : Type\n"


def test_repl_is_run_with_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repl", "--version"]) == 0
    assert capsys.readouterr().out == f"{VERSION}\n"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_no_text_ends_a_program_whatever_the_encoding_of_its_streams(encoding: str, tmp_path: Path) -> None:
    # the byte 0xff in the name of a file is half a surrogate pair for Python
    file = tmp_path / os.fsdecode(b"a\xff.lean")
    file.write_text("example : ∀ α : Prop, α := by intro α", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "minilean", "check", file],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert b"error: unsolved goals" in done.stdout
    assert done.stderr.count(b"\n") == 1 and done.stderr.endswith(b" are proved\n")


@pytest.mark.parametrize(
    ("raised", "line"),
    [
        (
            OSError(errno.EMFILE, "", "/tmp/a"),
            "/tmp/a: Too many open files; this process may open 77, see `ulimit -n`",
        ),
        (OSError(errno.ENOSPC, ""), "No space left on device"),
        (OSError(errno.EROFS, "", b"/a"), "/a: Read-only file system"),
        (MemoryError(), "out of memory; this process may have 64 MiB, see `ulimit -v`"),
        (
            ImportError("x.so: failed to map segment from shared object"),
            "out of memory; this process may have 64 MiB",
        ),
    ],
)
def test_a_program_without_means_ends_in_one_line(
    raised: Exception, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {resource.RLIMIT_NOFILE: (77, 77), resource.RLIMIT_AS: (64 << 20, 64 << 20)}
    monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
    with pytest.raises(SystemExit) as end, ending_in_want():
        raise raised
    assert end.value.code == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {line}")
    assert error.count("\n") == 1


@pytest.mark.parametrize("raised", [OSError(errno.ENOENT, ""), ImportError("no module"), ValueError("a")])
def test_a_mistake_of_ours_keeps_its_traceback(raised: Exception) -> None:
    with pytest.raises(type(raised)), ending_in_want():
        raise raised


def test_a_full_output_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.lean").write_text("example : False := trivial\n" * 200)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "minilean", "check", "a.lean"],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")
