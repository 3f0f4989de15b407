"""Smart unfolding: a recursive function unfolds to its source where its `match`es reduce.

    length (x :: xs)  unfolds to  length xs + 1,  never to a term with `brecOn`

A `match` that the recursion goes through has to reduce; another one may stay. The decreasing argument has to be a
constructor.

Source: Lean 4 `src/Lean/Meta/WHNF.lean` (`smartUnfoldingReduce?`, `unfoldDefinition?`),
`src/Lean/Elab/PreDefinition/Structural/SmartUnfolding.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import (
    App,
    BVar,
    Const,
    Expr,
    Lam,
    Let,
    Pi,
    Proj,
    get_app,
    get_app_fn,
    mk_apps,
    mk_lam,
    mk_proj,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1, instantiate_level_params
from minilean.meta.extension import INSTANCES, LeanEnv, Recursion
from minilean.meta.matchers import reduce_matcher
from minilean.meta.metavars import Meta
from minilean.meta.numerals import literal_to_constructor, nat_offset


def smart_unfold(m: Meta, fn: Const, args: list[Expr], recursion: Recursion) -> Expr | None:
    """Unfold `fn args` to the source of `fn` with its `match`es reduced; `None` if one of them is stuck."""
    if len(args) < recursion.arity:
        return None
    value = recursion.value
    if fn.levels:
        value = instantiate_level_params(value, recursion.level_params, fn.levels)
    if recursion.position is None:
        # irreducible: only evaluation comes here
        return beta_apply(value, args)
    call = _Call(m, fn.name, recursion)
    out = call.follow(beta_apply(value, args))
    return out if out is not None and _is_constructor(m, args[recursion.position]) else None


def _is_constructor(m: Meta, e: Expr) -> bool:
    with m.with_transparency(max(m.transparency, INSTANCES)):
        value = literal_to_constructor(m.whnf(e))
    fn = get_app_fn(value)
    if type(fn) is Const and type(m.env.find(fn.name)) is Constructor:
        return True
    return nat_offset(m, value) is not None


class _Call:
    """One function whose source body is reduced."""

    def __init__(self, m: Meta, name: str, recursion: Recursion) -> None:
        self.m = m
        self.name = name
        assert recursion.position is not None
        self.position = recursion.position
        key = ("smart_unfolding", name)
        if key not in m.env.memo:
            m.env.memo[key] = _below_the_head(m.env, name, recursion)
        self.everywhere = bool(m.env.memo[key])

    def follow(self, e: Expr) -> Expr | None:
        """Reduce the `match` at the head, then that at the head of its alternative, and so on."""
        while True:
            if type(e) is Let:
                e = instantiate1(e.body, e.value)
                continue
            head, args = get_app(e)
            info = self.m.env.matchers.get(head.name) if type(head) is Const else None
            if info is None:
                return self._inside(e) if self.everywhere else e
            assert type(head) is Const
            new = reduce_matcher(self.m, head, args, info)
            if new is None:
                return None if _recurses(e, self.name, self.position) else e
            e = new

    def _inside(self, e: Expr) -> Expr | None:
        """Reduce the `match`es that the recursion goes through, at any depth."""
        m = self.m
        if not _has_followed(m.env, e, self.name, self.position):
            return e
        kind = type(e)
        if kind is Lam:
            old = m.lctx
            try:
                x = m.push_local(e.name, e.type, e.info)  # type: ignore[attr-defined]
                body = self._inside(instantiate1(e.body, x))  # type: ignore[attr-defined]
                return None if body is None else mk_lam(e.name, e.type, abstract(body, [x]), e.info)  # type: ignore[attr-defined]
            finally:
                m.lctx = old
        if kind is Proj:
            struct = self._inside(e.expr)  # type: ignore[attr-defined]
            return None if struct is None else mk_proj(e.struct, e.idx, struct)  # type: ignore[attr-defined]
        fn, args = get_app(e)
        if type(e) is Let or (type(fn) is Const and fn.name in m.env.matchers):
            return self.follow(e)
        parts = [self._inside(part) for part in (fn, *args)] if args else [e]
        known = [part for part in parts if part is not None]
        return mk_apps(known[0], known[1:]) if len(known) == len(parts) else None


def _below_the_head(env: LeanEnv, name: str, recursion: Recursion) -> bool:
    """Return whether the recursion goes through a `match` that is not at the head of the body or an alternative."""
    todo = [recursion.value]
    position = recursion.position
    assert position is not None
    while todo:
        e = todo.pop()
        while type(e) is Lam or type(e) is Let:
            e = e.body
        fn, args = get_app(e)
        info = env.matchers.get(fn.name) if type(fn) is Const else None
        if info is not None and _recurses(e, name, position):
            todo += args[info.arity - len(info.alt_arities) : info.arity]
            if any(_has_followed(env, a, name, position) for a in args[info.arity :]):
                return True
        elif _has_followed(env, e, name, position):
            return True
    return False


def _has_followed(env: LeanEnv, e: Expr, name: str, position: int) -> bool:
    """Return whether there is a `match` in `e` that the recursion goes through."""
    todo = [e]
    while todo:
        e = todo.pop()
        kind = type(e)
        if kind is App:
            fn, args = get_app(e)
            if type(fn) is Const and fn.name in env.matchers and _recurses(e, name, position):
                return True
            todo += (fn, *args)
        elif kind is Lam or kind is Pi:
            todo += (e.type, e.body)  # type: ignore[attr-defined]
        elif kind is Let:
            todo += (e.type, e.value, e.body)  # type: ignore[attr-defined]
        elif kind is Proj:
            todo.append(e.expr)  # type: ignore[attr-defined]
    return False


def _recurses(e: Expr, name: str, position: int) -> bool:
    """Return whether `e` calls the function on a variable that `e` itself binds."""
    todo: list[tuple[Expr, int]] = [(e, 0)]
    while todo:
        e, depth = todo.pop()
        kind = type(e)
        if kind is App:
            fn, args = get_app(e)
            called = type(fn) is Const and fn.name == name and len(args) > position
            if called and _mentions(args[position], 0, depth):
                return True
            todo += [(fn, depth), *((a, depth) for a in args)]
        elif kind is Lam or kind is Pi:
            todo += ((e.type, depth), (e.body, depth + 1))  # type: ignore[attr-defined]
        elif kind is Let:
            todo += ((e.type, depth), (e.value, depth), (e.body, depth + 1))  # type: ignore[attr-defined]
        elif kind is Proj:
            todo.append((e.expr, depth))  # type: ignore[attr-defined]
    return False


def _mentions(e: Expr, start: int, count: int) -> bool:
    """Return whether a loose variable with an index from `start` to `start + count - 1` occurs."""
    if e.loose <= start:
        return False
    kind = type(e)
    if kind is BVar:
        return bool(start <= e.idx < start + count)  # type: ignore[attr-defined]
    if kind is App:
        return _mentions(e.fn, start, count) or _mentions(e.arg, start, count)  # type: ignore[attr-defined]
    if kind is Lam or kind is Pi:
        return _mentions(e.type, start, count) or _mentions(e.body, start + 1, count)  # type: ignore[attr-defined]
    if kind is Let:
        parts = _mentions(e.type, start, count) or _mentions(e.value, start, count)  # type: ignore[attr-defined]
        return parts or _mentions(e.body, start + 1, count)  # type: ignore[attr-defined]
    return kind is Proj and _mentions(e.expr, start, count)  # type: ignore[attr-defined]
