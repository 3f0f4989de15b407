"""`match`, `fun | ..`, `nomatch`, `nofun` as terms: applications of matchers.

A matcher `f.match_1 params motive discriminants alternatives` is a definition that the kernel checks. Its body is a
case tree: the first alternative that can still apply decides which variable to split. The tactic `cases` splits, and
closes the impossible branches.

Source: Lean 4 `src/Lean/Elab/Match.lean`, `src/Lean/Meta/Match/Match.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.match.case_trees import Alternative, Then
from minilean.elab.match.match_alternatives import (
    PatternTypeError,
    Subject,
    elab_alternative,
    elab_right_side,
    elab_subject,
)
from minilean.elab.match.matchers import build_matcher, declare_matcher
from minilean.elab.match.patterns import pattern_names
from minilean.elab.term import Elab, elaborates
from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import Const, Expr, FVar, MVar, Pi, get_app, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.kernel.level import is_zero
from minilean.meta.errors import MetaError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.whnf import whnf
from minilean.syntax import ast


@elaborates(ast.Match)
def elab_match(el: Elab, stx: ast.Match, expected: Expr | None) -> Expr:
    """`match d1, d2 with | p1, p2 => e ..`."""
    m = el.m
    if expected is None or type(m.instantiate_mvars(expected)) is MVar:
        el.postpone_or_fail()
        expected = m.new_type_mvar() if expected is None else expected
    terms = []
    for _, term in stx.discriminants:
        terms.append(el.elab(term))
    el.synthesize(postpone=True)
    terms = [m.instantiate_mvars(t) for t in terms]
    if any(has_expr_mvar(t) or has_expr_mvar(m.instantiate_mvars(infer_type(m, t))) for t in terms):
        el.postpone_or_fail()
        el.synthesize()
        terms = [m.instantiate_mvars(t) for t in terms]
    subject = elab_subject(el, stx, terms, m.instantiate_mvars(expected))
    if subject.generalized and not any(subject.equations):
        return elab_match(el, _with_hypotheses(el, stx, subject), expected)
    mark, pending = m.mctx.mark(), list(el.pending)
    try:
        elaborated = _alternatives(el, subject, stx.alts)
    except PatternTypeError as error:
        indices = _open_indices(m, terms)
        if not indices:
            raise
        # the pattern determines an index of the type: match on the index too, `match n, v with | _, nil => ..`
        m.mctx.rollback(mark)
        el.pending = pending
        del error
        more = tuple((None, ast.Quoted(x)) for x in indices)
        holes = tuple(ast.Hole() for _ in indices)
        wider = replace(
            stx,
            discriminants=(
                *more,
                *((name, ast.Quoted(t)) for (name, _), t in zip(stx.discriminants, terms, strict=True)),
            ),
            alts=tuple(replace(alt, patterns=(*holes, *alt.patterns)) for alt in stx.alts),
        )
        return elab_match(el, wider, expected)
    alts, sides = elaborated
    return match_term(el, subject, alts, sides)


def _with_hypotheses(el: Elab, stx: ast.Match, subject: Subject) -> ast.Match:
    """Make each hypothesis that depends on a discriminant a discriminant itself, matched by its name.

    Source: Lean 4 `src/Lean/Elab/Match.lean` (`generalize`) (4.34).
    """
    decls = subject.generalized
    terms = [(None, ast.Quoted(e)) for e in (*subject.terms, *(d.fvar for d in decls))]
    alts = []
    for alt in stx.alts:
        taken: list[str] = []
        for pattern in alt.patterns:
            pattern_names(el, pattern, taken)
        more = tuple(ast.Hole() if d.name in taken else ast.Ident(d.name) for d in decls)
        alts.append(replace(alt, patterns=(*alt.patterns, *more)))
    cleared = (*stx.cleared, *(d.fvar for d in decls))
    return replace(stx, discriminants=tuple(terms), alts=tuple(alts), generalizing=False, cleared=cleared)


def _alternatives(
    el: Elab, subject: Subject, syntax: Sequence[ast.MatchAlt]
) -> tuple[list[Alternative], list[Expr]]:
    """Elaborate all alternatives and their right sides, the latter as functions."""
    m = el.m
    alts: list[Alternative] = []
    sides: list[Expr] = []
    old = m.lctx
    for alt in syntax:
        try:
            alternative = elab_alternative(el, subject, alt)
            sides.append(elab_right_side(el, subject, alternative))
        finally:
            m.lctx = old
        alts.append(alternative)
    return alts, sides


def _open_indices(m: Meta, terms: Sequence[Expr]) -> list[FVar]:
    """Return the variables that are indices of the discriminants' types but not discriminants, outermost first."""
    found: set[FVar] = set()
    for term in terms:
        fn, args = get_app(whnf(m, m.instantiate_mvars(infer_type(m, term))))
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Inductive):
            found |= {i for i in args[decl.num_params :] if type(i) is FVar and m.local(i).value is None}
    return [d.fvar for d in m.lctx if d.fvar in found - set(terms)]


def match_term(el: Elab, subject: Subject, alts: list[Alternative], sides: list[Expr]) -> Expr:
    """Declare the matcher and apply it.

    Raises:
        MetaError: Cases are missing or an alternative is redundant.
    """
    m = el.m
    with m.with_lctx(subject.lctx):
        level = m.instantiate_level(sort_level(m, subject.motive))
        motive = m.mk_lambda(subject.xs, subject.motive)
        elim = level if is_zero(level) else m.new_level_mvar()
    value, params = build_matcher(el, subject, alts, elim)
    for alt in alts:
        if not alt.used:
            raise _redundant(el, alt)
    extra: list[Expr] = []
    for term, name in zip(subject.terms, subject.equations, strict=True):
        if name is not None:
            type_ = infer_type(m, term)
            extra.append(mk_apps(mk_const("Eq.refl", (sort_level(m, type_),)), (type_, term)))
    extra += [d.fvar for d in subject.generalized]
    args = [*params, motive, *subject.terms, *sides, *extra]
    if m.auxiliary_prefix is None or has_expr_mvar(value):
        if elim is not level:
            m.mctx.assign_level(elim.id, level)  # type: ignore[attr-defined]
        return beta_apply(m.instantiate_mvars(value), args)
    info = MatcherInfo(
        "", len(params), len(subject.xs), tuple(len(a.variables) or 1 for a in alts),
        tuple(not a.variables for a in alts),
    )  # fmt: skip
    name, levels = declare_matcher(m, value, info)
    if elim is not level:
        m.mctx.assign_level(elim.id, level)  # type: ignore[attr-defined]
    return mk_apps(mk_const(name, tuple(m.instantiate_level(u) for u in levels)), args)


def _redundant(el: Elab, alt: Alternative) -> MetaError:
    patterns = ", ".join(el.source[p.start : p.end] for p in alt.syntax.patterns)
    error = MetaError(
        f"Redundant alternative: Any expression matching\n  {patterns}\n"
        "will match one of the preceding alternatives"
    )
    error.position = alt.syntax.start or None
    return error


@elaborates(ast.FunMatch)
def elab_fun_match(el: Elab, stx: ast.FunMatch, expected: Expr | None) -> Expr:
    """`fun | p, q => e | ..`: a function of as many arguments as there are patterns."""
    m = el.m
    count = len(stx.alts[0].patterns)
    type_ = el.require_known(expected)
    old = m.lctx
    try:
        fvars: list[FVar] = []
        for _ in range(count):
            pi = whnf(m, m.instantiate_mvars(type_))
            if type(pi) is not Pi:
                el.postpone_or_fail()
                raise MetaError(
                    f"Too many patterns in match alternative: Expected {len(fvars)}, but found {count}"
                )
            fvars.append(m.push_local("x✝", pi.type, pi.info))
            type_ = instantiate1(pi.body, fvars[-1])
        discriminants = tuple((None, ast.Quoted(x)) for x in fvars)
        match = ast.Match(discriminants, stx.alts, cleared=tuple(fvars), start=stx.start, end=stx.end)
        return m.mk_lambda(fvars, el.elab_ensuring(match, type_))
    finally:
        m.lctx = old


@elaborates(ast.NoFun)
def elab_nofun(el: Elab, stx: ast.NoFun, expected: Expr | None) -> Expr:
    """`nofun` and `nomatch e`: a match without alternatives."""
    m = el.m
    goal = el.require_known(expected)
    if stx.term is not None:
        return elab_match(el, ast.Match(((None, stx.term),), (), start=stx.start, end=stx.end), goal)
    old = m.lctx
    try:
        fvars: list[FVar] = []
        goal = whnf(m, goal)
        while type(goal) is Pi:
            fvars.append(m.push_local("a✝", goal.type, goal.info))
            goal = whnf(m, instantiate1(goal.body, fvars[-1]))
        discriminants = tuple((None, ast.Quoted(x)) for x in fvars)
        match = ast.Match(discriminants, (), start=stx.start, end=stx.end)
        return m.mk_lambda(fvars, elab_match(el, match, goal))
    finally:
        m.lctx = old


@elaborates(Then)
def elab_then(el: Elab, stx: Then, expected: Expr | None) -> Expr:
    """Run the Python function that stands in the place of a term."""
    assert expected is not None
    return stx.action(el, expected)
