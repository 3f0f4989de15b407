"""Positions of recursive calls in the source of a function, for the messages about a call that does not decrease."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from minilean.meta.errors import MetaError
from minilean.syntax import ast


class NotDecreasing(MetaError):
    """`decreasing_tactic` fails on a recursive call.

    Attributes:
        call: Number of the call, from 0, in the order in which the calls of the body are compiled.
        count: Number of recursive calls.
    """

    def __init__(self, message: str, call: int, count: int) -> None:
        super().__init__(message)
        self.call = call
        self.count = count


def place_of(error: NotDecreasing, body: Any, name: str) -> int | None:
    """Return the offset of the call that an error is about.

    Args:
        error: The error.
        body: The syntax of the body of the function.
        name: The full name of the function.

    Returns:
        `None` where the calls in the source do not correspond to the compiled ones.
    """
    places: list[int] = []
    _collect(body, name, places)
    return places[error.call] if len(places) == error.count else None


def _collect(node: Any, name: str, places: list[int]) -> None:
    """Add the offsets of the calls of a function, those in the arguments of a call before the call itself."""
    if isinstance(node, ast.Ident):
        if name == node.name or name.endswith(f".{node.name}"):
            places.append(node.start)
    elif isinstance(node, ast.App):
        _collect(node.args, name, places)
        _collect(node.fn, name, places)
    elif isinstance(node, tuple):
        for item in node:
            _collect(item, name, places)
    elif is_dataclass(node):
        for item in fields(node):
            _collect(getattr(node, item.name), name, places)
