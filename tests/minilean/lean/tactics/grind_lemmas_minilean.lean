-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # `grind` with lemmas: arguments, modifiers, the attribute `@[grind]`, and options -/

-- Lean's `grind` needs theorems that minilean's library lacks, parses modifiers otherwise, and prints its facts below the goal.

set_option linter.unusedVariables false

/-! A lemma is instantiated. -/

namespace LemmaInstantiated
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega

/--
error: `grind` failed
case grind
a : Nat
h : ¬g (g (g a)) = g a
⊢ False
-/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind

example (a : Nat) : g (g (g a)) = g a := by grind [= gg]

example (a : Nat) : g (g (g a)) = g a := by grind only [= gg, List.append_nil]

end LemmaInstantiated

/-! The side of an equation is the pattern. -/

namespace SideEquationPattern
def f (x : Nat) := x
def h (x : Nat) := x
theorem fh (x : Nat) : f x = h x := rfl

example (u : Nat → Nat) (k : ∀ y, u (h y) = 1) (a : Nat) (l : u (f a) = 2) : False := by grind [= fh]

example (u : Nat → Nat) (k : ∀ y, u (h y) = 1) (a : Nat) (l : u (f a) = 2) : False := by grind [fh]

/--
error: `grind` failed
case grind
u : Nat → Nat
k : ∀ (y : Nat), u (h y) = 1
a : Nat
l : u (f a) = 2
⊢ False
-/
#guard_msgs in
example (u : Nat → Nat) (k : ∀ y, u (h y) = 1) (a : Nat) (l : u (f a) = 2) : False := by grind [=_ fh]

example (u : Nat → Nat) (k : ∀ y, u (h y) = 1) (a : Nat) (l : u (f a) = 2) : False := by grind [_=_ fh]

end SideEquationPattern

/-! Forward and backward. -/

namespace ForwardAndBackward
def P (n : Nat) : Prop := n < 5
def Q (n : Nat) : Prop := n < 9
theorem pq {n : Nat} (h : P n) : Q n := by unfold P at h; unfold Q; omega

example (n : Nat) (h : P n) : Q n := by grind [→ pq]

example (n : Nat) (h : P n) : Q n := by grind [← pq]

example (n : Nat) (h : P n) : Q n := by grind [ pq]

end ForwardAndBackward

namespace ForwardAndBackward2
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
/-- error: invalid `grind` forward theorem, the theorem does not have propositional hypotheses -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [→ gg]
end ForwardAndBackward2

/-! The attribute `@[grind]`. -/

namespace Attribute
def g (x : Nat) := min x 3
@[grind =] theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
example (a : Nat) : g (g (g a)) = g a := by grind
end Attribute

namespace Attribute2
def g (x : Nat) := min x 3
@[grind =] theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
/--
error: `grind` failed
case grind
a : Nat
h : ¬g (g (g a)) = g a
⊢ False
-/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind only
end Attribute2

namespace Attribute3
def g (x : Nat) := min x 3
@[grind =] theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
/--
error: `grind` failed
case grind
a : Nat
h : ¬g (g (g a)) = g a
⊢ False
-/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [-gg]
end Attribute3

namespace Attribute4
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
/-- error: `Attribute4.gg` is not marked with the `[grind]` attribute -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [-gg]
end Attribute4

namespace Attribute5
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
attribute [grind] gg
example (a : Nat) : g (g (g a)) = g a := by grind
end Attribute5

namespace Attribute6
def g (x : Nat) := min x 3
@[grind =] theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
attribute [-grind] gg
/--
error: `grind` failed
case grind
a : Nat
h : ¬g (g (g a)) = g a
⊢ False
-/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind
end Attribute6

namespace Attribute7
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega
section
attribute [local grind] gg
end
/--
error: `grind` failed
case grind
a : Nat
h : ¬g (g (g a)) = g a
⊢ False
-/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind
end Attribute7

namespace Attribute8
@[grind] def g (x : Nat) := min x 3
example (x : Nat) : g (g x) = g x := by unfold g; omega
example (a : Nat) : g (g (g a)) = g a := by grind
end Attribute8

/-! Attributes that are refused. -/

namespace AttributesRefused
/-- error: unsupported: `@[grind]` on `AttributesRefused.T`, which is neither a theorem nor a definition -/
#guard_msgs in
@[grind] inductive T | a
end AttributesRefused

namespace AttributesRefused2
/-- error: unsupported: the modifier `cases` of `grind` -/
#guard_msgs in
@[grind cases] theorem t : True := trivial
end AttributesRefused2

namespace AttributesRefused3
/-- error: invalid `grind` modifier `→` for the definition `AttributesRefused3.f` -/
#guard_msgs in
@[grind →] def f := 1
end AttributesRefused3

namespace AttributesRefused4
theorem t : True := trivial
/-- error: `AttributesRefused4.t` is not marked with the `[grind]` attribute -/
#guard_msgs in
attribute [-grind] t
end AttributesRefused4

/-! Arguments and options that are refused. -/

namespace Refused
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega

/-- error: unsupported: the option `ring` of `grind` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind +ring

/-- error: unsupported: the option `ring` of `grind` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind (ring := true)

/-- error: unsupported: the option `ring` of `grind` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind (config := { splits := 2, ring := true })

/-- error: the option `splits` of `grind` is `x`; expected a numeral up to 100000 -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind (splits := x)

/-- error: unsupported: the modifier `cases` of `grind` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [cases Nat]

/-- error: unsupported: the modifier `!` of `grind` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [! gg]

/-- error: Unknown identifier `absent` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [absent]

/-- error: invalid `grind` theorem, `Nat` is not a theorem or definition -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [Nat]

/-- error: invalid `grind` theorem, failed to find an usable pattern for `Nat.add_sub_cancel` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind [=_ Nat.add_sub_cancel]

/-- error: unsupported: the tactic `grind?` -/
#guard_msgs in
example (a : Nat) : g (g (g a)) = g a := by grind?

/-! Limits on splits, rounds, generations and instances. -/

example (p q r s : Prop) (h : p ∨ q) (h2 : p → r) (h3 : q → s) (h4 : r → s) : s := by grind

example (p q r s : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : p → r → False) (h3 : p → s → False) (h4 : q → r → False) (h5 : q → s → False) : False := by grind (splits := 2)

example (p q r s : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : p → r → False) (h3 : p → s → False) (h4 : q → r → False) (h5 : q → s → False) : False := by grind (splits := 1)

/--
error: `grind` failed
case grind
p q r s : Prop
h : p ∨ q
h1 : r ∨ s
h2 : p → r → False
h3 : p → s → False
h4 : q → r → False
h5 : q → s → False
⊢ False
-/
#guard_msgs in
example (p q r s : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : p → r → False) (h3 : p → s → False) (h4 : q → r → False) (h5 : q → s → False) : False := by grind (splits := 0)

/--
error: `grind` failed
case grind
p q r s : Prop
h : p ∨ q
h1 : r ∨ s
h2 : p → r → False
h3 : p → s → False
h4 : q → r → False
h5 : q → s → False
⊢ False
-/
#guard_msgs in
example (p q r s : Prop) (h : p ∨ q) (h1 : r ∨ s) (h2 : p → r → False) (h3 : p → s → False) (h4 : q → r → False) (h5 : q → s → False) : False := by grind (config := { splits := 0 })

example (f : Nat → Nat) (p : Nat → Prop) (h : ∀ x, p x → p (f x)) (h0 : p 0) : p (f (f (f 0))) := by grind

example (p : Nat → Prop) (h : ∀ x, p x → p (x + 1)) (h0 : p 0) : p 4 := by grind

/--
error: `grind` failed
case grind
p : Nat → Prop
h : ∀ (x : Nat), p x → p (x + 1)
h0 : p 0
h_1 : ¬p 4
⊢ False
-/
#guard_msgs in
example (p : Nat → Prop) (h : ∀ x, p x → p (x + 1)) (h0 : p 0) : p 4 := by grind (ematch := 1)

/--
error: `grind` failed
case grind
p : Nat → Prop
h : ∀ (x : Nat), p x → p (x + 1)
h0 : p 0
h_1 : ¬p 4
⊢ False
-/
#guard_msgs in
example (p : Nat → Prop) (h : ∀ x, p x → p (x + 1)) (h0 : p 0) : p 4 := by grind (gen := 1)

/--
error: `grind` failed
case grind
p : Nat → Prop
h : ∀ (x : Nat), p x → p (x + 1)
h0 : p 0
h_1 : ¬p 4
⊢ False
-/
#guard_msgs in
example (p : Nat → Prop) (h : ∀ x, p x → p (x + 1)) (h0 : p 0) : p 4 := by grind (instances := 1)

end Refused

/-! Other instances than the usual ones prove nothing. -/

namespace ProofByGrind
def odd : LE Nat := ⟨fun _ _ => True⟩
/--
error: `grind` failed
case grind
a b : Nat
h : b ≤ a
h_1 : ¬b ≤ a
⊢ False
-/
#guard_msgs in
example (a b : Nat) (h : @LE.le Nat odd b a) : b ≤ a := by grind
end ProofByGrind

/--
error: `grind` failed
case grind
inst : BEq Nat
a b : Nat
h : (a == b) = true
h_1 : ¬a = b
⊢ False
-/
#guard_msgs in
example [BEq Nat] (a b : Nat) (h : (a == b) = true) : a = b := by grind
