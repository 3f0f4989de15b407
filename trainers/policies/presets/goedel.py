"""Goedel-Prover-V2: whole proofs in a chat, and repair turns with Lean's errors.

Source: Goedel-LM/Goedel-Prover-V2, src/utils.py and scripts/pipeline.sh; arXiv:2508.03613.
"""

from __future__ import annotations

import re
from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown
from trainers.policies.presets.deepseek import PLAN, last_block
from trainers.policies.presets.repair import goedel_turn, in_file
from trainers.policies.presets.texts import FENCE, as_block, theorem_file
from trainers.policies.prompts import Messages

_SEARCHING = re.compile(r"(?<![\w.])(?:apply|exact)\?")


def _prompt(shown: Shown) -> Messages:
    file = theorem_file(shown, " := by sorry")  # no newline before the fence, unlike DeepSeek-Prover-V2
    question = f"Complete the following Lean 4 code:\n\n{FENCE}lean4\n{file}{FENCE}\n\n{PLAN}"
    messages = [{"role": "user", "content": question}]
    if not shown.attempt:
        return messages
    code, mistakes = in_file(shown)
    return [
        *messages,
        {"role": "assistant", "content": as_block(code)},
        {"role": "user", "content": goedel_turn(code, mistakes, max(0, shown.round - 1))},
    ]


def kept_proof(answer: str) -> str:
    """Return the proof in the last block; empty for one that searches (`apply?`, `exact?`)."""
    proof = last_block(answer)
    return "" if _SEARCHING.search(proof) else proof


PRESETS: Final = (
    Preset(
        "goedel-v2",
        "Qwen3 8B, 32B: plan, file, repair",
        ("Goedel-LM/Goedel-Prover-V2-8B", "Goedel-LM/Goedel-Prover-V2-32B"),
        _prompt,
        Decoding(8, prompt_tokens=8192, answer_tokens=32768, top_p=0.95),
        # 8 proofs, then 2 repairs of each failure, 2 rounds
        SearchPlan("whole_proof", calls=8 + 16 + 32, seconds=0.0, repairs=2),
        "Goedel-LM/Goedel-Prover-V2: src/utils.py, scripts/pipeline.sh",
        clean=kept_proof,
        answer=as_block,
        action="proof",
        api="chat",
        lean_trained="4.9.0-rc1 (toolchain of its Mathlib)",
        licence="apache-2.0 (model card)",
        reported="miniF2F-test 84.6 (8B @32), 88.0 and 90.4 with repair (32B @32; model card)",
    ),
)
