"""ReProver: ByT5 on the proof state, with and without retrieved premises.

Source: lean-dojo/ReProver, common.py and prover/evaluate.py; arXiv:2306.15626.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.premises import marked
from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown

PREMISE_BYTES: Final = 2048
"""Most bytes of premises and state together; the model card of the generator says 2300."""
_BEAM: Final = Decoding(64, prompt_tokens=2048, answer_tokens=512, method="beam")
_SEARCH: Final = SearchPlan("best_first", "sum", seconds=600.0)
_SOURCE: Final = "lean-dojo/ReProver: common.py, prover/evaluate.py"


def _state(shown: Shown) -> str:
    return shown.state


def with_premises(shown: Shown) -> str:
    """Return the premises, the best one last, and the state; a premise that is too long for the rest is left out."""
    left = PREMISE_BYTES - len(shown.state.encode())
    text = ""
    for premise in shown.premises:
        code = marked(premise)
        size = len(f"{code}\n\n".encode())
        if size <= left:
            left -= size
            text = f"{code}\n\n{text}"
    return text + shown.state


def _goal(shown: Shown) -> str:
    return f"[GOAL]\n{shown.state}\n[PROOFSTEP]\n"


def without_marks(answer: str) -> str:
    """Return an answer without the marks around names of premises."""
    return answer.replace("<a>", "").replace("</a>", "")


PRESETS: Final = (
    Preset(
        "reprover",
        "ByT5 (299M) on the state",
        ("kaiyuy/leandojo-lean4-tacgen-byt5-small",),
        _state,
        _BEAM,
        _SEARCH,
        _SOURCE,
        clean=without_marks,
        architecture="encoder-decoder",
        reported="miniF2F-test 22.1 (llmstep's README, without retrieval)",
    ),
    Preset(
        "reprover-retrieval",
        "ByT5 (299M) on premises and state",
        ("kaiyuy/leandojo-lean4-retriever-tacgen-byt5-small",),
        with_premises,
        _BEAM,
        _SEARCH,
        _SOURCE,
        clean=without_marks,
        premises=100,
        architecture="encoder-decoder",
        reported="miniF2F-test 26.5 (arXiv:2306.15626)",
    ),
    Preset(
        "reprover-decoder",
        "ReProver's format for a causal model of your own",
        (),
        _goal,
        Decoding(64, prompt_tokens=2048, answer_tokens=512),
        _SEARCH,
        _SOURCE,
        clean=without_marks,
    ),
)
