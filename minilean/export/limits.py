"""Limits that a process sets for itself before it reads what somebody else wrote."""

from __future__ import annotations

import sys


def limit_process(seconds: int | None = None, memory_mib: int | None = None) -> None:
    """Bound the processor time and the memory of this process; on Windows nothing is bounded.

    Args:
        seconds: Processor time after which the operating system ends the process; `None` for no bound.
        memory_mib: Address space beyond which allocations fail, MiB; `None` for no bound.
    """
    if sys.platform == "win32":
        return
    import resource

    for kind, limit in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory_mib and memory_mib << 20),
    ):
        if limit is not None:
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
