"""Coercions by instances of `Coe`, `CoeHead`, `CoeOut`, `CoeTail`, `CoeDep`, `CoeFun` and `CoeSort`.

The instance is unfolded: the term shows the function that the instance gives, not the instance. Coercions are not
chained.

Source: Lean 4 `src/Init/Coe.lean`, `src/Lean/Meta/Coe.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import Const, Expr, get_app, mk_app, mk_apps, mk_const, mk_pi, mk_sort
from minilean.kernel.instantiate import head_beta
from minilean.meta.extension import INSTANCES
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.whnf import whnf

_CLASSES = ("CoeHead", "CoeOut", "Coe", "CoeTail")


def coercion(m: Meta, e: Expr, type_: Expr, expected: Expr) -> Expr | None:
    """Coerce `e : type_` to `expected` by an instance; `None` if there is none."""
    e, type_, expected = (m.instantiate_mvars(x) for x in (e, type_, expected))
    if has_expr_mvar(type_) or has_expr_mvar(expected) or m.env.find("Coe") is None:
        return None
    levels = (sort_level(m, type_), sort_level(m, expected))
    if "CoeDep" in m.env.instances:
        made = _method(m, mk_apps(mk_const("CoeDep", levels), (type_, e, expected)), None)
        if made is not None:
            return made
    for name in _CLASSES:
        if name in m.env.instances:
            made = _method(m, mk_apps(mk_const(name, levels), (type_, expected)), e)
            if made is not None:
                return made
    return None


def coercion_to_function(m: Meta, e: Expr, type_: Expr) -> Expr | None:
    """Coerce `e : type_` to a function by `CoeFun`; `None` if there is no instance."""
    type_ = m.instantiate_mvars(type_)
    if has_expr_mvar(type_) or "CoeFun" not in m.env.instances:
        return None
    level = m.new_level_mvar()
    family = m.new_mvar(mk_pi("a", type_, mk_sort(level)))
    return _method(m, mk_apps(mk_const("CoeFun", (sort_level(m, type_), level)), (type_, family)), e)


def coercion_to_type(m: Meta, e: Expr, type_: Expr) -> Expr | None:
    """Coerce `e : type_` to a type by `CoeSort`; `None` if there is no instance."""
    type_ = m.instantiate_mvars(type_)
    if has_expr_mvar(type_) or "CoeSort" not in m.env.instances:
        return None
    level = m.new_level_mvar()
    sort = m.new_mvar(mk_sort(level))
    return _method(m, mk_apps(mk_const("CoeSort", (sort_level(m, type_), level)), (type_, sort)), e)


def _method(m: Meta, class_type: Expr, arg: Expr | None) -> Expr | None:
    """Return the only field of an instance of the class, applied to `arg`; `None` if there is no instance."""
    mark = m.mctx.mark()
    instance = synth_instance(m, class_type)
    if instance is None:
        m.mctx.rollback(mark)
        return None
    instance = m.instantiate_mvars(instance)
    with m.with_transparency(INSTANCES):
        made = whnf(m, instance)
    fn, args = get_app(made)
    name = _class_of(m, instance)
    if type(fn) is Const and fn.name == f"{name}.mk":
        method = args[-1]
    else:
        class_fn, class_args = get_app(m.instantiate_mvars(class_type))
        assert type(class_fn) is Const
        method = mk_apps(mk_const(f"{name}.coe", class_fn.levels), [*class_args, instance])
    return head_beta(method) if arg is None else head_beta(mk_app(method, arg))


def _class_of(m: Meta, instance: Expr) -> str:
    """Return the class of an instance."""
    fn, _ = get_app(m.instantiate_mvars(infer_type(m, instance)))
    assert type(fn) is Const
    return fn.name
