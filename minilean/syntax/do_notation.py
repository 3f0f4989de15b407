"""`do` blocks, written with `>>=`: `let x ← e` becomes `e >>= fun x => ..` when it is read.

The actions are `e`, `let x ← e`, `let p ← e | a`, `let x := e`, `let p := e | a`, `have`, `return`, and as the last one
`if` and `match`, whose branches are blocks. `(← e)` in an action runs `e` before it.

Source: Lean 4 `src/Lean/Parser/Do.lean`, `src/Lean/Elab/Do.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from minilean.syntax.ast import (
    App,
    Binder,
    Do,
    Fun,
    HaveTerm,
    Hole,
    Ident,
    If,
    LetTerm,
    Match,
    MatchAlt,
    Term,
)
from minilean.syntax.binding import LocalDecl, local_decl
from minilean.syntax.branching import match, optional_name
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import EOF, IDENT
from minilean.syntax.terms import term

_REFUSED = frozenset(
    [
        "for",
        "while",
        "repeat",
        "break",
        "continue",
        "unless",
        "try",
        "assert",
        "dbg_trace",
        "nomatch",
        "unsafe",
    ]
)
_ARROWS = ("←", "<-")

Make = Callable[["Term | None"], Term]
Parse = Callable[[Cursor, int], Term]


def _do(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    return _block(p, start)


def _block(p: Cursor, start: int | None = None) -> Term:
    """The actions of a block: in braces, or in one column; several on one line are separated by `;`."""
    start = p.starts[p.i] if start is None else start
    p.enter()
    outer, p.lifted = p.lifted, []
    if p.accept("{"):
        column = p.open()
        p.column = p.columns[p.i]
        body = _actions(p, p.columns[p.i])
        p.close("}", column)
    else:
        if p.columns[p.i] < p.column:
            p.fail("actions of `do`, in a column at or right of the block's")
        if p.kinds[p.i] is EOF:
            p.fail("'{'")
        saved, p.column = p.column, p.columns[p.i]
        body = _actions(p, p.column)
        p.column = saved
    p.lifted = outer
    p.leave()
    return Do(body, start=start, end=p.end())


def _actions(p: Cursor, column: int) -> Term:
    """The next action and those after it."""
    start = p.starts[p.i]
    p.lifted = []
    make, last = _action(p)
    lifted = p.lifted
    separated = p.accept(";")
    more = (p.columns[p.i] == column and p.after_linebreak()) or separated
    more = more and (p.kinds[p.i] in p.leading or p.kinds[p.i] == "return" or p.word() in _REFUSED)
    if more and last is not None:
        raise p.unsupported(f"an action after {last} in `do`")
    body = make(_actions(p, column) if more else None)
    for name, action in reversed(lifted):
        body = _bind(action, Binder((name,), None), body, start, p.end())
    return body


def _bind(action: Term, binder: Binder, body: Term, start: int, end: int) -> Term:
    whole = max(end, body.end)
    binder = replace(binder, start=start, end=end)
    return App(
        Ident("_root_.Bind.bind", start=start, end=end),
        (action, Fun((binder,), body, start=start, end=whole)),
        start=start,
        end=whole,
    )


def _pure(value: Term, start: int, end: int) -> Term:
    return App(Ident("_root_.Pure.pure", start=start, end=end), (value,), start=start, end=end)


def _unit(start: int, end: int) -> Term:
    return Ident("_root_.PUnit.unit", start=start, end=end)


def _action(p: Cursor) -> tuple[Make, str | None]:
    """Read one action.

    Returns:
        The function that makes a term of it and of what follows, and the word for an action that nothing may follow.
    """
    start, kind = p.starts[p.i], p.kinds[p.i]
    word = p.word()
    if word in _REFUSED or (kind is IDENT and p.kinds[p.i + 1] in (":=", *_ARROWS)):
        raise p.unsupported(f"`{word}` in `do`" if word in _REFUSED else "an assignment in `do`")
    if kind == "let" or kind == "have":
        return _local(p), None
    if kind == "return":
        p.i += 1
        given = p.indented() and not p.after_linebreak() and (p.kinds[p.i] in p.leading)
        value = term(p) if given else _unit(start, p.end())
        result = _pure(value, start, p.end())
        return (lambda rest: result), "`return`"
    if kind == "if":
        return _ending(_if(p)), "`if`"
    if kind == "match":
        return _ending(match(p, _block)), "`match`"
    if kind == "do":
        return _ending(term(p)), "`do`"
    action = term(p)
    end = p.end()

    def make(rest: Term | None) -> Term:
        if rest is None:
            return action
        return _bind(action, Binder(("_",), Ident("_root_.PUnit", start=start, end=end)), rest, start, end)

    return make, None


def _ending(value: Term) -> Make:
    return lambda rest: value


def _if(p: Cursor) -> Term:
    """`if c then block else block`, `if let p := e then ..`, also without `else`."""
    start = p.starts[p.i]
    p.i += 1
    pattern = None
    if p.accept("let"):
        pattern = term(p)
        if p.kinds[p.i] in _ARROWS:
            raise p.unsupported("`if let p ← e` in `do`")
        p.expect(":=")
        name = None
    else:
        name = optional_name(p)
    condition = term(p)
    p.expect("then")
    then = _block(p)
    if p.kinds[p.i] == "else" and p.accept("else"):
        orelse = _nested_if(p) if p.kinds[p.i] == "if" else _block(p)
    else:
        orelse = _pure(_unit(start, p.end()), start, p.end())
    if pattern is None:
        return If(name, condition, then, orelse, start=start, end=p.end())
    alts = (
        MatchAlt((pattern,), then, start=start, end=p.end()),
        MatchAlt((Hole(start=start, end=p.end()),), orelse, start=start, end=p.end()),
    )
    return Match(((None, condition),), alts, None, True, start=start, end=p.end())


def _nested_if(p: Cursor) -> Term:
    """`else if ..`: the condition belongs to the branch, and so do the actions that it runs."""
    start = p.starts[p.i]
    outer, p.lifted = p.lifted, []
    value = _if(p)
    if p.lifted:
        raise p.unsupported("`(← e)` in the condition of `else if`")
    p.lifted = outer
    return Do(value, start=start, end=p.end())


def _local(p: Cursor) -> Make:
    """`let` and `have`, with `:=` or `←`."""
    start, keyword = p.starts[p.i], p.kinds[p.i]
    p.i += 1
    for word in ("mut", "rec"):
        if keyword == "let" and p.word() == word:
            raise p.unsupported(f"`let {word}` in `do`")
    arrow = _arrow(p, start) if keyword == "let" else None
    if arrow is not None:
        return arrow
    mark = p.mark()
    decl = local_decl(p, keyword)
    if keyword == "let" and p.kinds[p.i] == "|" and p.columns[p.i] >= p.column:
        p.reset(mark)
        pattern = term(p)
        p.expect(":=")
        return _matched(p, pattern, term(p), start)
    return _declared(p, keyword, decl, start)


def _declared(p: Cursor, keyword: str, decl: LocalDecl, start: int) -> Make:
    def make(rest: Term | None) -> Term:
        if rest is None:
            raise p.error(f"unexpected end of `do` block after `{keyword}`; expected an action")
        if keyword == "have":
            return HaveTerm(
                decl.name, decl.binders, decl.type, decl.value, rest, decl.pattern, start=start, end=rest.end
            )
        name = decl.name or ""
        return LetTerm(
            name, decl.binders, decl.type, decl.value, rest, decl.pattern, start=start, end=rest.end
        )

    return make


def _matched(p: Cursor, pattern: Term, value: Term, start: int) -> Make:
    """`pattern := value | alternative`, from the bar on, which may be missing."""
    otherwise = _block(p) if p.accept("|") else None
    end = p.end()

    def make(rest: Term | None) -> Term:
        if rest is None:
            raise p.error("unexpected end of `do` block after `let`; expected an action")
        last = max(end, rest.end)
        alts = [MatchAlt((pattern,), rest, start=start, end=last)]
        if otherwise is not None:
            alts.append(MatchAlt((Hole(start=start, end=end),), otherwise, start=start, end=last))
        return Match(((None, value),), tuple(alts), None, True, start=start, end=last)

    return make


def _arrow(p: Cursor, start: int) -> Make | None:
    """`x ← e`, `x : A ← e`, `pattern ← e | alternative`; `None`, and nothing is read, if no arrow comes."""
    mark = p.mark()
    name, type_, pattern = None, None, None
    if p.at_binder_name() and (p.kinds[p.i + 1] == ":" or p.kinds[p.i + 1] in _ARROWS):
        name = p.binder_name()
        type_ = term(p) if p.accept(":") else None
    elif p.kinds[p.i + 1] != ":=":
        pattern = term(p)
    if p.kinds[p.i] not in _ARROWS:
        p.reset(mark)
        return None
    p.i += 1
    if p.kinds[p.i] in ("if", "match"):
        raise p.unsupported(f"`{p.word()}` after `←` in `do`")
    action = term(p)
    end = p.end()
    if pattern is not None:
        inner = _matched(p, pattern, Ident("__discr✝", start=start, end=end), start)
        return lambda rest: _bind(action, Binder(("__discr✝",), None), inner(rest), start, end)
    if p.kinds[p.i] == "|":
        raise p.unsupported("`let x ← e | a` without a pattern in `do`")
    assert name is not None
    binder = Binder((name,), type_)

    def make(rest: Term | None) -> Term:
        if rest is None:
            raise p.error("unexpected end of `do` block after `let`; expected an action")
        return _bind(action, binder, rest, start, end)

    return make


LEADING: dict[str, Parse] = {"do": _do}
