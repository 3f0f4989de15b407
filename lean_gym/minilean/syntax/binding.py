"""Binders, and the terms that bind: `fun ∀ ∃ have let suffices match`, with `show if calc` beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lean_gym.minilean.syntax.ast import (
    App,
    Binder,
    Calc,
    CalcStep,
    Exists,
    Forall,
    Fun,
    FunMatch,
    HaveTerm,
    Hole,
    Ident,
    If,
    LetTerm,
    Match,
    MatchAlt,
    ShowTerm,
    Term,
)
from lean_gym.minilean.syntax.brackets import names_end, pair_type
from lean_gym.minilean.syntax.cursor import Cursor
from lean_gym.minilean.syntax.lexer import IDENT
from lean_gym.minilean.syntax.terms import atom, term

# --- binders ------------------------------------------------------------------------------------------------

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
    """Gives the type behind `:`, if there is one, to the names that stand without brackets before it."""
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
    """The binder of `∀ x ∈ l, ..` and its like."""
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
    """How many variables the binders introduce, a pattern counting as one."""
    return sum(max(1, len(binder.names)) for binder in bound)


# --- fun, ∀, ∃ ----------------------------------------------------------------------------------------------


def _fun(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    if p.kinds[p.i] == "|":
        return FunMatch(match_alts(p, term), start=start, end=p.end())
    found: list[Binder] = []
    while p.kinds[p.i] in p.arg_start or p.kinds[p.i] == "⦃":
        found.extend(_fun_binder(p))
    if not found:
        p.fail("binder or '|'")
    bound = _typed(p, found)
    if not p.accept("↦"):
        p.expect("=>")
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
        p.fail("binder")
    p.expect(",")
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
    name = "Sigma" if p.kinds[p.i] == "Σ" else "PSigma"
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
    found.append(_bare(p))
    while p.at_binder_name():
        found.append(_bare(p))
    return _typed(p, found)


# --- local declarations -------------------------------------------------------------------------------------


class LocalDecl(NamedTuple):
    """What follows `have`, `let` or `replace`; `name` is `None` where none is written."""

    name: str | None
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    pattern: Term | None


def local_decl(p: Cursor, keyword: str) -> LocalDecl:
    """`name binders : type := value` or `pattern : type := value`; the saved column is the keyword's."""
    saved, p.column = p.column, p.columns[p.i - 1]
    name, pattern = None, None
    bound: tuple[Binder, ...] = ()
    if p.at_binder_name():
        name = p.binder_name()
        bound = binders(p)
    elif keyword == "let" or p.kinds[p.i] not in (":", ":="):
        pattern = term(p)
    type_ = term(p) if p.accept(":") else None
    if p.kinds[p.i] == "|":
        equations = p.starts[p.i]
        value: Term = FunMatch(match_alts(p, term), explicit=True, start=equations, end=p.end())
    else:
        p.expect(":=")
        value = _scope(p, bound)
    p.column = saved
    return LocalDecl(name, bound, type_, value, pattern)


def _body(p: Cursor) -> Term:
    """The term behind `;` or a line break."""
    if not p.accept(";") and not p.after_linebreak():
        p.fail("';' or line break")
    return term(p)


def _have(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    decl = local_decl(p, "have")
    body = _body(p)
    return HaveTerm(
        decl.name, decl.binders, decl.type, decl.value, body, decl.pattern, start=start, end=p.end()
    )


def _let(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    if p.at_word("rec"):
        raise p.unsupported("`let rec`")
    decl = local_decl(p, "let")
    body = _body(p)
    name = decl.name or ""
    return LetTerm(name, decl.binders, decl.type, decl.value, body, decl.pattern, start=start, end=p.end())


def optional_name(p: Cursor) -> str | None:
    """`h :` if it comes next."""
    if not p.at_binder_name() or p.kinds[p.i + 1] != ":":
        return None
    name = p.binder_name()
    p.i += 1
    return name


def justification(p: Cursor) -> Term:
    """`from e` or `by tactics`."""
    if p.accept("from"):
        return term(p)
    if p.kinds[p.i] != "by":
        p.fail("'from' or 'by'")
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


def _if(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    if p.accept("let"):
        return _if_let(p, start)
    name = optional_name(p)
    condition, then, orelse = _branches(p)
    return If(name, condition, then, orelse, start=start, end=p.end())


def _branches(p: Cursor) -> tuple[Term, Term, Term]:
    """`c then a else b`."""
    condition = term(p)
    p.expect("then")
    then = term(p)
    p.expect("else")
    return condition, then, term(p)


def _if_let(p: Cursor, start: int) -> Term:
    """`if let pat := e then a else b`, which abbreviates a `match` with two alternatives."""
    pattern = term(p)
    p.expect(":=")
    discriminant, then, orelse = _branches(p)
    rest = Hole(start=orelse.start, end=orelse.start)
    alts = (
        MatchAlt((pattern,), then, start=pattern.start, end=then.end),
        MatchAlt((rest,), orelse, start=orelse.start, end=orelse.end),
    )
    return Match(((None, discriminant),), alts, None, True, start=start, end=p.end())


def _bif(p: Cursor, prec: int) -> Term:
    """`bif c then a else b`, which abbreviates `cond c a b`."""
    start = p.starts[p.i]
    p.i += 1
    args = _branches(p)
    return App(Ident("cond", start=start, end=start), args, start=start, end=p.end())


# --- match and calc -----------------------------------------------------------------------------------------


def match_alts(p: Cursor, body: Callable[[Cursor], Term]) -> tuple[MatchAlt, ...]:
    """`| p, q => e` as often as the column allows; `| p | q => e` gives two alternatives with one body."""
    if p.kinds[p.i] != "|":
        p.fail("'|'")
    saved, p.column = p.column, p.columns[p.i]
    alts: list[MatchAlt] = []
    while p.kinds[p.i] == "|" and p.columns[p.i] >= p.column:
        start = p.starts[p.i]
        rows: list[tuple[Term, ...]] = []
        while p.accept("|"):
            row = [term(p)]
            while p.accept(","):
                row.append(term(p))
            rows.append(tuple(row))
        p.expect("=>")
        if p.columns[p.i] < p.column:
            p.fail("alternative right-hand-side in a column at or right of its '|'")
        result = body(p)
        alts += [MatchAlt(patterns, result, start=start, end=p.end()) for patterns in rows]
    p.column = saved
    return tuple(alts)


def match(p: Cursor, body: Callable[[Cursor], Term]) -> Match:
    """A `match` from its keyword on, as a term or, with another `body`, as a tactic."""
    start = p.starts[p.i]
    p.i += 1
    motive, generalizing = _match_options(p)
    discriminants = [(optional_name(p), term(p))]
    while p.accept(","):
        discriminants.append((optional_name(p), term(p)))
    p.expect("with")
    alts = match_alts(p, body)
    return Match(tuple(discriminants), alts, motive, generalizing, start=start, end=p.end())


def _match_options(p: Cursor) -> tuple[Term | None, bool]:
    """`(motive := e)` and `(generalizing := false)`."""
    motive, generalizing = None, True
    while p.kinds[p.i] == "(" and p.kinds[p.i + 1] is IDENT and p.kinds[p.i + 2] == ":=":
        p.i += 1
        column = p.open()
        name = p.name()
        p.i += 1
        value = term(p)
        p.close(")", column)
        if name == "motive":
            motive = value
        elif name == "generalizing":
            generalizing = not (isinstance(value, Ident) and value.name == "false")
        else:
            raise p.unsupported(f"`match ({name} := ..)`")
    return motive, generalizing


def _match(p: Cursor, prec: int) -> Term:
    return match(p, term)


def calc(p: Cursor, prec: int) -> Calc:
    """The steps of a calculation from its keyword on.

    The steps after the first line up with the second. The first step's proof may be missing: then it is the
    left side that the rest starts from.
    """
    start = p.starts[p.i]
    p.i += 1
    saved, p.column = p.column, p.columns[p.i]
    steps = [_calc_step(p, needs_proof=False)]
    p.column = max(saved, p.columns[p.i])
    while _at_later_step(p, saved):
        steps.append(_calc_step(p, needs_proof=True))
    p.column = saved
    return Calc(tuple(steps), start=start, end=p.end())


def _at_later_step(p: Cursor, outer: int) -> bool:
    """Whether a step comes next: what lines up with the block around it is the next tactic, `_` excepted."""
    kind, column = p.kinds[p.i], p.columns[p.i]
    is_step = kind == "_" or (kind in p.leading and column > outer)
    return is_step and column >= p.column and p.after_linebreak()


def _calc_step(p: Cursor, *, needs_proof: bool) -> CalcStep:
    start = p.starts[p.i]
    relation = term(p)
    if needs_proof and p.kinds[p.i] != ":=":
        p.fail("':='")
    proof = term(p) if p.accept(":=") else None
    return CalcStep(relation, proof, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {
    "fun": _fun,
    "∀": _forall,
    "∃": _exists,
    "exists": _exists,
    "Σ": _sigma,
    "Σ'": _sigma,
    "bif": _bif,
    "have": _have,
    "let": _let,
    "suffices": _suffices,
    "show": _show,
    "if": _if,
    "match": _match,
    "calc": calc,
}
