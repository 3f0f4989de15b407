"""Base classes of syntax, and the parts that terms and tactics share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A piece of source text."""

    start: int = 0
    end: int = 0


class Term(Node):
    """Base of all term syntax."""

    __slots__ = ()


class Tactic(Node):
    """Base of all tactic syntax."""

    __slots__ = ()


class Command(Node):
    """Base of all command syntax."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TacSeq(Node):
    """A block: tactics separated by newlines or `;`."""

    tactics: tuple[Tactic, ...]


@dataclass(frozen=True, slots=True)
class LevelStx(Node):
    """A universe expression.

    `op`: `num` (with `value`), `name` (with `name`), `hole`, `succ` (`args[0]` plus `value`), `max`, `imax`.
    """

    op: str
    name: str = ""
    value: int = 0
    args: tuple[LevelStx, ...] = ()
