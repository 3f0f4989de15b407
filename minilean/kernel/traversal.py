"""Traversal of whole terms without recursion: safe on terms of any depth."""

from __future__ import annotations

from collections.abc import Iterator

from minilean.kernel.expr import App, BVar, Const, Expr, Lam, Let, Lit, Pi, Proj, Sort


def subterms(e: Expr) -> Iterator[Expr]:
    """Every distinct subterm of `e` once, `e` first (loose variables as they stand)."""
    seen: set[Expr] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        kind = type(node)
        if kind is App:
            stack.append(node.arg)  # type: ignore[attr-defined]
            stack.append(node.fn)  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack.append(node.body)  # type: ignore[attr-defined]
            stack.append(node.type)  # type: ignore[attr-defined]
        elif kind is Let:
            stack.extend((node.body, node.value, node.type))  # type: ignore[attr-defined]
        elif kind is Proj:
            stack.append(node.expr)  # type: ignore[attr-defined]


def children(e: Expr) -> tuple[Expr, ...]:
    """Return the terms right below `e` (loose variables as they stand)."""
    kind = type(e)
    if kind is App:
        return (e.fn, e.arg)  # type: ignore[attr-defined]
    if kind is Lam or kind is Pi:
        return (e.type, e.body)  # type: ignore[attr-defined]
    if kind is Let:
        return (e.type, e.value, e.body)  # type: ignore[attr-defined]
    return (e.expr,) if kind is Proj else ()  # type: ignore[attr-defined]


def alpha_eq(a: Expr, b: Expr) -> bool:
    """Structural equality up to the names and kinds of binders. Iterative: safe on terms of any depth."""
    if a is b:
        return True
    if a.hash != b.hash:
        return False
    done: set[tuple[Expr, Expr]] = set()
    stack = [(a, b)]
    while stack:
        pair = stack.pop()
        x, y = pair
        if x is y:
            continue
        kind = type(x)
        if x.hash != y.hash or kind is not type(y):
            return False
        if pair in done:
            continue
        done.add(pair)
        if kind is App:
            stack.append((x.arg, y.arg))  # type: ignore[attr-defined]
            stack.append((x.fn, y.fn))  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack.append((x.body, y.body))  # type: ignore[attr-defined]
            stack.append((x.type, y.type))  # type: ignore[attr-defined]
        elif kind is Let:
            stack.append((x.body, y.body))  # type: ignore[attr-defined]
            stack.append((x.value, y.value))  # type: ignore[attr-defined]
            stack.append((x.type, y.type))  # type: ignore[attr-defined]
        elif kind is Proj:
            if x.struct != y.struct or x.idx != y.idx:  # type: ignore[attr-defined]
                return False
            stack.append((x.expr, y.expr))  # type: ignore[attr-defined]
        elif kind is Const:
            if x.name != y.name or x.levels != y.levels:  # type: ignore[attr-defined]
                return False
        elif kind is Sort:
            if x.level is not y.level:  # type: ignore[attr-defined]
                return False
        elif kind is BVar:
            if x.idx != y.idx:  # type: ignore[attr-defined]
                return False
        elif kind is Lit:
            if type(x.value) is not type(y.value) or x.value != y.value:  # type: ignore[attr-defined]
                return False
        elif x.id != y.id:  # type: ignore[attr-defined]
            return False
    return True
