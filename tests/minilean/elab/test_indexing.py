"""`xs[i]`, `xs[i]?`, `xs[i]!`, `xs[i]'h`: parsed, elaborated with the proof that the index is valid, and printed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

_FAILED = """failed to prove index is valid, possible solutions:
  - Use `have`-expressions to prove the index is valid
  - Use `a[i]!` notation instead, runtime check is performed, and 'Panic' error message is produced \
if index is not valid
  - Use `a[i]?` notation instead, result is an `Option` type
  - Use `a[i]'h` notation instead, where `h` is a proof that index is valid
"""
# Functional Programming in Lean (4.32), "Overloading Indexing"
_NON_EMPTY = """structure NonEmptyList (α : Type) where
  head : α
  tail : List α
abbrev NonEmptyList.inBounds (xs : NonEmptyList α) (i : Nat) : Prop := i ≤ xs.tail.length
def NonEmptyList.get (xs : NonEmptyList α) (i : Nat) (ok : xs.inBounds i) : α :=
  match i with
  | 0 => xs.head
  | n + 1 => xs.tail[n]
instance : GetElem (NonEmptyList α) Nat α NonEmptyList.inBounds where
  getElem := NonEmptyList.get
def three : NonEmptyList Nat := ⟨1, [2, 3]⟩
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#eval ([1, 2, 3][1], [1, 2, 3][1]?, [1, 2, 3][7]?, [1, 2, 3][7]!)", ["1:0 info (2, some 2, none, 0)"]),
        ("example : [1, 2, 3][1] = 2 := rfl\nexample : [1, 2][5]? = none := rfl", []),
        ("#check [1, 2, 3][1]", ["1:0 info [1, 2, 3][1] : Nat"]),
        ("#check fun (xs : List Nat) => xs.tail[0]!", ["1:0 info fun xs => xs.tail[0]! : List Nat → Nat"]),
        ("#check fun (f : Nat → List Nat) => (f 1)[0]?",
         ["1:0 info fun f => (f 1)[0]? : (Nat → List Nat) → Option Nat"]),
        ("#check fun (xs : List (List Nat)) i j (h : i < xs.length) (h' : j < xs[i].length) => xs[i][j]",
         ["1:0 info fun xs i j h h' => xs[i][j] : (xs : List (List Nat)) → (i j : Nat) → (h : i < xs.length) → "
          "j < xs[i].length → Nat"]),
        ("def third (xs : List α) (ok : xs.length > 2) : α := xs[2]\n#eval third [1, 2, 3] (by decide)",
         ["2:0 info 3"]),
        (f"{_NON_EMPTY}#eval (three[0], three[2], three[2]?, three[3]?)", ["12:0 info (1, 3, some 3, none)"]),
        ("example (xs : List Nat) (i : Nat) (h : i < xs.length) : xs[i] ∈ xs := by simp", []),
        ("example (xs : List Nat) (i : Nat) (h : i + 1 < xs.length) : xs[i]'(by omega) = xs[i] := rfl", []),
        ("example (f : Nat → Nat) (xs : List Nat) : (xs.map f)[0]? = xs[0]?.map f := by simp", []),
        ("example (xs : List Nat) (h : xs[0]? = some 3) : 3 ∈ xs := by\n"
         "  obtain ⟨h, e⟩ := List.getElem?_eq_some_iff.mp h\n  exact e ▸ List.getElem_mem h", []),
        # a field's default may have parameters
        ("structure S where\n  f (n : Nat) : Nat := n + 1\n#eval ({} : S).f 3", ["3:0 info 4"]),
        ("structure S where\n  n := 3\n#eval ({} : S).n", ["3:0 info 3"]),
    ],
)  # fmt: skip
def test_places(text: str, expected: list[str], messages: Check) -> None:
    assert messages(text) == expected


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        # Functional Programming in Lean (4.32), "Interlude: Propositions, Proofs, and Indexing"
        ("def woodland : List String := [\"a\", \"b\", \"c\"]\ndef oops := woodland[3]", "⊢ 3 < woodland.length"),
        ("def third (xs : List α) : α := xs[2]", "α : Type ?u\nxs : List α\n⊢ 2 < xs.length"),
        (f"{_NON_EMPTY}def oops := three[9]", "⊢ three.inBounds 9"),
    ],
)  # fmt: skip
def test_no_such_place(text: str, goal: str, messages: Check) -> None:
    (message,) = messages(text)
    # the book prints Lean's own number of the universe
    assert re.sub(r"\?u\.\d+", "?u", message.partition(" error ")[2]) == _FAILED + goal


# --- attacks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "example : [1, 2][2] = 0 := rfl",
        "example (xs : List False) : False := xs[0]",
        "example (xs : List False) (h : 1 < xs.length → False) : False := xs[1]'h",
        "example (xs : List False) (i : Fin 0) : False := xs[i]",
        "example : ([] : List False)[0]? = some (by contradiction) := rfl",
        # `!` needs a default value of the element type
        "example (xs : List False) : False := xs[0]!",
        "example : [1, 2][0]? = some 2 := by simp",
        # an instance whose validity is `True` must still give an element
        "instance : GetElem (List False) Nat False (fun _ _ => True) where\n  getElem xs i _ := xs[i]",
        # an instance whose validity is `False` cannot be used
        "instance : GetElem Nat Nat False (fun _ _ => False) where\n  getElem _ _ h := h\n"
        "example : False := (3 : Nat)[(2 : Nat)]",
        # another instance does not change the elements of lists
        "instance : GetElem (List Nat) Nat Nat (fun _ _ => True) where\n  getElem _ _ _ := 0\n"
        "example : [1, 2][0] = 1 := rfl",
        # the tactic proves validity only
        "theorem t : 1 = 2 := by get_elem_tactic",
    ],
)
def test_attacks(text: str, messages: Check) -> None:
    assert any(" error " in message for message in messages(text))
