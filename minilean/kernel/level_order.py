"""Comparison of universe levels: `is_leq` and `is_equiv` for every assignment of the parameters.

Source: Lean 4 `src/kernel/level.cpp`; `is_leq` follows the case split on parameters described there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from minilean.kernel.errors import LevelTooComplex
from minilean.kernel.level import (
    ZERO,
    IMax,
    Level,
    LMVar,
    Max,
    Param,
    Succ,
    Zero,
    mk_imax,
    mk_max,
    mk_succ,
    simplify,
)

MAX_LEQ_STEPS: Final = 20_000
"""Bound on one comparison: the case split is exponential in the parameters to the right of an `imax`."""


def is_leq(left: Level, right: Level) -> bool:
    """Return whether `left <= right` for every assignment of the parameters. Metavariables count as parameters.

    Raises:
        LevelTooComplex: The case split on parameters takes more than `MAX_LEQ_STEPS` steps.
    """
    return _leq(simplify(left), simplify(right), 0, [MAX_LEQ_STEPS])


def is_equiv(left: Level, right: Level) -> bool:
    """Return whether both levels are equal for every assignment of the parameters. Raises as `is_leq` does."""
    if left is right:
        return True
    left, right = simplify(left), simplify(right)
    if left is right:
        return True
    steps = [MAX_LEQ_STEPS]
    return _leq(left, right, 0, steps) and _leq(right, left, 0, steps)


def all_equiv(lefts: Iterable[Level], rights: Iterable[Level]) -> bool:
    """Pointwise `is_equiv`; both sides must be equally long."""
    return all(is_equiv(a, b) for a, b in zip(lefts, rights, strict=True))


def _leq(a: Level, b: Level, diff: int, steps: list[int]) -> bool:
    """Return whether `a <= b + diff`, both simplified; `steps[0]` is the number of steps left."""
    steps[0] -= 1
    if steps[0] < 0:
        raise LevelTooComplex(a, b)
    if a is b and diff >= 0:
        return True
    ka, kb = type(a), type(b)
    if ka is Zero and diff >= 0:
        return True
    if kb is Zero and diff < 0:
        # a <= 0 - k with k > 0 never holds
        return False
    if ka is Succ:
        return _leq(a.of, b, diff - 1, steps)  # type: ignore[attr-defined]
    if kb is Succ:
        return _leq(a, b.of, diff + 1, steps)  # type: ignore[attr-defined]
    if ka is Max:
        left, right = a.left, a.right  # type: ignore[attr-defined]
        return _leq(left, b, diff, steps) and _leq(right, b, diff, steps)
    if kb is Max:
        left, right = b.left, b.right  # type: ignore[attr-defined]
        if _leq(a, left, diff, steps) or _leq(a, right, diff, steps):
            return True
    atom = _find_split(a) or _find_split(b)
    if atom is None:
        return False
    for value in (ZERO, mk_succ(atom)):
        if not _leq(simplify(_replace(a, atom, value)), simplify(_replace(b, atom, value)), diff, steps):
            return False
    return True


def _find_split(level: Level) -> Level | None:
    """Find a parameter or metavariable on the right side of an `imax`, whose value depends on it being zero."""
    kind = type(level)
    if kind is IMax:
        right = level.right  # type: ignore[attr-defined]
        return _find_split(right) or _find_atom(right)
    if kind is Max:
        return _find_split(level.left) or _find_split(level.right)  # type: ignore[attr-defined]
    if kind is Succ:
        return _find_split(level.of)  # type: ignore[attr-defined]
    return None


def _find_atom(level: Level) -> Level | None:
    kind = type(level)
    if kind in (Param, LMVar):
        return level
    if kind is Succ:
        return _find_atom(level.of)  # type: ignore[attr-defined]
    if kind in (Max, IMax):
        return _find_atom(level.left) or _find_atom(level.right)  # type: ignore[attr-defined]
    return None


def _replace(level: Level, atom: Level, value: Level) -> Level:
    if level is atom:
        return value
    kind = type(level)
    if kind is Succ:
        return mk_succ(_replace(level.of, atom, value))  # type: ignore[attr-defined]
    if kind is Max or kind is IMax:
        left = _replace(level.left, atom, value)  # type: ignore[attr-defined]
        right = _replace(level.right, atom, value)  # type: ignore[attr-defined]
        return mk_max(left, right) if kind is Max else mk_imax(left, right)
    return level
