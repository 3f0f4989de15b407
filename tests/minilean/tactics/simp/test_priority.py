"""Priorities of simp lemmas as attributes write them."""

from __future__ import annotations

import pytest

from minilean.commands.priority import priority_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("low", 100),
        ("mid", 500),
        ("", 1000),
        ("high", 10_000),
        ("high + 1", 10_001),
        ("(low - 1)", 99),
        ("↓ 7", 7),
    ],
)
def test_priorities_are_read(text: str, value: int) -> None:
    assert priority_of(text) == value
