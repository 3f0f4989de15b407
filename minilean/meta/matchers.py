"""Reduction of matchers, the functions that `match` expressions are compiled to.

Source: Lean 4 `src/Lean/Meta/WHNF.lean` (`reduceMatcher?`, 4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Definition
from minilean.kernel.expr import Const, Expr, Pi, get_app, mk_apps
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params
from minilean.kernel.traversal import subterms
from minilean.meta.extension import DEFAULT_TRANSPARENCY, INSTANCES, MatcherInfo
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta

_TEXT_TESTS = ("instDecidableEqChar", "instDecidableEqString")


def _compares_text(m: Meta, matcher: Definition) -> bool:
    """Return whether a matcher compares with character or string literals, whose equality is decided by evaluation.

    Source: Lean 4 `src/Lean/Meta/WHNF.lean` (`canUnfoldAtMatcher`).
    """
    key = ("compares text", matcher.name)
    if key not in m.env.memo:
        m.env.memo[key] = any(type(e) is Const and e.name in _TEXT_TESTS for e in subterms(matcher.value))
    return bool(m.env.memo[key])


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
        least = DEFAULT_TRANSPARENCY if _compares_text(m, decl) else INSTANCES
        with m.with_transparency(max(m.transparency, least)):
            out = m.whnf(beta_apply(value, [*args[:first], *marks]))
    finally:
        m.lctx = old
    head, values = get_app(out)
    if head not in marks:
        return None
    alternative = args[first + marks.index(head)]
    return beta_apply(alternative, [*values, *args[info.arity :]])
