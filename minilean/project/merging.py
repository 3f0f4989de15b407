"""Additions of a module to the environment of its imports, and the environment with those of several modules.

The kernel checked each declaration in the environment of its own module. That environment is part of the merged one:
the imports of a module are merged before it, and no name is declared twice. So the declarations are stored without
another check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from minilean.elab.names import Scope
from minilean.kernel.declaration import Declaration
from minilean.meta.extension import TABLES, InstanceEntry, LeanEnv

Syntax = Callable[[Scope], Scope]
"""Adds a notation or a macro to a scope."""


@dataclass(frozen=True, slots=True)
class Additions:
    """Additions of a module to the environment of its imports.

    Attributes:
        declarations: Its declarations, in order.
        rows: By table, the keys with the values before and after it; a member of a set is a key.
        syntax: Its notations and macros, in order.
    """

    declarations: tuple[Declaration, ...]
    rows: Mapping[str, Mapping[Any, tuple[Any, Any]]]
    syntax: tuple[Syntax, ...]


def additions(before: Mapping[str, Any], env: LeanEnv, syntax: tuple[Syntax, ...]) -> Additions:
    """Return what was added to an environment.

    Args:
        before: The tables at its beginning, by name.
        env: The environment; the declarations made in it are those of the module.
        syntax: The notations and macros of the module.
    """
    kernel = env.kernel
    names = list(kernel)[len(list(kernel)) - kernel.size :]
    rows: dict[str, dict[Any, tuple[Any, Any]]] = {}
    for table in TABLES:
        old, new = before[table], getattr(env, table)
        if isinstance(new, dict):
            changed = {key: (old.get(key), value) for key, value in new.items() if old.get(key) != value}
        else:
            changed = {key: (None, True) for key in sorted(new - old)}
        if changed:
            rows[table] = changed
    return Additions(tuple(kernel.get(name) for name in names), rows, syntax)


def merge(env: LeanEnv, more: Additions) -> None:
    """Add what a module adds, whose imports the environment has.

    Raises:
        KernelError: The environment has a declaration of the same name; it is partly changed then.
    """
    for declaration in more.declarations:
        env.kernel.load_trusted(declaration)
    for table, rows in more.rows.items():
        current = getattr(env, table)
        if not isinstance(current, dict):
            setattr(env, table, current | set(rows))
            continue
        for key, (old, new) in rows.items():
            current[key] = _joined(table, current.get(key), old, new)
    env.memo.clear()


def _joined(table: str, current: Any, old: Any, new: Any) -> Any:
    """Return a row in which a module put `new` in place of `old`, where another module may have put `current`."""
    if current == old or current is None:
        return new
    if isinstance(new, frozenset):
        return current | new
    if not isinstance(new, tuple):
        return new
    before = old or ()
    fresh = tuple(entry for entry in new if entry not in before and entry not in current)
    # some tables have the latest entry first
    latest_first = bool(fresh) and new[: len(fresh)] == fresh
    joined = (*fresh, *current) if latest_first and before else (*current, *fresh)
    if all(isinstance(entry, InstanceEntry) for entry in joined):
        sign = 1 if table == "instances" else -1
        joined = tuple(sorted(joined, key=lambda entry: sign * entry.priority))
    return joined
