"""Unification of universe levels; problems that cannot be decided yet are postponed.

Source: Lean 4 `src/Lean/Meta/LevelDefEq.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.level import (
    ZERO,
    IMax,
    Level,
    LMVar,
    Max,
    Param,
    Succ,
    Zero,
    is_never_zero,
    mk_max,
    mk_succ,
    simplify,
)
from minilean.kernel.level_order import is_equiv
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta


def is_level_def_eq(m: Meta, a: Level, b: Level) -> bool:
    """Unify two universe levels; a problem that cannot be decided yet is kept in `m.mctx.postponed`."""
    if a is b:
        return True
    if not a.has_mvar and not b.has_mvar:
        return is_equiv(a, b)
    a, b = simplify(m.instantiate_level(a)), simplify(m.instantiate_level(b))
    if a is b:
        return True
    if type(a) is LMVar and _assign_level(m, a, b):
        return True
    if type(b) is LMVar and _assign_level(m, b, a):
        return True
    if type(a) is Succ and type(b) is Succ:
        return is_level_def_eq(m, a.of, b.of)
    for x, y in ((a, b), (b, a)):
        if type(x) is Succ and type(y) is Param:
            return False
        if type(x) is Succ and type(y) in (Max, IMax) and _can_lower(m, y):
            return is_level_def_eq(m, x.of, _lowered(m, y))
    if not a.has_mvar and not b.has_mvar:
        return is_equiv(a, b)
    if type(a) is Zero or type(b) is Zero:
        other = b if type(a) is Zero else a
        if is_never_zero(other):
            return False
        if type(other) is Max:
            return is_level_def_eq(m, other.left, ZERO) and is_level_def_eq(m, other.right, ZERO)
        if type(other) is IMax:
            return is_level_def_eq(m, other.right, ZERO)
    m.mctx.postponed = (*m.mctx.postponed, (a, b))
    return True


def _can_lower(m: Meta, level: Level) -> bool:
    """Return whether `level` is a successor once its metavariables are assigned (Lean's `Level.dec?`)."""
    kind = type(level)
    if kind is Max or kind is IMax:
        return _can_lower(m, level.left) and _can_lower(m, level.right)  # type: ignore[attr-defined]
    if kind is LMVar:
        return m.mctx.level_depth.get(level.id, 0) == m.mctx.depth  # type: ignore[attr-defined]
    return kind is Succ


def _lowered(m: Meta, level: Level) -> Level:
    """The level that `level` is the successor of, provided that `_can_lower` holds."""
    if type(level) is LMVar:
        level = m.instantiate_level(level)  # it may occur, and be assigned, more than once
    if type(level) is LMVar:
        below = m.new_level_mvar()
        m.mctx.assign_level(level.id, mk_succ(below))
        return below
    if type(level) is Succ:
        return level.of
    # where both sides are successors, `imax` is `max`
    return mk_max(_lowered(m, level.left), _lowered(m, level.right))  # type: ignore[attr-defined]


def _assign_level(m: Meta, mvar: LMVar, value: Level) -> bool:
    if m.mctx.level_depth.get(mvar.id, 0) != m.mctx.depth or _level_occurs(mvar, value):
        return False
    m.mctx.assign_level(mvar.id, value)
    return True


def _level_occurs(mvar: LMVar, level: Level) -> bool:
    if not level.has_mvar:
        return False
    if level is mvar:
        return True
    kind = type(level)
    if kind is Succ:
        return _level_occurs(mvar, level.of)  # type: ignore[attr-defined]
    if kind is Max or kind is IMax:
        return _level_occurs(mvar, level.left) or _level_occurs(mvar, level.right)  # type: ignore[attr-defined]
    return False


def process_postponed(m: Meta) -> None:
    """Retry postponed universe problems, then solve what is left by structure; afterwards there are none.

    Raises:
        MetaError: One is contradictory, or is not decided by what is known.
    """
    for final in (False, True):
        progress = True
        while progress and m.mctx.postponed:
            progress = False
            problems, m.mctx.postponed = m.mctx.postponed, ()
            for a, b in problems:
                before = m.mctx.postponed
                if not is_level_def_eq(m, a, b):
                    raise _stuck(m, a, b)
                if m.mctx.postponed == before:
                    progress = True
                elif final and _solve_by_structure(m, a, b):
                    m.mctx.postponed = before
                    progress = True
    if m.mctx.postponed:
        raise _stuck(m, *m.mctx.postponed[0])


def _stuck(m: Meta, a: Level, b: Level) -> MetaError:
    """Return Lean's error, without the terms whose unification led to the problem."""
    m.mctx.postponed = ()
    left, right = simplify(m.instantiate_level(a)), simplify(m.instantiate_level(b))
    if right.has_mvar and not left.has_mvar:
        left, right = right, left
    return MetaError(f"stuck at solving universe constraint\n  {left} =?= {right}")


def _solve_by_structure(m: Meta, a: Level, b: Level) -> bool:
    a, b = simplify(m.instantiate_level(a)), simplify(m.instantiate_level(b))
    if type(a) is type(b) and type(a) in (Max, IMax):
        return is_level_def_eq(m, a.left, b.left) and is_level_def_eq(m, a.right, b.right)  # type: ignore[attr-defined]
    for x, y in ((a, b), (b, a)):
        if type(x) is Max:
            for part, other in ((x.left, x.right), (x.right, x.left)):
                if type(part) is LMVar and not _level_occurs(part, y) and is_equiv(simplify(other), y):
                    return _assign_level(m, part, y)
                if type(part) is LMVar and not other.has_mvar and not _level_occurs(part, y):
                    return _assign_level(m, part, y)
    return False
