"""Table of tactics: the function that runs a syntax node, by the node's type and, where it matters, by name.

Each family registers its functions when it is imported; `families` imports all of them. The table stands below
`state`, which looks functions up in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from minilean.syntax import ast

TacticFn: TypeAlias = Callable[[Any, Any], None]
"""Takes `(Tactics, syntax node)`: it closes or replaces the main goal, or raises a `MetaError`."""

_table: Final[dict[tuple[type[ast.Tactic], str], TacticFn]] = {}
_NAMED = (ast.Simple, ast.Block, ast.TermTactic, ast.TermsTactic, ast.NamesTactic, ast.NumTactic, ast.Omega)


def register(family: Mapping[tuple[type[ast.Tactic], str], TacticFn]) -> None:
    """Add the tactics of a family: functions by type of syntax node and name (`""`: any name).

    Raises:
        ValueError: Another function is registered for one of these tactics.
    """
    taken = sorted(f"{kind.__name__} {name!r}" for kind, name in family.keys() & _table.keys())
    if taken:
        raise ValueError(f"tactics are registered twice: {', '.join(taken)}; remove one of the entries")
    _table.update(family)


def find_tactic(tactic: ast.Tactic) -> TacticFn | None:
    """Return the function that runs a tactic, or `None` if there is none."""
    kind = type(tactic)
    name = tactic.name if isinstance(tactic, _NAMED) else ""
    return _table.get((kind, name)) or _table.get((kind, ""))
