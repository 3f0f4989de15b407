"""Parsers of the tactics that contain tactic blocks: bullets, combinators, `case`, `first`, `cases`, `match`, `calc`.

Source: Lean 4 `src/Init/Tactics.lean`, `src/Lean/Parser/Tactic.lean`.
"""

from __future__ import annotations

from minilean.syntax import conv, grind, guards
from minilean.syntax.ast import (
    Block,
    Bullet,
    By,
    CalcTac,
    CaseAlt,
    Cases,
    CaseTac,
    First,
    FunMatch,
    Hole,
    IfTac,
    MatchTac,
    NamedHole,
    Seq1,
    TacSeq,
    Tactic,
    Term,
    WithOption,
)
from minilean.syntax.blocks import at_indented, at_tactic, block, no_tactics, refusal, tactic
from minilean.syntax.branching import calc, condition_of, match, match_alts, optional_name
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import IDENT, NUM
from minilean.syntax.tactics import TACTICS as TACTICS_WITHOUT_BLOCKS
from minilean.syntax.tactics import TacticParser, names
from minilean.syntax.terms import term

_HOLES = "'?', '_', "


def _bullet(p: Cursor, name: str, start: int) -> Tactic:
    body = block(p) if at_indented(p) else no_tactics(p)
    return Bullet(body, start=start, end=p.end())


def _braces(p: Cursor, name: str, start: int) -> Tactic:
    p.i -= 1
    body = block(p)
    return Bullet(body, start=start, end=p.end())


def _paren(p: Cursor, name: str, start: int) -> Tactic:
    column = p.open()
    body = block(p)
    p.close(")", column)
    return Seq1(body, start=start, end=p.end())


def _set_option(p: Cursor, name: str, start: int) -> Tactic:
    """`set_option o v in tactics`."""
    option, value = p.name(), p.option_value()
    p.expect("in")
    body = block(p)
    return WithOption(option, value, body, start=start, end=p.end())


def _combinator(p: Cursor, name: str, start: int) -> Tactic:
    body = block(p)
    return Block(name, body, start=start, end=p.end())


def _iterate(p: Cursor, name: str, start: int) -> Tactic:
    count = p.natural() if p.kinds[p.i] is NUM else None
    body = block(p)
    return Block(name, body, count, start=start, end=p.end())


def _first(p: Cursor, name: str, start: int) -> Tactic:
    if p.kinds[p.i] != "|":
        p.fail("'|'")
    saved, p.column = p.column, p.columns[p.i]
    alts: list[TacSeq] = []
    while p.kinds[p.i] == "|" and p.columns[p.i] >= p.column:
        p.i += 1
        alts.append(block(p))
    p.column = saved
    return First(tuple(alts), start=start, end=p.end())


def _case(p: Cursor, name: str, start: int) -> Tactic:
    tags = [(p.binder_name(), names(p))]
    while p.accept("|"):
        tags.append((p.binder_name(), names(p)))
    p.expect("=>")
    body = block(p)
    return CaseTac(name, tuple(tags), body, start=start, end=p.end())


def _next(p: Cursor, name: str, start: int) -> Tactic:
    renamed = names(p)
    p.expect("=>")
    body = block(p)
    return CaseTac(name, (("_", renamed),), body, start=start, end=p.end())


def _match(p: Cursor, name: str, start: int) -> Tactic:
    p.i -= 1
    found = match(p, _match_body)
    return MatchTac(found, start=start, end=p.end())


def _match_body(p: Cursor) -> Term:
    """`_`, `?name`, or tactics, given as `by tactics`."""
    start = p.starts[p.i]
    if p.kinds[p.i] in ("_", "?"):
        return term(p)
    p.enter()
    body = block(p, _HOLES)
    p.leave()
    return By(body, start=start, end=p.end())


def _if(p: Cursor, name: str, start: int) -> Tactic:
    if p.kinds[p.i] == "let":
        raise p.unsupported("the tactic `if let`")
    hypothesis = optional_name(p)
    condition = condition_of(p, hypothesis is not None)
    then = _branch(p)
    p.expect("else")
    return IfTac(hypothesis, condition, then, _branch(p), start=start, end=p.end())


def _branch(p: Cursor) -> TacSeq | Term:
    if p.kinds[p.i] in ("_", "?"):
        return term(p)
    p.enter()
    body = block(p)
    p.leave()
    return body


def _intro_alternatives(p: Cursor, name: str, start: int) -> Tactic:
    """`intro | p => tactics | q => tactics`, a function by patterns, or a plain `intro`."""
    if p.kinds[p.i] != "|":
        return TACTICS_WITHOUT_BLOCKS["intro"](p, name, start)
    alts = match_alts(p, _match_body)
    return MatchTac(FunMatch(alts, start=start, end=p.end()), start=start, end=p.end())


def _calc(p: Cursor, name: str, start: int) -> Tactic:
    p.i -= 1
    steps = calc(p, 0)
    return CalcTac(steps, start=start, end=p.end())


# --- cases and induction ------------------------------------------------------------------------------------


def _cases(p: Cursor, name: str, start: int) -> Tactic:
    targets = [(optional_name(p), term(p))]
    while p.accept(","):
        targets.append((optional_name(p), term(p)))
    using = term(p) if p.accept("using") else None
    generalizing: tuple[str, ...] = ()
    if name in ("induction", "fun_induction") and p.accept("generalizing"):
        generalizing = names(p)
        if not generalizing:
            p.need_indented("checkColGt")
            p.fail("term")
    pre, alts = None, None
    if p.accept("with"):
        if p.kinds[p.i] != "|" and p.indented() and at_tactic(p):
            _check_after_with(p, name)
            p.enter()
            pre = tactic(p)
            p.leave()
        alts = _alternatives(p)
    return Cases(name, tuple(targets), using, generalizing, pre, alts, start=start, end=p.end())


def _check_after_with(p: Cursor, name: str) -> None:
    """Explains Lean 3's `induction n with k ih`."""
    word = p.word()
    if p.kinds[p.i] is IDENT and word not in p.tactics and refusal(word) is None:
        raise p.error(
            f"Invalid syntax for {name} tactic: The `with` keyword must be followed by a tactic or by an "
            f"alternative (e.g. `| zero =>`), but here it is followed by the identifier `{word}`."
        )


def _alternatives(p: Cursor) -> tuple[CaseAlt, ...]:
    saved, p.column = p.column, p.columns[p.i]
    alts = []
    while p.kinds[p.i] == "|" and p.columns[p.i] >= p.column:
        alts.append(_alternative(p))
    p.column = saved
    return tuple(alts)


def _alternative(p: Cursor) -> CaseAlt:
    """`| c x y => tactics`, `| c | d => ..`, `| c => ?_`, or without `=>`."""
    start, saved = p.starts[p.i], p.column
    ctors, explicit = [], False
    while p.kinds[p.i] == "|":
        p.column = p.columns[p.i]
        p.i += 1
        explicit |= p.accept("@")
        ctors.append((p.binder_name(), names(p)))
    p.column = saved
    body, hole = None, None
    if p.accept("=>"):
        if p.kinds[p.i] in ("_", "?"):
            found = term(p)
            if not isinstance(found, Hole | NamedHole):
                p.fail("tactic")
            hole = p.text[found.start : found.end]
        else:
            p.enter()
            body = block(p, _HOLES)
            p.leave()
    return CaseAlt(tuple(ctors), body, explicit, hole, start=start, end=p.end())


TACTICS: dict[str, TacticParser] = {
    "fun_cases": _cases,
    "fun_induction": _cases,
    "·": _bullet,
    ".": _bullet,
    "{": _braces,
    "(": _paren,
    "set_option": _set_option,
    "iterate": _iterate,
    "first": _first,
    "case": _case,
    "case'": _case,
    "next": _next,
    "match": _match,
    "if": _if,
    "intro": _intro_alternatives,
    "calc": _calc,
    "cases": _cases,
    "induction": _cases,
    "try": _combinator,
    "repeat": _combinator,
    "unhygienic": _combinator,
    "repeat'": _combinator,
    "repeat1'": _combinator,
    "all_goals": _combinator,
    "any_goals": _combinator,
    "focus": _combinator,
    "fail_if_success": _combinator,
    "show_term": _combinator,
    "with_reducible": _combinator,
    "classical": _combinator,
    "decreasing_with": _combinator,
    **conv.TACTICS,
    **guards.TACTICS,
    **grind.TACTICS,
}
