"""Errors of `end`, which name all scopes that are open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


def errors(messages: list[str]) -> list[str]:
    return [m.split("error ")[1].split("\n")[0] for m in messages if " error " in m]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("end", "Invalid `end`: There is no current scope to end"),
        ("namespace A\nend", "Missing name after `end`: Expected the current scope name `A`"),
        ("namespace A.B\nend A.C", "Invalid name after `end`: Expected `A.B`, but found `A.C`"),
        ("section\nend B", "Unexpected name `B` after `end`: The current section is unnamed"),
        ("section S\nend T.S", "Invalid name after `end`: `T.S` contains too many components"),
    ],
)
def test_end_closes_the_scope_that_it_names(messages: Check, text: str, message: str) -> None:
    assert errors(messages(text)) == [message]


def test_end_hints_at_what_to_write(messages: Check) -> None:
    assert messages("namespace A.B.C\nend A.B")[0].endswith(
        "Hint: If you meant to end the outer scope(s) `A.B`, you must end all the intervening scopes `A.B.C`:\n"
        "  end A.B.C\u0332"
    )
    assert messages("section A\nend B")[0].endswith("Hint: Use current scope name `A`:\n  end B\u0335A\u0332")
