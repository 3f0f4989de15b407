"""Parsers of the commands of a `.lean` file.

Source: Lean 4 `src/Lean/Parser/Command.lean`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from minilean.syntax.ast import (
    AttributeCmd,
    Binder,
    Command,
    Hash,
    InCmd,
    InitQuot,
    MutualCmd,
    OpenCmd,
    ScopeCmd,
    SetOption,
    VariableCmd,
    VarsCmd,
)
from minilean.syntax.binding import binder_group
from minilean.syntax.cursor import Cursor
from minilean.syntax.declarations import DECLARATIONS, SCOPED, attributes, deriving_instance, prefix_of
from minilean.syntax.guards import guard_msgs
from minilean.syntax.lexer import DOC, EOF, HASH, IDENT
from minilean.syntax.macros import macro, macro_rules, syntax
from minilean.syntax.notations import mixfix, notation
from minilean.syntax.terms import term

_QUERIES = frozenset(["check", "check_failure", "print", "eval", "reduce", "guard", "synth"])
_UNSUPPORTED_WORDS = """
    declare_syntax_cat elab elab_rules import prelude
"""
_UNSUPPORTED = frozenset(_UNSUPPORTED_WORDS.split())
_START = re.compile(
    r"^(?:@\[|#|/--|(?:private |protected |noncomputable |local |scoped |partial |unsafe |nonrec )*"
    r"(?:theorem|lemma|example|def|abbrev|instance|axiom|inductive|structure|class|variable|universe|namespace|section|"
    r"end|open|attribute|notation|infixl?|infixr|prefix|postfix|macro|set_option|export|mutual|opaque|syntax|"
    r"macro_rules|elab|include|omit|deriving|import)\b)",
    re.MULTILINE,
)
_MUTUAL_END = re.compile(r"^end\b", re.MULTILINE)


def commands(p: Cursor) -> list[Command]:
    """Commands up to the end of the file."""
    result: list[Command] = []
    while (command := next_command(p)) is not None:
        result.append(command)
    return result


def next_command(p: Cursor) -> Command | None:
    """The next command, `None` at the end of the file."""
    while p.kinds[p.i] is DOC and p.word().startswith("/-!"):
        p.i += 1
    if p.kinds[p.i] is EOF:
        return None
    p.height = 0
    p.column = p.columns[p.i]
    return _command(p)


def recovery_point(text: str, p: Cursor, offset: int) -> int:
    """Return the offset to continue at after a syntax error at `offset`: the next line that starts like a command."""
    line_end = text.find("\n", max(offset, p.starts[p.i]))
    if p.kinds[p.i] == "mutual" and (end := _MUTUAL_END.search(text, p.starts[p.i])):
        line_end = text.find("\n", end.start())
    match = None if line_end < 0 else _START.search(text, line_end)
    return len(text) if match is None else match.start()


def _command(p: Cursor) -> Command:
    if p.kinds[p.i] is HASH or (p.kinds[p.i] is DOC and p.kinds[p.i + 1] is HASH):
        return _hash(p)
    documented = p.kinds[p.i] is DOC
    prefix = prefix_of(p)
    kind = p.kinds[p.i]
    if kind in DECLARATIONS:
        return DECLARATIONS[kind](p, prefix)
    if (
        kind in _NOTATIONS
        and all(name == "inherit_doc" for name, _ in prefix.attrs)
        and SCOPED.issuperset(prefix.modifiers)
    ):
        p.i += 1
        return _NOTATIONS[kind](p, kind, prefix.start, " ".join(SCOPED & set(prefix.modifiers)))
    bare = not documented and not prefix.attrs
    if kind == "section" and bare and prefix.modifiers == ("noncomputable",):
        p.i += 1
        return _section(p, "noncomputable section", prefix.start)
    if kind in _PLAIN and bare and not prefix.modifiers:
        p.i += 1
        command = _PLAIN[kind](p, kind, prefix.start)
        if p.kinds[p.i] == "in":
            p.i += 1
            return InCmd(command, _command(p), start=command.start, end=p.end())
        return command
    if kind in _UNSUPPORTED:
        raise p.unsupported(f"the command `{kind}`")
    p.fail("command" if bare and not prefix.modifiers else "declaration")


def _mutual(p: Cursor, kind: str, start: int) -> Command:
    """The commands of the block, up to `end`."""
    found: list[Command] = []
    while p.kinds[p.i] != "end":
        if p.kinds[p.i] is EOF:
            p.fail("'end'")
        p.height = 0
        found.append(_command(p))
    p.i += 1
    return MutualCmd(tuple(found), start=start, end=p.end())


def _variable(p: Cursor, kind: str, start: int) -> Command:
    found: list[Binder] = []
    while p.indented() and p.kinds[p.i] in ("(", "{", "[", "⦃"):
        found.extend(binder_group(p))
    if not found:
        p.fail("'(', '[', '{' or '⦃'")
    return VariableCmd(tuple(found), start=start, end=p.end())


def _universe(p: Cursor, kind: str, start: int) -> Command:
    return ScopeCmd(kind, _names1(p), start=start, end=p.end())


def _namespace(p: Cursor, kind: str, start: int) -> Command:
    name = p.name()
    return ScopeCmd(kind, (name,), start=start, end=p.end())


def _section(p: Cursor, kind: str, start: int) -> Command:
    """`section` or `end` with an optional name."""
    found = (p.name(),) if p.kinds[p.i] is IDENT else ()
    return ScopeCmd(kind, found, start=start, end=p.end())


def _open(p: Cursor, kind: str, start: int) -> Command:
    scoped = p.accept("scoped")
    found = _names1(p)
    only: tuple[str, ...] | None = None
    hiding: tuple[str, ...] = ()
    renaming: list[tuple[str, str]] = []
    if p.accept("("):
        only = _names1(p)
        p.expect(")")
    elif p.accept("hiding"):
        hiding = _names1(p)
    elif p.accept("renaming"):
        while True:
            old = p.name()
            p.expect("→")
            renaming.append((old, p.name()))
            if not p.accept(","):
                break
    export = kind == "export"
    return OpenCmd(found, only, hiding, tuple(renaming), export, scoped, start=start, end=p.end())


def _set_option(p: Cursor, kind: str, start: int) -> Command:
    name, value = p.name(), p.option_value()
    return SetOption(name, value, start=start, end=p.end())


def _vars(p: Cursor, kind: str, start: int) -> Command:
    found: list[str | Binder] = []
    while p.kinds[p.i] is IDENT or (kind == "omit" and p.kinds[p.i] == "["):
        found += binder_group(p) if p.kinds[p.i] == "[" else [p.name()]
    if not found:
        p.fail("identifier")
    return VarsCmd(kind, tuple(found), start=start, end=p.end())


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
    doc = p.word() if p.kinds[p.i] is DOC else None
    p.accept(DOC)
    start, kind = p.starts[p.i], p.word()[1:]
    if doc is not None and kind != "guard_msgs":
        p.fail("declaration")
    if kind == "guard_msgs":
        p.i += 1
        first = guard_msgs(p, start, None if doc is None else doc[3:-2])
        return InCmd(first, _command(p), start=start, end=p.end())
    if kind not in _QUERIES:
        raise p.unsupported(f"the command `#{kind}`")
    p.i += 1
    if kind == "eval" and p.kinds[p.i] == "!" and p.adjacent():
        p.i += 1
        kind = "eval!"
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
    "export": _open,
    "set_option": _set_option,
    "include": _vars,
    "omit": _vars,
    "attribute": _attribute,
    "init_quot": _init_quot,
    "mutual": _mutual,
    "deriving": deriving_instance,
}

_NOTATIONS: dict[str, Callable[[Cursor, str, int, str], Command]] = {
    "infix": mixfix,
    "infixl": mixfix,
    "infixr": mixfix,
    "prefix": mixfix,
    "postfix": mixfix,
    "notation": notation,
    "macro": macro,
    "macro_rules": macro_rules,
    "syntax": syntax,
}
