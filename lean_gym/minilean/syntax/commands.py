"""Commands: what a `.lean` file is made of.

Source: Lean 4 `src/Lean/Parser/Command.lean`.
"""

from __future__ import annotations

from collections.abc import Callable

from lean_gym.minilean.syntax.ast import (
    AttributeCmd,
    Binder,
    Command,
    Hash,
    InitQuot,
    ScopeCmd,
    VariableCmd,
)
from lean_gym.minilean.syntax.binding import binder_group
from lean_gym.minilean.syntax.cursor import Cursor
from lean_gym.minilean.syntax.declarations import DECLARATIONS, attributes, prefix_of, skip_docs
from lean_gym.minilean.syntax.lexer import EOF, HASH, IDENT
from lean_gym.minilean.syntax.terms import term

_UNSUPPORTED_WORDS = """
    declare_syntax_cat deriving elab elab_rules export import include infix infixl infixr macro macro_rules
    mutual notation omit opaque postfix prefix prelude set_option syntax
"""
_UNSUPPORTED = frozenset(_UNSUPPORTED_WORDS.split())


def commands(p: Cursor) -> list[Command]:
    """Commands up to the end of the file."""
    result: list[Command] = []
    while True:
        skip_docs(p)
        if p.kinds[p.i] is EOF:
            return result
        p.height = 0
        result.append(_command(p))


def _command(p: Cursor) -> Command:
    if p.kinds[p.i] is HASH:
        return _hash(p)
    prefix = prefix_of(p)
    kind = p.kinds[p.i]
    if kind in DECLARATIONS:
        return DECLARATIONS[kind](p, prefix)
    if kind in _PLAIN and not prefix.attrs and prefix.modifiers in ((), ("noncomputable",)):
        p.i += 1
        return _PLAIN[kind](p, kind, prefix.start)
    if kind in _UNSUPPORTED:
        raise p.unsupported(f"the command `{kind}`")
    p.fail("command")


def _variable(p: Cursor, kind: str, start: int) -> Command:
    found: list[Binder] = []
    while p.kinds[p.i] in ("(", "{", "[", "⦃"):
        found.extend(binder_group(p))
    if not found:
        p.fail("bracketed binder")
    return VariableCmd(tuple(found), start=start, end=p.end())


def _universe(p: Cursor, kind: str, start: int) -> Command:
    return ScopeCmd(kind, _names1(p), start=start, end=p.end())


def _namespace(p: Cursor, kind: str, start: int) -> Command:
    name = p.name()
    return ScopeCmd(kind, (name,), start=start, end=p.end())


def _section(p: Cursor, kind: str, start: int) -> Command:
    """`section` or `end`, whose name may be missing."""
    found = (p.name(),) if p.kinds[p.i] is IDENT else ()
    return ScopeCmd(kind, found, start=start, end=p.end())


def _open(p: Cursor, kind: str, start: int) -> Command:
    found = _names1(p)
    if p.kinds[p.i] in ("(", "hiding", "renaming", "in"):
        raise p.unsupported(f"`open .. {p.word()}`")
    return ScopeCmd(kind, found, start=start, end=p.end())


def _names1(p: Cursor) -> tuple[str, ...]:
    found = [p.name()]
    while p.kinds[p.i] is IDENT:
        found.append(p.name())
    return tuple(found)


def _attribute(p: Cursor, kind: str, start: int) -> Command:
    p.expect("[")
    attrs = attributes(p)
    found = _names1(p)
    return AttributeCmd(attrs, found, start=start, end=p.end())


def _init_quot(p: Cursor, kind: str, start: int) -> Command:
    return InitQuot(start=start, end=p.end())


def _hash(p: Cursor) -> Command:
    start, kind = p.starts[p.i], p.word()[1:]
    if kind not in ("check", "print", "eval", "reduce"):
        raise p.unsupported(f"the command `#{kind}`")
    p.i += 1
    if kind == "print" and p.at_word("axioms"):
        p.i += 1
        kind = "print axioms"
    subject = term(p)
    return Hash(kind, subject, start=start, end=p.end())


_PLAIN: dict[str, Callable[[Cursor, str, int], Command]] = {
    "variable": _variable,
    "universe": _universe,
    "namespace": _namespace,
    "section": _section,
    "end": _section,
    "open": _open,
    "attribute": _attribute,
    "init_quot": _init_quot,
}
