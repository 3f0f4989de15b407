"""Attacks on what the language adds: none of them may end in a proof of `False`, or of another statement."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import ProofError, prove

Check = Callable[[str], list[str]]

NOT_STRUCTURAL = [
    "def f : Nat → False\n  | n => f n",
    "def f : Nat → False\n  | n => f (n + 1)",
    "def f : Nat → False\n  | 0 => f 1\n  | n + 1 => f n",
    "def f (n : Nat) : False := match n with\n  | 0 => f 0\n  | k + 1 => f k",
    "def f : Nat → Nat → False\n  | 0, m => f 1 m\n  | n + 1, m => f n m",
    "def f : Nat → Nat → False\n  | n + 1, m => f n (m + 1)\n  | 0, m + 1 => f (m + 1) m\n  | 0, 0 => f 0 1",
    "theorem f : 1 = 2 := f",
    "theorem f (n : Nat) : n = n + 1 := f n",
    "theorem f : ∀ n : Nat, n < 0\n  | 0 => f 1\n  | n + 1 => Nat.lt_of_succ_lt (f (n + 1))",
    "theorem f (n : Nat) : n < 0 := by\n  have := f (n + 1)\n  exact Nat.lt_of_le_of_lt (Nat.le_succ n) this",
    "instance f : Inhabited Empty := ⟨f.default⟩",
    "def f (n : Nat) : False := let g := f; g n",
]


@pytest.mark.parametrize("text", NOT_STRUCTURAL)
def test_recursion_that_need_not_end_is_refused(messages: Check, text: str) -> None:
    lines = messages(text + "\n#print axioms f")
    assert any("error" in line for line in lines[:-1]), lines
    assert "error Unknown constant `f`" in lines[-1] or lines[-1].endswith("'f' depends on axioms: [sorryAx]")


@pytest.mark.parametrize(
    "text",
    [
        "inductive Bad where\n  | mk (f : Bad → False) : Bad",
        "inductive Bad where\n  | mk (f : (Bad → Nat) → Nat) : Bad",
        "inductive Bad : Type\n  | mk (α : Type) (a : α) : Bad",
        "structure Bad where\n  f : Bad → Bad",
        "inductive Bad : Prop where\n  | a | b\ntheorem x : Bad.a ≠ Bad.b := by intro h; cases h",
    ],
)
def test_bad_types_are_refused(messages: Check, text: str) -> None:
    assert any("error" in line for line in messages(text))


def test_a_lying_instance_convinces_nobody(messages: Check) -> None:
    text = "instance : Decidable (1 = 2) := isTrue sorry\ntheorem t : 1 = 2 := by decide\n#print axioms t"
    assert messages(text) == [
        "1:0 warning declaration uses `sorry`", "3:0 info 't' depends on axioms: [sorryAx]",
    ]  # fmt: skip
    text = "instance lie (p : Prop) : Decidable p := isFalse (fun _ => lie p)\nexample : ¬True := by decide\n"
    assert len([line for line in messages(text) if "error" in line]) == 2


def test_axioms_are_reported_and_not_for_contexts(messages: Check) -> None:
    text = "axiom cheat : False\ntheorem t : 1 = 2 := cheat.elim\n#print axioms t"
    assert messages(text) == ["3:0 info 't' depends on axioms: [cheat]"]
    with pytest.raises(ProofError, match="new axioms are refused"):
        prove("theorem t : False", ["exact cheat"], library(), "axiom cheat : False")


def test_notations_do_not_capture(messages: Check) -> None:
    text = """
notation "twice" x => (fun y : Nat => x + y) x
example (y : Nat) : (twice y) = y + y := rfl
def secret : Nat := 1
notation "hidden" => secret
example (secret : Nat) : hidden = 1 := rfl
"""
    assert messages(text) == []


def test_names_cannot_be_declared_twice_or_shadow_a_statement(messages: Check) -> None:
    assert "has already been declared" in messages("theorem Nat.add_comm : 1 = 1 := rfl")[0]
    # the printed statement shows which constant a namespace shadows
    text = "namespace A\ndef Nat : Type := Unit\ntheorem t (a b : Nat) : a = b := rfl\nend A\n#check A.t"
    assert messages(text) == ["5:0 info A.t (a b : A.Nat) : a = b"]
    with pytest.raises(ProofError):
        prove("theorem t (n : Nat) : n = 0", ["rfl"], library(), "def Foo.Nat : Type := Unit")


def test_a_statement_leaves_no_trace_in_the_library() -> None:
    before = len(list(library().kernel))
    with pytest.raises(ProofError):
        prove("theorem t (n : Nat) : (match n with | 0 => 1 | k + 1 => k) = 1", ["rfl"], library())
    assert len(list(library().kernel)) == before
