"""Kimina-Prover: thinks, then writes the file; repair turns with Lean's errors.

Source: MoonshotAI/Kimina-Prover-Preview, kimina_prover_demo/, and the model cards; arXiv:2504.11354. The form of the
statement in the prompt is not given there for every model: ` := by` ends it here, as for DeepSeek-Prover.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown
from trainers.policies.presets.repair import in_file, kimina_turn
from trainers.policies.presets.texts import (
    FENCE,
    as_block,
    blocks_of,
    proof_script,
    theorem_file,
    without_thinking,
)
from trainers.policies.prompts import Messages

_WORDS: Final = ("theorem", "by", ":=", "import")


def _prompt(shown: Shown) -> Messages:
    problem = f"# Problem: {shown.informal}\n" if shown.informal else ""
    question = (
        f"Think about and solve the following problem step by step in Lean 4.\n{problem}# Formal statement:\n"
        f"{FENCE}lean4\n{theorem_file(shown, ' := by')}\n{FENCE}\n"
    )
    messages = [
        {"role": "system", "content": "You are an expert in mathematics and Lean 4."},
        {"role": "user", "content": question},
    ]
    if not shown.attempt:
        return messages
    code, mistakes = in_file(shown)
    return [
        *messages,
        {"role": "assistant", "content": as_block(code)},
        {"role": "user", "content": kimina_turn(code, mistakes)},
    ]


def final_proof(answer: str) -> str:
    """Return the proof in the last whole file after the thinking; empty where there is none."""
    files = [code for code in blocks_of(without_thinking(answer)) if all(word in code for word in _WORDS)]
    return proof_script(files[-1]) if files else ""


def _answer(script: str) -> str:
    lines = proof_script(script).replace("\n", "\n  ")
    return as_block(f"import Mathlib\n\ntheorem this := by\n  {lines}")


PRESETS: Final = (
    Preset(
        "kimina",
        "Qwen 0.6B to 8B: thinking, file, repair",
        (
            "AI-MO/Kimina-Prover-Distill-8B",
            "AI-MO/Kimina-Prover-Distill-1.7B",
            "AI-MO/Kimina-Prover-RL-1.7B",
            "AI-MO/Kimina-Prover-RL-0.6B",
            "AI-MO/Kimina-Prover-Preview-Distill-7B",
            "AI-MO/Kimina-Prover-Preview-Distill-1.5B",
        ),
        _prompt,
        Decoding(8, prompt_tokens=4096, answer_tokens=16000, temperature=0.6, top_p=0.95),
        SearchPlan(
            "whole_proof",
            calls=32,
            seconds=0.0,
            repairs=1,
            repairs_each=1,
            published="independent proofs; one repair in the demo",
        ),
        "MoonshotAI/Kimina-Prover-Preview: kimina_prover_demo/; model cards",
        clean=final_proof,
        answer=_answer,
        action="proof",
        api="chat",
        reported="miniF2F-test 76.63 (RL-1.7B @32), 71.30 (RL-0.6B @32; model cards)",
    ),
)
