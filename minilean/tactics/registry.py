"""Table of tactics: the function that runs a syntax node, by the node's type and, where it matters, by name.

Each family registers its functions when it is imported; `families` imports all of them. The table stands below
`state`, which looks functions up in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from minilean.syntax import ast
from minilean.syntax.handlers import Handlers

Stx = TypeVar("Stx", bound=ast.Tactic)

Handler = Callable[[Any, Stx], None]
"""Takes `(Tactics, syntax node)`: it closes or replaces the main goal, or raises a `MetaError`."""

HANDLERS: Final[Handlers[tuple[type[ast.Tactic], str], Handler[Any]]] = Handlers("tactics")
"""The function for each kind and name of tactics (`""`: any name); filled when `families` is imported."""
_NAMED = (ast.Simple, ast.Block, ast.TermTactic, ast.TermsTactic, ast.NamesTactic, ast.NumTactic, ast.Omega)


def runs(kind: type[Stx], *names: str) -> Callable[[Handler[Stx]], Handler[Stx]]:
    """Register the decorated function in `HANDLERS` for the tactics of this kind and these names; without: any name.

    Raises:
        ValueError: One of them has a handler already.
    """

    def register(handler: Handler[Stx]) -> Handler[Stx]:
        HANDLERS.add(handler, *((kind, name) for name in names or ("",)))
        return handler

    return register


def find_tactic(tactic: ast.Tactic) -> Handler[Any] | None:
    """Return the function that runs a tactic, or `None` if there is none."""
    kind = type(tactic)
    name = tactic.name if isinstance(tactic, _NAMED) else ""
    return HANDLERS.get((kind, name)) or HANDLERS.get((kind, ""))
