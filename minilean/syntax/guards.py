"""Parsers of checks for tests: the command `#guard_msgs` and the tactics `guard_hyp`, `guard_target`, `trace`.

Source: Lean 4 `src/Init/Guard.lean`, `src/Lean/Parser/Command.lean`, `src/Init/Tactics.lean`.
"""

from __future__ import annotations

from minilean.syntax.ast import Guard, GuardMsgs, Tactic, Trace
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import STR
from minilean.syntax.quoted import string
from minilean.syntax.terms import term

_SEVERITIES = ("info", "warning", "error", "trace", "all")
_ACTIONS = ("check", "drop", "pass")
_CHOICES = {
    "whitespace": ("exact", "normalized", "lax"),
    "ordering": ("exact", "sorted"),
    "positions": ("true", "false"),
    "substring": ("true", "false"),
}
_COLONS = (":", ":ₛ", ":ₐ", ":~")
_VALUES = (":=", ":=ₛ", ":=ₐ", ":=~")
_EQUALS = ("=", "=ₛ", "=ₐ", "=~")


def guard_msgs(p: Cursor, start: int, doc: str | None) -> GuardMsgs:
    """The specification after `#guard_msgs`, up to `in`."""
    filters: list[tuple[str, str]] = []
    options: dict[str, str] = {}
    if p.accept("("):
        while p.kinds[p.i] != ")":
            _element(p, filters, options)
            if not p.accept(","):
                break
        p.expect(")")
    if options.get("positions") == "true":
        raise p.unsupported("`#guard_msgs (positions := true)`")
    p.expect("in")
    return GuardMsgs(
        doc, tuple(filters), options.get("whitespace", "normalized"), options.get("ordering") == "sorted",
        options.get("substring") == "true", start=start, end=p.end(),
    )  # fmt: skip


def _element(p: Cursor, filters: list[tuple[str, str]], options: dict[str, str]) -> None:
    word = p.word()
    if word in _CHOICES:
        p.i += 1
        p.expect(":=")
        if p.word() not in _CHOICES[word]:
            p.fail(" or ".join(f"'{choice}'" for choice in _CHOICES[word]))
        options[word] = p.word()
        p.i += 1
        return
    action = "check"
    if word in _ACTIONS:
        action = word
        p.i += 1
    if p.word() not in _SEVERITIES:
        p.fail(" or ".join(f"'{severity}'" for severity in _SEVERITIES))
    filters.append((action, p.word()))
    p.i += 1


def _sign(p: Cursor, signs: tuple[str, ...]) -> str:
    """The comparison: `~` up to definitions, `ₛ` syntactic, `ₐ` up to bound names, `""` up to reducible ones."""
    kind = p.kinds[p.i]
    if kind not in signs:
        p.fail(" or ".join(f"'{sign}'" for sign in signs))
    p.i += 1
    return kind[len(signs[0]) :]


def _guard_hyp(p: Cursor, name: str, start: int) -> Tactic:
    hypothesis = p.name()
    type_ = value = None
    how = how_value = ""
    if p.kinds[p.i] in _COLONS:
        how = _sign(p, _COLONS)
        type_ = term(p)
    if p.kinds[p.i] in _VALUES:
        how_value = _sign(p, _VALUES)
        value = term(p)
    return Guard(hypothesis, type_, how, value, how_value, start=start, end=p.end())


def _guard_target(p: Cursor, name: str, start: int) -> Tactic:
    how = _sign(p, _EQUALS)
    target = term(p)
    return Guard(None, target, how, start=start, end=p.end())


def _trace(p: Cursor, name: str, start: int) -> Tactic:
    if p.kinds[p.i] is not STR:
        raise p.unsupported("`trace` of anything but a string")
    return Trace(string(p), start=start, end=p.end())


def _trace_state(p: Cursor, name: str, start: int) -> Tactic:
    return Trace(None, start=start, end=p.end())


TACTICS = {
    "guard_hyp": _guard_hyp,
    "guard_target": _guard_target,
    "trace": _trace,
    "trace_state": _trace_state,
}
