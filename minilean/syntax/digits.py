"""Natural numbers of any length as text: Python's own conversion refuses over 4,300 decimal digits."""

from __future__ import annotations

from typing import Final

MAX_DIGITS: Final = 78_913
"""Digits of the largest numeral, as many as fit into the kernel's bound of 2^18 bits."""

_CHUNK: Final = 4000


def decimal(value: int) -> str:
    """Return the digits of a natural number."""
    if value.bit_length() < 3 * _CHUNK:
        return str(value)
    unit = 10**_CHUNK
    parts: list[str] = []
    while value >= unit:
        value, low = divmod(value, unit)
        parts.append(str(low).zfill(_CHUNK))
    return "".join([str(value), *reversed(parts)])


def from_decimal(digits: str) -> int:
    """Return the number that decimal digits stand for; the caller bounds their number by `MAX_DIGITS`."""
    unit = 10**_CHUNK
    first = len(digits) % _CHUNK
    value = int(digits[:first] or "0")
    for start in range(first, len(digits), _CHUNK):
        value = value * unit + int(digits[start : start + _CHUNK])
    return value
