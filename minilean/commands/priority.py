"""Priorities of attributes: `@[simp low]`, `@[instance 500]`, `(priority := high + 1)`.

Source: Lean 4 `src/Init/Tactics.lean`, `src/Init/Prelude.lean` (`eval_prio`, 4.34).
"""

from __future__ import annotations

import re

from minilean.meta.errors import MetaError
from minilean.meta.extension import DEFAULT_PRIORITY

_NAMED = {"low": 100, "mid": 500, "default": DEFAULT_PRIORITY, "high": 10_000}
_PRIORITY = re.compile(r"\(?\s*(\d+|low|mid|default|high)\s*(?:([+-])\s*(\d+)\s*)?\)?")


def priority_of(argument: str) -> int:
    """Return the priority in an attribute's argument, `DEFAULT_PRIORITY` if the argument is empty.

    Args:
        argument: The text after the attribute's name.

    Returns:
        The priority, 0 or more.

    Raises:
        MetaError: The argument is not a priority.
    """
    text = argument.strip("↑↓ ")
    if not text:
        return DEFAULT_PRIORITY
    match = _PRIORITY.fullmatch(text)
    if match is None:
        raise MetaError(f"unexpected `{text}` in an attribute; expected a priority")
    base, sign, offset = match.groups()
    value = _NAMED.get(base) or int(base)
    return max(0, value + (int(offset) if sign == "+" else -int(offset))) if sign else value
