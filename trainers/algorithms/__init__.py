"""The algorithms, one file each: advantages and a loss on plain tensors, no environment and no model.

    algorithm = create_algorithm("grpo", group_size=8)
    algorithm.compute_advantages([0.0, 0.5, 1.0, 0.3, 0.8])
    algorithm.compute_loss(batch)

To add one, write a file with a class that satisfies `base.Algorithm` and add a line to `ALGORITHMS`.
"""

from __future__ import annotations

import difflib
from typing import Any

from trainers.algorithms.base import Algorithm, LossBatch
from trainers.algorithms.grpo import GRPO

__all__ = ["ALGORITHMS", "Algorithm", "LossBatch", "create_algorithm"]

ALGORITHMS: dict[str, type[Algorithm]] = {
    "grpo": GRPO,
}


def create_algorithm(name: str, **config: Any) -> Algorithm:
    """Make the algorithm registered as `name`.

    Args:
        name: A key of `ALGORITHMS`.
        **config: The algorithm's own settings.

    Raises:
        ValueError: The name or a setting is unknown, or a setting is out of range.
    """
    if name not in ALGORITHMS:
        close = difflib.get_close_matches(name, ALGORITHMS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown algorithm {name!r}{hint} (valid: {', '.join(sorted(ALGORITHMS))})")
    return ALGORITHMS[name](**config)
