"""Whole proofs as actions: how an answer is read, and what the agent is shown of an attempt that failed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lean_gym.backends.scripts import declaration_source
from lean_gym.backends.statement import file_with
from lean_gym.datasets.answers import proof_in
from lean_gym.envs.spaces import clip_text
from lean_gym.types import ScriptError, Theorem

ACTIONS: Final = ("tactic", "proof")
"""Kinds of actions: one tactic, or a text that holds a whole proof."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text that holds a whole proof, as it was read.

    Attributes:
        script: The proof as one tactic block; `""` if the text was refused.
        source: The declaration as it is checked; a text that was refused, as it is.
        error: Why it was refused, else `None`.
    """

    script: str
    source: str
    error: str | None = None


@lru_cache(maxsize=512)  # refused, sent and recorded: an answer is read at each of these moments
def read_attempt(answer: str, theorem: Theorem, most: int) -> Attempt:
    """Read an answer by `lean_gym.datasets.proof_in`.

    Args:
        answer: What the agent sent.
        theorem: What it was asked to prove.
        most: Most characters that are read.
    """
    if len(answer) > most:
        # Only the beginning is kept: it is shown to nobody whole.
        return Attempt(
            "", _valid(answer[:most]), f"the answer has {len(answer)} characters, at most {most} allowed"
        )
    try:
        answer.encode("utf-8")
    except UnicodeEncodeError as error:
        reason = f"the answer is not valid Unicode text: {error.reason} at character {error.start}"
        return Attempt("", _valid(answer), reason)
    read = proof_in(answer, theorem)
    if read.refusal is not None:
        return Attempt("", answer, read.detail)
    return Attempt(read.text, declaration_source(theorem, read.text))


def asked_text(theorem: Theorem) -> str:
    """Return the first observation: context, an empty line, and the statement up to `:= by`."""
    return file_with(theorem, ":= by")


def failed_text(
    theorem: Theorem, source: str, error: str | None, errors: tuple[ScriptError, ...], most: int
) -> str:
    """Return the observation after a failed attempt, in at most about `most` characters.

    Args:
        theorem: What is being proved.
        source: `Attempt.source`.
        error: Why it failed.
        errors: Lean's errors, where there are any.
        most: The errors take at most half of it, so that a long attempt cannot hide them.
    """
    problems = "\n\n".join(_shown(one) for one in errors) if errors else f"error: {error}"
    problems = clip_text(problems, max(1, most // 2))
    checked = source.startswith(declaration_source(theorem, "").rstrip())
    above = theorem.context.replace("\r\n", "\n").rstrip() if checked else asked_text(theorem)
    room = max(1, most - len(problems) - len(above) - 4)
    return "\n\n".join(part for part in (above, clip_text(source, room), problems) if part)


def _shown(error: ScriptError) -> str:
    text = f"error at line {error.line}, column {error.column}:\n{error.message}"
    if error.goals and error.goals not in error.message:
        text += f"\ngoals there:\n{error.goals}"
    return text


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
