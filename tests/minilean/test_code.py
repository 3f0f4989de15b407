"""Refusals of Lean beyond the kernel's: definitions without code, undetermined instances, invalid patterns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

_MARK = "not supported by code generator; consider marking definition as `noncomputable`"
_DEPENDS = "failed to compile definition, consider marking it as 'noncomputable' because it depends on"


# The messages are those of the reference manual (4.34), "About: dependsOnNoncomputable" and "Axioms".
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("axiom t : Nat → Nat\ndef f : Nat → Nat\n  | 0 => t 0\n  | n => n", f"`t` {_MARK}"),
        ("def f : Nat := Classical.choice ⟨0⟩", f"`Classical.choice` {_MARK}"),
        ("example : Nat := Classical.choice ⟨0⟩", f"`Classical.choice` {_MARK}"),
        ("noncomputable def a : Nat := Classical.choice ⟨0⟩\ndef b := a + 1",
         f"{_DEPENDS} 'a', which is 'noncomputable'"),
        ("noncomputable def a : Nat := Classical.choice ⟨0⟩\ninstance : Inhabited Nat := ⟨a⟩",
         f"{_DEPENDS} 'a', which is 'noncomputable'"),
        ("noncomputable section\ndef a : Nat := Classical.choice ⟨0⟩\nend\ndef b := (a, a)",
         f"{_DEPENDS} 'a', which is 'noncomputable'"),
        ("open Classical in\ndef f (g : Nat → Nat) (y : Nat) :=\n  if ∃ x, g x = y then 1 else 0",
         f"{_DEPENDS} 'propDecidable', which is 'noncomputable'"),
    ],
)  # fmt: skip
def test_a_definition_has_code_or_is_marked(text: str, expected: str, messages: Check) -> None:
    (message,) = messages(text)
    assert message.partition(" error ")[2] == expected


@pytest.mark.parametrize(
    "text",
    [
        "noncomputable section\ndef f : Nat := Classical.choice ⟨0⟩\ndef g : Nat := 3\nend\ndef h := g",
        "def T : Type := Classical.choice ⟨Nat⟩",
        "theorem t : ∃ x : Nat, x = Classical.choice ⟨0⟩ := ⟨_, rfl⟩",
        "def f (h : ∃ x, x = 3) : {x : Nat // x = 3} := ⟨3, by cases h; rfl⟩",
        "def f (n : Nat) : Nat := by\n  cases n with\n  | zero => exact 1\n  | succ m => exact m",
        "def f (h : False) : Nat := h.elim\ndef g (h : a = b) (n : Fin a) : Fin b := h ▸ n",
        # the reference manual (4.34), "Recursive Definitions", evaluates a function that is defined by `Nat.rec`
        "def f (n : Nat) : Nat := Nat.rec 1 (fun _ ih => ih + 1) n\nexample : f 3 = 4 := rfl",
        "def len : List α → Nat\n  | [] => 0\n  | _ :: xs => len xs + 1",
    ],
)
def test_types_and_proofs_need_no_code(text: str, messages: Check) -> None:
    assert messages(text) == []


# The first message is the reference manual's ("Coercions", 4.34), the second one's words are `computeSynthOrder`'s.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("structure T (α : Type) where\n  b : Bool\ninstance : Coe (T α) Bool := ⟨T.b⟩",
         "instance does not provide concrete values for (semi-)out-params\n  Coe (T ?α) Bool"),
        ("class F (α : Type) where\n  x : α\nclass B (α : Type) where\n  y : α\n"
         "instance [F β] [B α] : B (α × α) := ⟨(B.y, B.y)⟩",
         "cannot find synthesization order for instance @instBProd with type\n"
         "  {β α : Type} → [F β] → [B α] → B (α × α)\nall remaining arguments have metavariables:\n  F ?β"),
    ],
)  # fmt: skip
def test_an_instance_leaves_nothing_open(text: str, expected: str, messages: Check) -> None:
    (message,) = messages(text)
    assert message.partition(" error ")[2] == expected


def test_only_constructors_and_what_is_marked_are_patterns(messages: Check) -> None:
    # Lean by Example (4.33), "match_pattern"
    text = """
    inductive L (α : Type) where
      | nil
      | cons (a : α) (l : L α)
    def L.my (a : α) (l : L α) : L α := .cons a l
    def f : L α → Nat
      | L.nil => 0
      | L.my _ l => 1 + f l
    attribute [match_pattern] L.my
    def g : L α → Nat
      | L.nil => 0
      | L.my _ l => 1 + g l
    """
    assert messages(text) == [
        "6:4 error Invalid pattern: Expected a constructor or constant marked with `[match_pattern]`"
    ]


def test_an_argument_written_outside_does_not_speak_of_the_parameters_inside(messages: Check) -> None:
    # reference manual (4.34), "Terms": the `x` of `(z := x)` is the one of the `let`
    text = "def sum3 (x y z : Nat) := x + y + z\n#check let x := 15; sum3 (z := x)"
    assert messages(text) == ["2:0 info let x := 15;\nfun x_1 y => sum3 x_1 y x : Nat → Nat → Nat"]
    attack = """def k (x y : Nat) := y
example (x : Nat) : k (y := x) 0 = x := rfl
example (x : Nat) : k (y := x) 0 = 0 := rfl"""
    assert [m.partition(" ")[0] for m in messages(attack)] == ["3:0"]


def test_an_ambiguous_namespace_is_not_renamed(messages: Check) -> None:
    # reference manual (4.34), "Namespaces"
    text = """
    namespace A.B
    def x := 5
    end A.B
    namespace B
    end B
    open A
    open B hiding x
    open B
    #check x
    """
    assert messages(text) == [
        "8:4 error ambiguous namespace `B`, possible interpretations: `[B, A.B]`",
        "10:4 info A.B.x : Nat",
    ]
