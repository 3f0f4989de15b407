"""Which function runs which tactic: the tables of all families, by syntax node and, where it matters, by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from minilean.syntax import ast
from minilean.tactics.state import TacticFn

_FAMILIES = (
    "alternatives", "apply", "congruence", "constructor_tactics", "contradiction", "conv.tactic", "decide", "equality",
    "expansion", "extensionality", "get_elem", "guards", "intro", "omega.tactic", "rcases", "relations", "restating",
    "rewrite", "search", "simp.tactic", "split", "structuring", "unfold",
)  # fmt: skip


@cache
def _table() -> dict[tuple[type, str], TacticFn]:
    table: dict[tuple[type, str], TacticFn] = {}
    for family in _FAMILIES:
        # Imported late: families are written against `state.Tactics`, which asks here for them.
        table.update(import_module(f"{__package__}.{family}").TABLE)
    return table


def load_families() -> None:
    """Import all families now: the terms they hold are then among those that a library keeps for good."""
    _table()


def find_tactic(tactic: ast.Tactic) -> TacticFn | None:
    """The function for a tactic, or `None` if there is none."""
    table = _table()
    kind = type(tactic)
    name = (
        tactic.name
        if isinstance(
            tactic, (ast.Simple, ast.TermTactic, ast.TermsTactic, ast.NamesTactic, ast.NumTactic, ast.Omega)
        )
        else ""
    )
    return table.get((kind, name)) or table.get((kind, ""))
