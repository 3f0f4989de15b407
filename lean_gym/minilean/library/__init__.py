"""The library, as an environment: proved once, then kept for the process.

The files are Lean 4 source; `order.txt` says in which order they are loaded.
"""

from __future__ import annotations

import gc
from functools import cache

from lean_gym.minilean.load import load_library
from lean_gym.minilean.meta.extension import LeanEnv


@cache
def library() -> LeanEnv:
    """The environment with the whole library. Add to a `child()` of it, never to it."""
    env = load_library()
    # The library lives as long as the process: keep the garbage collector from walking it over and over.
    gc.freeze()
    return env
