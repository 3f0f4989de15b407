"""Binders, and the terms that bind: `fun ∀ ∃ have let suffices show`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from minilean.syntax.ast import (
    Binder,
    Exists,
    Forall,
    Fun,
    FunMatch,
    HaveTerm,
    LetRec,
    LetTerm,
    ShowTerm,
    Term,
    Termination,
)
from minilean.syntax.brackets import names_end, pair_type
from minilean.syntax.branching import match_alts, optional_name
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import EOF, IDENT
from minilean.syntax.termination import termination
from minilean.syntax.terms import atom, term

_BRACKETS = {"(": (")", "default"), "{": ("}", "implicit"), "⦃": ("⦄", "strict"), "[": ("]", "inst")}

_RELATIONS = frozenset("∈∉<≤>≥≠")


def binder_group(p: Cursor) -> list[Binder]:
    """A bracketed group. Names without a type come as one binder each: their types may differ."""
    start = p.starts[p.i]
    closer, kind = _BRACKETS[p.kinds[p.i]]
    doubled = p.kinds[p.i] == "{" and p.kinds[p.i + 1] == "{"
    if doubled:
        kind = "strict"
        p.i += 1
    p.i += 1
    column = p.open()
    names: tuple[str, ...] = ()
    if kind == "inst":
        if p.kinds[p.i] is IDENT and p.kinds[p.i + 1] == ":":
            names = (p.name(),)
            p.i += 1
        type_: Term | None = term(p)
    else:
        names = _names(p)
        type_ = term(p) if p.accept(":") else None
    default = term(p) if kind == "default" and p.accept(":=") else None
    if doubled:
        p.expect("}")
    p.close(closer, column)
    end = p.end()
    if type_ is None:
        return [Binder((name,), None, kind, default=default, start=start, end=end) for name in names]
    return [Binder(names, type_, kind, default=default, start=start, end=end)]


def _names(p: Cursor) -> tuple[str, ...]:
    """One name or more."""
    names = [p.binder_name()]
    while p.at_binder_name():
        names.append(p.binder_name())
    return tuple(names)


def binders(p: Cursor) -> tuple[Binder, ...]:
    """Any number of names and bracketed groups, as in `theorem t x (h : p) [C x]`."""
    result: list[Binder] = []
    while True:
        if p.at_binder_name():
            result.append(_bare(p))
        elif p.kinds[p.i] in _BRACKETS:
            result.extend(binder_group(p))
        else:
            return tuple(result)


def _bare(p: Cursor) -> Binder:
    start, name = p.starts[p.i], p.binder_name()
    return Binder((name,), None, start=start, end=p.end())


def _typed(p: Cursor, found: list[Binder]) -> tuple[Binder, ...]:
    """Gives the type after `:`, if there is one, to the names before it that have no brackets."""
    if p.kinds[p.i] != ":":
        return tuple(found)
    p.i += 1
    type_ = term(p)
    result: list[Binder] = []
    for binder in found:
        if binder.type is not None or binder.pattern is not None or p.text[binder.start] in _BRACKETS:
            result.append(binder)
        elif result and result[-1].type is type_:
            names = result[-1].names + binder.names
            result[-1] = Binder(names, type_, start=result[-1].start, end=p.end())
        else:
            result.append(Binder(binder.names, type_, start=binder.start, end=p.end()))
    return tuple(result)


def _related(p: Cursor) -> tuple[Binder, ...] | None:
    """The binder of a bounded quantifier such as `∀ x ∈ l, ..`."""
    if not p.at_binder_name() or p.kinds[p.i + 1] not in _RELATIONS:
        return None
    start, name, relation = p.starts[p.i], p.binder_name(), p.kinds[p.i]
    p.i += 1
    bound = term(p)
    return (Binder((name,), None, relation=(relation, bound), start=start, end=p.end()),)


def _scope(p: Cursor, bound: tuple[Binder, ...]) -> Term:
    """The term that binders range over."""
    body = term(p)
    p.grow(name_count(bound))
    return body


def name_count(bound: tuple[Binder, ...]) -> int:
    """Return the number of variables that the binders introduce; a pattern counts as one."""
    return sum(max(1, len(binder.names)) for binder in bound)


def _fun(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    if p.kinds[p.i] == "|":
        return FunMatch(match_alts(p, term), start=start, end=p.end())
    found: list[Binder] = []
    while p.kinds[p.i] in p.arg_start or p.kinds[p.i] == "⦃":
        found.extend(_fun_binder(p))
    if not found:
        p.fail("'[', '{', '|', '⦃' or term")
    bound = _typed(p, found)
    if not p.accept("↦"):
        p.expect("=>", "'↦', '=>'")
    body = _scope(p, bound)
    return Fun(bound, body, start=start, end=p.end())


def _fun_binder(p: Cursor) -> list[Binder]:
    if p.at_binder_name():
        return [_bare(p)]
    kind = p.kinds[p.i]
    if kind in ("[", "⦃"):
        return binder_group(p)
    if kind in ("(", "{"):
        after = names_end(p, p.i + 1)
        if after > p.i + 1 and p.kinds[after] in (":", _BRACKETS[kind][0]):
            return binder_group(p)
    start, pattern = p.starts[p.i], atom(p)
    return [Binder((), None, pattern=pattern, start=start, end=p.end())]


def _forall(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    bound = _related(p) or _typed(p, list(binders(p)))
    if not bound:
        p.fail("'(', '[', '_', '{', '⦃' or identifier")
    bare = len(bound) == 1 and bound[0].type is None and len(bound[0].names) == 1
    p.expect(",", "',' or binderPred" if bare else "")
    body = _scope(p, bound)
    return Forall(bound, body, start=start, end=p.end())


def _exists(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    bound = _related(p) or _explicit_binders(p)
    p.expect(",")
    body = _scope(p, bound)
    return Exists(bound, body, start=start, end=p.end())


def _sigma(p: Cursor, prec: int) -> Term:
    """`Σ x : A, B`, another way to write `(x : A) × B`."""
    name = "_root_.Sigma" if p.kinds[p.i] == "Σ" else "_root_.PSigma"
    p.i += 1
    bound = _explicit_binders(p)
    p.expect(",")
    body = _scope(p, bound)
    return pair_type(name, bound, body, p.end())


def _explicit_binders(p: Cursor) -> tuple[Binder, ...]:
    """`x y`, `x y : A` or `(x : A) (y : B)`."""
    found: list[Binder] = []
    while p.kinds[p.i] == "(":
        found.extend(binder_group(p))
    if found:
        return tuple(found)
    if not p.at_binder_name():
        p.fail("'(', '_' or identifier")
    while p.at_binder_name():
        found.append(_bare(p))
    return _typed(p, found)


class LocalDecl(NamedTuple):
    """The part after `have`, `let` or `replace`; `name` is `None` if none is written."""

    name: str | None
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    pattern: Term | None
    termination: Termination | None = None


def local_decl(p: Cursor, keyword: str, inner: bool = False) -> LocalDecl:
    """`name binders : type := value` or `pattern : type := value`; the column inside is the first keyword's.

    Args:
        p: The tokens, behind the keyword.
        keyword: `have`, `let` or `let rec`.
        inner: Whether it begins a term, not a tactic.
    """
    saved, p.column = p.column, p.columns[p.i - (2 if keyword == "let rec" else 1)]
    name, pattern = None, None
    bound: tuple[Binder, ...] = ()
    if p.at_binder_name():
        name = p.binder_name()
        bound = binders(p)
    elif keyword == "let" or p.kinds[p.i] not in (":", ":="):
        p.need_term(
            "'(', ':=', 'rec', '|' or term" if inner and keyword == "let" else "'(', ':=', '|' or term"
        )
        pattern = term(p)
    type_ = term(p) if p.accept(":") else None
    if p.kinds[p.i] == "|":
        equations = p.starts[p.i]
        value: Term = FunMatch(match_alts(p, term), explicit=True, start=equations, end=p.end())
    else:
        p.expect(":=", "':=' or '|'" if keyword == "let" else "")
        value = _scope(p, bound)
    hints = termination(p) if keyword == "let rec" else None
    p.column = saved
    return LocalDecl(name, bound, type_, value, pattern, hints)


def _body(p: Cursor) -> Term:
    """The term after `;` or a line break."""
    if not p.accept(";") and not p.after_linebreak():
        if p.kinds[p.i] is EOF:
            p.fail("';' or line break")
        raise p.error("expected ';' or line break")
    return term(p)


def _have(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    decl = local_decl(p, "have", inner=True)
    body = _body(p)
    return HaveTerm(
        decl.name, decl.binders, decl.type, decl.value, body, decl.pattern, start=start, end=p.end()
    )


def _let(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    recursive = p.at_word("rec")
    if recursive:
        p.i += 1
        if not p.at_binder_name():
            raise p.unsupported("`let rec` of a pattern")
    decl = local_decl(p, "let rec" if recursive else "let", inner=True)
    body = _body(p)
    name = decl.name or ""
    if recursive:
        return LetRec(
            name, decl.binders, decl.type, decl.value, body, decl.termination, start=start, end=p.end()
        )
    return LetTerm(name, decl.binders, decl.type, decl.value, body, decl.pattern, start=start, end=p.end())


def justification(p: Cursor) -> Term:
    """`from e` or `by tactics`."""
    if p.accept("from"):
        return term(p)
    if p.kinds[p.i] != "by":
        p.fail("'by' or 'from'")
    p.enter()
    value = p.leading["by"](p, 0)
    p.leave()
    return value


def suffices_decl(p: Cursor) -> tuple[str | None, Term, Term]:
    """`h : p from e`: the name, the statement and its justification; the saved column is the keyword's."""
    saved, p.column = p.column, p.columns[p.i - 1]
    name = optional_name(p)
    type_ = term(p)
    value = justification(p)
    p.column = saved
    return name, type_, value


def _suffices(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    name, type_, value = suffices_decl(p)
    body = _body(p)
    return HaveTerm(name, (), type_, value, body, is_suffices=True, start=start, end=p.end())


def _show(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    type_ = term(p)
    value = justification(p)
    return ShowTerm(type_, value, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {
    "fun": _fun,
    "∀": _forall,
    "∃": _exists,
    "exists": _exists,
    "Σ": _sigma,
    "Σ'": _sigma,
    "have": _have,
    "let": _let,
    "suffices": _suffices,
    "show": _show,
}
