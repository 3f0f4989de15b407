"""The REPL as a process: start, end, and lines of any kind on its standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pytest

from minilean.command_line import MAX_LINE
from minilean.repl.server import VERSION, new_session, serve

COMMAND = [sys.executable, "-m", "minilean", "repl"]
DEADLINE_S = 60.0


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, *arguments], stdin=pipe, stdout=pipe, stderr=pipe) as child:
        try:
            yield child
        finally:
            child.kill()


def talk(lines: Sequence[str], *arguments: str) -> list[Any]:
    """Return the answers of a process to these lines; it has to end by itself, without output on standard error."""
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run(
        [*COMMAND, *arguments], input=text.encode(), capture_output=True, timeout=DEADLINE_S, check=True
    )
    assert done.stderr == b""
    ready, *answers = done.stdout.decode().splitlines()
    assert ready == "ready."
    return [json.loads(answer) for answer in answers]


def test_a_proof_over_the_wire() -> None:
    answers = talk(
        [
            'goal.start {"expr": "∀ p : Prop, p → p"}',
            '{"cmd": "goal.tactic", "payload": {"stateId": 0, "tactic": "intro p h"}}',
            "no such command",
            'goal.tactic {"stateId": 1, "tactic": "exact h"}',
            "stat",
            "",
            "stat",
        ],
        "Init",
    )
    assert len(answers) == 5
    assert answers[1]["goals"][0]["target"] == {"pp": "p"}
    assert answers[2] == {"error": "command", "desc": "offset 0: Expecting value"}
    assert answers[3]["goals"] == []
    assert answers[4] == {"nGoals": 3}


def test_version() -> None:
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, timeout=DEADLINE_S, check=True)
    assert done.stdout.decode().strip() == VERSION


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["Mathlib"], "unknown module prefix 'Mathlib'"),
        (
            ["Init", "--maxHeartbeats=many"],
            "invalid option --maxHeartbeats=many, expected --maxHeartbeats=NUMBER",
        ),
    ],
)
def test_a_start_that_fails_says_why_on_standard_error(arguments: list[str], part: str) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S
    )
    assert done.returncode == 1
    assert done.stdout == b""
    assert part in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_heartbeats_from_the_command_line() -> None:
    lines = ['goal.start {"expr": "True"}', 'goal.tactic {"stateId": 0, "tactic": "repeat skip; trivial"}']
    few = talk(lines, "Init", "--maxHeartbeats=1")[1]
    assert "nextStateId" not in few


def test_sigterm_ends_it_quietly() -> None:
    with process("Init") as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline() == b"ready.\n"
        child.send_signal(signal.SIGTERM)
        assert child.wait(DEADLINE_S) == -signal.SIGTERM
        assert child.stderr.read() == b""


def test_it_ends_when_nobody_reads() -> None:
    with process("Init") as child:
        assert child.stdout is not None and child.stdin is not None and child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        child.stdin.write(b"stat\nstat\n")
        child.stdin.flush()
        assert child.wait(DEADLINE_S) == 0
        assert child.stderr.read() == b""


def test_it_ends_with_its_parent_although_its_input_stays_open() -> None:
    # The parent starts the REPL on a pipe that this test holds open, tells its process id, and dies.
    reader, writer = os.pipe()
    code = (
        "import subprocess, sys, os\n"
        f"p = subprocess.Popen({COMMAND!r}, stdin={reader}, stdout=subprocess.PIPE, pass_fds=[{reader}])\n"
        "p.stdout.readline()\n"
        "print(p.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            pass_fds=[reader],
            timeout=DEADLINE_S,
            check=True,
        )
        child = int(done.stdout)
        give_up = time.monotonic() + DEADLINE_S
        while _alive(child) and time.monotonic() < give_up:
            time.sleep(0.05)
        assert not _alive(child)
    finally:
        os.close(reader)
        os.close(writer)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def replies(data: bytes) -> list[dict[str, Any]]:
    out = BytesIO()
    serve(new_session(), BytesIO(data), out)
    return [json.loads(line) for line in out.getvalue().decode().splitlines()]


def test_a_line_that_is_too_long_costs_only_itself() -> None:
    too_long = b'goal.start {"expr": "' + b"x" * MAX_LINE + b'"}\n'
    first, second = replies(too_long + b"stat\n")
    assert first == {
        "error": "command",
        "desc": f"the line has {len(too_long)} bytes, at most {MAX_LINE} are read",
    }
    assert second == {"nGoals": 0}


def test_the_last_line_needs_no_newline() -> None:
    assert replies(b"stat\nstat") == [{"nGoals": 0}, {"nGoals": 0}]


def test_one_answer_a_line_whatever_comes_in() -> None:
    garbage = [
        b"\xff\xfe",
        b"stat\x00",
        b"{}",
        b"[]",
        b'""',
        b"stat {]",
        b'goal.start {"expr": "a\\nb"}',
        b'goal.start {"expr": "\\ud800"}',
        b'goal.tactic {"stateId": 99999999999999999999, "tactic": "skip"}',
        b'frontend.process {"file": "\\u0000"}',
        b"\xe2\x80\xa8stat",
    ]
    answers = replies(b"\n".join(garbage) + b"\nstat\n")
    assert len(answers) == len(garbage) + 1
    assert answers[-1] == {"nGoals": 0}


def test_nothing_that_is_printed_elsewhere_reaches_the_protocol() -> None:
    code = (
        "import sys\n"
        "from minilean.repl import server\n"
        "def noisy(repl, fields):\n"
        "    print('{\"goals\":[]}', flush=True)\n"
        "    __import__('os').system('echo forged')\n"
        "    return {'nGoals': 7}\n"
        "server.COMMANDS['stat'] = ('Stat', noisy)\n"
        "sys.exit(server.main(['Init']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"stat\n", capture_output=True, timeout=DEADLINE_S, check=True
    )
    assert done.stdout == b'ready.\n{"nGoals":7}\n'
    assert b"forged" in done.stderr
