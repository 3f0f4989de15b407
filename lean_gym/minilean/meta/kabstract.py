"""Finding and abstracting the instances of a pattern in a term.

Source: Lean 4 `src/Lean/Meta/KAbstract.lean` (4.34): keyed by head and arity, candidates visited in pre-order
(a term before its parts, the function part before the argument); the first instance found fixes the
pattern's metavariables and then every instance of that is abstracted. Subterms with loose variables are no candidates.
"""

from __future__ import annotations

from collections.abc import Callable

from lean_gym.minilean.kernel.expr import App, Const, Expr, FVar, MVar, get_app, get_app_fn, mk_bvar, mk_fvar
from lean_gym.minilean.kernel.instantiate import map_children
from lean_gym.minilean.meta.extension import INSTANCES
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.unify import is_def_eq


def _key(e: Expr) -> tuple[object, int]:
    fn, args = get_app(e)
    kind = type(fn)
    if kind is Const:
        return fn.name, len(args)  # type: ignore[attr-defined]
    if kind is FVar or kind is MVar:
        return (kind, fn.id), len(args)  # type: ignore[attr-defined]
    return kind, len(args)


def kabstract(
    m: Meta,
    e: Expr,
    pattern: Expr,
    transparency: int = INSTANCES,
    wanted: Callable[[int], bool] | None = None,
) -> Expr | None:
    """`e` with every instance of `pattern` replaced by loose variable 0, or `None` where there is no instance.

    Args:
        m: Where the pattern's metavariables live.
        e: The term to search.
        pattern: What to look for.
        transparency: What may be unfolded to see an instance.
        wanted: Which instances to replace, counted from 1; an instance that is not wanted fixes no metavariable.
    """
    e = m.instantiate_mvars(e)
    pattern = m.instantiate_mvars(pattern)
    if type(pattern) is FVar and wanted is None:
        return _abstract_fvar(e, pattern)
    key = _key(pattern)
    found = False
    count = 0
    flexible = type(get_app_fn(pattern)) is MVar
    old_transparency, m.transparency = m.transparency, transparency
    cache: dict[tuple[Expr, int], Expr] = {}

    def visit(t: Expr, depth: int) -> Expr:
        kind = type(t)
        if kind in _LEAVES:
            return t if key[1] else check(t, depth)
        # until the first instance is found, what is kept are the subterms without one
        hit = cache.get((t, depth))
        if hit is not None and wanted is None:
            return hit
        out = check(t, depth)
        if out is t:
            out = visit_app(t, depth) if kind is App else map_children(t, depth, visit)
        cache[(t, depth)] = out
        return out

    def visit_app(t: Expr, depth: int) -> Expr:
        # As Lean does: the function part is a candidate too (an over-applied instance), then the argument.
        return map_children(t, depth, visit)

    def check(t: Expr, depth: int) -> Expr:
        nonlocal found, count
        if t.loose:
            return t
        if not flexible and _key(t) != key:
            return t
        if flexible and len(get_app(t)[1]) < key[1]:
            return t
        mark = m.mctx.mark()
        if is_def_eq(m, t, pattern):
            count += 1
            if wanted is not None and not wanted(count):
                m.mctx.rollback(mark)
                return t
            if not found:
                cache.clear()
            found = True
            return mk_bvar(depth)
        return t

    try:
        out = visit(e, 0)
    finally:
        m.transparency = old_transparency
    return out if found else None


_LEAVES = (Const, FVar, MVar)


def _abstract_fvar(e: Expr, fvar: FVar) -> Expr | None:
    from lean_gym.minilean.kernel.instantiate import abstract

    out = abstract(e, [mk_fvar(fvar.id)])
    return out if out is not e else None
