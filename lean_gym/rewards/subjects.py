"""Subject of a theorem, read from the symbols of its statement."""

from __future__ import annotations

import re
from typing import Final

from lean_gym.types import Theorem

_RULES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("induction", re.compile(r"\binductive\b|\bdef\b[^\n]*\n?(?:\s*\|)|\.rec\b|\.below\b")),
    (
        "lists",
        re.compile(r"\bList\b|::|\+\+|\[\]|\bArray\b|\.(?:map|filter|reverse|append|length|foldr|foldl)\b"),
    ),
    (
        "functions",
        re.compile(r"\bfun\b|λ|∘|\bFunction\.|\b(?:In|Sur|Bi)jective\b|\((?:\w+ )+: [α-ωA-Z]\w* → (?!Prop)"),
    ),
    ("order", re.compile(r"[≤<≥>]|\b(?:min|max|Monotone)\b|\.(?:le|lt)\b")),
    (
        "arithmetic",
        re.compile(r"[+*/%^∣]|(?<!\S)-(?!\S)|\b(?:Nat|Int|Fin|Rat|Real)\b|[ℕℤℚℝ]|(?<![\w₀-₉])[0-9]"),
    ),
)
SUBJECTS: Final = (*(name for name, _ in _RULES), "logic")
"""The subjects, the first one that fits being chosen."""


def subject_of(theorem: Theorem) -> str:
    """Return the subject of a theorem, one of `SUBJECTS`.

    `induction` means that the theorem brings an inductive type or a recursive definition of its own.
    """
    _, _, after_name = theorem.statement.partition(" ")
    _, _, stated = after_name.strip().partition(" ")
    text = f"{theorem.context}\n{stated}"
    return next((subject for subject, pattern in _RULES if pattern.search(text)), "logic")
