"""Order of terms: rules such as commutativity are used only towards the smaller term.

Source: Lean 4 `src/Lean/Meta/ACLt.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import (
    INST,
    App,
    BVar,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    MVar,
    Pi,
    Proj,
    Sort,
    get_app,
)
from minilean.meta.fun_info import binder_infos
from minilean.meta.metavars import Meta


def term_less(m: Meta, a: Expr, b: Expr) -> bool:
    """Return whether one term is smaller in Lean's order for permuting rules, a lexicographic path order.

    Source: Lean 4 `src/Lean/Meta/ACLt.lean` (4.34). Instance arguments do not count.
    """
    if a is b:
        return False
    m.budget.spend("simp")
    # loops instead of `any` and `all`, which would recurse on the C stack
    for child in _children(m, b):
        if not term_less(m, child, a):
            return True
    ranks = _RANK.get(type(a), 9), _RANK.get(type(b), 9)
    less = ranks[0] < ranks[1] if ranks[0] != ranks[1] else _same_kind_less(m, a, b)
    if less:
        for child in _children(m, a):
            if not term_less(m, child, b):
                return False
    return less


_RANK = {BVar: 0, FVar: 1, MVar: 2, Sort: 3, Const: 4, Lit: 5, Proj: 7, App: 8, Lam: 9, Pi: 10, Let: 11}


def _children(m: Meta, e: Expr) -> list[Expr]:
    kind = type(e)
    if kind is App:
        fn, args = get_app(e)
        infos = binder_infos(m, fn, len(args))
        return [arg for info, arg in zip(infos, args, strict=False) if info != INST]
    if kind is Lam or kind is Pi:
        return [e.type, e.body]  # type: ignore[attr-defined]
    return [e.expr] if kind is Proj else []  # type: ignore[attr-defined]


def _same_kind_less(m: Meta, a: Expr, b: Expr) -> bool:
    kind = type(a)
    if kind is App:
        (fa, xs), (fb, ys) = get_app(a), get_app(b)
        if fa is not fb and (term_less(m, fa, fb) or term_less(m, fb, fa)):
            return term_less(m, fa, fb)
        if len(xs) != len(ys):
            return len(xs) < len(ys)
        infos = binder_infos(m, fa, len(xs))
        pairs = [(x, y) for info, x, y in zip(infos, xs, ys, strict=False) if info != INST]
    elif kind is Lam or kind is Pi:
        pairs = [(a.type, b.type), (a.body, b.body)]  # type: ignore[attr-defined]
    elif kind is Proj:
        pairs = [(a.expr, b.expr)]  # type: ignore[attr-defined]
    else:
        return bool(_atom(a) < _atom(b))  # type: ignore[operator]
    for x, y in pairs:
        if term_less(m, x, y):
            return True
        if term_less(m, y, x):
            return False
    return False


def _atom(e: Expr) -> object:
    kind = type(e)
    if kind is Const:
        return tuple(e.name.split("."))  # type: ignore[attr-defined]
    if kind is FVar or kind is MVar:
        return e.id  # type: ignore[attr-defined]
    if kind is BVar:
        return e.idx  # type: ignore[attr-defined]
    return (type(e.value) is str, e.value) if kind is Lit else ""  # type: ignore[attr-defined]
