"""Fields of structures: brackets, binders, tactics, instances found for them; types in dotted names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        "structure P where\n/-- info: 3 -/\n#guard_msgs in\n#eval 3",
    ],
)
def test_lean_accepts(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "class C (α) where\n  a : α\n  h (b : α) : a = b := by intros; rfl\nexample : C Nat := { a := 0 }",
            "Tactic `rfl` failed",
        ),
        (
            "inductive P : Type where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level m",
        ),
        (
            "inductive P : Type u where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level",
        ),
        (
            "inductive P where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level metav",
        ),
        (
            "structure Q where\n  v : Nat\ndef Q.f {b : Nat} : Nat := b\nexample (q : Q) : q.f = 0 := rfl",
            "usable parameter of type `Q` for which to substitute `q`\n",
        ),
    ],
)
def test_lean_refuses(messages: Check, text: str, part: str) -> None:
    assert any(" error " in message and part in message for message in messages(text))


def test_tactics_stand_right_of_their_command(messages: Check) -> None:
    text = "def f (x : Nat) : Nat := by\n cases x\n exact 1\n exact 2\n#eval f 0"
    assert messages(text) == ["5:0 info 1"]
    assert messages(text.replace("\n ", "\n"))[:2] == [
        "1:25 error unsolved goals\nx : Nat\n⊢ Nat",
        "2:0 error unexpected identifier; expected command",
    ]
