"""Telemetry of a worker: numbers in shared memory, written by the worker and read by its parent."""

from __future__ import annotations

from collections.abc import MutableSequence
from enum import IntEnum

Telemetry = MutableSequence[float]


class Entry(IntEnum):
    """Index of a number of the telemetry; all are 0 at first."""

    RUNNING = 0
    """Number of the job that runs, 0 between jobs."""
    OWN_STEP = 1
    """1 while the job's own step runs, 0 while a lost state is restored."""
    UNTIL = 2
    """`time.monotonic()` at which the present call of the backend has taken too long; 0 outside of calls."""
    MEMORY = 3
    """Memory in MiB of the largest of the worker and its provers' processes when it was last looked at."""
    REASON = 4
    """Why the process was ended, an `End`."""
    SINCE = 5
    """`time.monotonic()` when the job began."""
    BEAT = 6
    """`time.monotonic()` at the last sign of life; one comes with every tick of the guard."""
    READS = 7
    """1 once the process reads its jobs: the first work, which is slow, is done."""


class End(IntEnum):
    """Reason for which a worker was ended."""

    UNKNOWN = 0
    """For another reason, which its exit status may tell."""
    DEADLINE = 1
    OUT_OF_MEMORY = 2
    FROZEN = 3
    """It was stopped by a signal, or gave no sign of life for too long."""
    SLOW_START = 4
