"""Positions of the errors of well-founded recursion."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def f (n : Nat) : Nat :=\n  if n = 0 then 1 else\n    f (n + 1)\ntermination_by n", (3, 4)),
        # the first call decreases, the one in the argument of the other does not
        (
            "def f (n : Nat) : Nat :=\n  if n = 0 then 1 else f (n - 1) +\n    f (f (n + 1) % n)\ntermination_by n",
            (3, 7),
        ),
        # `x.f` is no name that stands alone: the declaration
        ("def Nat.f (n : Nat) : Nat :=\n  if n = 0 then 1 else\n    (n + 1).f\ntermination_by n", (1, 0)),
    ],
)
def test_a_call_that_does_not_decrease_is_reported_where_it_stands(
    source: str, place: tuple[int, int]
) -> None:
    (message,) = check_text(source)
    assert message.text.startswith("failed to prove termination, possible solutions:")
    assert (message.line, message.column) == place
