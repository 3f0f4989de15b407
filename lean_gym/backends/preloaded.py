"""Memory that all workers of minilean read, for a fork server, which imports this module before it starts them.

The pages are shared until somebody writes to them, so a worker starts sooner and takes less memory of its own.
`freeze` keeps the garbage collector from writing to them.
"""

import gc
from contextlib import suppress

from lean_gym.backends.minilean import load_library

with suppress(Exception):  # the workers will say what is wrong
    load_library()
gc.collect()
gc.freeze()
