"""Option values that Lean would evaluate: `simp (config := e)` compiles and runs `e`.

Lean elaborates terms without running them, with a few exceptions. The option values of tactics are one: whatever `e` is
in `simp (maxSteps := e)`, it is evaluated. Named arguments of a term, `f (n := e)`, look alike and are not. A value
that is no literal is therefore refused unless the text in front shows that it belongs to a term.

Only Lean's own lexer tells code from comments and strings. Where a comment or a string stands between the tactic and
the value, the value counts as an option's.

Source: Lean 4 `src/Lean/Elab/Tactic/Config.lean` (4.29).
"""

from __future__ import annotations

import re
from typing import Final

from lean_gym.verification.tactic_positions import (
    BRACKETS,
    COMMENT_MARKS,
    OPTION_TACTICS,
    TACTIC_VALUES,
    in_term,
    line_start,
    opening_of,
    skip,
    skip_back,
    starts_tactic,
    word_before,
)

_IDENTIFIER: Final = re.compile(r"[^\W\d][\w'!?.]*\Z")
_FLAG: Final = re.compile(r"[+-][A-Za-z_][\w.]*\Z")
_LITERAL: Final = re.compile(
    r"""true\b|false\b|-?[0-9][0-9_]*(?:[ ]+[0-9]+)*(?![\w.])|"[^"\\{}]*\""""
    r"""|\.[A-Za-z_]\w*(?![\w.'!?])(?:[ ]*\[[0-9, ]*\])?"""
)
_FIELD: Final = re.compile(r"\s*[A-Za-z_][\w.]*\s*:=\s*")
_RULE_SETS: Final = re.compile(r"\[[A-Za-z_\w.\s,-]*\]")


def evaluated_option(text: str) -> str | None:
    """Return the name of the first option whose value Lean may evaluate although it is no literal; `None` without one.

    Args:
        text: Tactic source, in which comments to the end of a line may have been removed.
    """
    at = text.find(":=")
    while at >= 0:
        name = _option_at(text, at)
        if name is not None:
            return name
        at = text.find(":=", at + 2)
    return None


def _option_at(text: str, at: int) -> str | None:
    """Return the option in front of the `:=` at `at` if Lean may evaluate what follows."""
    end = skip_back(text, at)
    word = word_before(text, end)
    if _hidden(text, end, at) or any(mark in word for mark in COMMENT_MARKS):
        return word
    if not word:
        return None
    start = end - len(word)
    before = skip_back(text, start)
    if _hidden(text, before, start) or text.endswith("-/", 0, before):
        return word
    if text[before - 1 : before] != "(":
        return None
    if word in TACTIC_VALUES or _is_literal(text, at + 2, word):
        return None
    return word if _belongs_to_tactic(text, before - 1) else None


def _is_literal(text: str, at: int, option: str) -> bool:
    """Return whether a literal stands at `at`, and nothing else before the closing bracket."""
    at = skip(text, at)
    if option == "rule_sets":
        found = _RULE_SETS.match(text, at)
        end = None if found is None else found.end()
    else:
        end = _literal_end(text, at)
    return end is not None and text[skip(text, end) :][:1] == ")"


def _literal_end(text: str, at: int, depth: int = 0) -> int | None:
    """Return the end of the literal at `at`: a number, a string, a name such as `.all`, or `{ x := 1, y := true }`."""
    if text[at : at + 1] != "{":
        found = _LITERAL.match(text, at)
        return None if found is None else found.end()
    at = skip(text, at + 1)
    while text[at : at + 1] != "}":
        field = _FIELD.match(text, at)
        end = None if field is None or depth > 4 else _literal_end(text, field.end(), depth + 1)
        if end is None:
            return None
        at = skip(text, end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
        elif text[at : at + 1] != "}":
            return None
    return at + 1


def _belongs_to_tactic(text: str, at: int) -> bool:
    """Return whether the group that begins at `at` may be an option of a tactic."""
    while True:
        end = skip_back(text, at)
        if end == 0:
            return True
        if _hidden(text, end, at) or text.endswith("-/", 0, end) or text[end - 1] == '"':
            return True
        if text[end - 1] in BRACKETS:
            opening = opening_of(text, end - 1)
            if opening is None:
                return True
            at = opening
            continue
        word = word_before(text, end)
        if word == "only" or _FLAG.fullmatch(word):
            at = end - len(word)
            continue
        found = _IDENTIFIER.search(word)
        if found is None:
            return False
        head = found[0].rstrip("?!")
        if head in OPTION_TACTICS:
            return True
        if "." in head or head != head.lower():
            return False  # no tactic has such a name
        start = end - len(found[0])
        return starts_tactic(text, start, in_brackets=False) or not in_term(text, start)


def _hidden(text: str, end: int, at: int) -> bool:
    """Return whether a comment may stand between two places with nothing but white space between them."""
    return "\n" in text[end:at] and "--" in text[line_start(text, end) : end]
