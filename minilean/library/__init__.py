"""The library, as an environment: proved once, then kept for the process.

The files are Lean 4 source; `order.txt` says in which order they are loaded.
"""

from __future__ import annotations

import functools
import gc

from minilean.kernel.fuel import ALONE
from minilean.library.load import load_library
from minilean.meta.extension import LeanEnv

_GC_THRESHOLDS = (20_000, 20, 20)


def library() -> LeanEnv:
    """The environment with the whole library. Add to a `child()` of it, never to it."""
    with ALONE:
        return _loaded()


@functools.cache
def _loaded() -> LeanEnv:
    env = load_library()
    # The library lives as long as the process, and terms live long: keep the garbage collector from walking them
    # over and over. At Python's own 700 new objects that takes a fifth of the time of a replay.
    gc.freeze()
    gc.set_threshold(*map(max, gc.get_threshold(), _GC_THRESHOLDS))
    return env
