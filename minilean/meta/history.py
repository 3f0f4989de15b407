"""The order in which a library was made: which command added which declarations and table rows.

With it the elaborator's tables can be restored to their state before any command (`minilean.library.prefix`).
Nothing here is trusted: the kernel keeps the order of its declarations itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Changes = tuple[tuple[int, Any], ...]
"""The values of one row of a table, each with the number of the command that gave it, in order."""


@dataclass
class History:
    """The commands of a library, numbered from 0, with what each of them added.

    Attributes:
        files: The files in order, each with the number of commands up to its end.
        sizes: For each command, the number of declarations after it.
        tables: By table and key, the changes of that row. The keys stand in the order in which they were added.
            The value of a set's member is `True`.
    """

    files: list[tuple[str, int]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    tables: dict[str, dict[Any, Changes]] = field(default_factory=dict)

    def record(self, before: Mapping[str, Any], after: Mapping[str, Any], size: int) -> None:
        """Add the next command.

        Args:
            before: The tables before the command, by name.
            after: The tables after it.
            size: The number of declarations after it.

        Raises:
            ValueError: The command removed a row, which a library does not.
        """
        step = len(self.sizes)
        self.sizes.append(size)
        for name, old in before.items():
            new = after[name]
            if new == old:
                continue
            rows = self.tables.setdefault(name, {})
            for key, value in _changed(old, new):
                rows[key] = (*rows.get(key, ()), (step, value))
            if len(rows) != len(new):
                raise ValueError(f"a command of the library removed a row of the table `{name}`")

    def end_file(self, name: str) -> None:
        """Say that the commands since the last file were those of the file `name`."""
        self.files.append((name, len(self.sizes)))

    def step_of(self, declaration: int) -> int:
        """Return the number of the command that added this declaration, counted from 0."""
        return bisect_right(self.sizes, declaration)

    def size_before(self, step: int) -> int:
        """Return the number of declarations before this command."""
        return self.sizes[step - 1] if step else 0

    def file_of(self, step: int) -> str:
        """Return the name of the file in which this command stands."""
        return self.files[bisect_right([end for _, end in self.files], step)][0]

    def rows_before(self, table: str, step: int) -> Iterable[tuple[Any, Any]]:
        """Yield the keys and values of a table as they were before this command, in the table's order."""
        for key, changes in self.tables.get(table, {}).items():
            if changes[0][0] < step:
                past = 1 if len(changes) == 1 else bisect_left(changes, step, key=_step)
                yield key, changes[past - 1][1]


def _step(change: tuple[int, Any]) -> int:
    return change[0]


def _changed(old: Any, new: Any) -> Iterable[tuple[Any, Any]]:
    """Yield the rows of a table that are new or changed; the new members of a set in alphabetical order."""
    if not isinstance(new, dict):
        return ((key, True) for key in sorted(new - old))
    absent = object()
    return ((key, value) for key, value in new.items() if old.get(key, absent) != value)
