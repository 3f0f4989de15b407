"""Models trained with ntp-toolkit: a comment in Lean, the state in marks, and in the second format the file so far.

Source: cmu-l3/ntp-toolkit, scripts/instruction_tuning.py; miniCTX, arXiv:2408.03350.
"""

from __future__ import annotations

from typing import Final

from trainers.policies.presets.base import Decoding, Preset, SearchPlan, Shown

TRUNCATED: Final = "\n\n /- [LONG FILE TRUNCATED] -/\n\n"
"""Text in place of the middle of a long file."""
_FIRST = "/- You are proving a theorem in Lean 4.\nYou are given the following information:\n"
_FILE = "- The file contents up to the current tactic, inside [CTX]...[/CTX]\n"
_REST = (
    "- The current proof state, inside [STATE]...[/STATE]\n\nYour task is to generate the next tactic in the proof.\n"
    "Put the next tactic inside [TAC]...[/TAC]\n-/\n"
)
_DECODING: Final = Decoding(32, prompt_tokens=2048, answer_tokens=256)


def _state(shown: Shown) -> str:
    return f"{_FIRST}{_REST}[STATE]\n{shown.state}\n[/STATE]\n[TAC]\n"


def _context(shown: Shown) -> str:
    file = file_so_far(shown)
    return f"{_FIRST}{_FILE}{_REST}[CTX]\n{file}\n[/CTX]\n[STATE]\n{shown.state}\n[/STATE]\n[TAC]\n"


def file_so_far(shown: Shown) -> str:
    """Return the source up to the next tactic, its indentation included; the middle of a long file is cut out."""
    imports = "".join(f"import {module}\n" for module in shown.imports)
    context = f"{shown.context.rstrip()}\n\n" if shown.context.strip() else ""
    tactics = "".join(tactic.replace("\n", "\n  ") + "\n  " for tactic in shown.tactics)
    beginning = f"{shown.statement} := by\n  " if shown.statement else ""
    text = "\n".join(filter(None, [imports, context + beginning])) + tactics
    if shown.keep is None or shown.keep >= len(text):
        return text
    half = shown.keep // 2
    return f"{text[:half]}{TRUNCATED}{text[len(text) - (shown.keep - half) :]}"


def tactic_before_mark(answer: str) -> str:
    """Return the text before the closing mark."""
    return answer.partition("[/TAC]")[0].strip()


def _answer(tactic: str) -> str:
    return f"{tactic}\n[/TAC]"


PRESETS: Final = (
    Preset(
        "ntp-state",
        "ntp-toolkit's format, for a model of your own",
        (),
        _state,
        _DECODING,
        SearchPlan("best_first", "mean", seconds=600.0, published="none stated"),
        "cmu-l3/ntp-toolkit: scripts/instruction_tuning.py",
        clean=tactic_before_mark,
        answer=_answer,
        stop=("[/TAC]",),
    ),
    Preset(
        "ntp-context",
        "Llama 3 8B on the file so far and the state",
        ("l3lab/ntpctx-llama3-8b",),
        _context,
        _DECODING,
        SearchPlan("best_first", "mean", seconds=600.0, published="none stated"),
        "cmu-l3/ntp-toolkit: scripts/instruction_tuning.py",
        clean=tactic_before_mark,
        answer=_answer,
        stop=("[/TAC]",),
        reported="see miniCTX, arXiv:2408.03350",
    ),
)
