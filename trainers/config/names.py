"""Names of algorithms, recorders, sources of tactics and kinds of progress models, known without torch."""

from __future__ import annotations

from typing import Final, Literal

ALGORITHM_NAMES: Final = (
    *("grpo", "dr_grpo", "dapo", "gspo", "gspo_token", "dgpo"),
    *("cispo", "rloo", "reinforce_pp", "gmpo", "sapo", "luspo", "vespo"),
)
"""Names in `trainers.algorithms.ALGORITHMS`, in its order."""
TRACKERS: Final = ("tensorboard", "csv", "wandb", "trackio")
"""Recorders of the scalars of a run, see `trainers.run.trackers`."""
SamplerCorrection = Literal["token_truncate", "token_mask", "sequence_truncate", "sequence_mask", "none"]
"""Importance weights of tokens that were not sampled with the learner's probabilities, see `policies.mismatch`."""
POLICY: Final = "policy"
TACTIC_SOURCES: Final = ("automation", POLICY, "menu", "lemmas")
"""Sources of the tactics of a search, see `trainers.proving.search.portfolio`."""
Reads = Literal["goals", "tactic"]
"""Text that a progress model reads: the goals, or goals with a candidate tactic."""
