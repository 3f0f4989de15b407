"""Table of functions that handle kinds of syntax: there is one for terms, one for tactics and one for commands."""

from __future__ import annotations

from typing import TypeVar

Kind = TypeVar("Kind", bound=type | tuple[type, str])
Function = TypeVar("Function")


class Handlers(dict[Kind, Function]):
    """Functions by kind of syntax: the type of a node, or its type and name."""

    def __init__(self, what: str) -> None:
        """Start without functions; `what` are the nodes, for messages."""
        super().__init__()
        self._what = what

    def add(self, function: Function, *kinds: Kind) -> None:
        """Add the function for these kinds.

        Raises:
            ValueError: One of them has a function already.
        """
        for kind in kinds:
            if kind in self:
                shown = kind.__name__ if isinstance(kind, type) else f"{kind[0].__name__} {kind[1]!r}"
                raise ValueError(f"two handlers for {shown} {self._what}: {self[kind]} and {function}")
            self[kind] = function
