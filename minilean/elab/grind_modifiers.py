"""Modifiers of lemmas for `grind`: `=`, `=_`, `_=_`, `→`, `←`, or nothing.

Source: Lean 4 `src/Init/Grind/Attr.lean` (4.34).
"""

from __future__ import annotations

from typing import Final

from minilean.meta.errors import UnsupportedError

_KINDS: Final = frozenset(["", "=", "=_", "_=_", "→", "←"])


def grind_kind(modifier: str) -> str:
    """Return the kind of patterns that the text of a modifier names.

    Raises:
        UnsupportedError: The modifier is not one of those above.
    """
    kind = modifier.replace(" ", "").replace("->", "→").replace("<-", "←")
    if kind not in _KINDS:
        raise UnsupportedError(f"the modifier `{modifier}` of `grind`")
    return kind
