"""The constants that the text of a tactic names, resolved as the elaborator resolves them.

A name stands for a constant unless a hypothesis of the goal, or a binder in the tactic itself, has that name. The field
of a dotted name such as `h.symm` depends on the type of `h`: it is resolved to the one constant of that last name that
the tactic brought into the term.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from minilean.elab.names import Scope, meanings
from minilean.meta.context import LocalContext
from minilean.meta.extension import LeanEnv
from minilean.syntax import ast

_UNFOLDING = ("unfold", "delta")
_NAME = r"(?<![\w.'!?«]){}(?![\w'!?»])"


@dataclass(frozen=True, slots=True)
class Mention:
    """A constant in a text: offsets of start and end of its name, and its full name."""

    start: int
    end: int
    constant: str


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in a text that may stand for a constant; a field stands behind a term."""

    text: str
    start: int
    end: int
    is_field: bool = False


class Mentions:
    """Names in one tactic, to be resolved before it runs and matched with the term after it.

    Args:
        tactic: Its syntax.
        source: The text that it was parsed from.
        env: The environment.
        scope: The scope.
        lctx: The hypotheses of the goal that it acts on.
    """

    def __init__(
        self, tactic: ast.Tactic, source: str, env: LeanEnv, scope: Scope, lctx: LocalContext
    ) -> None:
        bound: set[str] = set()
        names = list(_names(tactic, source, bound))
        self._found: list[tuple[int, int, list[str]]] = []
        self._fields: list[_Name] = []
        for name in names:
            if name.is_field:
                self._fields.append(name)
                continue
            resolved = _resolved(name.text, bound, env, scope, lctx)
            if resolved is None:
                self._add_field(name)
                continue
            head, constants = resolved
            end = name.start + len(head) if source.startswith(head, name.start) else name.end
            if constants:
                self._found.append((name.start, end, constants))
                if end < name.end:
                    self._add_field(name)

    def _add_field(self, name: _Name) -> None:
        head, dot, field = name.text.rpartition(".")
        if dot and head and not field.isdecimal():
            self._fields.append(_Name(field, name.end - len(field), name.end, True))

    def settled(self, used: Collection[str]) -> tuple[Mention, ...]:
        """Return the mentions, in order of their places, without overlaps.

        Args:
            used: The constants that the tactic brought into the term.
        """
        found = []
        for start, end, constants in self._found:
            chosen = [name for name in constants if name in used] or constants
            found.append(Mention(start, end, chosen[0]))
        for field in self._fields:
            candidates = [name for name in used if name.rpartition(".")[2] == field.text]
            if len(candidates) == 1:
                found.append(Mention(field.start, field.end, candidates[0]))
        found.sort(key=lambda mention: (mention.start, -mention.end))
        apart: list[Mention] = []
        for mention in found:
            if not apart or mention.start >= apart[-1].end:
                apart.append(mention)
        return tuple(apart)


def _resolved(
    name: str, bound: Collection[str], env: LeanEnv, scope: Scope, lctx: LocalContext
) -> tuple[str, list[str]] | None:
    """Return the longest beginning of a dotted name that has a meaning, and the constants that it may mean.

    `None` for a local variable; no constants for an unknown name.
    """
    parts = name.split(".")
    heads = [".".join(parts[:cut]) for cut in range(len(parts), 0, -1)]
    if any(head in bound or lctx.by_name(head) is not None for head in heads):
        return None
    for head in heads:
        found = [full for full in meanings(env, scope, head) if full not in env.hidden]
        if found:
            return head, found
    return name, []


def _names(node: Any, source: str, bound: set[str]) -> Iterator[_Name]:
    """Yield the names in a syntax tree; the names that it binds are added to `bound`."""
    if isinstance(node, tuple):
        for part in node:
            if isinstance(part, str):
                bound.add(part)
            else:
                yield from _names(part, source, bound)
        return
    if not is_dataclass(node):
        return
    if isinstance(node, ast.Ident):
        yield _Name(node.name, node.start, node.end)
        return
    if isinstance(node, ast.DotIdent):
        yield _Name(node.name, node.end - len(node.name), node.end, True)
        return
    if isinstance(node, ast.NamesTactic) and node.name in _UNFOLDING:
        for name in node.names:
            for match in re.finditer(_NAME.format(re.escape(name)), source[node.start : node.end]):
                yield _Name(name, node.start + match.start(), node.start + match.end())
        return
    if isinstance(node, ast.Intro):
        bound.update(pattern.name for pattern in node.patterns if isinstance(pattern, ast.Ident))
    if isinstance(node, ast.Proj) and isinstance(node.field, str):
        yield _Name(node.field, node.end - len(node.field), node.end, True)
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, str):
            bound.add(value)
        else:
            yield from _names(value, source, bound)
