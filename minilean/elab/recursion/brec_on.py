"""Auxiliary definitions `below` and `brecOn` of recursive types.

`T.below motive t` holds the values of `motive` at all subterms of `t`, as nested pairs; `T.brecOn t F` computes
`motive t` with `F`, which may use those values.

Source: Lean 4 `src/Lean/Meta/Constructions/BRecOn.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from minilean.kernel.declaration import Inductive, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    Expr,
    FVar,
    Pi,
    get_app,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.instantiate import abstract
from minilean.kernel.level import ONE, Level, mk_max, mk_param, mk_succ
from minilean.meta.context import LocalContext
from minilean.meta.extension import REDUCIBLE, LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta

Hypothesis: TypeAlias = tuple[FVar, int, list[Expr]]
"""Induction hypothesis, with the number of its motive and the arguments of that."""
PairOf: TypeAlias = Callable[[int, Sequence[Expr]], Expr]
"""From the number of a motive and its arguments: the type of pairs of a value and `below`."""


def add_recursion(env: LeanEnv, name: str) -> None:
    """Define `below` and `brecOn` for recursive types of data that are not reflexive.

    Args:
        env: Gets the definitions.
        name: The first type of the group. Those of nested types have its name: `Tree.below_1`, `Tree.brecOn_1`.
    """
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    recs = []
    for rec_name in decl.recursors:
        rec = env.find(rec_name)
        assert isinstance(rec, Recursor)
        recs.append(rec)
    if not decl.is_recursive or env.find("PProd") is None or not decl.large_elim:
        return
    for rec in recs:
        shape = _Shape(env, rec)
        if any(_is_reflexive(shape.m, minor, shape.motives) for minor in shape.minors):
            return
        _add_below(env, shape)
    for number, rec in enumerate(recs):
        _add_brec_on(env, _Shape(env, rec), recs, number)


class _Shape:
    """The arguments of a recursor as variables."""

    def __init__(self, env: LeanEnv, rec: Recursor) -> None:
        self.m = MetaM(env)
        self.rec = rec
        fvars, _ = self.m.intro_binders(rec.type)
        self.params = fvars[: rec.num_params]
        self.motives = fvars[rec.num_params : rec.first_minor]
        self.minors = fvars[rec.first_minor : rec.first_index]
        self.rest = fvars[rec.first_index :]
        self.u = mk_param(rec.level_params[0])
        self.top: Level = mk_max(ONE, self.u)
        self.own = tuple(mk_param(p) for p in rec.level_params[1:])

    def targets(self, motive: FVar) -> tuple[LocalContext, list[FVar]]:
        """Return variables for the arguments of a motive, and the context with them."""
        m = self.m
        old = m.lctx
        targets, _ = m.intro_binders(m.local(motive).type)
        inner, m.lctx = m.lctx, old
        return inner, targets


def auxiliary_name(rec_name: str, word: str) -> str:
    """Return the name of `below` or `brecOn` that belongs to a recursor: `T.below_1` for `T.rec_1`."""
    prefix, _, last = rec_name.rpartition(".")
    return f"{prefix}.{word}{last.removeprefix('rec')}"


def _add_below(env: LeanEnv, shape: _Shape) -> None:
    """Define `below`: the recursor into the universe of all the values."""
    m, top = shape.m, shape.top
    motives = []
    for motive in shape.motives:
        inner, targets = shape.targets(motive)
        with m.with_lctx(inner):
            motives.append(m.mk_lambda(targets, mk_sort(top)))
    rec_const = mk_const(shape.rec.name, (mk_succ(top), *shape.own))
    parts = [
        _minor(m, minor, shape.motives, lambda hs: _below_type(hs, shape.u, top), mk_sort(top))
        for minor in shape.minors
    ]
    value = mk_apps(rec_const, [*shape.params, *motives, *parts, *shape.rest])
    order = [*shape.params, *shape.motives, *shape.rest]
    _define(env, shape, auxiliary_name(shape.rec.name, "below"), order, mk_sort(top), value)


def _add_brec_on(env: LeanEnv, shape: _Shape, recs: Sequence[Recursor], number: int) -> None:
    """Define `brecOn`: the recursor at pairs of the value and `below`."""
    m, u, top = shape.m, shape.u, shape.top
    levels = tuple(mk_param(p) for p in shape.rec.level_params)
    belows = [
        mk_apps(mk_const(auxiliary_name(rec.name, "below"), levels), [*shape.params, *shape.motives])
        for rec in recs
    ]

    def pair(k: int, args: Sequence[Expr]) -> Expr:
        types = (mk_apps(shape.motives[k], args), mk_apps(belows[k], args))
        return mk_apps(mk_const("PProd", (u, top)), types)

    steps: list[FVar] = []
    pairs: list[Expr] = []
    for k, motive in enumerate(shape.motives):
        inner, targets = shape.targets(motive)
        with m.with_lctx(inner):
            pairs.append(m.mk_lambda(targets, pair(k, targets)))
            body = mk_pi("f", mk_apps(belows[k], targets), mk_apps(motive, targets))
            step_type = m.mk_pi(targets, body)
        steps.append(m.push_local(f"F_{k + 1}", step_type))

    def value_of(hs: list[Hypothesis], k: int, target: list[Expr]) -> Expr:
        below_value = _below_value(hs, pair, u, top)
        value = mk_apps(steps[k], [*target, below_value])
        types = (mk_apps(shape.motives[k], target), mk_apps(belows[k], target))
        return mk_apps(mk_const("PProd.mk", (u, top)), (*types, value, below_value))

    rec_const = mk_const(shape.rec.name, (top, *shape.own))
    parts = [_pair_minor(m, minor, shape.motives, pair, value_of) for minor in shape.minors]
    value = mk_proj("PProd", 0, mk_apps(rec_const, [*shape.params, *pairs, *parts, *shape.rest]))
    order = [*shape.params, *shape.motives, *shape.rest, *steps]
    result = mk_apps(shape.motives[number], shape.rest)
    _define(env, shape, auxiliary_name(shape.rec.name, "brecOn"), order, result, value)


def _split(
    m: Meta, minor: FVar, motives: Sequence[FVar]
) -> tuple[list[FVar], list[FVar], list[tuple[int, list[Expr]]], tuple[int, list[Expr]]]:
    """Split a minor premise into fields and hypotheses; return with them the motives, by number, and their arguments.

    Returns:
        Fields, hypotheses, motive and arguments of each hypothesis, motive and arguments of the conclusion.
    """
    fvars, result = m.intro_binders(m.local(minor).type)
    fields, hyps, about = [], [], []
    for x in fvars:
        fn, args = get_app(m.local(x).type)
        if fn in motives:
            hyps.append(x)
            about.append((motives.index(fn), args))
        else:
            fields.append(x)
    fn, args = get_app(result)
    return fields, hyps, about, (motives.index(fn), args)


def _is_reflexive(m: Meta, minor: FVar, motives: Sequence[FVar]) -> bool:
    type_ = m.local(minor).type
    while type(type_) is Pi:
        inner = type_.type
        if type(inner) is Pi:
            while type(inner) is Pi:
                inner = inner.body
            if get_app_fn(inner) in motives:
                return True
        type_ = type_.body
    return False


def _minor(
    m: Meta,
    minor: FVar,
    motives: Sequence[FVar],
    build: Callable[[list[tuple[Expr, Expr]]], Expr],
    ih_type: Expr,
) -> Expr:
    """Build a minor premise of `below`, whose induction hypotheses are types."""
    old = m.lctx
    try:
        fields, hyps, about, _ = _split(m, minor, motives)
        types = [m.push_local(m.local(h).name, ih_type) for h in hyps]
        body = build([(mk_apps(motives[k], args), t) for (k, args), t in zip(about, types, strict=True)])
        bound: list[FVar] = [*fields, *types]
        return m.mk_lambda(bound, body)
    finally:
        m.lctx = old


def _below_type(pairs: list[tuple[Expr, Expr]], u: Level, top: Level) -> Expr:
    if not pairs:
        return mk_const("PUnit", (top,))
    out: Expr | None = None
    for value, below in reversed(pairs):
        one = mk_apps(mk_const("PProd", (u, top)), (value, below))
        out = one if out is None else mk_apps(mk_const("PProd", (top, top)), (one, out))
    assert out is not None
    return out


def _below_value(hs: Sequence[Hypothesis], pair: PairOf, u: Level, top: Level) -> Expr:
    if not hs:
        return mk_const("PUnit.unit", (top,))
    value: Expr | None = None
    type_: Expr | None = None
    for h, k, args in reversed(hs):
        if value is None or type_ is None:
            value, type_ = h, pair(k, args)
        else:
            value = mk_apps(mk_const("PProd.mk", (top, top)), (pair(k, args), type_, h, value))
            type_ = mk_apps(mk_const("PProd", (top, top)), (pair(k, args), type_))
    assert value is not None
    return value


def _pair_minor(
    m: Meta,
    minor: FVar,
    motives: Sequence[FVar],
    pair: PairOf,
    value_of: Callable[[list[Hypothesis], int, list[Expr]], Expr],
) -> Expr:
    old = m.lctx
    try:
        fields, hyps, about, target = _split(m, minor, motives)
        found = [
            (m.push_local(m.local(h).name, pair(k, args)), k, args)
            for h, (k, args) in zip(hyps, about, strict=True)
        ]
        return m.mk_lambda([*fields, *(x for x, _, _ in found)], value_of(found, *target))
    finally:
        m.lctx = old


def _define(env: LeanEnv, shape: _Shape, full: str, order: list[FVar], result: Expr, value: Expr) -> None:
    m, rec = shape.m, shape.rec
    implicit = {x.id for x in order[: rec.first_minor + rec.num_indices]}
    type_, body = abstract(result, order), abstract(value, order)
    for i in range(len(order) - 1, -1, -1):
        decl = m.local(order[i])
        info = IMPLICIT if order[i].id in implicit else DEFAULT
        domain = abstract(decl.type, order[:i])
        type_ = mk_pi(decl.name, domain, type_, info)
        body = mk_lam(decl.name, domain, body, info)
    env.kernel.add_definition(full, rec.level_params, type_, body, abbrev=True)
    env.reducibility[full] = REDUCIBLE
    env.protected.add(full)
