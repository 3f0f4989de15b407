-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `ext` with patterns and a depth, `@[ext]` on structures with parents, `cases` on heterogeneous equations -/

set_option linter.unusedVariables false

/-! Priorities and erasure. -/

-- Lean: unsolved goals case refine_1.refl x✝ : U
namespace PrioritiesAndErasure
structure U
@[ext high] theorem U.one (x y : U) (_h : 1 = 1) : x = y := by cases x; rfl
@[ext] theorem U.two (x y : U) (_h : 2 = 1) : x = y := by cases x; rfl
example (x y : U) : x = y := by ext; rfl
end PrioritiesAndErasure

/-! What does not follow is refused. -/

-- Lean: unsolved goals f g : Nat → String x : Nat
/-- error: unsupported: `ext` for `String` -/
#guard_msgs in
example (f g : Nat → String) : f = g := by
  ext x

-- Lean: `[ext]` attribute only applies to structures and to theorems proving `x = y` where `x` and `y` are variables, but this theorem proves
namespace DoesNotFollow2
/-- error: `@[ext]` attribute only applies to structures and lemmas proving `x = y` where `x` and `y` are variables -/
#guard_msgs in
@[ext] theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := ⟨h, k⟩
end DoesNotFollow2

namespace DoesNotFollow3
/-- error: `@[ext]` attribute only applies to structures and lemmas proving `x = y` where `x` and `y` are variables -/
#guard_msgs in
attribute [ext] Nat.add_comm
end DoesNotFollow3

-- Lean: Type mismatch C.ext ?m.12 ?m.13 has type
namespace DoesNotFollow4
structure A (n : Nat) where
  a : Nat
structure B (n) extends A n where
  b : Nat
  h : b > 0
  i : Fin b
@[ext] structure C (n) extends B n where
  c : Nat
@[ext (flat := false)] structure D (n) extends B n where
  c : Nat
-- fields that are proofs do not become premises, other fields do
/--
error: Application type mismatch: The argument
  h
has type
  a.b = b.b
but is expected to have type
  ?m.6.a = ?m.7.a
in the application
  C.ext h
-/
#guard_msgs in
example (a b : C n) (h : a.b = b.b) (k : a.c = b.c) : a = b := C.ext h k
end DoesNotFollow4

/-! A side that computes to a variable may mention what depends on it. -/

namespace SideComputesVariable
structure P where
  b : Nat
  h : b > 0

-- Lean: `{ b := (({ b := b✝, h := h✝¹ }.b + 0).add 0).succ, h := h✝ }` in place of `{ b := { b := b✝, h := h✝¹ }.b + 0 + 1, h := h✝ }`
/--
error: Tactic `rfl` failed: The left-hand side
  { b := { b := b✝, h := h✝¹ }.b + 0 + 1, h := h✝ }
is not definitionally equal to the right-hand side
  { b := b✝, h := h✝¹ }

case refl
b✝ : Nat
h✝¹ : b✝ > 0
h✝ : { b := b✝, h := h✝¹ }.b + 0 + 1 > 0
⊢ { b := { b := b✝, h := h✝¹ }.b + 0 + 1, h := h✝ } = { b := b✝, h := h✝¹ }
-/
#guard_msgs in
example (x y : P) : x.b = y.b + 0 + 1 → x = y := by
  rcases x with ⟨_, _⟩
  rcases y with ⟨_, _⟩
  intro e
  cases e
  rfl

end SideComputesVariable
