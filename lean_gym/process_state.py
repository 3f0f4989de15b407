"""State of other processes: their memory and what is left of it, whether they are stopped, and how they ended."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

STOPPED_SECONDS: Final = 5.0
"""Silence after which a process that is stopped (SIGSTOP) is given up; a stop for a moment is no loss."""

_MIB: Final = 1024.0 * 1024.0
# The search for descendants reads every process of the machine; it takes at most this share of the time.
_SEARCH_SHARE: Final = 0.005
# Signals that a process brings upon itself. Others are sent by people, schedulers, and the kernel short of memory.
_FAULTS: Final = frozenset(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS", "SIGTRAP")
    if hasattr(signal, name)
)
_FROM_OUTSIDE: Final = frozenset(
    getattr(signal, name) for name in ("SIGHUP", "SIGINT", "SIGKILL", "SIGTERM") if hasattr(signal, name)
)
_SHELL_SIGNALS: Final = 128
CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
"""Folder of the limits that Linux sets to groups of processes, such as a container or a job of Slurm."""
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
# Limit, use and the name of reclaimable pages of files, in the second and in the first version of control groups.
_GROUP_FILES: Final = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory in MiB.

    Attributes:
        own: Memory that no other process shares; on other systems than Linux, all of it.
        files: Pages of files, such as compiled modules, which the processes of a machine share.
    """

    own: float = 0.0
    files: float = 0.0

    def __add__(self, other: Memory) -> Memory:
        """Return the sum."""
        return Memory(self.own + other.own, self.files + other.files)


class MemoryGauge:
    """Memory and state of a process and its descendants, cheap enough to be read ten times a second.

    The search for new descendants takes at most 0.5 % of the time: on a machine with a few hundred processes it happens
    about once a second.

    Args:
        pid: The process; it may end at any time.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._groups: list[list[psutil.Process]] = []
        self._next_search = 0.0

    def read(self) -> Memory:
        """Return the memory of the process and all its descendants."""
        return sum(self.read_each(), Memory())

    def read_each(self) -> list[Memory]:
        """Return the memory of the process alone, then that of each child with its descendants.

        A prover behind a sandbox is a child that has a child. What has ended counts for nothing.
        """
        return [sum(map(_memory, group), Memory()) for group in self._search()]

    def is_stopped(self) -> bool:
        """Return whether the process or one of its descendants is stopped by a signal."""
        return any(is_stopped(process.pid) for group in self._search() for process in group)

    def _search(self) -> list[list[psutil.Process]]:
        began = time.monotonic()
        if began >= self._next_search:
            self._groups = _groups(self._pid)
            ended = time.monotonic()
            self._next_search = ended + (ended - began) / _SEARCH_SHARE
        return self._groups


def _groups(pid: int) -> list[list[psutil.Process]]:
    """Return a process, and each of its living children with the child's descendants; none when it has ended."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        groups = {process.pid: [process]}
        member_of: dict[int, int] = {}
        # Parents come before their children.
        for one in process.children(recursive=True):
            with suppress(psutil.Error):
                parent = one.ppid()
                member_of[one.pid] = member_of.get(parent, one.pid) if parent != pid else one.pid
                groups.setdefault(member_of[one.pid], []).append(one)
        return list(groups.values())
    return []


def _memory(process: psutil.Process) -> Memory:
    with suppress(psutil.Error):
        found = process.memory_info()
        shared = found.shared if sys.platform == "linux" else 0
        return Memory((found.rss - shared) / _MIB, shared / _MIB)
    return Memory()


def free_mib() -> int:
    """Return the MiB of memory that are left: of the machine, and of the groups that this process is in."""
    return int(min([psutil.virtual_memory().available, *_left_in_groups()]) // _MIB)


def _left_in_groups() -> list[int]:
    """Return the bytes left in each control group of this process that has a limit, its parents included."""
    found = []
    with suppress(OSError, ValueError):
        for line in _OWN_GROUPS.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in _GROUP_FILES:
                root = CONTROL_GROUPS / controllers
                own = root / path.lstrip("/")
                for folder in (own, *own.parents):
                    if folder.is_relative_to(root):
                        found.append(_left_in_group(folder, *_GROUP_FILES[controllers]))
    return [left for left in found if left is not None]


def _left_in_group(folder: Path, most: str, used: str, files: str) -> int | None:
    limit, taken = number_in(folder / most), number_in(folder / used)
    if limit is None or taken is None:
        return None
    reclaimable = 0
    with suppress(OSError, ValueError):
        rows = (line.split() for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines())
        reclaimable = sum(int(count) for name, count in rows if name == files)
    return max(limit - taken + reclaimable, 0)


def number_in(file: Path) -> int | None:
    """Return the number that a file of a control group holds; `None` where there is no such file or no limit."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def family(pid: int) -> list[psutil.Process]:
    """Return a process and its living descendants; none when it has ended."""
    return [process for group in _groups(pid) for process in group]


def is_stopped(pid: int | None) -> bool:
    """Return whether a process is stopped by a signal; False when it has ended."""
    with suppress(psutil.Error, OSError):
        return pid is not None and psutil.Process(pid).status() == psutil.STATUS_STOPPED
    return False


def ended_by_itself(exit_code: int | None) -> bool:
    """Return whether an exit status speaks against what the process was doing: a fault, or an exit of its own.

    Args:
        exit_code: Status of the process; negative for a signal, `None` when it is not known.
    """
    return exit_code is not None and (exit_code >= 0 or -exit_code in _FAULTS)


def killed_from_outside(exit_code: int | None) -> bool:
    """Return whether an exit status is that of a program which somebody else killed, or of a wrapper around one.

    A sandbox, `lake` and a shell end with 128 and the number of the signal that ended the program which they ran.

    Args:
        exit_code: Status of the process; negative for a signal, `None` when it is not known.
    """
    if exit_code is None:
        return False
    if exit_code > _SHELL_SIGNALS:
        return exit_code - _SHELL_SIGNALS in _FROM_OUTSIDE
    return exit_code < 0 and not ended_by_itself(exit_code)
