"""Matchers: the functions that `match` terms are compiled to, shared where they are equal.

Source: Lean 4 `src/Lean/Meta/Match/Match.lean` (`mkMatcher`), `src/Lean/Meta/Closure.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.match.case_trees import Alternative, narrow
from minilean.elab.match.match_alternatives import UNIT, UNIT_VALUE, Subject
from minilean.elab.match.missing_cases import refute_cases
from minilean.elab.match.patterns import constructor_form
from minilean.elab.term import Elab
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Sort,
    get_app_args,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_pi,
    mk_sort,
)
from minilean.kernel.level import IMax, Level, LMVar, Max, Succ, level_params, mk_param
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.meta.context import LocalContext
from minilean.meta.errors import MetaError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta


def _alternative_type(m: Meta, alt: Alternative, motive: FVar) -> Expr:
    result = mk_apps(motive, [constructor_form(m, term) for term in alt.terms])
    if not alt.variables:
        return mk_pi("x✝", UNIT, result)
    with m.with_lctx(m.lctx.replace_all([*m.lctx, *(d for d in alt.decls if d.fvar.id not in m.lctx)])):
        return m.mk_pi(alt.variables, result)


def build_matcher(
    el: Elab, subject: Subject, alts: Sequence[Alternative], level: Level
) -> tuple[Expr, list[FVar]]:
    """Build a matcher: a closed function of parameters, motive, discriminants and alternatives; and the parameters.

    Raises:
        MetaError: Cases are missing.
    """
    m = el.m
    old = m.lctx
    try:
        m.lctx = subject.lctx
        motive_type = m.mk_pi(subject.xs, mk_sort(level))
        params = _parameters(m, old, [motive_type, *(d.type for a in alts for d in a.decls),
                                      *(t for a in alts for t in a.terms)])  # fmt: skip
        # a matcher takes local definitions as it takes other variables
        m.lctx = old.replace_all([replace(old.get(p), value=None) for p in params])
        motive = m.push_local("motive", motive_type)
        m.lctx = m.lctx.replace_all([*m.lctx, *(subject.lctx.get(x) for x in subject.xs)])
        handlers = [
            m.push_local(f"h_{i}", _alternative_type(m, alt, motive)) for i, alt in enumerate(alts, 1)
        ]
        missing_type = mk_pi("α", mk_sort(level), mk_bvar(0))
        missing = m.push_local("missing", missing_type, hidden=True)
        lacks: list[str] = []

        def lacking(inner: Elab, target: Expr, rest: list[FVar]) -> Expr:
            closed = refute_cases(inner, target, get_app_args(target), rest, lacks)
            return mk_app(missing, target) if closed is None else closed

        def leaf(inner: Elab, target: Expr, row: Alternative, found: dict[FVar, Expr]) -> Expr:
            row.used = True
            handler = handlers[[a is row for a in alts].index(True)]
            return mk_apps(handler, [found[x] for x in row.variables] or [UNIT_VALUE])

        target = mk_apps(motive, subject.xs)
        tree = narrow(el, target, subject.xs, alts, leaf, get_app_args, lacking)
        if lacks:
            raise MetaError("\n".join(["Missing cases:", *reversed(lacks)]))
        value = m.mk_lambda([*params, motive, *subject.xs, *handlers], m.instantiate_mvars(tree))
        return value, params
    finally:
        m.lctx = old


def _parameters(m: Meta, lctx: LocalContext, terms: Sequence[Expr]) -> list[FVar]:
    """Return the variables of `lctx` on which terms depend, in order."""
    needed: set[int] = set()
    todo = [m.instantiate_mvars(t) for t in terms]
    while todo:
        for sub in subterms(todo.pop()):
            if type(sub) is FVar and sub.id in lctx and sub.id not in needed:
                needed.add(sub.id)
                todo.append(m.instantiate_mvars(lctx.get(sub).type))
    return [d.fvar for d in lctx if d.fvar.id in needed]


def closed_levels(m: Meta, e: Expr) -> tuple[tuple[str, ...], Expr, tuple[Level, ...]]:
    """Replace universe metavariables of `e` by parameters.

    Returns:
        The names of all parameters, the term, and the level that each parameter stands for here.
    """
    found: dict[Level, str] = {}
    names: set[str] = set()
    for sub in subterms(e):
        for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
            level_params(level, names)
            collect_level_mvars(level, found)
    for i, mvar in enumerate(found, 1):
        name = f"u_{i}"
        while name in names:
            name += "'"
        names.add(name)
        found[mvar] = name
    mark = m.mctx.mark()
    for mvar, name in found.items():
        m.mctx.assign_level(mvar.id, mk_param(name))  # type: ignore[attr-defined]
    closed = m.instantiate_mvars(e)
    m.mctx.rollback(mark)
    back = {name: mvar for mvar, name in found.items()}
    order = tuple(sorted(names))
    return order, closed, tuple(back.get(name, mk_param(name)) for name in order)


def collect_level_mvars(level: Level, found: dict[Level, str]) -> None:
    """Add the universe metavariables of a level to `found`."""
    kind = type(level)
    if kind is LMVar:
        found.setdefault(level, "")
    elif kind is Succ:
        collect_level_mvars(level.of, found)  # type: ignore[attr-defined]
    elif kind is Max or kind is IMax:
        collect_level_mvars(level.left, found)  # type: ignore[attr-defined]
        collect_level_mvars(level.right, found)  # type: ignore[attr-defined]


def declare_matcher(m: Meta, value: Expr, info: MatcherInfo) -> tuple[str, tuple[Level, ...]]:
    """Declare a matcher unless an equal one exists; return the name of the constant and its levels here."""
    params, closed, levels = closed_levels(m, value)
    env = m.env
    for name, known in env.matchers.items():
        decl = env.find(name)
        alike = known.alt_arities == info.alt_arities and known.num_discrs == info.num_discrs
        alike = alike and isinstance(decl, Definition) and decl.level_params == params
        if alike and isinstance(decl, Definition) and alpha_eq(decl.value, closed):
            return name, levels
    index = 1
    prefix = f"{m.auxiliary_prefix}.{m.matcher_word}_"
    while env.find(f"{prefix}{index}") is not None:
        index += 1
    name = f"{prefix}{index}"
    type_ = m.instantiate_mvars(infer_type(m, closed))
    env.kernel.add_definition(name, params, type_, closed, abbrev=True)
    env.matchers[name] = MatcherInfo(name, info.num_params, info.num_discrs, info.alt_arities, info.has_unit)
    return name, levels
