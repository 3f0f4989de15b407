"""Attributes that pass: `local` and erased ones with their section, `scoped` ones where their namespace is open.

Source: Lean 4 `src/Lean/ScopedEnvExtension.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minilean.meta.extension import INSTANCES, PASSING_TABLES, LeanEnv


@dataclass(frozen=True, slots=True)
class Change:
    """What an attribute did to the entry `key` of a table of the environment; `None` is no entry."""

    table: str
    key: Any
    old: Any
    new: Any


def recorded(env: LeanEnv, action: Callable[[], None]) -> tuple[Change, ...]:
    """Run `action` and tell what it changed in the tables of attributes."""
    before = {table: dict(vars(env)[table]) for table in PASSING_TABLES}
    action()
    changes = []
    for table, old in before.items():
        new = vars(env)[table]
        keys = {**old, **new}
        changes += [Change(table, k, old.get(k), new.get(k)) for k in keys if old.get(k) != new.get(k)]
    env.memo.clear()
    # a definition that was an instance for a while is still unfolded as one
    return tuple(c for c in changes if c.table != "reducibility" or c.new != INSTANCES)


def undo(env: LeanEnv, changes: tuple[Change, ...]) -> None:
    """Take changes back; instances and lemmas that were added since then stay."""
    for change in reversed(changes):
        table = vars(env)[change.table]
        left = change.old
        if isinstance(left or change.new, tuple):
            old, new = change.old or (), change.new or ()
            left = tuple(e for e in table.get(change.key, ()) if e in old or e not in new)
            if erased := tuple(e for e in old if e not in left):
                sign = 1 if change.table == "instances" else -1
                left = tuple(sorted(left + erased, key=lambda e: sign * e.priority))
        if left:
            table[change.key] = left
        else:
            table.pop(change.key, None)
    if changes:
        env.memo.clear()
