"""Parser of `grind` with its options, lemmas and modifiers.

Source: Lean 4 `src/Init/Grind/Tactics.lean` (4.34).
"""

from __future__ import annotations

from minilean.syntax.ast import Grind, GrindArg, Tactic
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import IDENT
from minilean.syntax.tactics import TacticParser, config
from minilean.syntax.terms import term

_GRIND_SYMBOLS = frozenset(["=", "→", "←", "!", "=>", "≤"])
_GRIND_WORDS = frozenset(["cases", "eager", "ext", "funCC", "inj", "intro", "norm", "unfold", "usr", "gen"])


def _grind(p: Cursor, name: str, start: int) -> Tactic:
    options = config(p)
    only = p.at_word("only")
    p.i += only
    args: list[GrindArg] = []
    if p.kinds[p.i] == "[" and p.indented():
        p.i += 1
        column = p.open()
        while p.kinds[p.i] != "]":
            args.append(_grind_arg(p))
            if not p.accept(","):
                break
        p.close("]", column)
    if p.kinds[p.i] == "=>" and p.indented():
        raise p.unsupported("`grind => ..`")
    return Grind(only, tuple(args), options, start=start, end=p.end())


def _grind_arg(p: Cursor) -> GrindArg:
    start = p.starts[p.i]
    erase = p.accept("-")
    modifier = ""
    while not erase and _at_modifier(p):
        modifier += p.text[p.starts[p.i] : p.ends[p.i]] + " "
        p.i += 1
    lemma = term(p)
    return GrindArg(lemma, modifier.strip(), erase, start=start, end=p.end())


def _at_modifier(p: Cursor) -> bool:
    """Return whether the next token belongs to the modifier of an argument of `grind`, such as `=` or `_=_`."""
    if p.kinds[p.i] in _GRIND_SYMBOLS:
        return True
    word = p.text[p.starts[p.i] : p.ends[p.i]]
    if word == "_":
        return p.kinds[p.i + 1] in (*_GRIND_SYMBOLS, IDENT)
    return word in _GRIND_WORDS and p.kinds[p.i + 1] is IDENT


TACTICS: dict[str, TacticParser] = {"grind": _grind}
