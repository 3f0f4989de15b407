"""Option values of tactics: `simp (config := e)` compiles and runs `e`, so that only literals may stand there.

The named argument of a term, `f (n := e)`, looks alike and is not evaluated. Options stand right behind the head of a
tactic, behind its other options, and nowhere else.

Source: Lean 4 `src/Lean/Elab/Tactic/Config.lean` (4.29).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lean_gym.verification.lean_tokens import Token
from lean_gym.verification.tactic_vocabulary import LITERAL_NAMES

_MOST_NESTED: Final = 4


def option_name(tokens: Sequence[Token], at: int) -> str | None:
    """Return the name in `(name :=` at the bracket `at`; `None` if something else stands there."""
    if (
        _text(tokens, at) in ("(", "{", ",")
        and _text(tokens, at + 2) == ":="
        and tokens[at + 1].kind == "word"
    ):
        return tokens[at + 1].text
    return None


def literal_end(tokens: Sequence[Token], at: int) -> int | None:
    """Return the place behind an option `(name := literal)`; `None` where the value is no literal.

    A literal is a number or numbers, `true`, `false`, a string, a constructor with a dot in front, a list of
    numbers, or `{ ... }` of these; for `rule_sets` a list of names.

    Args:
        tokens: The tokens of a text.
        at: The place of the opening bracket.
    """
    name = option_name(tokens, at)
    if name is None or is_native(name):
        return None
    rules = name == "rule_sets" and _text(tokens, at + 3) == "["
    end = _list_end(tokens, at + 3, ("word", "number")) if rules else _value_end(tokens, at + 3, 0)
    return end + 1 if end is not None and _text(tokens, end) == ")" else None


def is_native(name: str) -> bool:
    """Return whether the option `native` of `decide` is named, with which Lean compiles and runs the proposition."""
    return "native" in name.split(".")


def _value_end(tokens: Sequence[Token], at: int, depth: int) -> int | None:
    token = tokens[at] if at < len(tokens) else None
    if token is None or depth > _MOST_NESTED:
        return None
    if token.text == "{":
        return _fields_end(tokens, at, depth)
    if token.text == "[":
        return _list_end(tokens, at)
    if token.kind == "string" or (
        token.kind == "word" and not token.quoted and token.text in ("true", "false")
    ):
        return at + 1
    if token.text == "." and _text(tokens, at + 1) in LITERAL_NAMES and tokens[at + 1].quoted:
        return _list_end(tokens, at + 2) if _text(tokens, at + 2) == "[" else at + 2
    at += token.text == "-"
    end = at
    while end < len(tokens) and tokens[end].kind == "number":
        end += 1
    return end if end > at else None


def _list_end(tokens: Sequence[Token], at: int, kinds: tuple[str, ...] = ("number",)) -> int | None:
    at += 1
    while at < len(tokens) and (tokens[at].kind in kinds or tokens[at].text in (",", "-")):
        # Two names without a comma would be an application.
        if tokens[at].kind != "symbol" and tokens[at - 1].kind != "symbol":
            return None
        at += 1
    return at + 1 if _text(tokens, at) == "]" else None


def _fields_end(tokens: Sequence[Token], at: int, depth: int) -> int | None:
    while _text(tokens, at) in ("{", ","):
        name = option_name(tokens, at)
        if name is None:
            at += 1
            break
        if is_native(name):
            return None
        end = _value_end(tokens, at + 3, depth + 1)
        if end is None:
            return None
        at = end
    return at + 1 if _text(tokens, at) == "}" else None


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""
