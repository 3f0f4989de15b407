import logging
import os
import socket
import subprocess
import sys

import pytest

from lean_gym.backends import sandbox
from lean_gym.errors import BackendUnavailable

FAKE = """#!/bin/sh
[ "$BWRAP_SAYS" = ok ] || { echo "bwrap: $BWRAP_SAYS" >&2; exit 1; }
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
ESCAPES = """
import os, socket, sys
def attempt(name, call):
    # Whatever the way in which it is refused, e.g. as a process that does not exist.
    try:
        call()
    except OSError as error:
        print(name, "refused")
    else:
        print(name, "done")
attempt("write", lambda: open(sys.argv[1], "w"))
attempt("delete", lambda: os.remove(__file__))
attempt("signal", lambda: os.kill(int(sys.argv[2]), 0))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 2))
print("said", sys.stdin.read())
"""


@pytest.fixture(autouse=True)
def ask_again():
    """Forget the facts about the machine before and after each test."""
    for remembered in (sandbox.sandbox_problem, sandbox._log_missing):
        remembered.cache_clear()
    yield
    for remembered in (sandbox.sandbox_problem, sandbox._log_missing):
        remembered.cache_clear()


@pytest.fixture
def fake_bwrap(tmp_path, monkeypatch):
    """A `bwrap` that works or refuses, as told."""
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    def says(text):
        monkeypatch.setenv("BWRAP_SAYS", text)

    return says


def test_off_changes_nothing():
    assert sandbox.wrap(("repl", "Init"), "off") == ["repl", "Init"]


def test_an_unknown_mode():
    with pytest.raises(ValueError, match="unknown sandbox 'bwarp'; did you mean 'bwrap'"):
        sandbox.wrap(["repl"], "bwarp")


def test_where_bwrap_works_the_command_runs_behind_it(fake_bwrap, caplog):
    fake_bwrap("ok")
    for mode in ("auto", "bwrap"):
        command = sandbox.wrap(["echo", "--", "a b"], mode)
        assert command[0] == "bwrap"
        assert command[-4:] == ["--", "echo", "--", "a b"]
        # No network, no writing, no life after its starter.
        assert {"--unshare-net", "--die-with-parent"} <= set(command)
        assert command[command.index("--ro-bind") :][:3] == ["--ro-bind", "/", "/"]
        assert "--bind" not in command
        assert subprocess.run(command, capture_output=True, text=True).stdout == "-- a b\n"
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("path", "said", "problem"),
    [
        ("", "ok", "the program 'bwrap' is not on PATH"),
        (None, "No permissions to create a namespace", "'bwrap' does not work here: bwrap: No permissions"),
    ],
)
def test_where_it_does_not_auto_says_so_once_and_bwrap_insists(
    fake_bwrap, monkeypatch, caplog, path, said, problem
):
    fake_bwrap(said)
    if path is not None:
        monkeypatch.setenv("PATH", path)
    with caplog.at_level(logging.WARNING):
        assert sandbox.wrap(["repl"]) == ["repl"]
        assert sandbox.wrap(["repl"], "auto") == ["repl"]
    assert len(caplog.records) == 1
    assert "without a sandbox" in caplog.records[0].message
    assert problem in caplog.records[0].message
    with pytest.raises(BackendUnavailable, match="sandbox 'bwrap'") as raised:
        sandbox.wrap(["repl"], "bwrap")
    assert problem in str(raised.value)
    assert "sandbox='off'" in str(raised.value)


def test_a_bwrap_that_cannot_be_run(fake_bwrap, tmp_path, monkeypatch):
    fake_bwrap("ok")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin" / "bwrap").write_text("no program")
    with pytest.raises(BackendUnavailable, match=r"'bwrap' does not run here: .*Exec format error"):
        sandbox.wrap(["repl"], "bwrap")


def test_what_is_started_inside_can_do_no_harm(tmp_path):
    """The real thing where it is installed; elsewhere the same program must be able to do it all."""
    program = tmp_path / "escapes.py"
    program.write_text(ESCAPES)
    target = tmp_path / "written"
    with subprocess.Popen(["sleep", "100"]) as other, open_socket() as listener:
        command = [sys.executable, program, target, other.pid, listener.getsockname()[1]]
        problem = sandbox.sandbox_problem()
        mode = "off" if problem else "bwrap"
        run = subprocess.run(
            sandbox.wrap(list(map(str, command)), mode), input="said", capture_output=True, text=True
        )
        other.kill()
    result = "done" if problem else "refused"
    assert run.stderr == ""
    assert run.stdout.splitlines()[:4] == [
        f"{attempt} {result}" for attempt in ("write", "delete", "signal", "connect")
    ]
    assert target.exists() == bool(problem)
    assert run.stdout.splitlines()[-1] == "said said"


def open_socket():
    return socket.create_server(("127.0.0.1", 0))
