"""Goals as the REPL sends them, and as Lean prints them.

Pantograph sends the parts of a goal. This module prints them as Lean does: neighbouring hypotheses of one type share a
line, further lines of a long type are indented.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

from lean_gym.errors import ProtocolError
from lean_gym.types import Goal, Hypothesis

_SHOWN: Final = 300
_TURNSTILES: Final = {"tactic": "⊢", "conv": "|", "calc": "⊢"}


def read_goals(answer: object, case_tags: bool = True) -> tuple[Goal, ...]:
    """Read the goals of an answer.

    Args:
        answer: The answer's `goals`.
        case_tags: Whether to show the goals' tags. Lean shows none on the goal that a proof starts with.

    Raises:
        ProtocolError: The value has another shape; the text holds it.
    """
    if not isinstance(answer, list):
        unknown_shape("goals", answer, "a list")
    return tuple(_read_goal(goal, case_tags) for goal in answer)


def unknown_shape(what: str, got: object, expected: str) -> NoReturn:
    """Refuse part of an answer that this version does not know.

    Raises:
        ProtocolError: Always.
    """
    text = repr(got)
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    raise ProtocolError(f"the REPL's {what}: got {cut}, expected {expected}; this version of it is not known")


def _read_goal(goal: Any, case_tags: bool) -> Goal:
    try:
        target = goal["target"]["pp"]
        tag = goal.get("userName")
        sign = "|" if goal.get("isConversion") else _TURNSTILES[goal.get("fragment", "tactic")]
        hypotheses = tuple(_read_hypothesis(one) for one in goal["vars"])
    except (KeyError, TypeError, AttributeError):
        unknown_shape("goal", goal, "an object with `target.pp` and `vars`")
    if not isinstance(target, str) or not (tag is None or isinstance(tag, str)):
        unknown_shape("goal", goal, "an object with `target.pp` and `vars`")
    # Earlier versions leave the macro scopes on tags.
    case = _plain(tag.partition("._@.")[0]) if case_tags and tag not in (None, "", "[anonymous]") else None
    shown = goal.get("pp")  # the goal as Lean prints it, from a REPL that sends it
    text = shown if isinstance(shown, str) and case_tags else _goal_text(case, hypotheses, sign, target)
    return Goal(text, target, hypotheses, case)


def _read_hypothesis(one: Any) -> Hypothesis:
    name, kind, value = one["userName"], one["type"]["pp"], one.get("value")
    text = None if value is None else value["pp"]
    if not (isinstance(name, str) and isinstance(kind, str) and (text is None or isinstance(text, str))):
        unknown_shape("hypothesis", one, "an object with `userName`, `type.pp` and perhaps `value.pp`")
    return Hypothesis(_plain(name), kind, text)


def _plain(name: str) -> str:
    """Return a name as Lean prints it; earlier versions put names with escapes in quotation marks."""
    return name.strip('"') if "«" in name else name


def _goal_text(case: str | None, hypotheses: Sequence[Hypothesis], sign: str, target: str) -> str:
    lines = [] if case is None else [f"case {case}"]
    names: list[str] = []
    for at, one in enumerate(hypotheses):
        names.append(one.name)
        after = hypotheses[at + 1] if at + 1 < len(hypotheses) else None
        if one.value is None and after is not None and after.value is None and after.type == one.type:
            continue
        text = f"{' '.join(names)} : {one.type}"
        lines.append(_indented(text if one.value is None else f"{text} := {one.value}"))
        names = []
    lines.append(_indented(f"{sign} {target}"))
    return "\n".join(lines)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ") if "\n" in text else text
