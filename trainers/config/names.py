"""Names of the algorithms in `trainers.algorithms.ALGORITHMS` and of recorders, known without torch."""

from __future__ import annotations

from typing import Final

ALGORITHM_NAMES: Final = (
    *("grpo", "dr_grpo", "dapo", "gspo", "gspo_token", "dgpo"),
    *("cispo", "rloo", "reinforce_pp", "gmpo", "sapo"),
)
"""In the order of the registry."""
TRACKERS: Final = ("tensorboard", "csv", "wandb", "trackio")
"""Recorders of the scalars of a run, see `trainers.run.trackers`."""
