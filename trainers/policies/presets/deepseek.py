"""DeepSeek-Prover: whole proofs, as the completion of a file (v1.5) and in a chat (v2). STP's prover has the first.

Source: deepseek-ai/DeepSeek-Prover-V1.5, prover/utils.py and configs/; README of DeepSeek-Prover-V2; README and prompts
of kfdong/STP. arXiv:2408.08152, arXiv:2504.21801, arXiv:2502.00212.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown
from trainers.policies.presets.texts import FENCE, as_block, blocks_of, proof_script, theorem_file
from trainers.policies.prompts import Messages

PLAN: Final = (
    "Before producing the Lean 4 code to formally prove the given theorem, provide a detailed proof plan outlining the "
    "main proof steps and strategies.\nThe plan should highlight key ideas, intermediate lemmas, and proof structures "
    "that will guide the construction of the final formal proof."
)
_ATTEMPTS: Final = SearchPlan("whole_proof", calls=32, seconds=0.0)


def _begun(shown: Shown) -> str:
    informal = f"/-- {shown.informal} -/\n" if shown.informal else ""
    return theorem_file(shown, " := by\n", informal)


def _completion(shown: Shown) -> str:
    return f"Complete the following Lean 4 code:\n\n{FENCE}lean4\n{_begun(shown)}"


def _completion_with_comments(shown: Shown) -> str:
    return (
        "Complete the following Lean 4 code with explanatory comments preceding each line of code:\n\n"
        f"{FENCE}lean4\n{_begun(shown)}"
    )


def before_fence(answer: str) -> str:
    """Return the proof in a completion: the text before the closing fence."""
    return proof_script(answer.partition(FENCE)[0])


def _indented(script: str) -> str:
    return f"{textwrap.indent(proof_script(script), '  ')}\n{FENCE}"


def _chat(shown: Shown) -> Messages:
    file = theorem_file(shown, " := by\n  sorry\n")
    return [
        {
            "role": "user",
            "content": f"Complete the following Lean 4 code:\n\n{FENCE}lean4\n{file}{FENCE}\n\n{PLAN}",
        }
    ]


def last_block(answer: str) -> str:
    """Return the proof in the last block of an answer; empty where there is none."""
    found = blocks_of(answer)
    return proof_script(found[-1]) if found else ""


_V15: Final = Preset(
    "deepseek-prover-v1.5",
    "DeepSeekMath 7B, completes the file",
    (
        "deepseek-ai/DeepSeek-Prover-V1.5-RL",
        "deepseek-ai/DeepSeek-Prover-V1.5-SFT",
        "deepseek-ai/DeepSeek-Prover-V1.5-Base",
    ),
    _completion,
    Decoding(8, prompt_tokens=2048, answer_tokens=2048, top_p=0.95),
    replace(_ATTEMPTS, published="independent proofs, or RMaxTS"),
    "deepseek-ai/DeepSeek-Prover-V1.5: prover/utils.py, configs/",
    clean=before_fence,
    answer=_indented,
    stop=(FENCE,),
    action="proof",
    licence="deepseek-license (model card)",
    reported="miniF2F-test 60.2 (RL, sampling), 63.5 (RMaxTS; model card)",
)
PRESETS: Final = (
    _V15,
    replace(
        _V15,
        name="deepseek-prover-v1.5-cot",
        about="the same, with a comment before each line",
        prompt=_completion_with_comments,
    ),
    Preset(
        "deepseek-prover-v2",
        "DeepSeek-Prover-V2 7B, plans, writes the file",
        ("deepseek-ai/DeepSeek-Prover-V2-7B",),
        _chat,
        Decoding(8, prompt_tokens=4096, answer_tokens=8192),
        _ATTEMPTS,
        "README of deepseek-ai/DeepSeek-Prover-V2",
        clean=last_block,
        answer=as_block,
        action="proof",
        api="chat",
        reported="unknown for 7B; 671B: miniF2F-test 88.9 (README)",
    ),
    replace(
        _V15,
        name="stp",
        about="STP 7B, the prover of a self-play",
        hub=("kfdong/STP_model_Lean_0320",),
        search=_ATTEMPTS,
        source="README and prompts of kfdong/STP",
        decoding=Decoding(8, prompt_tokens=2048, answer_tokens=2048),
        licence="unknown (mit on the card of kfdong/STP_model_Lean)",
        reported="miniF2F-test 65.0 @3200 (README)",
    ),
)
