"""Header of a file for Mathlib on a prover that has no Mathlib: what of it can be kept.

Published statements begin with lines such as `set_option maxHeartbeats 400000` and `open BigOperators Real Nat`.
Without Mathlib some of the names are unknown, and one of them would keep every statement below from starting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_HEADER_LINE: Final = re.compile(r"(?:set_option|open(?:\s+scoped)?)\s[^()\[\]]*(?<!\sin)\Z")
_PLAIN_OPEN: Final = re.compile(r"(open(?:\s+scoped)?)\s+([\w.«»']+(?:\s+[\w.«»']+)*)\Z")
_CLAUSES: Final = re.compile(r"\s(?:hiding|renaming)\s")


def without_unknown(context: str, runs: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Leave out `set_option` and `open` lines that the prover refuses; of an `open` line, the names that it refuses.

    Lines that follow a command that the prover refuses are kept, as nothing can be found out about them.

    Args:
        context: Lean commands.
        runs: Tells whether the prover takes some commands.

    Returns:
        The commands that are left, and what was left out.
    """
    kept: list[str] = []
    left_out: list[str] = []
    for line in context.split("\n"):
        known = "\n".join(kept)
        if not _HEADER_LINE.match(line.strip()) or runs(f"{known}\n{line}") or not runs(known):
            kept.append(line)
            continue
        names = None if _CLAUSES.search(line) else _PLAIN_OPEN.match(line.strip())
        if names is None:
            left_out.append(line.strip())
            continue
        usable = [name for name in names[2].split() if runs(f"{known}\n{names[1]} {name}")]
        unknown = [name for name in names[2].split() if name not in usable]
        left_out.append(f"{names[1]} {' '.join(unknown)}")
        if usable:
            kept.append(f"{names[1]} {' '.join(usable)}")
    return "\n".join(kept), left_out
