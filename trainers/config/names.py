"""Names of the algorithms in `trainers.algorithms.ALGORITHMS`, known without torch."""

from __future__ import annotations

from typing import Final

ALGORITHM_NAMES: Final = (
    *("grpo", "dr_grpo", "dapo", "gspo", "gspo_token", "dgpo"),
    *("cispo", "rloo", "reinforce_pp", "gmpo", "sapo"),
)
"""In the order of the registry."""
