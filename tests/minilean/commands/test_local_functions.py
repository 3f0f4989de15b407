"""`where` and an outermost `let rec`: functions inside a definition become declarations that take what they mention."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[str], list[str]]


def test_nothing_is_declared_if_the_definition_fails(messages: Check) -> None:
    text = "def f : Nat := true\nwhere go (n : Nat) : Nat := n\n#check f.go"
    assert [line.partition(":")[0] for line in messages(text)] == ["1", "3"]
