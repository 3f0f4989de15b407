"""Attributes with limited extent: `local` and erased ones end with their section, `scoped` ones with the `open`.

Source: Lean 4 `src/Lean/ScopedEnvExtension.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minilean.meta.extension import INSTANCES, PASSING_TABLES, LeanEnv


@dataclass(frozen=True, slots=True)
class Change:
    """Change of the entry `key` in a table of the environment by an attribute; `None` means no entry."""

    table: str
    key: Any
    old: Any
    new: Any


def recorded(env: LeanEnv, action: Callable[[], None]) -> tuple[Change, ...]:
    """Run `action` and return its changes in the tables of attributes."""
    before = {table: dict(vars(env)[table]) for table in PASSING_TABLES}
    action()
    changes = []
    for table, old in before.items():
        new = vars(env)[table]
        keys = {**old, **new}
        changes += [Change(table, k, old.get(k), new.get(k)) for k in keys if old.get(k) != new.get(k)]
    env.memo.clear()
    # a definition that was a local instance keeps the reducibility of instances
    return tuple(c for c in changes if c.table != "reducibility" or c.new != INSTANCES)


def undo(env: LeanEnv, changes: tuple[Change, ...]) -> None:
    """Undo changes; instances and lemmas that were added since then stay."""
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
