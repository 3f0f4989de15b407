"""Base classes of syntax, and the parts that terms and tactics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

__all__ = ["Command", "LevelStx", "Node", "TacSeq", "Tactic", "Term", "node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:

    def node(*, frozen: bool, kw_only: bool = False):
        """Make a dataclass of a class of syntax, with slots.

        `dataclass` compiles up to six functions for a class. Of these only `__init__` is made here, the others are
        those of `Node`: importing minilean takes a sixth less processor time.
        """
        return dataclass(eq=False, repr=False, slots=True, kw_only=kw_only)


@node(frozen=True, kw_only=True)
class Node:
    """A piece of source text. A node is never changed, which mypy checks."""

    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # No generator: a deep term costs one frame for each level.
        for name, field in self.__dataclass_fields__.items():
            if field.compare and getattr(self, name) != getattr(other, name):
                return False
        return True

    def __hash__(self) -> int:
        fields = self.__dataclass_fields__.items()
        return hash((type(self), *(getattr(self, name) for name, field in fields if field.compare)))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__qualname__}({values})"


class Term(Node):
    """Base of all term syntax."""

    __slots__ = ()


class Tactic(Node):
    """Base of all tactic syntax."""

    __slots__ = ()


class Command(Node):
    """Base of all command syntax."""

    __slots__ = ()


@node(frozen=True)
class TacSeq(Node):
    """A block: tactics separated by newlines or `;`."""

    tactics: tuple[Tactic, ...]


@node(frozen=True)
class LevelStx(Node):
    """A universe expression.

    `op`: `num` (with `value`), `name` (with `name`), `hole`, `succ` (`args[0]` plus `value`), `max`, `imax`.
    """

    op: str
    name: str = ""
    value: int = 0
    args: tuple[LevelStx, ...] = ()
