"""Finding and abstracting the instances of a pattern in a term.

Source: Lean 4 `src/Lean/Meta/KAbstract.lean` (4.34): keyed by head and arity, candidates visited in pre-order
(a term before its parts, the function part before the argument); the first instance found fixes the
pattern's metavariables and then every instance of that is abstracted. Subterms with loose variables are left out.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import App, Const, Expr, FVar, MVar, get_app, mk_bvar
from minilean.kernel.instantiate import abstract, map_children
from minilean.meta.extension import INSTANCES
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import occurs_fvar
from minilean.meta.unify import is_def_eq


def kabstract(
    m: Meta,
    e: Expr,
    pattern: Expr,
    transparency: int = INSTANCES,
    wanted: Callable[[int], bool] | None = None,
) -> Expr | None:
    """`e` with every instance of `pattern` replaced by loose variable 0, or `None` where there is no instance.

    Args:
        m: The context of the pattern's metavariables.
        e: The term to search.
        pattern: The term to find instances of.
        transparency: Definitions up to this level are unfolded to find an instance.
        wanted: Selects the instances to replace, counted from 1; others do not fix the pattern's metavariables.
    """
    e = m.instantiate_mvars(e)
    pattern = m.instantiate_mvars(pattern)
    if type(pattern) is FVar and wanted is None:
        return abstract(e, [pattern]) if occurs_fvar(e, pattern) else None
    search = _Search(m, pattern, wanted)
    old_transparency, m.transparency = m.transparency, transparency
    try:
        out = search.visit(e, 0)
    finally:
        m.transparency = old_transparency
    return out if search.found else None


class _Search:
    """One search: the pattern's head, and the results of the subterms visited so far."""

    def __init__(self, m: Meta, pattern: Expr, wanted: Callable[[int], bool] | None) -> None:
        head, args = get_app(pattern)
        self._m = m
        self._pattern = pattern
        self._head = head
        self._kind = type(head)
        self._arity = len(args)
        self._wanted = wanted
        self._count = 0
        self._cache: dict[tuple[Expr, int], Expr] = {}
        self.found = False

    def visit(self, t: Expr, depth: int) -> Expr:
        """`t`, below `depth` binders, with the instances in it replaced."""
        if type(t) in _LEAVES:
            return mk_bvar(depth) if not self._arity and self._is_instance(t) else t
        # until the first instance is found, the cache holds subterms without an instance
        out = self._cache.get((t, depth))
        if out is None or self._wanted is not None:
            # as in Lean the function part is a candidate too (an over-applied instance), then the argument
            out = mk_bvar(depth) if self._is_instance(t) else map_children(t, depth, self.visit)
            self._cache[t, depth] = out
        return out

    def _is_instance(self, t: Expr) -> bool:
        """Return whether `t` is an instance that is wanted; the first one fixes the pattern's metavariables."""
        if t.loose or not self._is_candidate(t):
            return False
        mark = self._m.mctx.mark()
        if not is_def_eq(self._m, t, self._pattern):
            return False
        self._count += 1
        if self._wanted is not None and not self._wanted(self._count):
            self._m.mctx.rollback(mark)
            return False
        if not self.found:
            self._cache.clear()
        self.found = True
        return True

    def _is_candidate(self, t: Expr) -> bool:
        """Return whether `t` has the pattern's head and arity; a metavariable as head accepts enough arguments."""
        arity = 0
        fn = t
        while type(fn) is App:
            fn = fn.fn
            arity += 1
        kind = self._kind
        if kind is MVar:
            return arity >= self._arity
        if arity != self._arity or type(fn) is not kind:
            return False
        if kind is Const:
            return fn.name == self._head.name  # type: ignore[attr-defined, no-any-return]
        return kind is not FVar or fn.id == self._head.id  # type: ignore[attr-defined]


_LEAVES = (Const, FVar, MVar)
