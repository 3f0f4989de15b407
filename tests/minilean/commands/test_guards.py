"""`#guard_msgs` over many messages and long ones."""

from __future__ import annotations

from collections.abc import Callable


def test_guards_of_guards_do_not_grow_without_end(messages: Callable[[str], list[str]]) -> None:
    """Each repeats the messages of the inner ones, so thirty of them would have as many characters as a disk."""
    found = messages("#guard_msgs in " * 60 + "#check 1\n")
    assert any("unsupported: `#guard_msgs` over" in each for each in found)
    assert sum(map(len, found)) < 2_000_000


def test_many_lines_that_differ_are_shown_without_a_diff(messages: Callable[[str], list[str]]) -> None:
    expected = "\n".join(f"info: line {number} of the others" for number in range(3000))
    found = messages(f"/--\n{expected}\n-/\n#guard_msgs in\n#check 1\n")
    assert found[-1].endswith("does not match generated message:\n\ninfo: 1 : Nat")
