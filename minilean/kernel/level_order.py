"""Comparison of universe levels.

`is_leq` and `is_equiv` decide for every assignment of the parameters. The kernel asks `is_equivalent` and `is_geq`,
which work on normal forms as Lean's kernel does and miss some pairs: `imax v 1` and `max v 1` are two levels to it.

Source: Lean 4 `src/kernel/level.cpp` (4.35); `is_leq` follows the case split on parameters described there.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key, reduce
from typing import Final

from minilean.kernel.errors import LevelTooComplex
from minilean.kernel.level import (
    ONE,
    ZERO,
    IMax,
    Level,
    LMVar,
    Max,
    Param,
    Succ,
    Zero,
    is_never_zero,
    mk_imax,
    mk_max,
    mk_offset,
    mk_succ,
    simplify,
    to_offset,
)

MAX_LEQ_STEPS: Final = 20_000
"""Bound on one comparison: the case split is exponential in the parameters to the right of an `imax`."""
_Normal = dict[Level, Level]
"""Normal forms that were found in one comparison."""


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


def is_equivalent(left: Level, right: Level) -> bool:
    """Return whether both levels have the same normal form of Lean's kernel."""
    known: _Normal = {}
    return left is right or _normal(left, known) is _normal(right, known)


def is_geq(left: Level, right: Level) -> bool:
    """Return whether Lean's kernel sees that `left` is at least `right`; it misses some such pairs.

    Raises:
        LevelTooComplex: It takes more than `MAX_LEQ_STEPS` steps.
    """
    return _geq(left, right, [MAX_LEQ_STEPS], {})


def all_equivalent(lefts: Iterable[Level], rights: Iterable[Level]) -> bool:
    """Pointwise `is_equivalent`; both sides must be equally long."""
    return all(is_equivalent(a, b) for a, b in zip(lefts, rights, strict=True))


def _geq(left: Level, right: Level, steps: list[int], known: _Normal) -> bool:
    steps[0] -= 1
    if steps[0] < 0:
        raise LevelTooComplex(left, right)
    left, right = _normal(left, known), _normal(right, known)
    if left is right or right is ZERO:
        return True
    if isinstance(right, Max):
        return _geq(left, right.left, steps, known) and _geq(left, right.right, steps, known)
    if isinstance(left, Max) and (
        _geq(left.left, right, steps, known) or _geq(left.right, right, steps, known)
    ):
        return True
    if isinstance(right, IMax):
        return _geq(left, right.left, steps, known) and _geq(left, right.right, steps, known)
    if isinstance(left, IMax):
        return _geq(left.right, right, steps, known)
    (a, m), (b, n) = to_offset(left), to_offset(right)
    if a is b or b is ZERO:
        return m >= n
    return m == n > 0 and _geq(a, b, steps, known)


def _normal(level: Level, known: _Normal) -> Level:
    """Return the normal form: the arguments of a maximum are flat and in order, the largest one of each offset."""
    found = known.get(level)
    if found is None:
        base, offset = to_offset(level)
        if type(base) is IMax:
            found = mk_offset(_imax(_normal(base.left, known), _normal(base.right, known)), offset)
        elif type(base) is Max:
            found = _normal_max(base, offset, known)
        else:
            found = level
        known[level] = found
    return found


def _normal_max(level: Level, offset: int, known: _Normal) -> Level:
    found = (part for argument in _arguments(level) for part in _arguments(_normal(argument, known)))
    parts = sorted(dict.fromkeys(found), key=cmp_to_key(_order))
    first = 0
    while first + 1 < len(parts) and _is_explicit(parts[first + 1]):
        first += 1
    if _is_explicit(parts[first]):
        number = to_offset(parts[first])[1]
        first += any(to_offset(part)[1] >= number for part in parts[first + 1 :])
    kept = [parts[first]]
    for part in parts[first + 1 :]:
        if to_offset(part)[0] is to_offset(kept[-1])[0]:
            kept[-1] = max(kept[-1], part, key=lambda each: to_offset(each)[1])
        else:
            kept.append(part)
    kept = [mk_offset(part, offset) for part in kept]
    return reduce(lambda right, left: _max(left, right), reversed(kept))


def _arguments(level: Level) -> list[Level]:
    """Return the arguments of a maximum, those of maxima among them flat, each once."""
    found, seen, todo = [], {level}, [level]
    while todo:
        part = todo.pop()
        if type(part) is Max:
            todo += [each for each in (part.right, part.left) if each not in seen]
            seen |= {part.left, part.right}
        else:
            found.append(part)
    return found


def _is_explicit(level: Level) -> bool:
    return to_offset(level)[0] is ZERO


def _max(left: Level, right: Level) -> Level:
    """`max left right`, reduced where Lean's kernel reduces it."""
    (a, m), (b, n) = to_offset(left), to_offset(right)
    if a is b:
        return left if m > n else right
    if left is ZERO or right is ZERO:
        return right if left is ZERO else left
    if type(right) is Max and left in (right.left, right.right):
        return right
    if type(left) is Max and right in (left.left, left.right):
        return left
    return mk_max(left, right)


def _imax(left: Level, right: Level) -> Level:
    """`imax left right`, reduced where Lean's kernel reduces it."""
    if is_never_zero(right):
        return _max(left, right)
    if right is ZERO or left in (ZERO, ONE, right):
        return right
    return mk_imax(left, right)


_KINDS: Final = (Zero, Succ, Max, IMax, Param, LMVar)


def _order(left: Level, right: Level) -> int:
    """Compare for the order of a normal form: by kind and parts, then by offset."""
    (a, m), (b, n) = to_offset(left), to_offset(right)
    if a is b:
        return m - n
    if type(a) is not type(b):
        return _KINDS.index(type(a)) - _KINDS.index(type(b))
    if isinstance(a, Max | IMax) and isinstance(b, Max | IMax):
        return _order(a.left, b.left) if a.left is not b.left else _order(a.right, b.right)
    keys = [level.name if isinstance(level, Param) else level.id for level in (a, b)]  # type: ignore[attr-defined]
    return -1 if keys[0] < keys[1] else 1


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
