"""Auxiliary definitions `below` and `brecOn` of recursive types; `inj` and `injEq` of constructors.

`T.below motive t` holds the values of `motive` at all subterms of `t`, as nested pairs; `T.brecOn t F` computes
`motive t` with `F`, which may use those values.

Source: Lean 4 `src/Lean/Meta/Constructions/BRecOn.lean`, `src/Lean/Meta/Injective.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    Expr,
    FVar,
    Pi,
    get_app,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, instantiate1, instantiate_level_params
from minilean.kernel.level import ONE, ZERO, Level, is_zero, mk_max, mk_param, mk_succ
from minilean.meta.context import LocalContext
from minilean.meta.extension import DEFAULT_PRIORITY, REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq


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

    def value_of(hs: list[tuple[FVar, int, list[Expr]]], k: int, target: list[Expr]) -> Expr:
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
            about.append((motives.index(fn), args))  # type: ignore[arg-type]
        else:
            fields.append(x)
    fn, args = get_app(result)
    return fields, hyps, about, (motives.index(fn), args)  # type: ignore[arg-type]


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


def _minor(m: Meta, minor: FVar, motives: Sequence[FVar], build, ih_type: Expr) -> Expr:  # type: ignore[no-untyped-def]
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


def _below_value(hs, pair, u: Level, top: Level) -> Expr:  # type: ignore[no-untyped-def]
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


def _pair_minor(m: Meta, minor: FVar, motives: Sequence[FVar], pair, value_of) -> Expr:  # type: ignore[no-untyped-def]
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


# --- injectivity ----------------------------------------------------------------------------------------------


def add_injectivity(env: LeanEnv, name: str) -> None:
    """Prove `c.inj` and the `simp` lemma `c.injEq` for each constructor with fields of a data type."""
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    if env.find("propext") is None or env.find("and_self") is None or _is_proposition(env, decl):
        return
    for ctor_name in decl.constructors:
        ctor = env.find(ctor_name)
        assert isinstance(ctor, Constructor)
        if ctor.num_fields and env.find(f"{ctor_name}.inj") is None and decl.num_indices == 0:
            _add_injective(env, decl, ctor)


def _is_proposition(env: LeanEnv, decl: Inductive) -> bool:
    m = MetaM(env)
    _, sort = m.intro_binders(decl.type)
    return is_zero(getattr(sort, "level", ONE))


def _add_injective(env: LeanEnv, decl: Inductive, ctor: Constructor) -> None:
    m = MetaM(env)
    levels = tuple(mk_param(p) for p in decl.level_params)
    params, rest = m.intro_binders(ctor.type, ctor.num_params)
    left, _ = m.intro_binders(rest, ctor.num_fields)
    right: list[FVar] = []
    type_ = rest
    for _ in left:
        assert type(type_) is Pi
        right.append(m.push_local(f"{type_.name}_1", type_.type))
        type_ = instantiate1(type_.body, right[-1])
    equations: list[tuple[Expr, Expr, Expr, Level]] = []
    data: list[int] = []
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        a_type, b_type = m.local(a).type, m.local(b).type
        if is_prop(m, a_type):
            continue
        if not is_def_eq(m, a_type, b_type):
            return  # the type depends on other fields: heterogeneous equations are not supported
        data.append(i)
        equations.append((a_type, a, b, sort_level(m, a_type)))
    if not equations:
        return
    props = [mk_apps(mk_const("Eq", (u,)), (t, a, b)) for t, a, b, u in equations]
    conclusion = props[-1]
    for prop in reversed(props[:-1]):
        conclusion = mk_apps(mk_const("And"), (prop, conclusion))
    head = mk_apps(mk_const(ctor.name, levels), params)
    whole = infer_type(m, mk_apps(head, left))
    u = sort_level(m, whole)
    premise = mk_apps(mk_const("Eq", (u,)), (whole, mk_apps(head, left), mk_apps(head, right)))
    h = m.push_local("a✝", premise)
    proofs = [
        _project(m, decl, ctor, levels, params, left, right, data[k], whole, u, equations[k], h)
        for k in range(len(data))
    ]
    proof = proofs[-1]
    for k in range(len(proofs) - 2, -1, -1):
        tail = conclusion_from(props, k + 1)
        proof = mk_apps(mk_const("And.intro"), (props[k], tail, proofs[k], proof))
    fields = [*params, *left, *right]
    inj_type = m.mk_pi([*fields, h], conclusion)
    inj_value = m.mk_lambda([*fields, h], proof)
    env.kernel.add_theorem(
        f"{ctor.name}.inj", decl.level_params, _with_infos(inj_type, len(fields)), inj_value
    )
    if len(data) == len(left):
        back = _congruence(m, head, left, equations, props)
        if back is not None:
            inj = mk_apps(mk_const(f"{ctor.name}.inj", levels), fields)
            iff = mk_apps(mk_const("Iff.intro"), (premise, conclusion, inj, back))
            value = mk_apps(mk_const("propext"), (premise, conclusion, iff))
            equality = mk_apps(mk_const("Eq", (ONE,)), (mk_sort(ZERO), premise, conclusion))
            type_ = _with_infos(m.mk_pi(fields, equality), len(params))
            full = f"{ctor.name}.injEq"
            env.kernel.add_theorem(full, decl.level_params, type_, m.mk_lambda(fields, value))
            env.simp_lemmas[full] = DEFAULT_PRIORITY


def _congruence(
    m: Meta,
    head: Expr,
    left: Sequence[FVar],
    equations: Sequence[tuple[Expr, Expr, Expr, Level]],
    props: Sequence[Expr],
) -> Expr | None:
    """Prove the equation between the constructor applications from those between the fields.

    Returns `None` where the type of a field depends on another field.
    """
    conclusion = conclusion_from(props, 0)
    h = m.push_local("h", conclusion)
    head_type = infer_type(m, head)
    proof: Expr | None = None
    rest: Expr = h
    for k, (type_, a, b, u) in enumerate(equations):
        if k < len(equations) - 1:
            tail = conclusion_from(props, k + 1)
            equation = mk_apps(mk_const("And.left"), (props[k], tail, rest))
            rest = mk_apps(mk_const("And.right"), (props[k], tail, rest))
        else:
            equation = rest
        assert type(head_type) is Pi
        if head_type.body.loose:
            return None
        result = head_type.body
        v = sort_level(m, result)
        if proof is None:
            proof = mk_apps(mk_const("congrArg", (u, v)), (type_, result, a, b, head, equation))
            f, g = mk_app(head, a), mk_app(head, b)
        else:
            proof = mk_apps(mk_const("congr", (u, v)), (type_, result, f, g, a, b, proof, equation))
            f, g = mk_app(f, a), mk_app(g, b)
        head_type = result
    return None if proof is None else m.mk_lambda([h], proof)


def conclusion_from(props: Sequence[Expr], start: int) -> Expr:
    """Return the conjunction of the equations from `start` on."""
    out = props[-1]
    for prop in reversed(props[start:-1]):
        out = mk_apps(mk_const("And"), (prop, out))
    return out


def _project(m, decl, ctor, levels, params, left, right, i, whole, u, equation, h) -> Expr:  # type: ignore[no-untyped-def]
    """Prove the equation between fields `i` by applying the projection to field `i` to both sides."""
    type_, a, _, v = equation
    motive = mk_lam("x", whole, type_, DEFAULT)
    minors = []
    for name in decl.constructors:
        other = m.env.find(name)
        rest = instantiate_level_params(other.type, other.level_params, levels)
        for p in params:
            rest = instantiate1(rest.body, p)  # type: ignore[attr-defined]
        old = m.lctx
        fields, _ = m.intro_binders(rest, other.num_fields)
        minors.append(m.mk_lambda(fields, fields[i] if name == ctor.name else a))
        m.lctx = old
    var = m.push_local("x", whole)
    cases_on = mk_const(f"{decl.name}.casesOn", (v, *levels))
    fn = m.mk_lambda([var], mk_apps(cases_on, [*params, motive, var, *minors]))
    sides = [mk_apps(mk_apps(mk_const(ctor.name, levels), params), xs) for xs in (left, right)]
    return mk_apps(mk_const("congrArg", (u, v)), (whole, type_, *sides, fn, h))


def _with_infos(type_: Expr, count: int) -> Expr:
    if count == 0:
        return type_
    assert type(type_) is Pi
    return mk_pi(type_.name, type_.type, _with_infos(type_.body, count - 1), IMPLICIT)
