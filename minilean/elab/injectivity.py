"""Theorems `c.inj` and `c.injEq`: constructors are injective.

Source: Lean 4 `src/Lean/Meta/Injective.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    Expr,
    FVar,
    Pi,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import instantiate1, instantiate_level_params
from minilean.kernel.level import ONE, ZERO, Level, is_zero, mk_param
from minilean.meta.extension import DEFAULT_PRIORITY, LeanEnv
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq

Equation: TypeAlias = tuple[Expr, Expr, Expr, Level]
"""Equation `a = b` between fields: their type, `a`, `b` and the universe of the type."""


@dataclass(frozen=True, slots=True)
class _Sides:
    """Equation between two applications of a constructor.

    Attributes:
        ctor: The constructor.
        levels: Its universes.
        params: The parameters of its type, the same on both sides.
        left: The fields on the left side.
        right: The fields on the right side.
        type: The type of the sides.
        level: The universe of that type.
        proof: The equation as a hypothesis.
    """

    ctor: Constructor
    levels: tuple[Level, ...]
    params: Sequence[FVar]
    left: Sequence[FVar]
    right: Sequence[FVar]
    type: Expr
    level: Level
    proof: FVar


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
    equations: list[Equation] = []
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
    sides = _Sides(ctor, levels, params, left, right, whole, u, h)
    proofs = [_project(m, decl, sides, data[k], equations[k]) for k in range(len(data))]
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
    equations: Sequence[Equation],
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


def _project(m: Meta, decl: Inductive, of: _Sides, i: int, equation: Equation) -> Expr:
    """Prove the equation between fields `i` by applying the projection to field `i` to both sides."""
    type_, a, _, v = equation
    motive = mk_lam("x", of.type, type_, DEFAULT)
    minors = []
    for name in decl.constructors:
        other = m.env.find(name)
        assert isinstance(other, Constructor)
        rest = instantiate_level_params(other.type, other.level_params, of.levels)
        for p in of.params:
            assert type(rest) is Pi
            rest = instantiate1(rest.body, p)
        old = m.lctx
        fields, _ = m.intro_binders(rest, other.num_fields)
        minors.append(m.mk_lambda(fields, fields[i] if name == of.ctor.name else a))
        m.lctx = old
    var = m.push_local("x", of.type)
    cases_on = mk_const(f"{decl.name}.casesOn", (v, *of.levels))
    fn = m.mk_lambda([var], mk_apps(cases_on, [*of.params, motive, var, *minors]))
    head = mk_apps(mk_const(of.ctor.name, of.levels), of.params)
    sides = [mk_apps(head, xs) for xs in (of.left, of.right)]
    return mk_apps(mk_const("congrArg", (of.level, v)), (of.type, type_, *sides, fn, of.proof))


def _with_infos(type_: Expr, count: int) -> Expr:
    if count == 0:
        return type_
    assert type(type_) is Pi
    return mk_pi(type_.name, type_.type, _with_infos(type_.body, count - 1), IMPLICIT)
