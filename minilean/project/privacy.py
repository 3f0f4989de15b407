"""Private declarations, which other files cannot name.

In its own file a private declaration has its plain name. For the files that import it, it is renamed to
`_private.MODULE.0.NAME`, which is Lean's name for it and which no source can write: no part of a name is a number.
Its instances and its `@[simp]` lemmas go on under the new name. The renaming changes names only, one to one, so that
what the kernel accepted under the old names holds under the new ones.

Source: Lean 4 `src/Lean/PrivateName.lean` (`mkPrivateNameCore`), 4.34.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from minilean.kernel.declaration import Declaration, RecursorRule
from minilean.kernel.expr import Const, Expr, Proj, mk_const, mk_proj
from minilean.kernel.instantiate import replace as replace_in
from minilean.meta.extension import (
    PRIVATE,
    InstanceEntry,
    MatcherInfo,
    ProjectionInfo,
    Recursion,
    StructureInfo,
)
from minilean.project.merging import Additions
from minilean.syntax import ast

_MODIFIED = re.compile(r"(?:@\[[^\]]*\]\s*)?private\b")
_OF_NAMESPACES = ("namespaces", "notations", "scoped")
"""Tables whose keys are namespaces, which are public."""
_OF_TEXTS = ("grind_lemmas", "field_defaults", "auto_tactics", "notations")
"""Tables whose values hold no names of constants, or syntax."""


def written_names(
    command: ast.Command, source: str, full_name: Callable[[str], str]
) -> Iterator[tuple[str, bool]]:
    """Yield the full names that a command declares, those of its parts left out, with whether they are private.

    Args:
        command: The syntax of a command that is no `.. in ..`.
        source: The text that it was parsed from.
        full_name: Gives the full name of a declaration of this name in the current namespace.
    """
    if isinstance(command, ast.MutualCmd):
        for inner in command.commands:
            yield from written_names(inner, source, full_name)
    elif isinstance(command, ast.Decl) and command.name:
        yield full_name(command.name), "private" in command.modifiers
    elif isinstance(command, ast.InductiveCmd | ast.StructureCmd):
        yield full_name(command.name), _MODIFIED.match(source, command.start) is not None


def private_names(written: Mapping[str, bool], declared: Iterable[str], module: str) -> dict[str, str]:
    """Return the private names of a module, with the names that they have in other modules.

    A name that the compiler made up is private if the name that it begins with is, e.g. that of a matcher.

    Args:
        written: The names that the module writes down, with whether they are private.
        declared: All names that it declares.
        module: Its name.
    """
    if not any(written.values()):
        return {}
    found = {}
    for name in declared:
        around = name
        while around and around not in written:
            around = around.rpartition(".")[0]
        if written.get(around, False):
            found[name] = f"{PRIVATE}{module}.0.{name}"
    return found


def renamed(added: Additions, names: Mapping[str, str]) -> Additions:
    """Return what a module adds to an environment, with new names for some of its declarations.

    Notations, macros and the syntax of default values keep the old names, which they resolve where they are used.
    """
    renaming = _Renaming(names)
    rows = {
        table: {
            key if table in _OF_NAMESPACES else renaming.value(key): tuple(
                renaming.row(table, value) for value in pair
            )
            for key, pair in changed.items()
        }
        for table, changed in added.rows.items()
    }
    declarations = tuple(map(renaming.declaration, added.declarations))
    return replace(added, declarations=declarations, rows=rows)


class _Renaming:
    """New names for constants, in terms, declarations and tables."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def term(self, e: Expr) -> Expr:
        """Return a term with the new names."""

        def at(part: Expr, _: int) -> Expr | None:
            if type(part) is Const and part.name in self._names:
                return mk_const(self._names[part.name], part.levels)
            if type(part) is Proj and part.struct in self._names:
                return mk_proj(self._names[part.struct], part.idx, self.term(part.expr))
            return None

        return replace_in(e, at)

    def declaration(self, declaration: Declaration) -> Declaration:
        """Return a declaration with the new names; those of universes stay."""
        parts = {item.name: getattr(declaration, item.name) for item in fields(declaration)}
        new = {key: self.value(part) for key, part in parts.items() if key != "level_params"}
        return replace(declaration, **new)

    def row(self, table: str, value: Any) -> Any:
        """Return a value of a table with the new names."""
        if table in _OF_TEXTS:
            return value
        if table == "scoped":
            return tuple((self.value(name), *rest) for name, *rest in value or ())
        return self.value(value)

    def value(self, value: Any) -> Any:
        """Return a name, a term, a description of a constant, or a collection of them, with the new names."""
        if isinstance(value, str):
            return self._names.get(value, value)
        if isinstance(value, Expr):
            return self.term(value)
        if isinstance(value, tuple | frozenset):
            return type(value)(map(self.value, value))
        if isinstance(value, RecursorRule):
            return replace(value, constructor=self.value(value.constructor), rhs=self.term(value.rhs))
        if isinstance(value, InstanceEntry | MatcherInfo):
            return replace(value, name=self.value(value.name))
        if isinstance(value, ProjectionInfo):
            return replace(value, struct=self.value(value.struct))
        if isinstance(value, Recursion):
            return replace(value, value=self.term(value.value), all=self.value(value.all))
        if isinstance(value, StructureInfo):
            parents = tuple((field, self.value(parent)) for field, parent in value.parents)
            named = {"name": self.value(value.name), "constructor": self.value(value.constructor)}
            return replace(value, **named, parents=parents)
        return value
