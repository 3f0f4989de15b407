"""Bounds: every loop and recursion of the kernel ends by one of these."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from minilean.kernel.errors import DeepRecursion


@dataclass(frozen=True, slots=True)
class FuelConfig:
    """The bounds of one call. The default is generous for proofs written by people and by tactics."""

    max_steps: int = 300_000
    """Inferences, reductions, comparisons and 256 bits of numbers made before `DeterministicTimeout`."""

    max_depth: int = 2_000
    """Nested calls of inference, reduction and comparison before `DeepRecursion`."""

    max_height: int = 2_000
    """Nesting of a term handed in before `DeepRecursion`."""

    max_nodes: int = 500_000
    """Distinct nodes of a term handed in before `TermTooLarge`."""

    max_new_nodes: int = 2_000_000
    """Terms that checking may leave in the interning tables before `TermTooLarge`, about 250 bytes each."""

    max_level_size: int = 500
    """Nodes of one universe level handed in before `LevelTooComplex`."""

    max_literal_bits: int = 1 << 18
    """Size of a number: larger literals are `TermTooLarge`, larger results are not computed."""

    deadline: float | None = None
    """`time.monotonic()` after which the call ends with `DeadlineExceeded`; `None`: no deadline."""


DEFAULT_FUEL: Final = FuelConfig()

# More Python frames than the checker can reach under DEFAULT_FUEL: a nested call of the checker takes up to 8, a level
# of substitution 2. Frames of Python functions live on the heap.
_FRAMES: Final = 40_000


ALONE: Final = threading.RLock()
"""Held by the one thread that works with terms. The interning tables and the recursion limit belong to the process; two
threads at a time would drop each other's terms. Pure Python code gains nothing from a second thread."""


@contextmanager
def deep_stack() -> Iterator[None]:
    """Let pure Python code nest deeply, in one thread at a time.

    A `RecursionError` that still occurs becomes `DeepRecursion`.
    """
    with ALONE:
        before = sys.getrecursionlimit()
        if before < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        try:
            yield
        except RecursionError:
            raise DeepRecursion from None
        finally:
            if before < _FRAMES:
                sys.setrecursionlimit(before)
