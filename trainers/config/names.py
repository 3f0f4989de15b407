"""Names of algorithms, recorders, sources of tactics and kinds of progress models, known without torch."""

from __future__ import annotations

from typing import Final, Literal

ALGORITHMS: Final = {
    "grpo": "grpo:GRPO",
    "dr_grpo": "dr_grpo:DrGRPO",
    "dapo": "dapo:DAPO",
    "gspo": "gspo:GSPO",
    "gspo_token": "gspo:GSPOToken",
    "dgpo": "dgpo:DGPO",
    "cispo": "cispo:CISPO",
    "rloo": "rloo:RLOO",
    "reinforce_pp": "reinforce_pp:ReinforcePP",
    "gmpo": "gmpo:GMPO",
    "sapo": "sapo:SAPO",
    "luspo": "luspo:LUSPO",
    "vespo": "vespo:VESPO",
}
"""Name of an algorithm -> its module and class below `trainers.algorithms`."""
TRACKERS: Final = ("tensorboard", "csv", "wandb", "trackio")
"""Recorders of the scalars of a run, see `trainers.run.trackers`."""
SamplerCorrection = Literal["token_truncate", "token_mask", "sequence_truncate", "sequence_mask", "none"]
"""Importance weights of tokens that were not sampled with the learner's probabilities, see `policies.mismatch`."""
POLICY: Final = "policy"
TACTIC_SOURCES: Final = ("automation", POLICY, "menu", "lemmas")
"""Sources of the tactics of a search, see `trainers.proving.search.portfolio`."""
Reads = Literal["goals", "tactic"]
"""Text that a progress model reads: the goals, or goals with a candidate tactic."""
