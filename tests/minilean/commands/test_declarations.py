"""Constructors with undeclared names, `deriving`, `@[ext]`, coercions, priorities, `open Classical`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.check_command import check_text
from minilean.library import library

Check = Callable[[str], list[str]]

EVEN = """
inductive Even : Nat → Prop where
  | zero : Even 0
  | step : Even n → Even (n + 2)
"""
VECT = """
inductive Vect (α : Type u) : Nat → Type u where
  | nil : Vect α 0
  | cons : α → Vect α n → Vect α (n + 1)
"""
TREE = """
inductive Tree (α : Type u) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α
  deriving DecidableEq, Inhabited
inductive Color where | red | green | blue
  deriving DecidableEq, Repr, Inhabited
structure Bounded where
  val : Nat
  low : 0 < val
  deriving DecidableEq
"""
POINT = "@[ext] structure Point (α : Type u) where\n  x : α\n  y : α\n"
COERCIONS = """
instance : Coe Bool Nat where
  coe b := if b then 1 else 0
structure Magma where
  carrier : Type u
  op : carrier → carrier → carrier
instance : CoeSort Magma (Type u) where
  coe s := s.carrier
structure Hom (a b : Magma) where
  map : a → b
instance (a b : Magma) : CoeFun (Hom a b) (fun _ => a → b) where
  coe f := f.map
"""
PARITY = """
def parity : Setoid Nat where
  r a b := a % 2 = b % 2
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h k => h.trans k⟩
"""
DEFAULTS = """
structure P where
  x : Nat := 0
  y : Nat := x + 1
structure R extends P where
  z : Nat := 9
structure Small where
  n : Nat
  low : n < 10 := by decide
class Magma (α : Type u) where
  op : α → α → α
  swapped : α → α → α := fun a b => op b a
instance : Magma Nat where
  op a b := a + b
"""
NAMED = """
def insert' (a : Nat) : List Nat → List Nat
  | [] => [a]
  | l@(x :: xs) => if a ≤ x then a :: l else x :: insert' a xs
"""
ACCEPTED = [
    EVEN + "theorem t (h : Even (n + 2)) : Even n := by\n  cases h with\n  | step h => exact h",
    EVEN + "theorem t : ¬ Even 1 := by\n  intro h\n  cases h",
    VECT + "theorem t (v : Vect α 0) : v = .nil := by\n  cases v\n  rfl",
    VECT + "theorem t (v : Vect α (n + 1)) : ∃ a w, v = .cons a w := by\n  cases v with\n  | cons a w => exact ⟨a, w, rfl⟩",  # noqa: E501
    VECT + "theorem t (p : Vect α 0 → Prop) (v : Vect α 0) (h : p v) : p .nil := by\n  cases v\n  exact h",
    TREE + "example : Tree.node .leaf 1 .leaf ≠ Tree.node .leaf 2 .leaf := by decide",
    TREE + "example : Tree.node .leaf 1 .leaf = Tree.node .leaf 1 .leaf := by decide",
    TREE + "example : Color.red ≠ .blue ∧ (default : Color) = .red := by decide",
    TREE + "example : (⟨1, by decide⟩ : Bounded) ≠ ⟨2, by decide⟩ := by decide",
    POINT + "example (a b : Point Nat) (h : a.x = b.x) (k : a.y = b.y) : a = b := by\n  ext\n  · exact h\n  · exact k",
    POINT + "example (a b : Point Nat) (h : a = b) : a.x = b.x ∧ a.y = b.y := Point.ext_iff.mp h",
    COERCIONS + "theorem t (b : Bool) (h : b = true) : (↑b : Nat) = 1 := by\n  subst h\n  rfl",
    COERCIONS + "theorem t (s : Magma) (a b : s) : s.op a b = s.op a b := rfl",
    COERCIONS + "theorem t (a b : Magma) (f : Hom a b) (x : a) : f x = f.map x := rfl",
    PARITY + "example : Quotient.mk parity 1 = Quotient.mk parity 3 := Quotient.sound (by decide : 1 % 2 = 3 % 2)",
    "open Classical in\ntheorem t (p : Prop) : (if p then 1 else 1) = 1 := by\n  split <;> rfl",
    "theorem t (p : Prop) : (∃ n, n = 1) := by\n  classical\n  exact ⟨if p then 1 else 1, by split <;> rfl⟩",
    "example (x y : Nat) (h : x = y) := h.symm",
    "variable (C : Nat → Type u)\n#check C 0",
    "class A where\n  a : Nat\ninstance (priority := low) one : A := ⟨1⟩\n"
    "instance (priority := default + 1) two : A := ⟨2⟩\ninstance three : A := ⟨3⟩\nexample : A.a = 2 := rfl",
]  # fmt: skip
REFUSED = [
    (EVEN + "theorem t : Even 3 := .step .zero", "mismatch"),
    ("inductive T : Type where | c : T → missing.name → T", "missing.name"),
    (VECT + "theorem t (v : Vect α n) : v = v := by\n  cases v with\n  | nil => rfl", "cons"),
    (VECT + "theorem t (v w : Vect α 1) : v = w := by\n  cases v\n  cases w\n  rfl", "error"),
    (TREE + "example : Tree.node .leaf 1 .leaf = Tree.node .leaf 2 .leaf := by decide", "is false"),
    (TREE + "example : Color.red = .blue := by decide", "is false"),
    (POINT + "example (a b : Point Nat) (h : a.x = b.x) : a = b := by\n  ext\n  · exact h\n  · exact h", "mismatch"),
    (COERCIONS + "example : Bool := (3 : Nat)", "Type mismatch"),
    (COERCIONS + "example (b : Bool) : (↑b : Nat) = 1 := rfl", "error"),
    (COERCIONS + "example (a b : Magma) (f : Hom a b) (x : b) := f x", "mismatch"),
    (PARITY + "example : Quotient.mk parity 1 = Quotient.mk parity 2 := rfl", "error"),
    ("theorem t (p : Prop) : (if p then 1 else 1) = 1 := by\n  split <;> rfl", "Decidable p"),
    ("open Classical in\ntheorem t (p : Prop) : p := by decide", "error"),
    ("open Classical in\nexample : ∀ p : Prop, p ∨ ¬p := by decide", "did not reduce"),
    ("class A where\n  a : Nat\ninstance (priority := low) one : A := ⟨1⟩\ninstance : A := ⟨3⟩\nexample : A.a = 1 := rfl", "error"),  # noqa: E501
]  # fmt: skip


ACCEPTED += [
    DEFAULTS + "example : ({} : P) = ⟨0, 1⟩ := rfl",
    DEFAULTS + "example : ({x := 3} : P) = {x := 3, y := 4} := rfl",
    DEFAULTS + "example : ({x := 1} : R).toP.y = 2 ∧ ({} : R).z = 9 := ⟨rfl, rfl⟩",
    DEFAULTS + "example : Small := {n := 3}",
    DEFAULTS + "example (a b : Nat) : Magma.swapped a b = b + a := rfl",
    NAMED + "example : insert' 2 [1, 3] = [1, 2, 3] := by decide",
    NAMED + "example (n : Nat) : insert' n [] = [n] := rfl",
    "example (p q : Prop) (h : p ∧ q) : p := match h with\n  | k@⟨_, _⟩ => k.1",
    "theorem t (n : Nat) : n = 0 ∨ ∃ k, n = k + 1 := by\n  match n with\n  | 0 => exact .inl rfl\n  | m@(k + 1) => exact .inr ⟨k, rfl⟩",  # noqa: E501
    "example (p q : Nat → Prop) : (∃ x, p x ∨ q x) → ∃ x, q x ∨ p x := by\n  intro\n  | ⟨w, .inl h⟩ => exact ⟨w, .inr h⟩\n  | ⟨w, .inr h⟩ => exact ⟨w, .inl h⟩",  # noqa: E501
]  # fmt: skip
REFUSED += [
    ("inductive Rose where\n  | node : (List Rose → Nat) → Rose", "has a non positive occurrence"),
    (DEFAULTS + "example : ({x := 3} : P) = {x := 3, y := 5} := rfl", "mismatch"),
    (DEFAULTS + "example : Small := {n := 30}", "is false"),
    ("structure B where\n  z : Nat := true", "Type mismatch"),
    ("structure B where\n  a : Nat := b\n  b : Nat", "Unknown identifier `b`"),
    ("example (x y : Nat) : x@y = y := rfl", "is a named pattern and can only be used in pattern matching contexts"),
    ("def f : List Nat → Nat\n  | l@(l :: _) => 0\n  | [] => 0", "more than once"),
    (NAMED + "example : insert' 2 [1, 3] = [2, 1, 3] := by decide", "is false"),
    ("example (p q : Prop) : p ∨ q → p := by\n  intro\n  | .inl h => exact h\n  | .inr h => exact h", "mismatch"),
    ("example (p q : Prop) : p ∨ q → p := by\n  intro\n  | .inl h => exact h", "Missing cases"),
]  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED)
def test_lean_accepts(messages: Check, text: str) -> None:
    assert [m for m in messages(text) if "error" in m] == []


@pytest.mark.parametrize(("text", "part"), REFUSED)
def test_lean_refuses(messages: Check, text: str, part: str) -> None:
    errors = [m for m in messages(text) if "error" in m]
    assert errors and part in errors[-1]


def test_the_generated_theorems_are_stated_as_lean_states_them(messages: Check) -> None:
    text = "@[ext] structure W where\n  val : Nat\n#check @W.ext\n#check @W.ext_iff"
    assert [line.split(" ", 2)[2] for line in messages(text)] == [
        "@W.ext : ∀ {x y : W}, x.val = y.val → x = y",
        "@W.ext_iff : ∀ {x y : W}, x = y ↔ x.val = y.val",
    ]


def test_classical_ends_with_its_block(messages: Check) -> None:
    text = "example (p : Prop) : ∃ n, n = 1 := by\n  constructor\n  · classical\n    rfl\n"
    assert messages(text) == []
    text = "example (p : Prop) : True ∧ ∃ n, n = 1 := by\n  constructor\n  · classical\n    trivial\n  · exact ⟨if p then 1 else 1, by split <;> rfl⟩\n"  # noqa: E501
    (message,) = messages(text)
    assert "Decidable p" in message


HALF_DONE = {
    "a function whose `match` was compiled": "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f (n + 2)\n",
    "a type with an attribute that is refused": "@[nonsense] inductive f | a (n : Nat)\n",
    "a structure with an attribute that is refused": "@[ext, nonsense] structure f where\n  n : Nat\n",
    "an example": "example (n : Nat) : Nat := match n with | 0 => 1 | _ => 2\n",
}


@pytest.mark.parametrize("text", HALF_DONE.values(), ids=HALF_DONE.keys())
def test_a_refused_command_leaves_nothing_behind(text: str) -> None:
    env = library().child()
    before, namespaces = list(env.kernel), set(env.namespaces)
    errors = [m for m in check_text(text, env) if m.severity == "error"]
    assert bool(errors) != text.startswith("example")
    assert list(env.kernel) == before and env.namespaces == namespaces
    assert not any(name.startswith(("f.", "_example")) for name in (*env.matchers, *env.equations))


def test_what_a_refused_command_declared_can_be_declared(messages: Check) -> None:
    # same name, another meaning: no cache may hold the first one
    got = messages(
        "@[nonsense, simp] theorem f : 1 = 1 := rfl\ndef f (n : Nat) : Nat := n + 1\n"
        "example : f 1 = 2 := by simp [f]\n"
    )
    assert [text for text in got if "nonsense" not in text] == []


@pytest.mark.parametrize(
    "text",
    ["inductive I.{u} : Sort u | a : I | b : I", "structure S.{u} (α : Sort u) : Sort u where\n  x : α"],
)
def test_a_type_that_may_be_a_proposition_is_refused(messages: Check, text: str) -> None:
    assert messages(text)[0].startswith("1:0 error Invalid universe polymorphic resulting type: ")


OPAQUE = "opaque f : Nat → Nat\nopaque P : Prop\nopaque T : Type\nopaque g (n : Nat) : Nat := n + 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "example (h : ∀ n : Nat, f n = n) : f 5 = 5 := by exact h 5",
        "example : f 2 = f (1 + 1) := rfl",
        "example (h : P) (x : T) : P ∧ x = x := ⟨h, rfl⟩",
        "example (h : g 1 = f 1) : f 1 = g 1 := by simp [h]",
    ],
)
def test_an_opaque_constant_is_some_element_of_its_type(messages: Check, text: str) -> None:
    assert messages(OPAQUE + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "example : g 2 = 3 := rfl",
        "example : g 2 = 3 := by decide",
        "example : g 2 = 3 := by simp [g]",
        "example : g 2 = 3 := by unfold g; rfl",
        "example : g 2 = 3 := by rw [g]",
        "example : P := trivial",
        "example : P := by unfold P; trivial",
        "attribute [simp] g\nexample : g 2 = 3 := by simp",
        "inductive None\nopaque x : None",
        "opaque x : False",
        "opaque x : ∀ n : Nat, n = 0",
    ],
)
def test_nobody_knows_which_one(messages: Check, text: str) -> None:
    assert [m for m in messages(OPAQUE + text) if " error " in m]


def test_options_and_subtypes_are_coerced_as_in_core(messages: Check) -> None:
    # `optionCoe` and `subtypeCoe` of `Init/Data/Option/Coe.lean` and `Init/Coe.lean`, unfolded
    text = """def f (a : Nat) : Option Nat := a
example (a : Nat) : f a = some a := rfl
example (a : Nat) (o : Option Nat) (h : o = a) : o = none := by
  skip
example (x : { n : Nat // n > 0 }) (l : List Nat) (h : (x : Nat) ∈ l) : x.1 + x = 0 := by
  skip
"""
    first, second = messages(text)
    assert first.endswith("h : o = some a\n⊢ o = none")
    assert second.endswith("h : ↑x ∈ l\n⊢ ↑x + ↑x = 0")


def test_coercions_go_one_way(messages: Check) -> None:
    for text in (
        "example (o : Option Nat) : Nat := o",
        "example (n : Nat) : { n : Nat // n > 0 } := n",
        "example (x : { n : Nat // n > 0 }) : Bool := x",
    ):
        (message,) = messages(text)
        assert "Type mismatch" in message
