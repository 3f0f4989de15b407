"""LeanDojo-v2's prover for models of your own.

Source: lean-dojo/LeanDojo-v2, lean_dojo_v2/prover/hf_prover.py.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown


def _prompt(shown: Shown) -> str:
    return (
        "### System:\nYou are a Lean 4 tactic generator. Given a goal state, output exactly ONE Lean tactic that "
        "advances or solves the goal.\nRules:\n- Output only the tactic text; no prose, quotes, or code fences.\n"
        "- Single line only; no `by` blocks.\n- Never use `sorry` or `admit`.\n"
        f"### User:\n{shown.state}\n\n### Assistant:\n"
    )


def first_line(answer: str) -> str:
    """Return the first line up to a mark between tactics; empty for `sorry`."""
    tactic = answer.strip().partition("\n")[0].partition("<;>")[0].strip()
    return "" if tactic == "sorry" else tactic


PRESETS: Final = (
    Preset(
        "leandojo-v2",
        "LeanDojo-v2's format, for a model of your own",
        (),
        _prompt,
        Decoding(5, prompt_tokens=512, answer_tokens=64, temperature=0.7, top_p=0.9),
        SearchPlan(
            "sample",
            calls=5 * 100,
            seconds=0.0,
            steps=100,
            published="depth-first, one of 5 answers at random, 100 steps, 5 trials",
        ),
        "lean-dojo/LeanDojo-v2: lean_dojo_v2/prover/hf_prover.py",
        clean=first_line,
    ),
)
