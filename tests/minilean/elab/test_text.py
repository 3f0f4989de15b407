"""String literals of any length; the Lean files hold the other programs about characters and strings."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[str], list[str]]


def test_a_long_literal_is_refused_by_name(messages: Check) -> None:
    (line,) = messages(f'example : String := "{"a" * 1001}"')
    assert "unsupported: a string literal of 1001 characters" in line
