"""Admission by memory: a REPL process is added where the memory that is left holds it.

One that replaces a lost one is never refused, nor one that judges: a tactic that takes all memory must not be able to
end a run, or to keep a finished proof from being judged.

What a process with some imports takes is known once the first one of this machine is ready; until then one starts at a
time. Pages of compiled modules do not count, as all processes share them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from lean_gym.backends.pantograph.facts import known, shared, slot
from lean_gym.errors import NoMemoryLeft
from lean_gym.process_state import MemoryGauge, free_mib

PATIENCE_SECONDS: Final = 20.0
"""Longest wait for memory."""

_SPARE_MIB: Final = 256
"""Memory that is left to the other programs of the machine."""
_STAGGER_SECONDS: Final = 30.0
"""Longest wait for other processes that start; then a process starts beside them."""
_POLL_SECONDS: Final = 0.2
_FACT: Final = "memory"


def fits(kind: Sequence[object]) -> int | None:
    """Return how many more processes of a kind the memory holds; `None` while no process of the kind has been ready.

    Args:
        kind: What the memory of a process depends on, JSON-able: its command, its options and its imports.
    """
    needed = known(_FACT, kind)
    return max(free_mib() - _SPARE_MIB, 0) // needed if isinstance(needed, int) and needed > 0 else None


def await_memory(kind: Sequence[object], imports: Sequence[str]) -> None:
    """Wait at most `PATIENCE_SECONDS` until the memory that is left holds one more process of a kind.

    Args:
        kind: As in `fits`.
        imports: Its modules, for the message.

    Raises:
        NoMemoryLeft: It does not in time; the text says what is needed and what is left.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while fits(kind) == 0:
        if time.monotonic() >= until:
            raise NoMemoryLeft(
                f"a Lean process that imports {' '.join(imports)} takes {known(_FACT, kind)} MiB, and {free_mib()} MiB "
                f"of memory are left, of which {_SPARE_MIB} stay free: use fewer workers, or end other programs"
            )
        time.sleep(_POLL_SECONDS)


def record_memory(kind: Sequence[object], gauge: MemoryGauge) -> None:
    """Record what the first process of a kind takes, once it is ready."""
    shared(_FACT, kind, lambda: max(1, round(gauge.read().own)), 0.0)


@contextmanager
def turn(kind: Sequence[object], most: int) -> Iterator[None]:
    """Hold one of the slots of this user's processes that start, as long as the block runs.

    Args:
        kind: As in `fits`; there are no more slots than processes of it that the memory holds.
        most: Most slots, at least 1.
    """
    room = fits(kind)
    with slot("start", max(1, min(most, 1 if room is None else room)), _STAGGER_SECONDS):
        yield
