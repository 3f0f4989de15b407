"""Attributes that pass: `local` and erased ones with their section, `scoped` ones where their namespace is open.

Source: Lean 4 `src/Lean/ScopedEnvExtension.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lean_gym.minilean.meta.extension import INSTANCES, LeanEnv

_TABLES = ("simp_lemmas", "reducibility", "ext_lemmas", "refl_lemmas", "symm_lemmas")
_INSTANCE_TABLES = ("instances", "default_instances")


@dataclass(frozen=True, slots=True)
class Change:
    """What an attribute did to the entry `key` of a table of the environment; `None` is no entry."""

    table: str
    key: str
    old: Any
    new: Any


def recorded(env: LeanEnv, action: Callable[[], None]) -> tuple[Change, ...]:
    """Run `action` and tell what it changed in the tables of attributes."""
    before = {table: dict(vars(env)[table]) for table in _TABLES + _INSTANCE_TABLES}
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
    """Take changes back; instances that were added since then stay."""
    for change in reversed(changes):
        table = vars(env)[change.table]
        if change.table in _INSTANCE_TABLES:
            old, new = change.old or (), change.new or ()
            entries = [e for e in table.get(change.key, ()) if e in old or e not in new]
            entries += [e for e in old if e not in entries]
            sign = 1 if change.table == "instances" else -1
            table[change.key] = tuple(sorted(entries, key=lambda e: sign * e.priority))
        elif change.old is None:
            table.pop(change.key, None)
        else:
            table[change.key] = change.old
    if changes:
        env.memo.clear()
