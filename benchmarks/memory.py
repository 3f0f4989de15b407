"""Resident memory of this process, and its peak since a given moment.

The peak is that of /proc, which starts anew with each program and can be set back. `getrusage` cannot: on Linux its
figure passes from a process to what it starts, so that a child shows the peak of its parent.
"""

from __future__ import annotations

from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class MemoryUnknown(RuntimeError):
    """This system does not tell a process its memory as Linux does. The text is one line."""


def resident_mib() -> float:
    """Resident memory of this process, in MiB.

    Raises:
        MemoryUnknown: There is no /proc.
    """
    return _read("VmRSS")


def peak_mib() -> float:
    """Most resident memory since the start of the program, or since `reset_peak`, in MiB.

    Raises:
        MemoryUnknown: There is no /proc.
    """
    return _read("VmHWM")


def reset_peak() -> None:
    """Start counting the peak from the present.

    Raises:
        MemoryUnknown: There is no /proc.
    """
    try:
        _CLEAR.write_text("5")
    except OSError as error:
        raise MemoryUnknown(
            f"peak memory needs Linux's {_CLEAR}, which cannot be written: {error.strerror}"
        ) from None


def _read(name: str) -> float:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError as error:
        raise MemoryUnknown(
            f"memory needs Linux's {_STATUS}, which cannot be read: {error.strerror}"
        ) from None
    kib = next(line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return int(kib) / 1024.0
