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
from minilean.meta.extension import DEFAULT_PRIORITY, REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq


def add_recursion(env: LeanEnv, name: str) -> None:
    """Define `name.below` and `name.brecOn` for a recursive type of data that is not reflexive."""
    rec = env.find(f"{name}.rec")
    decl = env.find(name)
    assert isinstance(rec, Recursor) and isinstance(decl, Inductive)
    if not decl.is_recursive or env.find("PProd") is None or len(rec.level_params) == len(decl.level_params):
        return
    u = mk_param(rec.level_params[0])
    top: Level = mk_max(ONE, u)
    m = MetaM(env)
    fvars, _ = m.intro_binders(rec.type)
    n = rec.num_params
    params, motive = fvars[:n], fvars[n]
    minors = fvars[n + 1 : n + 1 + rec.num_minors]
    rest = fvars[n + 1 + rec.num_minors :]
    if any(_is_reflexive(m, minor, motive) for minor in minors):
        return
    own = tuple(mk_param(p) for p in rec.level_params[1:])
    # below: the recursor into the universe of all the values
    below_motive = m.mk_lambda(rest, mk_sort(top))
    rec_const = mk_const(rec.name, (mk_succ(top), *own))
    parts = [
        _minor(m, minor, motive, rec, lambda hs: _below_type(hs, u, top), mk_sort(top)) for minor in minors
    ]
    value = mk_apps(rec_const, [*params, below_motive, *parts, *rest])
    _define(env, m, f"{name}.below", rec, [*params, motive, *rest], mk_sort(top), value, motive)
    # brecOn: the recursor at pairs of the value and `below`
    below = mk_const(f"{name}.below", tuple(mk_param(p) for p in rec.level_params))

    def below_at(args: Sequence[Expr]) -> Expr:
        return mk_apps(below, [*params, motive, *args])

    def pair(args: Sequence[Expr]) -> Expr:
        return mk_apps(mk_const("PProd", (u, top)), (mk_apps(motive, args), below_at(args)))

    step_type = m.mk_pi(rest, mk_pi("f", below_at(rest), mk_apps(motive, rest)))
    step = m.push_local("F_1", step_type)
    pairs = m.mk_lambda(rest, pair(rest))
    rec_const = mk_const(rec.name, (top, *own))

    def value_of(hs: list[tuple[FVar, list[Expr]]], target: list[Expr]) -> Expr:
        below_value = _below_value(hs, pair, u, top)
        value = mk_apps(step, [*target, below_value])
        types = (mk_apps(motive, target), below_at(target))
        return mk_apps(mk_const("PProd.mk", (u, top)), (*types, value, below_value))

    parts = [_pair_minor(m, minor, motive, pair, value_of) for minor in minors]
    value = mk_proj("PProd", 0, mk_apps(rec_const, [*params, pairs, *parts, *rest]))
    order = [*params, motive, *rest, step]
    _define(env, m, f"{name}.brecOn", rec, order, mk_apps(motive, rest), value, motive)


def _split(m: Meta, minor: FVar, motive: FVar) -> tuple[list[FVar], list[FVar], list[list[Expr]], list[Expr]]:
    """Split a minor premise into fields, hypotheses, the motive's arguments in these, and those in the conclusion."""
    fvars, result = m.intro_binders(m.local(minor).type)
    fields, hyps, about = [], [], []
    for x in fvars:
        fn, args = get_app(m.local(x).type)
        if fn is motive:
            hyps.append(x)
            about.append(args)
        else:
            fields.append(x)
    return fields, hyps, about, get_app(result)[1]


def _is_reflexive(m: Meta, minor: FVar, motive: FVar) -> bool:
    type_ = m.local(minor).type
    while type(type_) is Pi:
        inner = type_.type
        if type(inner) is Pi:
            while type(inner) is Pi:
                inner = inner.body
            if get_app_fn(inner) is motive:
                return True
        type_ = type_.body
    return False


def _minor(m: Meta, minor: FVar, motive: FVar, rec: Recursor, build, ih_type: Expr) -> Expr:  # type: ignore[no-untyped-def]
    """Build a minor premise of `below`, whose induction hypotheses are types."""
    old = m.lctx
    try:
        fields, hyps, about, _ = _split(m, minor, motive)
        types = [m.push_local(m.local(h).name, ih_type) for h in hyps]
        body = build([(mk_apps(motive, args), t) for args, t in zip(about, types, strict=True)])
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
    for h, args in reversed(hs):
        if value is None or type_ is None:
            value, type_ = h, pair(args)
        else:
            value = mk_apps(mk_const("PProd.mk", (top, top)), (pair(args), type_, h, value))
            type_ = mk_apps(mk_const("PProd", (top, top)), (pair(args), type_))
    assert value is not None
    return value


def _pair_minor(m: Meta, minor: FVar, motive: FVar, pair, value_of) -> Expr:  # type: ignore[no-untyped-def]
    old = m.lctx
    try:
        fields, hyps, about, target = _split(m, minor, motive)
        pairs = [m.push_local(m.local(h).name, pair(args)) for h, args in zip(hyps, about, strict=True)]
        return m.mk_lambda([*fields, *pairs], value_of(list(zip(pairs, about, strict=True)), target))
    finally:
        m.lctx = old


def _define(
    env: LeanEnv,
    m: Meta,
    full: str,
    rec: Recursor,
    order: list[FVar],
    result: Expr,
    value: Expr,
    motive: FVar,
) -> None:
    implicit = {x.id for x in order[: rec.num_params + 1 + rec.num_indices]}
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
    rec = m.env.find(f"{decl.name}.rec")
    motive = mk_lam("x", whole, type_, DEFAULT)
    minors = []
    for name in decl.constructors:
        other = m.env.find(name)
        rest = instantiate_level_params(other.type, other.level_params, levels)
        for p in params:
            rest = instantiate1(rest.body, p)  # type: ignore[attr-defined]
        old = m.lctx
        fields, _ = m.intro_binders(rest, other.num_fields)
        hyps = []
        for x in fields:
            x_type = m.local(x).type
            binders, body = m.intro_binders(x_type)
            if get_app_fn(body) is get_app_fn(whole):
                hyps.append(m.push_local("ih", m.mk_pi(binders, type_)))
        result = fields[i] if name == ctor.name else a
        minors.append(m.mk_lambda([*fields, *hyps], result))
        m.lctx = old
    var = m.push_local("x", whole)
    head = mk_apps(mk_const(rec.name, (v, *levels)), [*params, motive, *minors])
    fn = m.mk_lambda([var], mk_app(head, var))
    sides = [mk_apps(mk_apps(mk_const(ctor.name, levels), params), xs) for xs in (left, right)]
    return mk_apps(mk_const("congrArg", (u, v)), (whole, type_, *sides, fn, h))


def _with_infos(type_: Expr, count: int) -> Expr:
    if count == 0:
        return type_
    assert type(type_) is Pi
    return mk_pi(type_.name, type_.type, _with_infos(type_.body, count - 1), IMPLICIT)
