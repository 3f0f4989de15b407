"""Terms in brackets: `( ) ⟨ ⟩ [ ] { } ⦃ ⦄ ‹ ›`, the binders of dependent arrows, and interpolated strings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from minilean.syntax.ast import (
    AnonCtor,
    App,
    Ascription,
    Binder,
    BinOp,
    By,
    DepArrow,
    Fun,
    Hole,
    Ident,
    ListLit,
    Paren,
    Simple,
    Str,
    StructInst,
    TacSeq,
    Term,
    TupleStx,
)
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import BAD, IDENT, ISTR, ISTR_REST, plain_name
from minilean.syntax.quoted import string_piece
from minilean.syntax.terms import ARROW_PREC, MAX_PREC, PAIR_PREC, term


def term_list(p: Cursor, closer: str) -> tuple[Term, ...]:
    """Terms between commas, from the opening bracket to the closing; a comma at the end is allowed."""
    p.i += 1
    column = p.open()
    items = []
    while p.kinds[p.i] != closer:
        p.need_term("']' or term" if closer == "]" else f"'{closer}'")
        items.append(term(p))
        if not p.accept(","):
            break
    p.close(closer, column)
    p.grow(len(items))
    return tuple(items)


def names_end(p: Cursor, i: int) -> int:
    """Index of the first token from `i` on that is not a name."""
    while p.kinds[i] is IDENT or p.kinds[i] == "_":
        i += 1
    return i


def _anon_ctor(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    return AnonCtor(term_list(p, "⟩"), start=start, end=p.end())


def _lifted(p: Cursor, start: int, column: int) -> Term:
    """`(← e)`, from the arrow on: a variable for the value of an action that runs first."""
    p.i += 1
    if p.lifted is None:
        raise p.unsupported(
            "`(← e)` outside of an action of `do`, or inside of `fun`, `let`, `if`, `match` or `by`"
        )
    action = term(p)
    p.close(")", column)
    number = len(p.lifted)
    name = f"__do_lift_{number}✝" if number else "__do_lift✝"
    p.lifted.append((name, action))
    return Ident(name, start=start, end=p.end())


def _paren(p: Cursor, prec: int) -> Term:
    """`(x y : A) → B`, `(e : A)`, `(a, b)`, `()` or `(e)`."""
    start = p.starts[p.i]
    p.i += 1
    column = p.open()
    if p.kinds[p.i] in ("←", "<-"):
        return _lifted(p, start, column)
    first_name, after_names = p.i, names_end(p, p.i)
    if after_names > first_name and p.kinds[after_names] == ":":
        p.i = after_names
        type_ = _ascribed_type(p)
        p.close(")", column)
        end = p.end()
        if p.kinds[p.i] == "→" and prec <= ARROW_PREC:
            binder = Binder(_names(p, first_name, after_names), type_, start=start, end=end)
            return _dep_arrow(p, binder)
        if p.kinds[p.i] in _PAIRS and prec <= PAIR_PREC:
            binder = Binder(_names(p, first_name, after_names), type_, start=start, end=end)
            return _dep_pair(p, binder)
        return Ascription(_applied(p, first_name, after_names), type_, start=start, end=end)
    if p.kinds[p.i] == ")":
        p.close(")", column)
        return TupleStx((), start=start, end=p.end())
    p.need_term("')' or term" if prec == MAX_PREC else "')', '_', identifier or term")
    first = term(p)
    if p.kinds[p.i] == ":":
        type_ = _ascribed_type(p)
        p.close(")", column)
        return Ascription(first, type_, start=start, end=p.end())
    items = [first]
    while p.accept(","):
        items.append(term(p))
    p.close(")", column, "')', ',' or ':'" if len(items) == 1 else "')' or ','")
    if len(items) == 1:
        return Paren(first, start=start, end=p.end())
    p.grow(len(items))
    return TupleStx(tuple(items), start=start, end=p.end())


def _ascribed_type(p: Cursor) -> Term:
    p.expect(":")
    if p.kinds[p.i] == ")":
        raise p.unsupported("`(e :)`")
    p.need_term("')'")
    return term(p)


def _names(p: Cursor, first: int, after: int) -> tuple[str, ...]:
    return tuple(plain_name(p.text[p.starts[i] : p.ends[i]]) for i in range(first, after))


def _applied(p: Cursor, first: int, after: int) -> Term:
    """The application that a sequence of names is, if the names are not binders."""
    nodes: list[Term] = []
    for i, name in zip(range(first, after), _names(p, first, after), strict=True):
        start, end = p.starts[i], p.ends[i]
        nodes.append(Hole(start=start, end=end) if name == "_" else Ident(name, start=start, end=end))
    if len(nodes) == 1:
        return nodes[0]
    return App(nodes[0], tuple(nodes[1:]), start=p.starts[first], end=p.ends[after - 1])


def _dep_arrow(p: Cursor, binder: Binder) -> Term:
    p.expect("→")
    codomain = term(p)
    return DepArrow(binder, codomain, start=binder.start, end=p.end())


# names that no open namespace can redefine
_PAIRS = {"×": "_root_.Sigma", "×'": "_root_.PSigma"}


def _dep_pair(p: Cursor, binder: Binder) -> Term:
    """`× B` after `(x : A)`, as the application `Sigma fun x : A => B` that it abbreviates."""
    name = _PAIRS[p.kinds[p.i]]
    p.i += 1
    return pair_type(name, (binder,), term(p, PAIR_PREC), p.end())


def pair_type(name: str, bound: tuple[Binder, ...], body: Term, end: int) -> Term:
    """`Sigma fun x : A => Sigma fun y : B => body` for the binders `x` and `y`."""
    for binder in reversed(bound):
        for x in reversed(binder.names):
            one = replace(binder, names=(x,))
            fun = Fun((one,), body, start=binder.start, end=end)
            body = App(Ident(name, start=binder.start, end=end), (fun,), start=binder.start, end=end)
    return body


def _square(p: Cursor, prec: int) -> Term:
    """`[a, b]`, or the instance binder of an arrow: `[C α] → B`, `[inst : C α] → B`."""
    start, i = p.starts[p.i], p.i
    names: tuple[str, ...] = ()
    if p.kinds[i + 1] is IDENT and p.kinds[i + 2] == ":":
        names = _names(p, i + 1, i + 2)
        column = p.open()
        p.i = i + 3
        items: tuple[Term, ...] = (term(p),)
        p.close("]", column)
    else:
        items = term_list(p, "]")
        if len(items) != 1 or p.kinds[p.i] != "→" or prec > ARROW_PREC:
            return ListLit(items, start=start, end=p.end())
    return _dep_arrow(p, Binder(names, items[0], "inst", start=start, end=p.end()))


def _array(p: Cursor, prec: int) -> Term:
    """`#[a, b]` for `List.toArray [a, b]`."""
    start = p.starts[p.i]
    items = ListLit(term_list(p, "]"), start=start, end=p.end())
    return App(Ident("_root_.List.toArray", start=start, end=p.end()), (items,), start=start, end=p.end())


def _brace(p: Cursor, prec: int) -> Term:
    """`{ x := a, y := b }`, `{x : A // p}`, or the implicit binder of an arrow: `{x : A} → B`."""
    start, i = p.starts[p.i], p.i
    p.i += 1
    column = p.open()
    if p.kinds[p.i] in ("}", "..") or (p.kinds[p.i] is IDENT and p.kinds[p.i + 1] == ":="):
        return _struct_inst(p, start, column, ())
    after_names = names_end(p, p.i)
    if after_names == p.i + 1 and p.kinds[after_names] == "}" and p.kinds[after_names + 1] != "→":
        return _struct_inst(p, start, column, ())
    if after_names == p.i or p.kinds[after_names] not in (":", "//", "}"):
        p.need_term("'_', '}', identifier or term")
        bases = [term(p)]
        while p.accept(","):
            bases.append(term(p))
        if not p.accept("with"):
            raise p.unsupported("`{ .. }` other than `{ x := a, .. }`, `{ e with .. }` and `{x : A // p}`")
        return _struct_inst(p, start, column, tuple(bases))
    p.i = after_names
    type_ = term(p) if p.accept(":") else None
    if after_names == i + 2 and p.accept("//"):
        return _subtype(p, i, column, type_)
    p.close("}", column)
    binder = Binder(_names(p, i + 1, after_names), type_, "implicit", start=start, end=p.end())
    return _dep_arrow(p, binder)


def _struct_inst(p: Cursor, start: int, column: int, bases: tuple[Term, ...]) -> Term:
    """The fields of a structure instance and what follows them, up to the bracket."""
    fields = _fields(p)
    ellipsis = p.accept("..")
    type_ = term(p) if p.accept(":") else None
    p.close("}", column)
    return StructInst(fields, type_, bases, ellipsis, start=start, end=p.end())


def _fields(p: Cursor) -> tuple[tuple[str, Term], ...]:
    """`x := a, y := b`; `y` alone is `y := y`. A field on a new line in the same column needs no comma."""
    fields: list[tuple[str, Term]] = []
    p.column = p.columns[p.i]
    while p.kinds[p.i] is IDENT and p.columns[p.i] >= p.column:
        start = p.starts[p.i]
        name = p.name()
        fields.append((name, term(p) if p.accept(":=") else Ident(name, start=start, end=p.end())))
        if not p.accept(",") and p.columns[p.i] != p.column:
            break
    return tuple(fields)


def _subtype(p: Cursor, i: int, column: int, type_: Term | None) -> Term:
    """`p }` after `{x : A //`, as the application `Subtype fun x : A => p` that it abbreviates."""
    start, bound = p.starts[i], p.starts[i + 1]
    binder = Binder(_names(p, i + 1, i + 2), type_, start=bound, end=p.ends[p.i - 2])
    predicate = term(p)
    fun = Fun((binder,), predicate, start=bound, end=p.end())
    p.close("}", column)
    return App(Ident("Subtype", start=start, end=p.end()), (fun,), start=start, end=p.end())


def _strict(p: Cursor, prec: int) -> Term:
    """The strict-implicit binder of an arrow: `⦃x : A⦄ → B`."""
    start, i = p.starts[p.i], p.i
    column = p.open()
    p.i = after_names = names_end(p, i + 1)
    if after_names == i + 1:
        p.fail("identifier")
    p.expect(":")
    type_ = term(p)
    p.close("⦄", column)
    binder = Binder(_names(p, i + 1, after_names), type_, "strict", start=start, end=p.end())
    return _dep_arrow(p, binder)


def _by_assumption(p: Cursor, prec: int) -> Term:
    """`‹A›`, which abbreviates `(by assumption : A)`."""
    start = p.starts[p.i]
    p.i += 1
    column = p.open()
    type_ = term(p)
    p.close("›", column)
    end = p.end()
    tactics = TacSeq((Simple("assumption", start=start, end=end),), start=start, end=end)
    return Ascription(By(tactics, start=start, end=end), type_, start=start, end=end)


def _interpolated(p: Cursor, prec: int) -> Term:
    """`s!"a{x}"`, which abbreviates `(toString "a" ++ toString x : String)`; empty pieces are left out.

    Source: Lean 4 `src/Init/Meta/Defs.lean`, `expandInterpolatedStr` (4.35).
    """
    start = p.starts[p.i]
    parts: list[Term] = [_piece(p)]
    column = p.open()
    while p.text[p.end() - 1] == "{":
        parts.append(term(p))
        if p.kinds[p.i] is not ISTR_REST:
            # Lean puts the one error into the words of the other.
            cut = p.kinds[p.i] is BAD and p.text[p.starts[p.i]] == "}"
            raise p.error("expected " + ("unterminated string literal" if cut else "'}'"))
        parts.append(_piece(p))
    p.column = column
    p.brackets -= 1
    p.grow(len(parts))
    # Every second part is a piece of the text.
    parts = [
        part for at, part in enumerate(parts) if at % 2 or part != Str("", start=part.start, end=part.end)
    ] or parts
    shown = [
        App(Ident("_root_.ToString.toString"), (part,), start=part.start, end=part.end) for part in parts
    ]
    value: Term = shown[0]
    for part in shown[1:]:
        value = BinOp("++", value, part, start=start, end=part.end)
    return Ascription(value, Ident("_root_.String"), start=start, end=p.end())


def _piece(p: Cursor) -> Term:
    start = p.starts[p.i]
    value = string_piece(p)
    return Str(value, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {
    "⟨": _anon_ctor,
    "(": _paren,
    "[": _square,
    "#[": _array,
    "{": _brace,
    "⦃": _strict,
    "‹": _by_assumption,
    ISTR: _interpolated,
}
