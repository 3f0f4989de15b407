"""A judgement in a child of this process: what it uses, or how it ends, touches no other judgement.

The child has Lean's library and the environment of its parent at the start, and one answer to give. A crash of the
library, an abort for lack of stack or memory and a limit that is reached are answers too.
"""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

_REASONS = {
    "SIGXCPU": "its processor time was up",
    "SIGABRT": "it aborted, as Lean does without stack or memory",
    "SIGSEGV": "it crashed by SIGSEGV",
}


def in_child(
    work: Callable[[], dict[str, Any]], seconds: int | None = None, memory_mib: int | None = None
) -> dict[str, Any]:
    """Return what a function returns in a child of this process, on Linux.

    Args:
        work: The function; its result is read back as JSON.
        seconds: Processor time of the child; `None` for no bound.
        memory_mib: Address space beyond which its allocations fail, MiB; `None` for no bound. Lean's library reserves
            more than 2,000 when it is loaded.

    Raises:
        ChildError: It ended without a result; the text says how.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reading)
            _limit(seconds, memory_mib)
            answer = json.dumps(work()).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)
            status = 0
        except BaseException:  # a fault of ours; the parent's handlers and buffers are not for this process
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if ended != 0:
        raise ChildError(f"no judgement: {how_it_ended(ended)}")
    found: dict[str, Any] = json.loads(answer)
    return found


class ChildError(Exception):
    """A child that ended without a result."""


def how_it_ended(status: int) -> str:
    """Return in words how a process ended, by its exit status, negative for a signal."""
    if status >= 0:
        return f"it ended with exit status {status}"
    name = signal.Signals(-status).name
    return _REASONS.get(name, f"it was ended by {name}")


def _limit(seconds: int | None, memory_mib: int | None) -> None:
    import resource  # not there on Windows

    bounds = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: memory_mib and memory_mib << 20}
    for kind, bound in bounds.items():
        hard = resource.getrlimit(kind)[1]
        if bound is not None and (hard == resource.RLIM_INFINITY or bound < hard):
            resource.setrlimit(kind, (bound, hard))
