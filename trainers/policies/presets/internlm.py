"""InternLM's step provers, in ChatML.

Source: InternLM/InternLM-Math, minif2f/proofsearch_*.py, and the model cards; arXiv:2407.17227, arXiv:2410.15700.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown
from trainers.policies.presets.texts import FENCE, chatml

_END: Final = ("<|im_end|>",)
_BEAM: Final = Decoding(32, prompt_tokens=2048, answer_tokens=256, method="beam")
_SOURCE: Final = "InternLM/InternLM-Math: minif2f/proofsearch_*.py"
_OTHER: Final = "other (model card)"
_BEFORE: Final = f"Here is the predicted next tactic:\n{FENCE}lean\n"


def _plus(shown: Shown) -> str:
    return chatml(
        f"My LEAN 4 state is:\n{FENCE}lean\n{shown.state}{FENCE}\n"
        "Please predict a possible tactic to help me prove the theorem."
    )


def fenced_tactic(answer: str) -> str:
    """Return the content of the first block, or an answer without one."""
    _, found, rest = answer.partition(f"{FENCE}lean")
    return (rest if found else answer).partition(FENCE)[0].strip()


def _plus_answer(tactic: str) -> str:
    return f"{_BEFORE}{tactic}\n{FENCE}"


def _step(shown: Shown) -> str:
    return chatml(f"DECL {shown.name}\nGOAL {shown.state}\n")


def after_word(answer: str) -> str:
    """Return the text after `PROOFSTEP`."""
    return answer.strip().removeprefix("PROOFSTEP").strip()


def _step_answer(tactic: str) -> str:
    return f"PROOFSTEP {tactic}"


def _step_with_history(shown: Shown) -> str:
    before = "\n".join(shown.tactics)
    return chatml(
        f"---\nNAME: {shown.name}\n\n---\nPROOF_BEFORE: {before}\n\n---\nSTATE_BEFORE: {shown.state}\n\n---\nTACTIC: "
    )


PRESETS: Final = (
    Preset(
        "internlm2-math-plus",
        "InternLM2-Math-Plus 7B, 1.8B on the state",
        ("internlm/internlm2-math-plus-7b", "internlm/internlm2-math-plus-1_8b"),
        _plus,
        _BEAM,
        SearchPlan("best_first", "mean", calls=100 * 32, seconds=600.0),
        _SOURCE,
        clean=fenced_tactic,
        answer=_plus_answer,
        stop=_END,
        reported="miniF2F-test 43.4 (InternLM-Math)",
    ),
    Preset(
        "internlm2-step",
        "InternLM2-StepProver 7B on name and state",
        ("internlm/internlm2-step-prover",),
        _step,
        _BEAM,
        SearchPlan("best_first", "mean", calls=4000 * 32, seconds=1500.0),
        _SOURCE,
        clean=after_word,
        answer=_step_answer,
        stop=_END,
        licence=_OTHER,
        reported="miniF2F-test 48.8 @1, 54.5 @64 (model card)",
    ),
    Preset(
        "internlm2.5-step",
        "InternLM2.5-StepProver 7B: name, tactics, state",
        ("internlm/internlm2_5-step-prover",),
        _step_with_history,
        Decoding(32, prompt_tokens=2048, answer_tokens=256),
        SearchPlan(
            "best_first",
            "mean",
            calls=100 * 32,
            seconds=1200.0,
            published="with a critic model for the score",
        ),
        _SOURCE,
        clean=str.strip,
        stop=_END,
        licence=_OTHER,
        reported="miniF2F-test 65.9 (256 x 32 x 600, with critic; model card)",
    ),
)
