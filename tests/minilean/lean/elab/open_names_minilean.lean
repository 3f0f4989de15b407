-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Names that open namespaces make short or ambiguous: elaboration and printing -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! What a namespace exports is its own. -/

namespace Ex1
namespace Ex
class Inhabited (α : Type u) where
  default : α
instance : Inhabited Nat := ⟨7⟩
export Inhabited (default)

/-- info: 7 -/
#guard_msgs in
#eval (default : Nat)
end Ex

/-- info: 0 -/
#guard_msgs in
#eval (default : Nat)

/-- info: 7 -/
#guard_msgs in
#eval (Ex.default : Nat)
end Ex1

/-! Evaluated data is written with full names and values. -/

namespace Ex2
inductive W where | a | b (n : Nat)
open W

/-- info: [Ex2.W.a, Ex2.W.b 3] -/
#guard_msgs in
#eval [a, b 3]

/-- info: (2, 2, ()) -/
#guard_msgs in
#eval ((5 : Fin 3), (⟨2, rfl⟩ : {x : Nat // x = 2}), ())
end Ex2

/-! An ellipsis stands for what is before a named argument too. -/

namespace Ex3
inductive T where
  | var (name : String)
  | lam (name : String) (type : T) (body : T)
def f : T → Option T
  | .lam (type := t) .. => some t
  | _ => none

/-- info: some (Ex3.T.var "A") -/
#guard_msgs in
#eval f (.lam "x" (.var "A") (.var "x"))
end Ex3

namespace WithTwo

namespace Foo
def False : Nat := 3
def f (n : Nat) : Nat := n
theorem bar : True := trivial
end Foo
namespace Goo
def f (b : Bool) : Nat := 1
def g (n : Nat) : Nat := n
protected def h (n : Nat) : Nat := n
theorem bar : 1 = 1 := rfl
end Goo
open Foo Goo

/-! The meaning that fits is taken. -/

-- Lean: error: Ambiguous term f Possible interpretations: Goo.f (2 + 2) : Nat Foo.f (2 + 2) : Nat
example : f (2 + 2) = 4 := rfl

/-! What nothing decides is refused. -/

-- Lean: error: ambiguous term, use fully qualified name, possible interpretations [Goo.f, Foo.f]
/-- error: ambiguous identifier `f`, possible interpretations: [WithTwo.Foo.f, WithTwo.Goo.f] -/
#guard_msgs in
example (x : Nat) (h : f x = 2) : x = 2 := by unfold f at h; exact h

-- Lean: error: Ambiguous term f Possible interpretations: Goo.f : Bool → Nat Foo.f : Nat → Nat
/--
error: ambiguous identifier `f`, possible interpretations: [WithTwo.Foo.f, WithTwo.Goo.f]
---
error: `simp` made no progress
-/
#guard_msgs in
example (x : Nat) (h : f x = 2) : x = 2 := by simp only [f] at h; exact h

-- Lean: error: Ambiguous term f Possible interpretations: Goo.f : Bool → Nat Foo.f : Nat → Nat
/-- error: ambiguous identifier `f`, possible interpretations: [WithTwo.Foo.f, WithTwo.Goo.f] -/
#guard_msgs in
example (x : Nat) (h : f x = 2) : x = 2 := by rw [f] at h; exact h

end WithTwo
