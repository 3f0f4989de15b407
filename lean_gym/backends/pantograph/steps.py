"""The two requests of an episode: start a theorem, and run a tactic on a state."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from lean_gym.backends.pantograph.dialect import (
    distilled_state,
    is_error,
    message_text,
    read_units,
    sorry_state,
)
from lean_gym.backends.pantograph.goals import read_goals, unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.repl import GRACE_SECONDS, Repl
from lean_gym.backends.statement import declared_name, file_with, flush_left
from lean_gym.errors import DataError, ProtocolError
from lean_gym.types import Goal, Theorem
from lean_gym.verification.tactic_filter import refused_text

START_SECONDS: Final = 60.0
"""Lean's time for elaborating a statement."""

_ABOUT_TACTIC: Final = frozenset(
    ["exception", "elab", "parse", "typing", "invalid", "structure", "operation", "core", "expr"]
)
"""Kinds of REPL errors that are about the tactic."""
_INTERRUPTED: Final = frozenset(["io", "internal"])
"""Kinds with which Lean's time limit is reported."""
_NO_GOAL: Final = "Invalid goal index"
_NOTHING: Final = "no tactic: the text is empty, expected one"


@dataclass(frozen=True, slots=True)
class StepReply:
    """Result of a tactic: the state it led to, or the reason of its refusal.

    Attributes:
        number: The number of the new state, `None` when the tactic was refused.
        goals: Its goals, the main one first.
        error: Why it was refused.
        messages: Further messages of a tactic that worked.
    """

    number: int | None = None
    goals: tuple[Goal, ...] = ()
    error: str | None = None
    messages: tuple[str, ...] = ()


def start_state(repl: Repl, theorem: Theorem, seconds: float = START_SECONDS) -> tuple[int, tuple[Goal, ...]]:
    """Start a theorem.

    Returns:
        The number of its state, and the one goal.

    Raises:
        DataError: The statement does not elaborate to one goal; the text has Lean's message.
    """
    declared_name(theorem)  # a statement without a name could not be verified
    repl.settle()
    number, shown = _start_from_file(repl, theorem, seconds)
    goals = read_goals(shown, case_tags=False)
    if len(goals) != 1:
        raise DataError(f"theorem {theorem.name!r} starts with {len(goals)} goals, expected exactly one")
    return number, goals


def _start_from_file(repl: Repl, theorem: Theorem, seconds: float) -> tuple[int, object]:
    file = file_with(theorem, repl.dialect.body)
    if repl.dialect.starter == "distil":
        # Pantograph does not interrupt this command; its time limit would only occupy a thread.
        answer = repl.ask("frontend.distil", {"file": file, "ignoreValues": False}, seconds + GRACE_SECONDS)
        if "error" not in answer and "targets" not in answer:
            raise ProtocolError(f"frontend.distil: got {str(answer)[:200]}, expected `targets` or `error`")
        problem = str(answer.get("desc")) if "error" in answer else "no goal to prove"
        (number, goals), key = distilled_state(answer), "stateId"
    else:
        answer = repl.limited(
            "frontend.process", {"file": file, "readHeader": False, "sorrys": True}, seconds
        )
        problem = str(answer.get("desc")) if "error" in answer else _messages(answer)
        (number, goals), key = sorry_state(answer), "goalStateId"
    if number is None or ("error" not in answer and repl.dialect.starter == "sorrys" and _has_error(answer)):
        raise DataError(f"theorem {theorem.name!r} does not elaborate: {problem}")
    return repl.new_state({key: number}, key), goals


def _has_error(answer: Json) -> bool:
    return any(error for _, _, error in read_units(answer))


def _messages(answer: Json) -> str:
    return "\n".join(text for _, texts, _ in read_units(answer) for text in texts) or "no goal to prove"


def run_tactic(repl: Repl, number: int, tactic: str, prefix: str, deadline_s: float) -> StepReply:
    """Run a tactic block on a state.

    Args:
        repl: Where the state lives.
        number: The state's number.
        tactic: The text of the policy.
        prefix: From `scope_prefix`, where the REPL does not keep what a context opened.
        deadline_s: Wall-clock seconds.

    Raises:
        BackendTimeout: Neither Lean's time limit nor the grace after it stopped the tactic.
        BackendCrashed: The process is gone.
        ProtocolError: It answered in an unknown shape.
    """
    block = flush_left(tactic)
    refused = refused_text(tactic, repl.allow_tactics) if block.strip() else _NOTHING
    if refused is not None:
        return StepReply(error=refused)
    if deadline_s <= 0:
        return StepReply(error=f"no time is left for the tactic (deadline {deadline_s:g} s)")
    text = prefix + block
    if not repl.dialect.blocks and ("\n" in text or ";" in text):
        text = f"(\n{text}\n)"
    started = time.monotonic()
    try:
        answer = repl.limited("goal.tactic", {"stateId": number, "tactic": text}, deadline_s)
    except UnicodeEncodeError:
        return StepReply(error="the tactic is no valid Unicode text")
    if "nextStateId" not in answer:
        error = _refusal(answer)
        if answer.get("error") in _INTERRUPTED and time.monotonic() - started >= 0.9 * deadline_s:
            error = f"the tactic was stopped after {deadline_s:g} s"
        return StepReply(error=error)
    after = repl.new_state(answer, "nextStateId")
    for flag, what in (("hasSorry", "`sorry`"), ("hasUnsafe", "an unsafe constant")):
        if answer.get(flag, False) is not False:
            repl.free([after], max(started + deadline_s + GRACE_SECONDS - time.monotonic(), 0.1))
            return StepReply(error=f"the tactic uses {what}, which proves nothing")
    messages = tuple(message_text(message) for message in answer.get("messages") or ())
    return StepReply(after, read_goals(answer.get("goals")), None, messages)


def _refusal(answer: Json) -> str:
    """Return Lean's message about a tactic that failed.

    Raises:
        ProtocolError: The answer is no refusal that is known.
    """
    match answer:
        case {"parseError": str(text)}:
            return text
        case {"tacticErrors": [*errors]}:
            return "\n".join(message_text(error) for error in errors)
        case {"error": "index", "desc": str(text)} if text.startswith(_NO_GOAL):
            return "no goals to be proved"
        case {"error": str(kind), "desc": str(text)} if kind in _ABOUT_TACTIC or kind in _INTERRUPTED:
            return text
        case {"error": str(kind), "desc": str(text)}:
            raise ProtocolError(f"the REPL refused `goal.tactic` itself: {kind}: {text}")
        case {"messages": [*messages]}:
            errors = [message for message in messages if is_error(message)] or messages
            return "\n".join(message_text(message) for message in errors) or "the tactic failed"
        case _:
            unknown_shape("goal.tactic", answer, "`nextStateId` and `goals`, or messages, or an error")
