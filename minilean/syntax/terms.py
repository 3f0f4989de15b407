"""Parsers of terms: operators, application, projections, atoms. `brackets` and `binding` have the rest.

Source: precedences from Lean 4 `src/Init/Notation.lean`, `src/Init/Core.lean`, `src/Lean/Parser/Term.lean`;
the algorithm is the Pratt parser of `src/Lean/Parser/Basic.lean`.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax.ast import (
    App,
    Arrow,
    BinOp,
    CDot,
    DotIdent,
    Explicit,
    Hole,
    Ident,
    Inaccessible,
    Indexed,
    NamedArg,
    NamedHole,
    NamedPattern,
    NoFun,
    Num,
    Panic,
    Proj,
    RawNat,
    Sorry,
    SortStx,
    Str,
    Term,
    UnOp,
)
from minilean.syntax.cursor import MAX_DEPTH, MAX_HEIGHT, Cursor
from minilean.syntax.errors import ParseError
from minilean.syntax.levels import at_level, level_atom, universe_args
from minilean.syntax.lexer import CHAR, DOT_IDENT, FIELD, IDENT, ISTR, NUM, STR, plain_name, split_name
from minilean.syntax.quoted import char_term, string_term

MAX_PREC = 1024
"""Precedence of application arguments."""
_FIELD_EXPECTED = "Invalid field notation: Identifier or numeral expected"
_UNREACHABLE = "unreachable code has been reached"
ARROW_PREC = 25
PAIR_PREC = 35

# Kind -> (precedence, least precedence of the left side, precedence of the right side).
INFIX: dict[str, tuple[int, int, int]] = {
    "<|": (10, 0, 10),
    "|>": (10, 0, 11),
    "|>.": (10, 0, 0),
    "↔": (20, 21, 21),
    "→": (ARROW_PREC, 0, ARROW_PREC),
    "∨": (30, 31, 30),
    "||": (30, 30, 31),
    "⊕": (30, 31, 30),
    "⊕'": (30, 31, 30),
    "×'": (35, 36, 35),
    "∩": (70, 70, 71),
    "∪": (65, 65, 66),
    "<$>": (100, 101, 100),
    "<&>": (100, 101, 100),
    "<*>": (60, 60, 61),
    "<*": (60, 60, 61),
    "*>": (60, 60, 61),
    "<|>": (20, 21, 20),
    ">>=": (55, 55, 56),
    "=<<": (55, 56, 55),
    ">=>": (55, 56, 55),
    "<=<": (55, 56, 55),
    "|||": (55, 55, 56),
    "^^^": (58, 58, 59),
    "&&&": (60, 60, 61),
    "<<<": (75, 75, 76),
    ">>>": (75, 75, 76),
    "∧": (35, 36, 35),
    "&&": (35, 35, 36),
    "×": (35, 36, 35),
    "∈": (50, 50, 50),
    "∉": (50, 50, 50),
    "++": (65, 65, 66),
    "+": (65, 65, 66),
    "-": (65, 65, 66),
    "::": (67, 68, 67),
    "*": (70, 70, 71),
    "/": (70, 70, 71),
    "%": (70, 70, 71),
    "^": (80, 81, 80),
    "▸": (75, 0, 75),
    "∘": (90, 91, 90),
} | {
    relation: (50, 51, 51) for relation in ("=", "≠", "==", "!=", "<", "≤", ">", "≥", "≍", "∣", "⊆", "⊂", "≈")
}

# Kinds that can start an argument of an application, or any other term of the highest precedence.
ARG_START = frozenset(
    {IDENT, NUM, STR, DOT_IDENT, "(", "⟨", "[", "#[", "{", "_", "?", "@", "·", ".", "↑", "¬", "!", "‹", "fun"}
    | {"Prop", "Type", "Sort", "sorry", "nofun", "nat_lit", "∅", CHAR, ISTR, "do"}
)
_NOT_LIFTED = frozenset(
    [
        "bif",
        "by",
        "calc",
        "exists",
        "fun",
        "have",
        "if",
        "let",
        "match",
        "show",
        "suffices",
        "Σ",
        "Σ'",
        "∀",
        "∃",
    ]
)
"""Words whose terms keep `(← e)` inside: moved out, `e` would run before, or although, the term asks for it."""
_POSTFIX = frozenset({FIELD, DOT_IDENT, "["})


def term(p: Cursor, prec: int = 0) -> Term:
    """A term whose operators bind at least as tightly as `prec`."""
    p.depth += 1
    if p.depth > MAX_DEPTH:
        raise p.too_deep()
    outer, p.height = p.height, 0
    kinds, start = p.kinds, p.starts[p.i]
    head = kinds[p.i]
    parse = p.leading.get(head)
    if parse is None:
        p.fail("term")
    lifted = p.lifted
    if lifted is not None and head in _NOT_LIFTED:
        p.lifted = None
    left = parse(p, prec)
    p.lifted = lifted
    if kinds[p.i] in _POSTFIX:
        left = _postfix(p, left, start)
    if prec < MAX_PREC and head in p.arg_start and (kinds[p.i] in p.arg_start or kinds[p.i] == ".."):
        left = _application(p, left, start)
    left_prec = MAX_PREC
    if kinds[p.i] == "." and p.adjacent():
        raise p.error(_FIELD_EXPECTED)
    while True:
        operator = kinds[p.i]
        if operator in p.trailing:
            below = p.height
            found = p.trailing[operator](p, left, start, prec, left_prec)
            if found is None:
                break
            left, left_prec = found
            p.height = max(p.height, below + 1)
            if p.height > MAX_HEIGHT:
                raise p.too_deep()
            continue
        precs = p.infix.get(operator)
        if precs is None or precs[0] < prec or left_prec < precs[1]:
            break
        p.i += 1
        below = p.height
        if operator == "|>.":
            left = _pipe_projection(p, left, start)
        else:
            right = term(p, precs[2])
            end = p.ends[p.i - 1]
            if operator == "→":
                left = Arrow(left, right, start=start, end=end)
            else:
                left = BinOp(operator, left, right, start=start, end=end)
        p.height = max(p.height, below + 1)
        if p.height > MAX_HEIGHT:
            raise p.too_deep()
        left_prec = precs[0]
    p.height = max(outer, p.height + 1)
    p.depth -= 1
    return left


def _pipe_projection(p: Cursor, left: Term, start: int) -> Term:
    if p.kinds[p.i] not in (NUM, IDENT):
        raise p.error(_FIELD_EXPECTED)
    if p.kinds[p.i] is NUM:
        field: str | int = p.natural()
    else:
        field = p.name()
    projection = Proj(left, field, start=start, end=p.end())
    return _application(p, projection, start)


def _application(p: Cursor, fn: Term, start: int) -> Term:
    args: list[Term | NamedArg] = []
    kinds, column = p.kinds, p.column
    while kinds[p.i] in p.arg_start and p.columns[p.i] > column and not p.adjacent():
        i = p.i
        if kinds[i] in p.trailing:
            arg = _attempted(p)
            if arg is None:
                break
            args.append(arg)
        elif kinds[i] == "(" and kinds[i + 1] is IDENT and kinds[i + 2] == ":=":
            args.append(_named_arg(p))
        else:
            args.append(atom(p))
    ellipsis = kinds[p.i] == ".." and not p.adjacent()
    if ellipsis:
        p.i += 1
    elif not args:
        return fn
    p.grow(len(args))
    return App(fn, tuple(args), ellipsis, start=start, end=p.end())


def _attempted(p: Cursor) -> Term | None:
    """An argument that starts with a token of the user's notations, or `None` if that token does not start one."""
    before = p.mark()
    try:
        return atom(p)
    except ParseError:
        p.reset(before)
        return None


def _named_arg(p: Cursor) -> NamedArg:
    start = p.starts[p.i]
    p.i += 1
    column = p.open()
    name = p.name()
    p.i += 1
    value = term(p)
    p.close(")", column)
    return NamedArg(name, value, start=start, end=p.end())


def atom(p: Cursor) -> Term:
    """A term of the highest precedence, such as an application takes for an argument."""
    kind, start = p.kinds[p.i], p.starts[p.i]
    if kind not in p.arg_start:
        p.fail("term")
    left = p.leading[kind](p, MAX_PREC)
    if p.kinds[p.i] in _POSTFIX:
        left = _postfix(p, left, start)
    return left


def _postfix(p: Cursor, left: Term, start: int) -> Term:
    """Projections and indices written directly after a term, without white space."""
    while p.kinds[p.i] in _POSTFIX and p.adjacent():
        if p.kinds[p.i] == "[":
            if "[" in p.trailing:  # a notation of the user
                break
            left = _indexed(p, left, start)
            continue
        word, offset = p.word()[1:], p.starts[p.i] + 1
        is_index = p.kinds[p.i] is FIELD
        if is_index and len(word) > 9:
            raise p.unsupported("a projection with so large an index")
        p.i += 1
        if is_index:
            p.grow()
            left = Proj(left, int(word), start=start, end=p.end())
            continue
        for part in split_name(word):
            p.grow()
            left = Proj(left, plain_name(part), start=start, end=offset + len(part))
            offset += len(part) + 1
    return left


def _indexed(p: Cursor, left: Term, start: int) -> Term:
    """`xs[i]` and what may follow the closing bracket."""
    p.i += 1
    p.grow()
    column = p.open()
    index = term(p)
    if p.kinds[p.i] == "]'":
        p.close("]'", column)
        return Indexed(left, index, "'", atom(p), start=start, end=p.end())
    p.close("]", column)
    mark = p.kinds[p.i] if p.kinds[p.i] in ("?", "!") and p.adjacent() else ""
    p.i += len(mark)
    return Indexed(left, index, mark, start=start, end=p.end())


# --- atoms --------------------------------------------------------------------------------------------------


def _ident(p: Cursor, prec: int) -> Term:
    i = p.i
    start, end = p.starts[i], p.ends[i]
    name = plain_name(p.text[start:end])
    if p.kinds[i + 1] is STR and p.starts[i + 1] == end:
        raise p.unsupported("interpolated strings")
    p.i = i + 1
    if p.kinds[i + 1] == ".{" and p.starts[i + 1] == end:
        p.i += 1
        levels = universe_args(p)
        return Ident(name, levels, start=start, end=p.end())
    if p.kinds[i + 1] == "@" and p.starts[i + 1] == end and p.starts[i + 2] == p.ends[i + 1]:
        p.i += 1
        p.grow()
        inner = atom(p)
        return NamedPattern(name, inner, start=start, end=p.end())
    return Ident(name, start=start, end=end)


def _raw_nat(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    value = p.natural()
    return RawNat(value, start=start, end=p.end())


def _dot_ident(p: Cursor, prec: int) -> Term:
    start, name = p.starts[p.i], plain_name(p.word()[1:])
    p.i += 1
    return DotIdent(name, start=start, end=p.end())


def _num(p: Cursor, prec: int) -> Term:
    start, value = p.starts[p.i], p.natural()
    return Num(value, start=start, end=p.end())


def _inaccessible(p: Cursor, prec: int) -> Term:
    """`.(e)` in a pattern; `.` alone is another way to write `·`."""
    start = p.starts[p.i]
    p.i += 1
    if p.kinds[p.i] != "(" or not p.adjacent():
        return CDot(start=start, end=p.end())
    inner = atom(p)
    return Inaccessible(inner, start=start, end=p.end())


def _empty(start: int, end: int) -> Term:
    return Ident("EmptyCollection.emptyCollection", start=start, end=end)


def _constant(make: Callable[..., Term]) -> Callable[[Cursor, int], Term]:
    def parse(p: Cursor, prec: int) -> Term:
        p.i += 1
        return make(start=p.starts[p.i - 1], end=p.end())

    return parse


def _sort(p: Cursor, prec: int) -> Term:
    start, kind = p.starts[p.i], p.word()
    p.i += 1
    level = level_atom(p) if kind != "Prop" and prec < MAX_PREC and at_level(p) else None
    return SortStx(kind, level, start=start, end=p.end())


def _named_hole(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    name = None if p.accept("_") else p.name()
    return NamedHole(name, start=start, end=p.end())


def _explicit(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    return Explicit(_operand(p), start=start, end=p.end())


def _coercion(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    return UnOp("↑", _operand(p), start=start, end=p.end())


def _operand(p: Cursor) -> Term:
    """The atom after a prefix of the highest precedence."""
    p.i += 1
    p.enter()
    operand = atom(p)
    p.grow()
    p.leave()
    return operand


def _prefix(p: Cursor, prec: int) -> Term:
    """`¬` and `!`, which may be arguments, and `-`, which may not."""
    start, operator = p.starts[p.i], p.kinds[p.i]
    if operator == "-" and prec > 75:
        p.fail("term")
    p.i += 1
    arg = term(p, 75 if operator == "-" else 40)
    return UnOp(operator, arg, start=start, end=p.end())


def _nomatch(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    discriminant = term(p)
    return NoFun(discriminant, start=start, end=p.end())


def _panic(p: Cursor, prec: int) -> Term:
    start, kind = p.starts[p.i], p.kinds[p.i]
    if prec == MAX_PREC:
        p.fail("term")
    p.i += 1
    message = term(p) if kind == "panic!" else Str(_UNREACHABLE, start=start, end=p.end())
    return Panic(message, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {
    IDENT: _ident,
    DOT_IDENT: _dot_ident,
    NUM: _num,
    STR: string_term,
    CHAR: char_term,
    ".": _inaccessible,
    "∅": _constant(_empty),
    "_": _constant(Hole),
    "·": _constant(CDot),
    "sorry": _constant(Sorry),
    "nofun": _constant(NoFun),
    "Prop": _sort,
    "Type": _sort,
    "Sort": _sort,
    "?": _named_hole,
    "@": _explicit,
    "↑": _coercion,
    "¬": _prefix,
    "!": _prefix,
    "-": _prefix,
    "nomatch": _nomatch,
    "nat_lit": _raw_nat,
    "panic!": _panic,
    "unreachable!": _panic,
}
