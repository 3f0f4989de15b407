"""Parts of a `match`: discriminants with the hypotheses that depend on them, patterns, right sides.

Source: Lean 4 `src/Lean/Elab/Match.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.elab.match.case_trees import Alternative
from minilean.elab.match.patterns import ANY, digest, pattern_names
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, FVar, Pi, get_app_fn, mk_apps, mk_const, mk_lam, mk_pi
from minilean.kernel.instantiate import abstract, beta_apply, instantiate, instantiate1
from minilean.kernel.traversal import subterms
from minilean.meta.context import LocalContext, LocalDecl
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.numerals import nat_offset
from minilean.meta.occurrences import collect_mvars
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast

UNIT = mk_const("Unit")
UNIT_VALUE = mk_const("Unit.unit")


class PatternTypeError(MetaError):
    """A pattern does not have the type of its discriminant."""


@dataclass(slots=True)
class Subject:
    """Discriminants of a `match` with the hypotheses and the motive that depend on them.

    Attributes:
        terms: The discriminants.
        xs: One variable each, in `lctx`.
        equations: Names `h` of `match h : d with ..`, `None` where there is none.
        generalized: Hypotheses whose types change with the discriminants.
        motive: The type of the whole over `xs`: equations, then hypotheses, then the expected type.
        cleared: Variables that are hidden from the alternatives unless something else mentions them.
    """

    terms: list[Expr]
    xs: list[FVar]
    lctx: LocalContext
    equations: list[str | None]
    generalized: list[LocalDecl]
    motive: Expr
    cleared: tuple[object, ...]


def elab_subject(el: Elab, stx: ast.Match, terms: list[Expr], expected: Expr) -> Subject:
    """Abstract the expected type over the discriminants."""
    m = el.m
    old = m.lctx
    equations = [name for name, _ in stx.discriminants]
    try:
        xs: list[FVar] = []
        for term in terms:
            type_ = m.instantiate_mvars(infer_type(m, term))
            if type(get_app_fn(type_)) is FVar:
                type_ = whnf(m, type_)  # `U x` with a local definition of `U`
            type_ = _abstracted(m, type_, terms, xs)
            xs.append(m.push_local("x✝", type_))
        generalized: list[LocalDecl] = []
        if stx.generalizing and all(type(t) is FVar for t in terms):
            generalized = _depending(m, old, [t for t in terms if type(t) is FVar])
        fvars = [d.fvar for d in generalized]
        with m.with_lctx(old):
            body = m.mk_pi(fvars, expected) if fvars else expected
        motive = m.instantiate_mvars(body)
        if stx.motive is None:
            motive = _abstracted(m, motive, terms, xs)
        else:
            given = el.elab_closed(stx.motive)
            motive = beta_apply(given, xs)
            generalized = []
        for i in reversed(range(len(xs))):
            if equations[i] is not None:
                motive = mk_pi(equations[i] or "h", _equation(m, terms[i], xs[i]), motive)
        return Subject(terms, xs, m.lctx, equations, generalized, motive, stx.cleared)
    finally:
        m.lctx = old


def _equation(m: Meta, a: Expr, b: Expr) -> Expr:
    type_ = m.instantiate_mvars(infer_type(m, a))
    if not is_def_eq(m, type_, infer_type(m, b)):
        raise UnsupportedError("`match h : ..` where the type of a discriminant changes")
    return mk_apps(mk_const("Eq", (sort_level(m, type_),)), (type_, a, b))


def _abstracted(m: Meta, e: Expr, terms: Sequence[Expr], xs: Sequence[FVar]) -> Expr:
    """Replace the discriminants in `e` by the variables."""
    for term, x in zip(terms, xs, strict=False):
        if type(term) is FVar:
            e = instantiate1(abstract(e, [term]), x)
        else:
            body = kabstract(m, e, term)
            e = e if body is None else instantiate1(body, x)
    return e


def _depending(m: Meta, lctx: LocalContext, xs: list[FVar]) -> list[LocalDecl]:
    ids = {x.id for x in xs}
    out = []
    for decl in lctx:
        if decl.fvar.id in ids or decl.hidden:
            continue
        type_ = m.instantiate_mvars(decl.type)
        if any(type(s) is FVar and s.id in ids for s in subterms(type_)):
            if decl.value is not None:
                continue
            ids.add(decl.fvar.id)
            out.append(decl)
    return out


def elab_alternative(el: Elab, subject: Subject, alt: ast.MatchAlt) -> Alternative:
    """Elaborate the patterns of an alternative; its variables stay in the local context.

    Raises:
        PatternTypeError: A pattern does not have the type of its discriminant.
        MetaError: A pattern is invalid.
    """
    m = el.m
    outer = m.lctx
    if len(alt.patterns) != len(subject.xs):
        raise MetaError(
            f"Not enough patterns in match alternative: Expected {len(subject.xs)}, but found {len(alt.patterns)}"
            if len(alt.patterns) < len(subject.xs)
            else f"Too many patterns in match alternative: Expected {len(subject.xs)}, but found {len(alt.patterns)}"
        )
    names: list[str] = []
    for stx in alt.patterns:
        pattern_names(el, stx, names)
    variables = [m.push_local(name, m.new_type_mvar()) for name in names]
    terms: list[Expr] = []
    named: dict[str, Expr] = {}
    el.named_patterns = named
    try:
        for stx, x in zip(alt.patterns, subject.xs, strict=True):
            type_ = subject.lctx.get(x).type
            expected = instantiate(abstract(type_, subject.xs[: len(terms)]), terms)
            try:
                terms.append(el.elab_ensuring(stx, expected))
                el.synthesize(postpone=True)
            except BudgetError:
                raise
            except MetaError as error:
                failure = PatternTypeError(str(error))
                failure.position = error.position
                raise failure from None
        el.synthesize()
    finally:
        el.named_patterns = None
    terms = [m.instantiate_mvars(t) for t in terms]
    variables, decls = _close_variables(el, outer, variables, terms)
    terms = [m.instantiate_mvars(t) for t in terms]
    own = set(variables)
    seen: set[FVar] = set()
    # The first occurrence of a variable under constructors binds it; other occurrences are not compared. A value that
    # the types of the other patterns determine for a `_` is not compared either.
    patterns = [
        ANY if isinstance(stx, ast.Hole) and type(t) is not FVar else digest(m, t, own, seen)
        for stx, t in zip(alt.patterns, terms, strict=True)
    ]
    if missing := [d.name for d in decls if d.fvar not in seen]:
        raise UnsupportedError(f"a pattern variable that no constructor determines (`{missing[0]}`)")
    if taken := [name for name in named if name in names]:
        raise MetaError(f"Invalid pattern(s): Variable `{taken[0]}` occurred more than once")
    values = {name: m.instantiate_mvars(value) for name, value in named.items()}
    return Alternative(variables, decls, terms, patterns, alt, named=values)


def _close_variables(
    el: Elab, outer: LocalContext, variables: list[FVar], terms: Sequence[Expr]
) -> tuple[list[FVar], list[LocalDecl]]:
    """Turn the metavariables of patterns (`_`, implicit arguments) into variables; sort all by dependency."""
    m = el.m
    decls = {d.fvar: d for d in m.lctx if d.fvar.id not in outer}
    parts = [sub for term in terms for sub in subterms(m.instantiate_mvars(term))]
    below_succ = {offset[0] for sub in parts if (offset := nat_offset(m, sub)) is not None}
    todo = [m.instantiate_mvars(e) for e in (*terms, *(decls[x].type for x in variables))][::-1]
    while todo:
        e = m.instantiate_mvars(todo.pop())
        for mvar in collect_mvars(e):
            if m.mctx.is_assigned(mvar.id):
                continue
            info = el.hole_infos.get(mvar.id)
            type_ = m.instantiate_mvars(m.mvar_decl(mvar).type)
            name = "n" if mvar in below_succ else (info.name if info else "") or "x"
            fvar = m.push_local(f"{name}✝", type_)
            m.mctx.assign(mvar.id, fvar)
            decls[fvar] = m.local(fvar)
            todo.append(type_)
    done: dict[FVar, LocalDecl] = {}

    def visit(x: FVar) -> None:
        if x in done:
            return
        d = decls[x]
        type_ = m.instantiate_mvars(d.type)
        for sub in subterms(type_):
            if type(sub) is FVar and sub in decls:
                visit(sub)
        done[x] = LocalDecl(x, d.name, type_, d.value, d.info, d.hidden)

    found = {sub: None for term in terms for sub in subterms(m.instantiate_mvars(term)) if sub in decls}
    for x in (*found, *decls):
        visit(x)
    m.lctx = outer.replace_all([*outer, *done.values()])
    return list(done), list(done.values())


def _without(m: Meta, lctx: LocalContext, cleared: Sequence[object], type_: Expr) -> LocalContext:
    """Remove the `cleared` variables from a context, the last one first, unless it or `type_` mentions them."""
    for x in reversed(cleared):
        assert type(x) is FVar
        mentioned = [type_, *(e for d in lctx if d.fvar is not x for e in (d.type, d.value) if e is not None)]
        if all(x not in subterms(e) for e in map(m.instantiate_mvars, mentioned) if e.has_fvar):
            lctx = lctx.without({x.id})
    return lctx


def elab_right_side(el: Elab, subject: Subject, alt: Alternative) -> Expr:
    """Elaborate `fun variables equations hypotheses => body`, in the context with the variables."""
    m = el.m
    type_ = instantiate(abstract(subject.motive, subject.xs), alt.terms)
    extra: list[FVar] = []
    names = [name for name in subject.equations if name is not None]
    names += [d.name for d in subject.generalized]
    for name in names:
        assert type(type_) is Pi
        extra.append(m.push_local("h✝" if name == "_" else name, type_.type, type_.info))
        type_ = instantiate1(type_.body, extra[-1])
    aliases = [
        (m.push_local(name, m.instantiate_mvars(infer_type(m, value)), value=value), value)
        for name, value in alt.named.items()
    ]
    m.lctx = _without(m, m.lctx, subject.cleared, type_)
    body = el.elab_ensuring(alt.syntax.body, type_)
    if aliases:
        el.synthesize()
        body = m.instantiate_mvars(body)
        for x, value in reversed(aliases):
            body = instantiate1(abstract(body, [x]), value)
    bound = [*alt.variables, *extra]
    if not alt.variables:
        return mk_lam("x✝", UNIT, m.mk_lambda(bound, body))
    return m.mk_lambda(bound, body)
