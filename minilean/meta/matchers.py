"""Reduction of matchers, the functions that `match` expressions are compiled to.

Source: Lean 4 `src/Lean/Meta/WHNF.lean` (`reduceMatcher?`, 4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Definition
from minilean.kernel.expr import Const, Expr, Pi, get_app, mk_apps
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params
from minilean.meta.extension import INSTANCES, MatcherInfo
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta


def reduce_matcher(m: Meta, fn: Const, args: list[Expr], info: MatcherInfo) -> Expr | None:
    """Reduce a matcher to the alternative that its discriminants select; `None` if they do not select one."""
    if len(args) < info.arity:
        return None
    decl = m.env.find(fn.name)
    if type(decl) is not Definition or len(fn.levels) != len(decl.level_params):
        return None
    m.budget.spend("whnf")
    value = decl.value
    if fn.levels:
        value = instantiate_level_params(value, decl.level_params, fn.levels)
    first = info.arity - len(info.alt_arities)
    old = m.lctx
    type_ = infer_type(m, mk_apps(fn, args[:first]))
    marks: list[Expr] = []
    try:
        for _ in info.alt_arities:
            if type(type_) is not Pi:
                type_ = m.whnf(type_)
            mark = m.push_local("alt", type_.type, hidden=True)  # type: ignore[attr-defined]
            marks.append(mark)
            type_ = instantiate1(type_.body, mark)  # type: ignore[attr-defined]
        with m.with_transparency(max(m.transparency, INSTANCES)):
            out = m.whnf(beta_apply(value, [*args[:first], *marks]))
    finally:
        m.lctx = old
    head, values = get_app(out)
    if head not in marks:
        return None
    alternative = args[first + marks.index(head)]
    return beta_apply(alternative, [*values, *args[info.arity :]])
