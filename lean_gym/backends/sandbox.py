"""Isolation of a prover by `bwrap` (bubblewrap): no network, and a read-only file system.

Lean executes what it elaborates: a tactic may read files, open sockets and start programs. `wrap` puts a
command line into namespaces of its own.

Covered: no network of any kind, abstract sockets included; no file can be written, save in a private /dev/shm
and /run that vanish with the process; other processes cannot be seen or signalled; sockets and credentials
below /run are hidden; everything started inside dies with the prover, and the prover with the process that
started it.

Not covered: files of the user can be *read*, environment variables too; socket files outside /run can be
connected to; memory and time are limited by `lean_gym.pool`; a flaw in the kernel of the operating system is a
flaw here. Backends that run inside this process (`"minilean"`) execute nothing and are not wrapped.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Final

from lean_gym.errors import BackendUnavailable, unknown_name

SANDBOX_MODES: Final = ("auto", "bwrap", "off")
"""`"bwrap"` requires the sandbox, `"auto"` uses it where it works, `"off"` runs the command as it is."""

_PROBE_SECONDS: Final = 20.0
_ISOLATION: Final = (
    "--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session",
    "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run",
    # NixOS keeps its programs there.
    "--ro-bind-try", "/run/current-system", "/run/current-system",
)  # fmt: skip

_log = logging.getLogger(__name__)


def wrap(command: Sequence[str], mode: str = "auto") -> list[str]:
    """Return the command line that runs `command` in the sandbox.

    Start it from a thread that lives as long as the prover should: `bwrap` ends its command when that thread
    ends. Its standard streams, environment and working directory are those of the command.

    Args:
        command: Program and arguments.
        mode: One of `SANDBOX_MODES`.

    Returns:
        The command line; `command` itself with mode `"off"`, and with `"auto"` where there is no sandbox, which
        is logged once.

    Raises:
        ValueError: An unknown mode.
        BackendUnavailable: Mode `"bwrap"` where `bwrap` is missing or refused by the system; the text says why.
    """
    if mode not in SANDBOX_MODES:
        raise ValueError(unknown_name("sandbox", str(mode), SANDBOX_MODES))
    if mode == "off":
        return list(command)
    problem = sandbox_problem()
    if problem is None:
        return ["bwrap", *_ISOLATION, "--", *command]
    if mode == "bwrap":
        raise BackendUnavailable(
            f"sandbox 'bwrap': {problem}; allow it, or use sandbox='off' on a machine without anything to protect"
        )
    _log_missing(problem)
    return list(command)


def isolation(mode: str) -> str:
    """Return how a prover is isolated on this machine: `"bwrap"`, or `"none: "` and the reason."""
    problem = "sandbox='off'" if mode == "off" else sandbox_problem()
    return "bwrap" if problem is None else f"none: {problem}"


@cache
def sandbox_problem() -> str | None:
    """Return why there is no sandbox on this machine, found by trying; `None` when there is one."""
    if shutil.which("bwrap") is None:
        return "the program 'bwrap' is not on PATH (Debian and Ubuntu: apt install bubblewrap)"
    try:
        probe = subprocess.run(
            ["bwrap", *_ISOLATION, "--", "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"'bwrap' does not run here: {error}"
    if probe.returncode != 0:
        said = probe.stderr.strip() or f"exit code {probe.returncode}"
        return f"'bwrap' does not work here: {said}"
    return None


@cache
def _log_missing(problem: str) -> None:
    _log.warning("the prover runs without a sandbox: %s", problem)
