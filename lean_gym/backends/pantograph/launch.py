"""Start of a process that ends with this one, however this one ends.

A REPL ends when its standard input closes, but not while a tactic runs. Its owner kills it; when the owner and the
owner's parent are killed at once, no process is left to do so. On Linux the kernel does: a process asks for a signal at
the death of its parent, and keeps that setting through `exec`. Processes that the REPL has started are not reached that
way; with bubblewrap they are, see `lean_gym.backends.sandbox`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

_PROGRAM: Final = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
if os.getppid() != int(sys.argv[1]):
    os._exit(1)  # the parent died before it could be watched
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)  # Python ignores them, which `exec` would hand on
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as error:
    print(error.strerror, file=sys.stderr, flush=True)
    os._exit(127)
"""


def launch(
    command: Sequence[str], cwd: str | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a program with pipes for its three streams, in a session of its own.

    Args:
        command: Program and arguments. On Linux, a program that cannot be run says so on its standard error and ends
            with exit status 127.
        cwd: Its working directory, `None` for that of this process.
        environment: Its whole environment, `None` for that of this process.

    Raises:
        OSError: It cannot be started.
    """
    if sys.platform == "linux" and sys.executable:
        # The signal comes when the *thread* that started the process ends, so a lasting thread starts it.
        command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(os.getpid()), *command]
        return _starter(os.getpid()).submit(_start, command, cwd, environment).result()
    return _start(command, cwd, environment)


@cache
def _starter(pid: int) -> ThreadPoolExecutor:
    """Return the thread that starts processes; a forked copy of the program needs its own."""
    return ThreadPoolExecutor(1, thread_name_prefix="lean-gym-launch")


def _start(
    command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=None if environment is None else dict(environment),
        bufsize=0,
        start_new_session=True,
    )
