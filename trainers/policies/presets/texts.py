"""Pieces that prompts of several families share."""

from __future__ import annotations

import re
import textwrap
from typing import Final

from trainers.policies.presets.base import Shown

FENCE: Final = "```"
HEADER: Final = (
    "import Mathlib\nimport Aesop\n\nset_option maxHeartbeats 0\n\n"
    "open BigOperators Real Nat Topology Rat\n\n"
)
"""First lines of the file that most whole-proof models were trained to complete."""

_BLOCK = re.compile(r"```lean4\n(.*?)\n?```", re.DOTALL)
_DECLARATION = re.compile(r"^(?:theorem|lemma|example)\b", re.MULTILINE)
_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL)


def chatml(user: str) -> str:
    """Return a user's message in ChatML, up to the start of the answer."""
    return f"<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n"


def without_thinking(text: str) -> str:
    """Return the part of an answer after its thinking."""
    return _THOUGHT.sub("", text).strip()


def theorem_file(shown: Shown, ending: str, above: str = "") -> str:
    """Return a file with the header, the theorem's own context, and its statement.

    Args:
        shown: The theorem.
        ending: Text after the statement, such as ` := by`.
        above: Text right above the statement.
    """
    known = set(HEADER.splitlines())
    own = "\n".join(line for line in shown.context.splitlines() if line not in known).strip()
    own += "\n\n" if own else ""
    return f"{HEADER}{own}{above}{shown.statement}{ending}"


def blocks_of(text: str) -> list[str]:
    """Return the contents of the `lean4` blocks of an answer, in order."""
    return _BLOCK.findall(text)


def proof_script(code: str) -> str:
    """Return the tactics of the last theorem of a file, or of a file that is a script itself.

    Nothing is trusted: the script counts by Lean's verdict about it below the statement that was asked for.
    """
    starts = [found.start() for found in _DECLARATION.finditer(code)]
    if starts:
        _, found, code = code[starts[-1] :].partition(":= by")
        if not found:
            return ""
    first, _, rest = code.partition("\n")
    if starts and first.strip():  # `by simp`, or the first of several tactics on the line of `by`
        return f"{first.strip()}\n{textwrap.dedent(rest).rstrip()}".strip("\n")
    return textwrap.dedent(code).strip("\n").rstrip()


def as_block(script: str) -> str:
    """Return a script as a `lean4` block."""
    return f"{FENCE}lean4\n{script}\n{FENCE}"
