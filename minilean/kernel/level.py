"""Universe levels: interned, immutable, compared by identity after normalisation.

The comparison of levels is in `level_order.py`.

Source: Lean 4 `src/kernel/level.cpp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from sys import getrefcount
from typing import Any, Final


class Level:
    """A universe level. Build levels with the module's functions only: equal levels are the same object."""

    __slots__ = ("has_mvar", "has_param")

    has_mvar: bool
    has_param: bool

    def __repr__(self) -> str:
        return format_level(self)


class Zero(Level):
    """Level 0, the level of `Prop`."""

    __slots__ = ()


class Succ(Level):
    """`of + 1`."""

    __slots__ = ("of",)
    of: Level


class Max(Level):
    """`max left right`."""

    __slots__ = ("left", "right")
    left: Level
    right: Level


class IMax(Level):
    """`imax left right`: 0 when `right` is 0, else `max left right`."""

    __slots__ = ("left", "right")
    left: Level
    right: Level


class Param(Level):
    """A universe parameter of a declaration."""

    __slots__ = ("name",)
    name: str


class LMVar(Level):
    """A universe metavariable; the kernel rejects every term that holds one."""

    __slots__ = ("id",)
    id: int


_succs: dict[Level, Succ] = {}
_maxes: dict[tuple[Level, Level], Max] = {}
_imaxes: dict[tuple[Level, Level], IMax] = {}
_params: dict[str, Param] = {}
_lmvars: dict[int, LMVar] = {}
_simplified: dict[Level, Level] = {}
UNHELD: Final = 2
"""References to a value that only its table holds: the table's, and that of `getrefcount`'s own argument."""

ZERO = Zero()
ZERO.has_mvar = False
ZERO.has_param = False


def mk_succ(of: Level) -> Level:
    """`of + 1`."""
    node = _succs.get(of)
    if node is None:
        node = Succ()
        node.of = of
        node.has_mvar = of.has_mvar
        node.has_param = of.has_param
        _succs[of] = node
    return node


def mk_max(left: Level, right: Level) -> Level:
    """`max left right`, as written (no simplification)."""
    key = (left, right)
    node = _maxes.get(key)
    if node is None:
        node = Max()
        node.left, node.right = left, right
        node.has_mvar = left.has_mvar or right.has_mvar
        node.has_param = left.has_param or right.has_param
        _maxes[key] = node
    return node


def mk_imax(left: Level, right: Level) -> Level:
    """`imax left right`, as written (no simplification)."""
    key = (left, right)
    node = _imaxes.get(key)
    if node is None:
        node = IMax()
        node.left, node.right = left, right
        node.has_mvar = left.has_mvar or right.has_mvar
        node.has_param = left.has_param or right.has_param
        _imaxes[key] = node
    return node


def mk_param(name: str) -> Level:
    """The universe parameter `name`."""
    node = _params.get(name)
    if node is None:
        node = Param()
        node.name = name
        node.has_mvar = False
        node.has_param = True
        _params[name] = node
    return node


def mk_level_mvar(mvar_id: int) -> Level:
    """The universe metavariable with this id."""
    node = _lmvars.get(mvar_id)
    if node is None:
        node = LMVar()
        node.id = mvar_id
        node.has_mvar = True
        node.has_param = False
        _lmvars[mvar_id] = node
    return node


ONE = mk_succ(ZERO)


def forget_level_mvars() -> None:
    """Drop the levels built from universe metavariables that nothing refers to; no other table here grows with use.

    A level that is referenced stays in its table, as `trim_tables` keeps referenced terms.
    """
    plain = {level: simple for level, simple in _simplified.items() if not level.has_mvar}
    _simplified.clear()
    _simplified.update(plain)
    tables: tuple[dict[Any, Any], ...] = (_succs, _maxes, _imaxes, _lmvars)
    dropped = True
    while dropped:
        dropped = False
        for table in tables:
            dropped |= drop_unheld(table, [key for key, level in table.items() if level.has_mvar])


def drop_unheld(table: dict[Any, Any], keys: list[Any]) -> bool:
    """Drop the entries under `keys` whose value only the table refers to, the last key first.

    `keys` is emptied, because a key may refer to the parts of its value. Returns whether an entry was dropped.
    """
    before = len(table)
    while keys:
        key = keys.pop()
        if getrefcount(table[key]) == UNHELD:
            del table[key]
    return len(table) < before


def mk_offset(level: Level, offset: int) -> Level:
    """`level + offset`."""
    for _ in range(offset):
        level = mk_succ(level)
    return level


def to_offset(level: Level) -> tuple[Level, int]:
    """Split `l + k` into `(l, k)` with `l` no successor."""
    offset = 0
    while type(level) is Succ:
        level = level.of
        offset += 1
    return level, offset


def instantiate_level(level: Level, values: Mapping[str, Level]) -> Level:
    """Replace parameters by `values`; names that are missing stay. Maxima that become trivial are removed."""
    if not level.has_param:
        return level
    kind = type(level)
    if kind is Param:
        return values.get(level.name, level)  # type: ignore[attr-defined]
    if kind is Succ:
        return mk_succ(instantiate_level(level.of, values))  # type: ignore[attr-defined]
    left = instantiate_level(level.left, values)  # type: ignore[attr-defined]
    right = instantiate_level(level.right, values)  # type: ignore[attr-defined]
    return simplify_max(left, right) if kind is Max else reduced_imax(left, right)


def reduced_imax(left: Level, right: Level) -> Level:
    """`imax left right`, reduced where that is immediate, as Lean's substitution reduces it.

    Source: Lean 4 `src/Lean/Level.lean` (`mkLevelIMax'`, 4.34).
    """
    if is_never_zero(right):
        return simplify_max(left, right)
    if left is ZERO or right is ZERO or left is right:
        return right
    return mk_imax(left, right)


def level_params(level: Level, into: set[str]) -> None:
    """Collect the parameter names of `level`."""
    if not level.has_param:
        return
    kind = type(level)
    if kind is Param:
        into.add(level.name)  # type: ignore[attr-defined]
    elif kind is Succ:
        level_params(level.of, into)  # type: ignore[attr-defined]
    else:
        level_params(level.left, into)  # type: ignore[attr-defined]
        level_params(level.right, into)  # type: ignore[attr-defined]


def is_never_zero(level: Level) -> bool:
    """Return whether `level` is at least 1 under every assignment of its parameters."""
    kind = type(level)
    if kind is Succ:
        return True
    if kind is Max:
        return is_never_zero(level.left) or is_never_zero(level.right)  # type: ignore[attr-defined]
    if kind is IMax:
        return is_never_zero(level.right)  # type: ignore[attr-defined]
    return False


def simplify(level: Level) -> Level:
    """A smaller level with the same value: `imax` resolved where possible, trivial maxima removed."""
    kind = type(level)
    if kind is Zero or kind is Param or kind is LMVar:
        return level
    hit = _simplified.get(level)
    if hit is not None:
        return hit
    if kind is Succ:
        out = mk_succ(simplify(level.of))  # type: ignore[attr-defined]
    else:
        left, right = simplify(level.left), simplify(level.right)  # type: ignore[attr-defined]
        out = simplify_max(left, right) if kind is Max else simplify_imax(left, right)
    _simplified[level] = out
    return out


def simplify_max(left: Level, right: Level) -> Level:
    """`max left right`, simplified; both sides already are."""
    if left is right or left is ZERO:
        return right
    if right is ZERO:
        return left
    (lbase, lk), (rbase, rk) = to_offset(left), to_offset(right)
    if lbase is rbase:
        return left if lk >= rk else right
    if lbase is ZERO and rk >= lk:
        return right
    if rbase is ZERO and lk >= rk:
        return left
    return mk_max(left, right)


def simplify_imax(left: Level, right: Level) -> Level:
    """`imax left right`, simplified; both sides already are."""
    if right is ZERO or left is ZERO or left is ONE or left is right:
        return right
    if is_never_zero(right):
        return simplify_max(left, right)
    return mk_imax(left, right)


def is_zero(level: Level) -> bool:
    """Return whether `level` is 0 under every assignment of its parameters."""
    return level is ZERO or simplify(level) is ZERO


def format_level(level: Level) -> str:
    """Lean's text of a level: `0`, `u + 1`, `max u v`."""
    base, offset = to_offset(level)
    if base is ZERO:
        return str(offset)
    kind = type(base)
    if kind is Param:
        text = base.name  # type: ignore[attr-defined]
    elif kind is LMVar:
        text = f"?u.{base.id}"  # type: ignore[attr-defined]
    else:
        word = "max" if kind is Max else "imax"
        text = f"{word} {_format_arg(base.left)} {_format_arg(base.right)}"  # type: ignore[attr-defined]
        if offset:
            text = f"({text})"
    return f"{text} + {offset}" if offset else text


def _format_arg(level: Level) -> str:
    text = format_level(level)
    return f"({text})" if " " in text else text
