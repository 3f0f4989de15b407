"""Schedules over iterations as one text: `0:novelty,30:binary`."""

from __future__ import annotations

from collections.abc import Mapping

_EXPECTED = "expected iterations with their rewards, such as 0:novelty,30:binary"


def parse_schedule(text: str) -> dict[int, str]:
    """Return what a schedule names from which iteration on, in ascending order; `{}` for an empty text.

    Raises:
        ValueError: An entry has another form, or an iteration does not come after the one before.
    """
    entries: dict[int, str] = {}
    for entry in text.split(",") if text.strip() else ():
        number, _, name = (part.strip() for part in entry.partition(":"))
        if not (number.isascii() and number.isdigit() and name):
            raise ValueError(f"{_EXPECTED}, got the entry {entry.strip()!r}")
        if entries and int(number) <= max(entries):
            raise ValueError(f"expected ascending iterations, got {number} after {max(entries)}")
        entries[int(number)] = name
    return entries


def write_schedule(value: object) -> object:
    """Return a mapping from iterations to names, as a file may have it, as a text; anything else as it is.

    Raises:
        ValueError: A name is no text.
    """
    if not isinstance(value, Mapping):
        return value
    for name in value.values():
        if not isinstance(name, str) or "," in name:
            raise ValueError(f"{_EXPECTED}, got the reward {name!r}")
    return ",".join(f"{number}:{name}" for number, name in value.items())


def check_schedule(text: str) -> str:
    """Return a schedule that can be read.

    Raises:
        ValueError: As `parse_schedule`.
    """
    parse_schedule(text)
    return text
