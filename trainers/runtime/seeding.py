"""One seed per purpose, derived from the run's seed.

No random state is carried from one iteration to the next, so a run resumed from a checkpoint makes the same draws as
an uninterrupted one.
"""

from __future__ import annotations

import zlib

import numpy as np


def derive_seed(seed: int, purpose: str, number: int = 0) -> int:
    """Return a seed below 2**63 that depends only on the three arguments.

    Args:
        seed: The run's seed, 0 or more.
        purpose: Purpose of the draws, e.g. `"rollout"`.
        number: Number of the draw, e.g. the iteration, 0 or more.
    """
    sequence = np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), number])
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
