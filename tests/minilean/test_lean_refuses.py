"""Commands and terms that Lean refuses although their meaning could be guessed; each with its counterpart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

REFUSED = [
    # universes
    ("universe u\nuniverse u", "a universe level named `u` has already been declared"),
    ("universe u\ndef f.{u} (α : Type u) := α", "a universe level named `u` has already been declared"),
    ("def f.{u, u} (α : Type u) := α", "a universe level named `u` has already been declared"),
    ("def f.{u, v} (α : Type u) := α", "unused universe parameter 'v'"),
    ("def d.{u, v, w} : Sort (v + 1) := Sort v", "unused universe parameter 'w'"),
    ("inductive T.{u} | a", "unused universe parameter 'u'"),
    ("structure T.{u} where\n  a : Nat", "unused universe parameter 'u'"),
    ("axiom a.{u} : 1 = 1", "unused universe parameter 'u'"),
    ("example (α : Sort _) (x y : α) : x = y := proof_irrel x y", "mismatch"),
    # declared or given twice
    ("example (p q : Prop) (h : p) : p ∨ q := Or.inl (h := h) (h := h)", "Argument `h` was already set"),
    ("structure S where\n  x : Nat\nexample : S := { x := 1, x := 2 }", "`x` has already been specified"),
    ("structure S where\n  x : Nat\n  x : Nat", "Field `x` has already been declared"),
    (
        "structure A where\n  x : Nat\nstructure B extends A where\n  x : Nat",
        "already been declared in a parent structure",
    ),
    ("example (n : Nat) (h : n = n) : True := by\n  clear h h\n  trivial", "unknown variable"),
    # deriving
    ("structure S where\n  f : Nat → Nat\n  deriving BEq", "BEq (Nat → Nat)"),
    ("structure S where\n  f : Nat → Nat\n  deriving Repr", "Repr (Nat → Nat)"),
    ("structure S where\n  f : Type\n  deriving DecidableEq", "DecidableEq (Type)"),
    ("inductive P : Prop | a\n  deriving DecidableEq", "None of the deriving handlers"),
    ("inductive E\n  deriving Inhabited", "None of the deriving handlers"),
    ("inductive T | a\n  deriving Foo", "Unknown constant `Foo`"),
    ("class C (α : Type) where\n  x : α\ninductive T | a\n  deriving C", "No deriving handlers"),
    # attributes
    ("@[simp] theorem t (a b : Nat) : a = b → b = b := fun _ => rfl", "Equation is equivalent to"),
    ("@[simp] inductive T | a", "Cannot add `simp` attribute"),
    ("@[class] def A := Nat", "invalid `class`"),
    ("@[elab_as_elim] theorem t : 1 = 1 := rfl", "unexpected eliminator resulting type"),
    ("def f := 1\nattribute [local reducible] f", "failed to set `[local reducible]`"),
    ("@[simp foo] theorem t (n : Nat) : n + 0 = n := rfl", "unexpected `foo`"),
    ("@[simp 100 200] theorem t (n : Nat) : n + 0 = n := rfl", "unexpected `100 200`"),
    ("@[instance foo] def f : Inhabited Nat := ⟨1⟩", "unexpected `foo`"),
    ("@[reducible foo] def f := 1", "unexpected `foo`"),
    ("@[deprecated foo] theorem t : 1 = 1 := rfl", "Unknown constant `foo`"),
    ("@[implemented_by foo] def f := 1", "Unknown constant `foo`"),
    # modifiers and doc comments
    ("protected private def f := 1", "unexpected token 'private'"),
    ("private private def f := 1", "unexpected token 'private'"),
    ("noncomputable private def f := 1", "unexpected token 'private'"),
    ("local def f := 1", "unexpected token 'def'"),
    ("private variable (n : Nat)", "unexpected token 'variable'"),
    ("private namespace A", "unexpected token 'namespace'"),
    ("noncomputable theorem t : 1 = 1 := rfl", "'theorem' subsumes 'noncomputable'"),
    ("/-- a -/ /-- b -/ def f := 1", "expected"),
    ("/-- a -/ variable (n : Nat)", "unexpected token 'variable'"),
    ("/-- a -/", "unexpected end of input"),
    ("example t : 1 = 1 := rfl", "Failed to infer type of binder"),
    # scopes
    ("include n", "invalid 'include', variable `n` has not been declared"),
    ("omit n", "`n` did not match any variables in the current scope"),
    ("open Nat hiding foo", "Unknown constant `Nat.foo`"),
    ("set_option pp.all", "unexpected end of input"),
    ("set_option pp.all foo", "unexpected identifier"),
    ("set_option autoImplicit 3", "has type `Bool`"),
    ("set_option maxRecDepth true", "has type `Nat`"),
    # core's remainder computes on the dividend, its greatest common divisor by well-founded recursion
    ("example (n : Nat) : n % 0 = n := rfl", "Type mismatch"),
    ("example (n : Nat) : Nat.gcd 0 n = n := rfl", "Type mismatch"),
    # tactics
    ("example (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  apply ⟨h, k⟩", "Invalid `⟨...⟩` notation"),
    ("example : ∃ n : Nat, n = 0 := by\n  apply (⟨0, rfl⟩)", "Invalid `⟨...⟩` notation"),
    ("example (n : Nat) : n = n := by\n  apply .refl", "Invalid dotted identifier notation"),
    ("example (n : Nat) : n = n := by\n  apply by rfl", "`rfl` failed"),
    ("example : 1 = 1 := by\n  rfl\n  any_goals rfl", "Tactic failed on all goals"),
]
ACCEPTED = [
    "universe u v\ndef f.{w} (α : Type u) (β : Type w) := α × β",
    "universe u\ntheorem t : 1 = 1 := rfl",
    "example : Type _ := Type _",
    "theorem t.{u} : ∃ α : Sort u, α = α := ⟨PUnit, rfl⟩",
    "structure A where\n  x : Nat\nstructure B extends A where\n  y : Nat\nexample : B := { x := 1, y := 2 }",
    "structure S where\n  x : Nat\n  h : x = x\n  deriving BEq, Repr, Hashable",
    "structure S (α : Type) where\n  f : α\n  deriving DecidableEq, Repr",
    "inductive E\n  deriving DecidableEq",
    "@[simp] theorem t (f : Nat → Nat) (a b : Nat) : f a = f b → f a = f b := id",
    "@[simp] def f := 1",
    "@[simp ↓ low] theorem t (n : Nat) : n + 0 = n := rfl",
    '@[deprecated Nat.add_zero (since := "2026-01-01")] theorem t (n : Nat) : n + 0 = n := rfl',
    '@[deprecated "say why" (since := "2026-01-01")] theorem t (n : Nat) : n + 0 = n := rfl',
    "def f := 1\nattribute [reducible] f",
    "/-- a -/ @[simp] private protected noncomputable def f := 1",
    "/-- a -/ example : 1 = 1 := rfl",
    "/-! a -/\n/-! b -/\n/-- c -/ def f := 1\n/-! d -/",
    "set_option autoImplicit true\nset_option autoImplicit false in\n/-- a -/ def f := 1",
    'local instance : Inhabited Nat := ⟨1⟩\nlocal infixl:65 " ⊞ " => Nat.add\nexample := 1 ⊞ 2',
    "variable (n : Nat)\ninclude n\nomit n",
    "open Nat hiding succ",
    "example (n : Nat) : 0 % n = 0 := rfl\nexample (n : Nat) : n / 0 = 0 := rfl\nexample : Nat.gcd 12 18 = 6 := rfl",
    "example (n : Nat) : n % 0 = n := by simp\nexample (n : Nat) : Nat.gcd 0 n = n := by simp",
    "example (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  apply id ⟨h, k⟩",
    "example (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  apply (⟨h, k⟩ : p ∧ q)",
    "example (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  apply show p ∧ q from ⟨h, k⟩",
    # `Type (max ..)` is `List`'s universe here: a successor is unified with a maximum of successors
    "example := [HAdd]\nexample := (HAdd, 1)\nexample := some HAdd\ndef f := [@id]",
]


@pytest.mark.parametrize(("text", "part"), REFUSED)
def test_refused(messages: Check, text: str, part: str) -> None:
    found = messages(text + "\n")
    assert any(" error " in message and part in message for message in found), found


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(messages: Check, text: str) -> None:
    assert messages(text + "\n") == []
