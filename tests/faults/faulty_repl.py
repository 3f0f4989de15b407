"""A REPL that answers Pantograph's protocol with minilean, and now and then does what a REPL must not do.

    python tests/faults/faulty_repl.py PLAN_FOLDER KINDS LEAST MOST SEED [MODULE ...]

KINDS is a list of names from `FAULTS`, by commas, which take turns. Between two faults there are LEAST to MOST
good commands, counted over all the processes of one parent, so that the next process goes on where the last one
died. The folder remembers that, and a line for each fault.

With LEAST above what it takes to start a process and try a step again, no step is hit twice: a step that kills
twice is given up by definition, and then rewards are not those of a run without faults.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from minilean.repl.server import READY, answer, new_session

LATE_SECONDS = 0.2
HUGE_BYTES = 50_000_000
FORGED = b'{"goals":[],"hasSorry":false,"hasUnsafe":false,"messages":[],"nextStateId":0}\n'


class Plan:
    """Schedule of faults, kept in a file that the processes of one parent share and that outlives them."""

    def __init__(self, folder: Path, kinds: list[str], least: int, most: int, seed: str) -> None:
        self._file = folder / f"plan-{os.getppid()}.json"
        self._log = folder / "faults.txt"
        self._kinds, self._least, self._most = kinds, least, most
        self._random = random.Random(f"{seed} {os.getpid()}")

    def starts_mute(self) -> bool:
        """Return whether this process never says that it is ready."""
        with self._locked() as plan:
            mute, plan["mute"] = plan["mute"], False
        return bool(mute)

    def next(self, line: bytes) -> str | None:
        """The fault of this command, `None` for a good one."""
        with self._locked() as plan:
            plan["commands"] += 1
            plan["left"] -= 1
            if plan["left"] >= 0:
                return None
            plan["left"] = self._random.randint(self._least, self._most)
            past = len(self._log.read_text().split()) if self._log.exists() else 0
            kind = self._kinds[past % len(self._kinds)]
            if kind == "deaf" and line.startswith(b"frontend."):
                # A verification that has to be stopped is a rejection, so it waits for a command of an episode.
                plan["left"] = 0
                return None
            plan["mute"] = kind == "mute"
            with self._log.open("a") as log:
                log.write(kind + "\n")
            return kind

    @contextmanager
    def _locked(self) -> Iterator[dict[str, Any]]:
        with self._file.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self._file.exists():
                plan = json.loads(self._file.read_text())
            else:
                plan = {"left": self._random.randint(self._least, self._most), "mute": False, "commands": 0}
            yield plan
            # Replaced in one move: the process may be killed at any time.
            draft = self._file.with_suffix(".draft")
            draft.write_text(json.dumps(plan))
            draft.replace(self._file)


def die_mid_line(out: BinaryIO, reply: bytes) -> None:
    out.write(reply[: len(reply) // 2])
    out.flush()
    os._exit(1)


def answer_late(out: BinaryIO, reply: bytes) -> None:
    time.sleep(LATE_SECONDS)
    out.write(reply)


def answer_twice(out: BinaryIO, reply: bytes) -> None:
    out.write(reply + reply)


def answer_garbage(out: BinaryIO, reply: bytes) -> None:
    out.write(b"\xff\xfe segmentation fault (core dumped) {\n")


def answer_hugely(out: BinaryIO, reply: bytes) -> None:
    """The right answer, on a line of 50 MB."""
    out.write(reply[:-1] + b" " * HUGE_BYTES + b"\n")


def forge(out: BinaryIO, reply: bytes) -> None:
    """As a tactic does that starts a program which inherits the standard output."""
    out.write(FORGED + reply)


def hang_deaf(out: BinaryIO, reply: bytes) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1000)


def leak(out: BinaryIO, reply: bytes) -> None:
    kept = []
    while True:
        kept.append(b"x" * 2**24)
        time.sleep(0.005)


def chatter(out: BinaryIO, reply: bytes) -> None:
    """Answer well, and write to standard error without end."""

    def write() -> None:
        while True:
            os.write(2, b"warning: this is fine\n" * 3000)
            time.sleep(0.005)

    threading.Thread(target=write, daemon=True).start()
    out.write(reply)


def die_and_return_mute(out: BinaryIO, reply: bytes) -> None:
    os._exit(1)


FAULTS = {
    "die": die_mid_line,
    "late": answer_late,
    "twice": answer_twice,
    "garbage": answer_garbage,
    "huge": answer_hugely,
    "forge": forge,
    "deaf": hang_deaf,
    "leak": leak,
    "chatter": chatter,
    "mute": die_and_return_mute,
}


def main(folder: str, kinds: str, least: str, most: str, seed: str, *modules: str) -> None:
    """Answer lines until there are no more."""
    plan = Plan(Path(folder), kinds.split(","), int(least), int(most), seed)
    if plan.starts_mute():
        time.sleep(1000)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    session = new_session(modules or ("Init",))
    out.write(READY.encode() + b"\n")
    out.flush()
    for line in sys.stdin.buffer:
        reply = answer(session, line)
        if reply is None:
            return
        fault = plan.next(line)
        if fault is None:
            out.write(reply.encode() + b"\n")
        else:
            FAULTS[fault](out, reply.encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
