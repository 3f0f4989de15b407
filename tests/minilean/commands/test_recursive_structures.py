"""Structures that mention themselves, and structures of a `mutual` block."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

ROSE = """
structure Rose (α : Type u) where
  node ::
  value : α
  kids : List (Rose α) := []
  tag : Nat := 3
"""

FILES = """
mutual
structure File where
  name : String
  size : Nat := 0
inductive Entry where
  | file : File → Entry
  | dir : Dir → Entry
structure Dir where
  entries : List Entry
  hidden : Bool := false
end
"""


def texts(found: list[str]) -> list[str]:
    return [" ".join(message.split(" ", 2)[2].split()) for message in found]


def test_projections_defaults_and_recursion(messages: Check) -> None:
    text = f"""{ROSE}
#check @Rose.kids
#check ({{ value := 2 }} : Rose Nat)
example : ({{ value := 2 }} : Rose Nat).tag = 3 := rfl
mutual
def Rose.size : Rose α → Nat
  | ⟨_, kids, _⟩ => 1 + sizes kids
def sizes : List (Rose α) → Nat
  | [] => 0
  | k :: ks => k.size + sizes ks
end
#eval (Rose.node 1 [⟨2, [], 0⟩, {{ value := 4 }}] 5).size
theorem t (x : Rose α) : x = ⟨x.value, x.kids, x.tag⟩ := by cases x; rfl
"""
    assert texts(messages(text)) == [
        "@Rose.kids : {α : Type u_1} → Rose α → List (Rose α)",
        "{ value := 2, kids := [], tag := 3 } : Rose Nat",
        "3",
    ]


def test_a_mutual_block_of_structures_and_inductive_types(messages: Check) -> None:
    text = f"""{FILES}
#check @Dir.entries
#check ({{ name := "a" }} : File).size
mutual
def Entry.count : Entry → Nat
  | .file _ => 1
  | .dir d => d.count
def Dir.count : Dir → Nat
  | ⟨es, _⟩ => countAll es
def countAll : List Entry → Nat
  | [] => 0
  | e :: es => e.count + countAll es
end
#eval ({{ entries := [.file {{ name := "a" }}, .dir {{ entries := [] }}] }} : Dir).count
"""
    assert texts(messages(text)) == [
        "Dir.entries : Dir → List Entry",
        '{ name := "a", size := 0 }.size : Nat',
        "1",
    ]


def test_parents(messages: Check) -> None:
    text = """
structure A (α : Type) where
  n : α
structure Z where
  z : Nat := 7
structure R extends A Nat, Z where
  kids : List R := []
  m : Nat := n + z
#check @R.mk
#eval ({ n := 4 } : R).m
example (x : R) : x.n = x.toA.n := rfl
def R.total : R → Nat
  | ⟨a, _, kids, _⟩ => a.n + totals kids
where totals : List R → Nat
  | [] => 0
  | _ :: xs => 1 + totals xs
#eval R.total { n := 2, kids := [{ n := 1, z := 0 }] }
class Unital (α : Type) where
  one : α
class Next (α : Type) extends Unital α where
  more : Option (Next α) := none
example [Next Nat] : Unital Nat := inferInstance
mutual
structure X extends Z where
  ys : List Y
structure Y where
  x : Option X
end
#eval ({ ys := [] } : X).z
"""
    assert texts(messages(text)) == ["R.mk : A Nat → Z → List R → Nat → R", "11", "3", "7"]


def test_section_variables_and_namespaces(messages: Check) -> None:
    text = """
section
variable (α : Type)
structure V where
  a : α
  v : List V
#check @V.mk
end
namespace N
structure Nat where
  pred : Option Nat
#check @N.Nat.mk
end N
class C (α : Type) where
  next : Option (C α)
#check @C.next
"""
    assert texts(messages(text)) == [
        "@V.mk : {α : Type} → α → List (V α) → V α",
        "Nat.mk : Option Nat → Nat",
        "@C.next : {α : Type} → [self : C α] → Option (C α)",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "structure Bad where\n  f : Bad → False",
            "(kernel) arg #1 of 'Bad.mk' has a non positive occurrence of the datatypes being declared",
        ),
        (
            "mutual\nstructure X where\n  y : Y → False\nstructure Y where\n  x : X\nend",
            "(kernel) arg #1 of 'X.mk' has a non positive occurrence of the datatypes being declared",
        ),
        (
            "structure P : Prop where\n  p : P\n  n : Nat",
            "failed to generate projection `P.n` for the 'Prop'-valued type `P`, field must be a proof, but it has "
            "type Nat",
        ),
        ("structure Q where\n  a : Option Q\n  a : Nat", "Field `a` has already been declared"),
        (
            "structure Big : Type where\n  kids : List Big\n  t : Type",
            "Invalid universe level for field `t`: Field has type Type at universe level 2 which is not less than or "
            "equal to the structure's resulting universe level 1",
        ),
        (
            "structure B where\n  n : Nat\nstructure E extends B where\n  k : List E\n  i : Fin n",
            "unsupported: a field over an inherited field in the recursive structure `E`",
        ),
        (
            "structure B where\n  n : Nat\nstructure E extends B where\n  k : E → False",
            "(kernel) arg #2 of 'E.mk' has a non positive occurrence of the datatypes being declared",
        ),
        (
            "structure B where\n  n : Nat\nstructure E extends B where\n  n : Nat\n  k : List E",
            "Field `n` has already been declared in a parent structure",
        ),
        (
            "structure B where\n  n : Nat\nstructure C where\n  n : Nat\nstructure E extends B, C where\n  k : List E",
            "unsupported: `extends` of structures that share fields (`n`)",
        ),
        (
            "structure E extends Nat where\n  k : List E",
            "`Nat` is not a structure Hint: This error is possibly due to a change in the `structure` syntax. Now the "
            "syntax is `structure S : Type extends P` rather than `structure S extends P : Type`. The purpose of the "
            "change is to accommodate `structure S extends toP : P` syntax for naming parent projections.",
        ),
        (
            "structure E where\n  k : List E\n  f : α → Nat",
            "unsupported: a field with undeclared variables in the recursive structure `E`",
        ),
    ],
)
def test_what_is_refused(messages: Check, text: str, message: str) -> None:
    assert texts(messages(text)) == [message]


@pytest.mark.parametrize(
    ("field", "over_parameter"), [("x : Nat", "x : Nat"), ("x : Option (S 0)", "x : Option (S n)")]
)
def test_a_structure_takes_no_indices(messages: Check, field: str, over_parameter: str) -> None:
    (message,) = messages(f"structure S : Nat → Type where\n  {field}")
    assert message.startswith(
        "1:0 error Invalid resulting type: Expected a sort\n\nHint: Examples of valid sorts "
    )
    assert messages(f"structure S (n : Nat) : Type where\n  {over_parameter}") == []


def test_a_recursive_structure_has_no_eta(messages: Check) -> None:
    declared = "structure S where\n  kids : List S\n"
    assert messages(declared + "theorem t (x : S) : x = ⟨x.kids⟩ := by cases x; rfl") == []
    assert "Type mismatch" in messages(declared + "theorem t (x : S) : x = ⟨x.kids⟩ := rfl")[0]
    plain = "structure S where\n  kids : List Nat\n"
    assert messages(plain + "theorem t (x : S) : x = ⟨x.kids⟩ := rfl") == []


def test_a_structure_without_a_first_value_is_empty_and_proves_no_more(messages: Check) -> None:
    declared = "structure R where\n  r : R\n"
    proof = "theorem no (x : {}) : False := by\n  induction x with\n  | mk r ih => exact ih"
    assert messages(declared + proof.format("R")) == []
    listed = "structure R where\n  r : List R\n"
    assert messages(listed + proof.format("R")) != []
