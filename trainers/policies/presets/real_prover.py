"""REAL-Prover and reaper: state and retrieved theorems as one text.

Source: frenzymath/reap, Reap/Tactic/Generator.lean and Reap/Options.lean; arXiv:2505.20613.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown
from trainers.policies.presets.texts import without_thinking


def _prompt(shown: Shown) -> str:
    found = "\n".join(f"Formal name: {one.name}\nFormal statement: {one.code}" for one in shown.premises)
    return (
        "User: Please generate a tactic in lean4 to solve the state.\nHere're some theorems that may be helpful:\n"
        f"{found}\nSTATE:\n{shown.state}\nTACTIC:\n\nAssistant:"
    )


_REAL: Final = Preset(
    "real-prover",
    "Qwen2.5-Math 7B on retrieved theorems and state",
    ("FrenzyMath/REAL-Prover",),
    _prompt,
    Decoding(6, prompt_tokens=4096, answer_tokens=1024, temperature=0.99),
    SearchPlan(
        "mcts",  # the constants are those of the settings of `mcts`
        calls=64 * 6,
        seconds=0.0,
        steps=64,
        published="64 nodes, 200 s a tactic",
    ),
    "frenzymath/reap: Reap/Tactic/Generator.lean, Reap/Options.lean",
    clean=without_thinking,
    premises=16,
    api="chat",
    reported="ProofNet 23.7 @64, FATE-M 56.7 @64 (arXiv:2505.20613)",
)
PRESETS: Final = (
    _REAL,
    replace(
        _REAL,
        name="reaper",
        about="reaper-1 1.7B, behind an endpoint",
        hub=(),
        reported="unknown",
    ),
)
