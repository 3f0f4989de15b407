"""Auxiliary definitions of inductive types and structures: `casesOn`, `recOn`, projections.

Source: Lean 4 `src/Lean/AuxRecursor.lean`, `src/library/constructions/cases_on.cpp`, `Elab/Structure.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    Const,
    Expr,
    FVar,
    Pi,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_proj,
)
from minilean.kernel.instantiate import abstract, instantiate, instantiate1
from minilean.kernel.level import ZERO, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.extension import REDUCIBLE, LeanEnv, ProjectionInfo, StructureInfo
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import occurs_fvar


def add_auxiliary_recursors(env: LeanEnv, name: str) -> None:
    """Define `name.casesOn` and `name.recOn` through `name.rec`."""
    _add_cases_on(env, name)
    rec = env.find(f"{name}.rec")
    assert isinstance(rec, Recursor)
    m = MetaM(env)
    fvars, result = m.intro_binders(rec.type)
    head, minors = fvars[: rec.first_minor], fvars[rec.first_minor : rec.first_index]
    rest = fvars[rec.first_index :]
    value = mk_apps(_constant(rec), fvars)
    _define_auxiliary(env, m, f"{name}.recOn", rec, [*head, *rest, *minors], result, value)


def _constant(rec: Recursor) -> Expr:
    return mk_const(rec.name, tuple(mk_param(p) for p in rec.level_params))


def minor_arities(env: LeanEnv, rec: Recursor) -> list[tuple[int, int]]:
    """Return for each minor premise of a recursor the number of its motive, and of its fields."""
    group = env.find(rec.all[0])
    assert isinstance(group, Inductive)
    found = []
    for number, name in enumerate(group.recursors):
        other = env.find(name)
        assert isinstance(other, Recursor)
        found += [(number, rule.num_fields) for rule in other.rules]
    return found


def _add_cases_on(env: LeanEnv, name: str) -> None:
    """Define `name.casesOn`: the other motives of the group are constantly `PUnit`."""
    rec = env.find(f"{name}.rec")
    assert isinstance(rec, Recursor)
    own = rec.all.index(name)
    m = MetaM(env)
    params, type_ = m.intro_binders(rec.type, rec.num_params)
    elim = (
        mk_param(rec.level_params[0])
        if len(rec.level_params) > len(env.kernel.get(name).level_params)
        else ZERO
    )
    trivial: Expr = mk_const("True") if elim is ZERO else mk_const("PUnit", (elim,))
    proof = mk_const("True.intro") if elim is ZERO else mk_const("PUnit.unit", (elim,))
    motives: list[Expr] = []
    for i in range(rec.num_motives):
        assert type(type_) is Pi
        if i == own:
            motive: Expr = m.push_local(type_.name, type_.type)
        else:
            old = m.lctx
            targets, _ = m.intro_binders(type_.type)
            motive = m.mk_lambda(targets, trivial)
            m.lctx = old
        motives.append(motive)
        type_ = instantiate1(type_.body, motive)
    minors: list[FVar] = []
    values: list[Expr] = []
    for number, fields in minor_arities(env, rec):
        assert type(type_) is Pi
        old = m.lctx
        xs, result = m.intro_binders(type_.type)
        inner, m.lctx = m.lctx, old
        value: Expr = proof
        if number == own:
            with m.with_lctx(inner):
                minor_type = m.mk_pi(xs[:fields], result)
            minors.append(m.push_local(type_.name, minor_type))
            value = mk_apps(minors[-1], xs[:fields])
        with m.with_lctx(inner):
            values.append(m.mk_lambda(xs, value))
        type_ = type_.body
    rest, result = m.intro_binders(type_)
    whole = mk_apps(_constant(rec), [*params, *motives, *values, *rest])
    _define_auxiliary(env, m, f"{name}.casesOn", rec, [*params, motives[own], *rest, *minors], result, whole)  # type: ignore[list-item]


def _define_auxiliary(
    env: LeanEnv, m: Meta, full: str, rec: Recursor, order: list[FVar], result: Expr, value: Expr
) -> None:
    """Define an eliminator; what its later arguments determine is implicit."""
    infos = {}
    for i, x in enumerate(order):
        later = [m.local(y).type for y in order[i + 1 :]]
        if any(x in set(subterms(type_)) for type_ in later):
            infos[x.id] = IMPLICIT
    type_, body = _close(m, order, infos, result, value)
    env.kernel.add_definition(full, rec.level_params, type_, body, abbrev=True)
    env.reducibility[full] = REDUCIBLE
    env.protected.add(full)


def _close(m: Meta, order: list[FVar], infos: dict[int, int], result: Expr, value: Expr) -> tuple[Expr, Expr]:
    """Close a type with Pi and a value with lambda over `order`, with the binder kinds of `infos`."""
    type_, body = abstract(result, order), abstract(value, order)
    for i in range(len(order) - 1, -1, -1):
        decl = m.local(order[i])
        info = infos.get(order[i].id, DEFAULT)
        domain = abstract(decl.type, order[:i])
        type_ = mk_pi(decl.name, domain, type_, info)
        body = mk_lam(decl.name, domain, body, info)
    return type_, body


def add_projections(env: LeanEnv, name: str, fields: tuple[str, ...], is_class: bool) -> None:
    """Define one projection function per field and record the structure."""
    decl = env.find(name)
    assert isinstance(decl, Inductive)
    ctor = env.find(decl.constructors[0])
    assert isinstance(ctor, Constructor)
    env.structures[name] = StructureInfo(name, ctor.name, fields, decl.num_params, is_class)
    levels = tuple(mk_param(p) for p in decl.level_params)
    m = MetaM(env)
    params, rest = m.intro_binders(ctor.type, decl.num_params)
    self_type = mk_apps(mk_const(name, levels), params)
    self_var = m.push_local("self", self_type, INST if is_class else DEFAULT)
    type_ = rest
    for i, field in enumerate(fields):
        assert type(type_) is Pi
        value = mk_proj(name, i, self_var)
        full = f"{name}.{field}"
        infos = _projection_infos(m, params, self_var, type_.type, is_class)
        closed_type, closed_value = _close(m, [*params, self_var], infos, type_.type, value)
        env.kernel.add_definition(full, decl.level_params, closed_type, closed_value, abbrev=True)
        env.reducibility[full] = REDUCIBLE
        env.projections[full] = ProjectionInfo(name, i, decl.num_params, is_class)
        applied = mk_apps(mk_const(full, levels), [*params, self_var])
        type_ = instantiate(type_.body, [applied])


def _projection_infos(
    m: Meta, params: list[FVar], self_var: FVar, field: Expr, is_class: bool
) -> dict[int, int]:
    """Return the binder kinds of a projection: implicit is what a later explicit argument or the result determines.

    Source: `Lean.Meta.mkProjections` (src/Lean/Meta/Structure.lean) and `Lean.Expr.inferImplicit` (src/Lean/Expr.lean).
    """
    infos = {x.id: _parameter_info(m, x, is_class) for x in params}
    infos[self_var.id] = INST if is_class else DEFAULT
    shown = []
    while type(field) is Pi:
        shown += [field.type] if field.info == DEFAULT else []
        field = field.body
    shown += [field, m.local(self_var).type] if infos[self_var.id] == DEFAULT else [field]
    for param in reversed(params):
        if infos[param.id] == DEFAULT:
            infos[param.id] = IMPLICIT if any(occurs_fvar(e, param) for e in shown) else DEFAULT
        if infos[param.id] == DEFAULT:
            shown.append(m.local(param).type)
    return infos


def _parameter_info(m: Meta, param: FVar, is_class: bool) -> int:
    decl = m.local(param)
    if decl.info == INST:
        return IMPLICIT if is_class else INST
    fn = get_app_fn(decl.type)
    return IMPLICIT if type(fn) is Const and fn.name == "outParam" else DEFAULT
