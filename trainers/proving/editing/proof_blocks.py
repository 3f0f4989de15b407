"""The place of a `sorry` in a block of tactics: the tactics before it that lead to its goal, and those after it.

The block is read by its indentation. A `sorry` may be a tactic of the block, or of a block below it: behind a bullet
`·`, in `have ... := by`, or the value of a `have`. The blocks around it are laid flat: bullets are left out, and a
`have` becomes a term of `refine` with `?_` for its value, which makes that the next goal. Where this is another proof
than the one of the file, the tactics fail or the file does not check, so it needs no care here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_WORDS: Final = ("sorry", "admit")
_VALUE: Final = re.compile(r"(?P<head>have\b.*?:=)\s*(?:by\s+)?sorry\s*", re.DOTALL)
_BLOCK: Final = re.compile(r"(?P<head>have\b.*:=)\s*by\s*")

_REFINED: Final = "refine {} ?_; ?_"
"""The tactic `have` would make what follows it the next goal."""


@dataclass(frozen=True, slots=True)
class HolePlace:
    """Place of a `sorry`.

    Attributes:
        before: The tactics before it, as one block.
        after: The tactics after it, as one block.
        column: Column of the block that it stands in.
    """

    before: str
    after: str
    column: int


def place_of(lines: Sequence[str], row: int) -> HolePlace | None:
    """Return the place of the `sorry` in a line of a block; `None` where the block is of another form.

    Args:
        lines: The lines of the block without comments, as they are indented in the file.
        row: Number of the line, from 0.
    """
    column = _indentation(lines[0])
    starts = [number for number, line in enumerate(lines) if line.strip() and _indentation(line) <= column]
    if any(_indentation(lines[number]) < column for number in starts):
        return None
    ends = [*starts[1:], len(lines)]
    at = max(number for number, start in enumerate(starts) if start <= row)
    items = [_flush(lines[start:end], column) for start, end in zip(starts, ends, strict=True)]
    before, after = "\n".join(items[:at]), "\n".join(items[at + 1 :])
    item, within = items[at], row - starts[at]
    if item.strip() in _WORDS:
        return HolePlace(before, after, column)
    if (value := _VALUE.fullmatch(item)) is not None:
        return HolePlace(_joined(before, _REFINED.format(value["head"])), after, column)
    own = lines[starts[at] : ends[at]]
    first, _, _ = item.partition("\n")
    opened = _BLOCK.fullmatch(first)
    if first.startswith(("· ", ". ")):
        inner = place_of([" " * (column + 1) + first[1:], *own[1:]], within)
    elif opened is not None and within > 0:
        before = _joined(before, _REFINED.format(opened["head"]))
        inner = place_of(own[1:], within - 1)
    else:
        return None
    if inner is None:
        return None
    return HolePlace(_joined(before, inner.before), _joined(inner.after, after), inner.column)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _flush(lines: Sequence[str], column: int) -> str:
    return "\n".join(line.removeprefix(" " * column).rstrip() for line in lines).rstrip()


def _joined(*blocks: str) -> str:
    return "\n".join(block for block in blocks if block)
