"""Options of `grind`: `(splits := 4)`, `(config := { splits := 4 })`.

Source: Lean 4 `src/Init/Grind/Config.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from minilean.meta.errors import MetaError, UnsupportedError
from minilean.tactics.grind.search import Limits

_LIMITS = frozenset(limit.name for limit in fields(Limits))
MAX_LIMIT = 100_000


def limits_of(config: Sequence[str]) -> Limits:
    """Return the limits that the options of a call set.

    Raises:
        UnsupportedError: An option is not one of the limits.
        MetaError: A value is not a numeral, or it is above `MAX_LIMIT`.
    """
    limits = Limits()
    for text in config:
        for name, value in _settings(text):
            if name not in _LIMITS:
                raise UnsupportedError(f"the option `{name}` of `grind`")
            if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) <= MAX_LIMIT):
                raise MetaError(
                    f"the option `{name}` of `grind` is `{value}`; expected a numeral up to {MAX_LIMIT}"
                )
            limits = replace(limits, **{name: int(value)})
    return limits


def _settings(text: str) -> list[tuple[str, str]]:
    """Return names and values in `(name := value)`, `(config := { name := value, .. })`, `+name`, `-name`."""
    if text[0] in "+-":
        return [(text[1:], "true" if text[0] == "+" else "false")]
    name, _, value = (part.strip() for part in text.strip("()").partition(":="))
    if name != "config":
        return [(name, value)]
    inner = (field.partition(":=") for field in value.strip("{} \n").split(","))
    return [(field.strip(), setting.strip()) for field, _, setting in inner if field.strip()]
