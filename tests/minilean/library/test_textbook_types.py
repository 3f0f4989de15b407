"""`ULift`, `PLift`, classes of operators, `Array` and `toString` as textbooks use them."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [m.text for m in check_text(text)]


@pytest.mark.parametrize(
    "text",
    [
        "example (x : ULift.{3} Nat) : ULift.up x.down = x := by simp",
        "example (x : ULift.{3, 0} Nat) : ULift.{3} Nat := ⟨x.down + 1⟩",
        "example (p : Prop) (h : p) : PLift p := ⟨h⟩",
        "example (p : Prop) (h : PLift p) : p := h.down",
        "example : ULift.up.{2} 3 ≠ ULift.up 4 := by decide",
        "example : Std.Associative (α := Nat) (· + ·) := inferInstance",
        "example : Std.Commutative (fun a b : Nat => a * b) := inferInstance",
        "example (f : Nat → Nat → Nat) [h : Std.Commutative f] : f 1 2 = f 2 1 := h.comm 1 2",
        "example : #[1, 2, 3][1] = 2 := rfl",
        "example : #[1, 2, 3][7]? = none := rfl",
        "example : (#[1, 2].push 3) = #[1, 2, 3] := by simp",
        "example (a : Array Nat) (x : Nat) : (a.push x).size = a.size + 1 := by simp",
        "example (a : Array Nat) (i : Nat) (h : i < a.size) : Nat := a[i]",
        "example (a : Array Nat) (i : Fin a.size) : Nat := a[i]",
        "example (a b : Array Nat) : (a ++ b).size = a.size + b.size := by simp",
        "example : toString 42 = \"42\" := rfl",
        "example : toString true = \"true\" := by decide",
        "structure P where\n  x : Nat\ninstance : ToString P := ⟨fun p => toString p.x⟩\n"
        "example : toString (P.mk 3) = \"3\" := rfl",
    ],
)  # fmt: skip
def test_what_holds(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("example : Std.Commutative (fun a b : Nat => a - b) := inferInstance", "failed to synthesize"),
        ("example (a : Array Nat) : Nat := a[0]", "failed to prove index is valid"),
        ("example : #[1, 2][2]? = some 3 := rfl", "mismatch"),
        ("example : #[1] = #[2] := by decide", "is false"),
        ("example : toString 42 = \"24\" := rfl", "mismatch"),
        ("example : toString (fun x : Nat => x) = \"f\" := rfl", "ToString (Nat → Nat)"),
        ("example (x : PLift (1 = 2)) : 1 = 3 := x.down", "mismatch"),
        ("#check ULift.{1, 2, 3} Nat", "takes 2 universe levels, got 3"),
    ],
)  # fmt: skip
def test_what_does_not_hold(text: str, message: str) -> None:
    (found,) = check(text)
    assert message in found or message in found.lower()


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        ("#[1, 2].push 3", "#[1, 2, 3]"),
        ("(#[] : Array Nat)", "#[]"),
        ('#["a", "b"].map (fun s => s ++ "!")', '#["a!", "b!"]'),
        ("#[1, 2, 3].foldl (· + ·) 0", "6"),
        ("toString 1234567890123", '"1234567890123"'),
        ("toString [1, 2, 3]", '"[1, 2, 3]"'),
        ("toString (-5 : Int)", '"-5"'),
        ('toString (some (1, "c"))', '"(some (1, c))"'),
    ],
)
def test_what_eval_shows(term: str, shown: str) -> None:
    assert check(f"#eval {term}") == [shown]


def test_arrays_in_goals() -> None:
    (message,) = check("example (f : Array Nat → Nat) : f #[1, 2] = 1 := by skip")
    assert message == "unsolved goals\nf : Array Nat → Nat\n⊢ f #[1, 2] = 1"
