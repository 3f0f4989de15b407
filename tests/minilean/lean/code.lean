-- Checked with Lean 4.35.0.

/-! # Refusals of Lean beyond the kernel's: definitions without code, undetermined instances, invalid patterns -/

set_option linter.unusedVariables false

/-! Types and proofs need no code. -/

namespace TypesAndProofs
def T : Type := Classical.choice ⟨Nat⟩
end TypesAndProofs

example : ∃ x : Nat, x = Classical.choice ⟨0⟩ := ⟨_, rfl⟩

namespace TypesAndProofs2
def f (h : ∃ x, x = 3) : {x : Nat // x = 3} := ⟨3, by cases h; rfl⟩
end TypesAndProofs2

namespace TypesAndProofs3
def f (n : Nat) : Nat := by
  cases n with
  | zero => exact 1
  | succ m => exact m
end TypesAndProofs3

namespace TypesAndProofs4
def f (h : False) : Nat := h.elim
def g (h : a = b) (n : Fin a) : Fin b := h ▸ n
end TypesAndProofs4

-- the reference manual (4.34), "Recursive Definitions", evaluates a function that is defined by `Nat.rec`
namespace TypesAndProofs5
def f (n : Nat) : Nat := Nat.rec 1 (fun _ ih => ih + 1) n
example : f 3 = 4 := rfl
end TypesAndProofs5

namespace TypesAndProofs6
def len : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1
end TypesAndProofs6

/-! An instance leaves nothing open. The first message is the reference manual's ("Coercions", 4.34), the words of the second
are those of `computeSynthOrder`. -/

namespace InstanceLeavesNothing
structure T (α : Type) where
  b : Bool
/--
error: instance does not provide concrete values for (semi-)out-params
  Coe (T ?α) Bool
-/
#guard_msgs in
instance : Coe (T α) Bool := ⟨T.b⟩
end InstanceLeavesNothing

/-! Only constructors and what is marked are patterns (Lean by Example, "match_pattern"). -/

namespace OnlyConstructorsAnd
inductive L (α : Type) where
  | nil
  | cons (a : α) (l : L α)
def L.my (a : α) (l : L α) : L α := .cons a l
/-- error: Invalid pattern: Expected a constructor or constant marked with `[match_pattern]` -/
#guard_msgs in
def f : L α → Nat
  | L.nil => 0
  | L.my _ l => 1 + f l
attribute [match_pattern] L.my
def g : L α → Nat
  | L.nil => 0
  | L.my _ l => 1 + g l
end OnlyConstructorsAnd

/-! An argument written outside does not speak of the parameters inside. -/

-- reference manual (4.34), "Terms": the `x` of `(z := x)` is the one of the `let`
namespace ArgumentWrittenOutside
def sum3 (x y z : Nat) := x + y + z
/--
info: let x := 15;
fun x_1 y => sum3 x_1 y x : Nat → Nat → Nat
-/
#guard_msgs in
#check let x := 15; sum3 (z := x)
end ArgumentWrittenOutside

/-! An ambiguous namespace is not renamed (reference manual, "Namespaces"). -/

namespace AmbiguousNamespaceNot
namespace A.B
def x := 5
end A.B
namespace B
end B
open A
/-- error: ambiguous namespace `B`, possible interpretations: `[AmbiguousNamespaceNot.B, AmbiguousNamespaceNot.A.B]` -/
#guard_msgs in
open B hiding x
open B
/-- info: AmbiguousNamespaceNot.A.B.x : Nat -/
#guard_msgs in
#check x
end AmbiguousNamespaceNot

/-! Types and proofs need no code. -/

namespace TypesAndProofs7
noncomputable section
def f : Nat := Classical.choice ⟨0⟩
def g : Nat := 3
end
def h := g
end TypesAndProofs7
