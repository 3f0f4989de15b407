"""Declarations: `theorem`, `def`, `inductive`, `structure` and similar ones, with their attributes and modifiers.

Source: Lean 4 `src/Lean/Parser/Command.lean`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from minilean.syntax.ast import (
    Binder,
    By,
    Command,
    Ctor,
    Decl,
    DerivingCmd,
    Forall,
    Fun,
    FunMatch,
    InductiveCmd,
    MatchAlt,
    StructInst,
    StructureCmd,
    Term,
)
from minilean.syntax.binding import binder_group, binders, name_count
from minilean.syntax.branching import match_alts
from minilean.syntax.cursor import CLOSING, OPENING, Cursor
from minilean.syntax.lexer import BAD, DOC, EOF, IDENT, KEYWORDS
from minilean.syntax.termination import termination
from minilean.syntax.terms import term

SCOPED = frozenset({"local", "scoped"})
"""Modifiers of instances and notations."""

# in this order
_MODIFIERS = (
    ("private",), ("protected",), ("noncomputable",), ("unsafe",), ("partial", "nonrec"), ("local", "scoped")
)  # fmt: skip


class Prefix(NamedTuple):
    """Attributes and modifiers before a declaration's keyword, with their start offset."""

    start: int
    attrs: tuple[tuple[str, str], ...]
    modifiers: tuple[str, ...]


class _Header(NamedTuple):
    """`name.{u} binders : type`."""

    name: str
    level_params: tuple[str, ...]
    binders: tuple[Binder, ...]
    type: Term | None


def statement(p: Cursor) -> Decl:
    """`theorem name binders : type`, `lemma ..` or `example ..`, with attributes and modifiers before it."""
    prefix = prefix_of(p)
    kind = p.kinds[p.i]
    if kind not in ("theorem", "lemma", "example"):
        p.fail("'theorem'")
    if not SCOPED.isdisjoint(prefix.modifiers):
        p.fail("'instance'")
    p.i += 1
    header = _declared(p, kind)
    return Decl(kind, *header, None, prefix.attrs, prefix.modifiers, start=prefix.start, end=p.end())


# --- parts --------------------------------------------------------------------------------------------------


def prefix_of(p: Cursor) -> Prefix:
    """A doc comment, attributes and modifiers, all optional. The text of the doc comment is not kept."""
    p.accept(DOC)
    start = p.starts[p.i]
    attrs: tuple[tuple[str, str], ...] = ()
    if p.accept("@["):
        attrs = attributes(p)
    modifiers = []
    for words in _MODIFIERS:
        if p.kinds[p.i] in words:
            modifiers.append(p.word())
            p.i += 1
    return Prefix(start, attrs, tuple(modifiers))


def attributes(p: Cursor) -> tuple[tuple[str, str], ...]:
    """`simp, local instance 100, -simp]`: attributes with their kinds and arguments, up to the bracket."""
    attrs = []
    column = p.open()
    while True:
        before = ""
        if p.kinds[p.i] in ("local", "scoped"):
            before = p.word()
            p.i += 1
        erased = p.accept("-")
        if p.kinds[p.i] is not IDENT and p.kinds[p.i] not in KEYWORDS:
            p.fail("attribute")
        name = p.word()
        p.i += 1
        rest = " ".join(part for part in (before, _attr_text(p)) if part)
        attrs.append(("-" + name if erased else name, rest))
        if not p.accept(","):
            break
    p.close("]", column)
    return tuple(attrs)


def _attr_text(p: Cursor) -> str:
    """An attribute's argument as it is written."""
    start = p.starts[p.i]
    while p.kinds[p.i] not in (",", "]"):
        if p.kinds[p.i] in OPENING:
            p.skip_group()
        elif p.kinds[p.i] in CLOSING or p.kinds[p.i] is EOF or p.kinds[p.i] is BAD:
            p.fail("']'")
        else:
            p.i += 1
    return p.text[start : p.end()] if p.end() > start else ""


def _level_params(p: Cursor) -> tuple[str, ...]:
    if p.kinds[p.i] != ".{" or not p.adjacent():
        return ()
    p.i += 1
    params = [p.name()]
    while p.accept(","):
        params.append(p.name())
    p.expect("}")
    return tuple(params)


def _header(p: Cursor, *, named: bool = True, typed: bool = False) -> _Header:
    name = ""
    level_params: tuple[str, ...] = ()
    if named or p.kinds[p.i] is IDENT:
        name = p.name()
        level_params = _level_params(p)
    return _Header(name, level_params, *_signature(p, typed=typed))


def _declared(p: Cursor, kind: str) -> _Header:
    if kind == "example":
        return _Header("", (), *_signature(p, typed=True))
    return _header(p, named=kind != "instance", typed=kind not in ("def", "abbrev"))


def _signature(p: Cursor, *, typed: bool = False) -> tuple[tuple[Binder, ...], Term | None]:
    bound = binders(p)
    if typed and p.kinds[p.i] != ":":
        p.fail("':'")
    type_ = term(p) if p.accept(":") else None
    p.grow(name_count(bound))
    return bound, type_


# --- declarations -------------------------------------------------------------------------------------------


def _decl(p: Cursor, prefix: Prefix) -> Decl:
    kind = p.kinds[p.i]
    if kind != "instance" and not SCOPED.isdisjoint(prefix.modifiers):
        p.fail("'instance'")
    p.i += 1
    priority = None
    if kind == "instance" and p.kinds[p.i] == "(" and p.kinds[p.i + 2] == ":=":
        p.i += 1
        if not p.at_word("priority"):
            p.fail("'priority'")
        p.i += 2
        priority = _priority(p)
        p.expect(")")
    header = _Header("", (), *_signature(p)) if kind == "example" else _declared(p, kind)
    bare = kind == "axiom" or (kind == "opaque" and p.kinds[p.i] not in (":=", "|", "where"))
    value = None if bare else _value(p)
    hints = None if bare else termination(p)
    local = () if bare or not p.accept("where") else _local_functions(p)
    attrs, modifiers = prefix.attrs, prefix.modifiers
    return Decl(
        kind, *header, value, attrs, modifiers, priority, local, hints, start=prefix.start, end=p.end()
    )


def _local_functions(p: Cursor) -> tuple[Decl, ...]:
    """The functions after `where`, one below the other."""
    saved, p.column = p.column, p.columns[p.i]
    found = []
    base = p.height
    while p.columns[p.i] >= p.column and (p.accept(DOC) or p.kinds[p.i] is IDENT):
        found.append(p.beside(base, _local_function))
        if not p.accept(";") and p.columns[p.i] != p.column:
            break
    p.column = saved
    return tuple(found)


def _local_function(p: Cursor) -> Decl:
    """`name binders : type := value`, or with alternatives."""
    start, name = p.starts[p.i], p.name()
    bound, type_ = _signature(p)
    value = _value(p)
    hints = termination(p)
    return Decl("def", name, (), bound, type_, value, termination=hints, start=start, end=p.end())


_PRIORITIES = {"low": 100, "mid": 500, "default": 1000, "high": 10000}


def _priority(p: Cursor) -> int:
    """`100`, `low`, `default + 1`."""
    word = p.word()
    if word in _PRIORITIES:
        p.i += 1
        value = _PRIORITIES[word]
    else:
        value = p.natural()
    while p.kinds[p.i] in ("+", "-"):
        sign = 1 if p.kinds[p.i] == "+" else -1
        p.i += 1
        value += sign * p.natural()
    return value


def _value(p: Cursor) -> Term | tuple[MatchAlt, ...]:
    value: Term | tuple[MatchAlt, ...]
    if p.kinds[p.i] == "|":
        value = match_alts(p, term)
    elif p.kinds[p.i] == "where":
        value = _where_fields(p)
    else:
        p.expect(":=", "':=', 'where' or '|'")
        value = term(p)
    return value


def _where_fields(p: Cursor) -> Term:
    """`where x := a` and so on, one field a line: another way to write `{ x := a, .. }`."""
    start = p.starts[p.i]
    p.i += 1
    saved, p.column = p.column, p.columns[p.i]
    fields: list[tuple[str, Term]] = []
    while p.kinds[p.i] is IDENT and p.columns[p.i] >= p.column:
        field_start = p.starts[p.i]
        name, bound = p.name(), binders(p)
        value: Term
        if p.kinds[p.i] == "|":
            first = p.starts[p.i]
            value = FunMatch(match_alts(p, term), explicit=True, start=first, end=p.end())
        else:
            p.expect(":=")
            value = term(p)
        if bound:
            value = Fun(bound, value, start=field_start, end=p.end())
        fields.append((name, value))
        if not p.accept(";") and p.columns[p.i] != p.column:
            break
    p.column = saved
    return StructInst(tuple(fields), start=start, end=p.end())


def _inductive(p: Cursor, prefix: Prefix) -> Command:
    p.i += 1
    header = _header(p)
    if not p.accept("where"):
        p.accept(":=")
    ctors = []
    base = p.height
    # a comment that no constructor follows belongs to the next command
    while p.kinds[p.i + (p.kinds[p.i] is DOC)] == "|":
        p.accept(DOC)
        ctors.append(p.beside(base, _constructor))
    deriving = _deriving(p)
    return InductiveCmd(*header, tuple(ctors), prefix.attrs, deriving, start=prefix.start, end=p.end())


def _constructor(p: Cursor) -> Ctor:
    start = p.starts[p.i]
    p.i += 1
    p.accept(DOC)
    name = p.name()
    bound, type_ = _signature(p)
    return Ctor(name, bound, type_, start=start, end=p.end())


def _structure(p: Cursor, prefix: Prefix) -> Command:
    kind = p.kinds[p.i]
    p.i += 1
    if kind == "class" and p.kinds[p.i] == "inductive":
        return _inductive(p, prefix._replace(attrs=(("class", ""), *prefix.attrs)))
    name = p.name()
    level_params = _level_params(p)
    bound = binders(p)
    extends = _parents(p)
    type_ = term(p) if p.accept(":") else None
    # `structure S extends P : Prop` is the older order
    extends = extends or _parents(p)
    ctor_name = None
    fields: tuple[Binder, ...] = ()
    if p.accept("where") or p.accept(":="):
        documented = p.i + (p.kinds[p.i] is DOC)
        if p.kinds[documented] is IDENT and p.kinds[documented + 1] == "::":
            p.i = documented
            ctor_name = p.name()
            p.i += 1
        fields = _structure_fields(p)
    deriving = _deriving(p)
    return StructureCmd(
        kind, name, level_params, bound, extends, type_, ctor_name, fields, prefix.attrs, deriving,
        start=prefix.start, end=p.end(),
    )  # fmt: skip


def _parents(p: Cursor) -> tuple[Term, ...]:
    """`extends A, B`, if it comes next."""
    if not p.accept("extends"):
        return ()
    parents = [term(p)]
    while p.accept(","):
        parents.append(term(p))
    return tuple(parents)


def _structure_fields(p: Cursor) -> tuple[Binder, ...]:
    """`x : A := v`, `x (y : A) z : B`, `(x y : A)`, `{x : A}`, `[C α]`, in one column."""
    saved, p.column = p.column, p.columns[p.i + (p.kinds[p.i] is DOC)]
    fields: list[Binder] = []
    while p.columns[p.i] >= p.column or p.kinds[p.i] is DOC:
        # a comment that no field follows belongs to the next command
        at = p.i + (p.kinds[p.i] is DOC)
        if p.columns[at] < p.column:
            break
        if p.kinds[at] in ("(", "{", "[", "⦃"):
            p.i = at
            fields.extend(binder_group(p))
        elif p.kinds[at] is IDENT:
            p.i = at
            fields.append(_simple_field(p))
        else:
            break
    p.column = saved
    return tuple(fields)


def _simple_field(p: Cursor) -> Binder:
    start = p.starts[p.i]
    name = p.name()
    bound = binders(p)
    if p.kinds[p.i] != ":" and p.kinds[p.i] != ":=":
        raise p.error(f"Failed to infer type of field `{name}`")
    type_ = term(p) if p.accept(":") else None
    if bound and type_ is not None:
        type_ = Forall(bound, type_, start=bound[0].start, end=p.end())
    default = term(p) if p.accept(":=") else None
    if bound and default is not None and not isinstance(default, By):
        default = Fun(bound, default, start=bound[0].start, end=p.end())
    return Binder((name,), type_, default=default, start=start, end=p.end())


def _deriving(p: Cursor) -> tuple[str, ...]:
    if p.kinds[p.i] != "deriving" or p.kinds[p.i + 1] == "instance":
        return ()
    p.i += 1
    return _names(p)


def deriving_instance(p: Cursor, kind: str, start: int) -> Command:
    """`deriving instance C, D for T, U`."""
    p.expect("instance")
    classes = _names(p)
    if not p.at_word("for") and p.kinds[p.i] != "for":
        p.fail("'for'")
    p.i += 1
    return DerivingCmd(classes, _names(p), start=start, end=p.end())


def _names(p: Cursor) -> tuple[str, ...]:
    """Names between commas."""
    found = [p.name()]
    while p.accept(","):
        found.append(p.name())
    return tuple(found)


DECLARATIONS: dict[str, Callable[[Cursor, Prefix], Command]] = {
    "inductive": _inductive,
    "structure": _structure,
    "class": _structure,
    "theorem": _decl,
    "lemma": _decl,
    "example": _decl,
    "def": _decl,
    "abbrev": _decl,
    "instance": _decl,
    "axiom": _decl,
    "opaque": _decl,
}
