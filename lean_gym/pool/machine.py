"""Numbers of workers and episodes that this machine can hold."""

from __future__ import annotations

import sys
from typing import Final

import psutil

from lean_gym.errors import excerpt
from lean_gym.process_state import CONTROL_GROUPS, free_mib, number_in

# The least that each takes; most take more.
_WORKER_MIB: Final = 20
_WORKER_FILES: Final = 2
_WORKER_THREADS: Final = 3
_EPISODE_KIB: Final = 4
_SPARE_FILES: Final = 16
_MOST_WORKERS: Final = 4096


def check_workers(num_workers: object, cores: int) -> int:
    """Return a number of worker processes.

    Args:
        num_workers: From the user.
        cores: A worker for each core is never too many for the memory.

    Raises:
        ValueError: No integer, below 0, or more than can start here; the text names the limit.
    """
    free = free_mib()
    limits = [
        (_MOST_WORKERS, "more were never tried"),
        (
            max(free // _WORKER_MIB, cores),
            f"there are {free} MiB of memory free, and a worker takes at least {_WORKER_MIB} MiB",
        ),
        *_counted_limits(),
    ]
    most, reason = min(limits)
    if type(num_workers) is not int or not 0 <= num_workers <= most:
        why = f" ({reason})" if type(num_workers) is int and num_workers > 0 else ""
        raise ValueError(f"num_workers: got {excerpt(num_workers)}, expected 0 (this process) to {most}{why}")
    return num_workers


def check_episodes(num_envs: int) -> None:
    """Refuse more episodes than the memory can hold.

    Raises:
        ValueError: They are more; the text names the limit.
    """
    free = free_mib()
    most = free * 1024 // _EPISODE_KIB
    if num_envs > most:
        raise ValueError(
            f"num_envs: got {num_envs}, expected at most {most} (there are {free} MiB of memory free, and an "
            f"episode takes at least {_EPISODE_KIB} KiB)"
        )


def _counted_limits() -> list[tuple[int, str]]:
    """Return the limits on open files and on processes, as numbers of workers."""
    if sys.platform != "linux":
        return []
    import resource

    found = []
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY:
        left = max(files - psutil.Process().num_fds() - _SPARE_FILES, 0)
        reason = f"this process may open {files} files, `ulimit -n`, and a worker takes {_WORKER_FILES}"
        found.append((left // _WORKER_FILES, reason))
    most = number_in(CONTROL_GROUPS / "pids.max")
    if most is not None:
        left = max(most - (number_in(CONTROL_GROUPS / "pids.current") or 0), 0)
        reason = f"this container may have {most} threads, and a worker takes at least {_WORKER_THREADS}"
        found.append((left // _WORKER_THREADS, reason))
    return found
