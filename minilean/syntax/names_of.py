"""The identifiers that occur in a syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from minilean.syntax.ast import Ident


def identifiers(node: Any) -> Iterator[str]:
    """Yield the identifiers in a syntax tree, which may be a tuple of trees."""
    if isinstance(node, Ident):
        yield node.name
    elif isinstance(node, tuple):
        for item in node:
            yield from identifiers(item)
    elif is_dataclass(node):
        for item in fields(node):
            yield from identifiers(getattr(node, item.name))
