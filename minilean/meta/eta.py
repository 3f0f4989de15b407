"""Eta reduction: `fun x => f x` becomes `f`.

Source: Lean 4 `src/Lean/Expr.lean`, `Expr.eta` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import App, BVar, Expr, Lam, Let, Pi, Proj
from minilean.kernel.instantiate import lower_loose


def eta_reduce(e: Expr) -> Expr:
    """Reduce `fun x.. => f x..` to `f` if the variables do not occur in `f`."""
    body = e
    binders = 0
    while type(body) is Lam:
        body = body.body
        binders += 1
    peeled = 0
    while peeled < binders and type(body) is App and type(body.arg) is BVar and body.arg.idx == peeled:
        body = body.fn
        peeled += 1
    if peeled < binders or mentions_bound(body, binders):
        return e
    return lower_loose(body, binders, binders)


def mentions_bound(body: Expr, count: int) -> bool:
    """Return whether a loose variable with index below `count` occurs."""
    if body.loose == 0:
        return False
    stack = [(body, 0)]
    seen: set[tuple[Expr, int]] = set()
    while stack:
        entry = t, depth = stack.pop()
        if t.loose <= depth or entry in seen:
            continue
        seen.add(entry)
        kind = type(t)
        if kind is App:
            stack.append((t.fn, depth))  # type: ignore[attr-defined]
            stack.append((t.arg, depth))  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack.append((t.type, depth))  # type: ignore[attr-defined]
            stack.append((t.body, depth + 1))  # type: ignore[attr-defined]
        elif kind is Let:
            stack.extend(((t.type, depth), (t.value, depth), (t.body, depth + 1)))  # type: ignore[attr-defined]
        elif kind is Proj:
            stack.append((t.expr, depth))  # type: ignore[attr-defined]
        elif depth <= t.idx < depth + count:  # type: ignore[attr-defined]
            return True
    return False
