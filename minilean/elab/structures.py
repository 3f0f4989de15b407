"""Auxiliary definitions of inductive types and structures: `casesOn`, `recOn`, projections.

Source: Lean 4 `src/Lean/AuxRecursor.lean`, `src/library/constructions/cases_on.cpp`, `Elab/Structure.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
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
from minilean.kernel.level import mk_param
from minilean.meta.extension import REDUCIBLE, LeanEnv, ProjectionInfo, StructureInfo
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta


def add_auxiliary_recursors(env: LeanEnv, name: str) -> None:
    """Define `name.casesOn` and `name.recOn` through `name.rec`."""
    rec = env.find(f"{name}.rec")
    assert isinstance(rec, Recursor)
    const = mk_const(rec.name, tuple(mk_param(p) for p in rec.level_params))
    for suffix, keep_ih in (("casesOn", False), ("recOn", True)):
        m = MetaM(env)
        fvars, result = m.intro_binders(rec.type)
        n = rec.num_params
        params, motive = fvars[:n], fvars[n]
        minors = fvars[n + 1 : n + 1 + rec.num_minors]
        rest = fvars[n + 1 + rec.num_minors :]
        new_minors: list[FVar] = []
        rec_minors: list[Expr] = []
        for minor in minors:
            decl = m.local(minor)
            if keep_ih:
                new_minors.append(minor)
                rec_minors.append(minor)
                continue
            type_, wrap = _without_ih(m, decl.type, motive)
            new = m.push_local(decl.name, type_)
            new_minors.append(new)
            rec_minors.append(wrap(new))
        order = [*params, motive, *rest[: rec.num_indices], *rest[rec.num_indices :], *new_minors]
        value = mk_apps(const, [*params, motive, *rec_minors, *rest])
        infos = {x.id: IMPLICIT for x in [*params, *([motive] if minors else ()), *rest[: rec.num_indices]]}
        type_, body = _close(m, order, infos, result, value)
        full = f"{name}.{suffix}"
        env.kernel.add_definition(full, rec.level_params, type_, body, abbrev=True)
        env.reducibility[full] = REDUCIBLE
        env.protected.add(full)


def _without_ih(m: Meta, type_: Expr, motive: FVar):  # type: ignore[no-untyped-def]
    """Return a minor premise's type without induction hypotheses, and the map from such a premise to a full one."""
    old = m.lctx
    fields: list[FVar] = []
    all_args: list[FVar] = []
    while type(type_) is Pi:
        x = m.push_local(type_.name, type_.type, type_.info)
        body = type_.type
        while type(body) is Pi:
            body = body.body
        if get_app_fn(body) is not motive:
            fields.append(x)
        all_args.append(x)
        type_ = instantiate1(type_.body, x)
    new_type = m.mk_pi(fields, type_)
    inner = m.lctx
    m.lctx = old

    def wrap(minor: Expr) -> Expr:
        with m.with_lctx(inner):
            return m.mk_lambda(all_args, mk_apps(minor, fields))

    return new_type, wrap


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
    infos = {x.id: IMPLICIT for x in params}
    infos[self_var.id] = INST if is_class else DEFAULT
    type_ = rest
    for i, field in enumerate(fields):
        assert type(type_) is Pi
        value = mk_proj(name, i, self_var)
        full = f"{name}.{field}"
        closed_type, closed_value = _close(m, [*params, self_var], infos, type_.type, value)
        env.kernel.add_definition(full, decl.level_params, closed_type, closed_value, abbrev=True)
        env.reducibility[full] = REDUCIBLE
        env.projections[full] = ProjectionInfo(name, i, decl.num_params, is_class)
        applied = mk_apps(mk_const(full, levels), [*params, self_var])
        type_ = instantiate(type_.body, [applied])
