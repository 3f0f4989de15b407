"""Rewards and mixtures of rewards written as one text, e.g. `novelty:0.3+efficiency:0.2`.

    mixture = part { "+" part }
    part    = source [ ":" weight ]
    source  = registered name | package.module ":" name
    weight  = number, e.g. 0.3

A weight begins with a digit or a point, and no name does, so `package.module:name` and `name:0.3` cannot be confused.
It is the option `weight` of the rule, a fraction of the proof; the proof itself is counted once.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final, NamedTuple

_EXAMPLE: Final = "expected rewards with their weights, such as novelty:0.3+efficiency:0.2"


class Part(NamedTuple):
    """One part of a mixture; without a weight the rule has its default."""

    source: str
    weight: float | None


def parse_mixture(text: str, names: Collection[str]) -> list[Part]:
    """Return the parts of a text, at least one.

    Args:
        text: A source, or a mixture.
        names: The registered names.

    Raises:
        ValueError: A part is empty or named twice, or its weight is no number.
    """
    parts: list[Part] = []
    for part in text.split("+"):
        source, colon, tail = (piece.strip() for piece in part.rpartition(":"))
        if (name := source.partition(":")[0].strip()) in names:
            source, tail = name, part.strip()[len(name) :].lstrip(" :")
        weight = None
        if not colon:
            source = tail
        elif tail[:1] in "0123456789.-" or source in names:
            weight = _number(text, source, tail)
        else:
            source = f"{source}:{tail}"
        if not source:
            raise ValueError(f"reward {text!r}: got an empty part, {_EXAMPLE}")
        if any(source == other.source for other in parts):
            raise ValueError(f"reward {text!r}: got {source!r} twice, expected each reward once")
        parts.append(Part(source, weight))
    return parts


def _number(text: str, source: str, tail: str) -> float:
    try:
        weight = float(tail)
    except ValueError:
        weight = math.nan
    if not 0.0 <= weight < math.inf:
        raise ValueError(f"reward {text!r}: got the weight {tail!r} for {source!r}, {_EXAMPLE}")
    return weight
