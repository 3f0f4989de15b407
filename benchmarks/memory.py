"""Resident memory of this process, and its peak since a given moment.

psutil reports the resident memory, but no peak on Linux. The peak is that of /proc, which starts anew with each program
and can be reset. `getrusage` cannot be used: on Linux a child process inherits the peak of its parent.
"""

from __future__ import annotations

from pathlib import Path

import psutil

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class MemoryUnknown(RuntimeError):
    """The system does not report peak memory as Linux does. The text is one line."""


def resident_mib() -> float:
    """Return the resident memory of this process, in MiB."""
    return float(psutil.Process().memory_info().rss) / 2**20


def peak_mib() -> float:
    """Return the most resident memory since the start of the program, or since `reset_peak`, in MiB.

    Raises:
        MemoryUnknown: There is no /proc.
    """
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError as error:
        raise MemoryUnknown(
            f"peak memory needs Linux's {_STATUS}, which cannot be read: {error.strerror}"
        ) from None
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024.0


def reset_peak() -> None:
    """Reset the peak to the present resident memory.

    Raises:
        MemoryUnknown: There is no /proc.
    """
    try:
        _CLEAR.write_text("5")
    except OSError as error:
        raise MemoryUnknown(
            f"peak memory needs Linux's {_CLEAR}, which cannot be written: {error.strerror}"
        ) from None
