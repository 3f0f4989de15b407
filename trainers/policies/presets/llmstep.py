"""llmstep: Pythia on the proof state.

Source: wellecks/llmstep, python/server.py and python/benchmarking/proofsearch/proofsearch.py; arXiv:2310.18457.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown


def _prompt(shown: Shown) -> str:
    return f"[GOAL]{shown.state}[PROOFSTEP]"  # in an editor, the beginning of the tactic follows


PRESETS: Final = (
    Preset(
        "llmstep",
        "Pythia 2.8B on the state",
        ("wellecks/llmstep-mathlib4-pythia2.8b",),
        _prompt,
        Decoding(32, prompt_tokens=1024, answer_tokens=128, method="beam"),
        SearchPlan("best_first", "mean", seconds=600.0),
        "wellecks/llmstep: python/server.py, python/benchmarking/proofsearch/proofsearch.py",
        clean=str.strip,
        reported="miniF2F-test 27.9 (llmstep's README, 68 of 244)",
    ),
)
