"""One seed per purpose, derived from the run's seed.

Nothing random carries state from one iteration to the next, so a run that goes on from a checkpoint draws what it
would have drawn without the interruption.
"""

from __future__ import annotations

import zlib

import numpy as np


def derive_seed(seed: int, purpose: str, number: int = 0) -> int:
    """A seed below 2**63 that depends on all three arguments and on nothing else.

    Args:
        seed: The run's seed, 0 or more.
        purpose: What is being drawn, e.g. `"rollout"`.
        number: Which of several, e.g. the iteration, 0 or more.
    """
    sequence = np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), number])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
