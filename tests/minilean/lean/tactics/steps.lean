-- Checked with Lean 4.35.0.

/-! # Steps from textbooks, `decide` over `Bool`, several errors of one proof -/

set_option linter.unusedVariables false

/-! A local definition is unfolded on request. -/

example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  have : U True := by simp [U]
  trivial

example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  have : U True := by dsimp [U]; simp
  trivial

example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  have : U True := by unfold U; simp
  trivial

example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  have : U True := by simp +zetaDelta
  trivial

/-! A local definition is opaque without request. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  have : U True := by simp
  trivial

/-! A match takes apart what a local definition says. -/

/--
error: unsolved goals
p : Prop
hp : p
U : Prop → Prop := fun x => x = True ∨ p
u : Prop := True
h✝ : U u
h : u = True
⊢ u ∨ p
-/
#guard_msgs in
example (p : Prop) (hp : p) : True := by
  let U (x : Prop) : Prop := x = True ∨ p
  let u : Prop := True
  have h : U u := Or.inl rfl
  have : u ∨ p := by
    match h with
    | Or.inl h => skip
    | Or.inr h => exact Or.inr h
  trivial

/-! `dsimp` reduces a `match` of constructors. -/

namespace DsimpReducesMatch
def twist (a b : Nat × Nat) : Prop :=
  match a, b with
  | (m, n), (k, l) => m + l = n + k

/--
error: unsolved goals
a b : Nat
⊢ a + b = b + a
-/
#guard_msgs in
example (a b : Nat) : twist (a, b) (a, b) := by
  dsimp [twist]
  skip

/-! A tactic block sees implicit binders. -/

example : ∀ {a b : Nat × Nat}, twist a b → twist b a := by
  intro (m, n) (k, l) h
  dsimp [twist] at *
  omega

end DsimpReducesMatch

/--
error: unsolved goals
⊢ ∀ {p : Prop}, p → p
-/
#guard_msgs in
example : ∀ {p : Prop}, p → p := by
  skip

example : ∀ ⦃p : Prop⦄, p → p := fun p h => h

/-! A named hole is the same in later tactics. -/

example (p q : Prop) (f : p → q) (g : p → q → False) (hp : p) : False := by
  refine g ?a ?_
  · exact hp
  · exact f ?a

/-! A recursive function marked `simp` gives its equations. -/

namespace RecursiveFunctionMarked
@[simp] def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib (n + 1) + fib n

example : fib 5 = 5 := by simp

/--
error: unsolved goals
n : Nat
⊢ fib (n + 1) + fib n = 0
-/
#guard_msgs in
example (n : Nat) : fib (n + 2) = 0 := by
  simp only [fib]
  skip

end RecursiveFunctionMarked

/-! `simp_all` uses premises and conjuncts. -/

example (p q : Prop) : p → q → p ∧ q := by simp_all

example (p q : Prop) (h : (p → q) ∧ p) : q := by simp_all

/-! Zero and one are numerals. -/

namespace ZeroAndOne
inductive My where
  | zero
  | succ (n : My)
instance : Zero My := ⟨.zero⟩

example : (0 : My) = My.zero := rfl

/--
error: failed to synthesize instance of type class
  OfNat My 1
numerals are polymorphic in Lean, but the numeral `1` cannot be used in a context where the expected type is
  My
due to the absence of the instance above

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
#check (1 : My)

end ZeroAndOne

namespace ZeroAndOne2
class Mon (α : Type) where
  unit : α
instance [s : Mon α] : OfNat α (nat_lit 1) := ⟨s.unit⟩
example [Mon α] : (1 : α) = Mon.unit := rfl
end ZeroAndOne2

/-! Implicit fields are found. -/

namespace ImplicitFieldsFound
structure S where
  {n : Nat}
  v : Fin n
/-- info: fun i => { n := 3, v := i } : Fin 3 → S -/
#guard_msgs in
#check fun (i : Fin 3) => ({ v := i } : S)
end ImplicitFieldsFound

/-! A name behind a constant is no field. -/

/-- error: Unknown constant `Quot.nothing` -/
#guard_msgs in
#check Quot.nothing

/-! Accepted. -/

example (b c : Bool) : (b && c) = (c && b) := by decide +revert

example (b c : Bool) (h : b = true) : (b || c) = true := by decide +revert

example : ∀ b : Bool, b = true ∨ b = false := by decide

example : ∃ b : Bool, b = !false := by decide

example (p q : Prop) (h : p ∧ q) (k : q ∨ p) : p := by
  rcases h, k with ⟨⟨a, b⟩, c | d⟩
  · exact a
  · exact d

/-! Refused. -/

/--
error: Tactic `decide` proved that the proposition
  ∀ (b c : Bool), (b && c) = c
is false
-/
#guard_msgs in
example (b c : Bool) : (b && c) = c := by decide +revert

/--
error: Expected type must not contain free variables
  (b && c) = (c && b)

Hint: Use the `+revert` option to automatically clean up and revert free variables
-/
#guard_msgs in
example (b c : Bool) : (b && c) = (c && b) := by decide

/--
error: failed to synthesize
  Decidable (∀ (n : Nat), n = n)

Hint: Additional diagnostic information may be available using the `set_option diagnostics true` command.
-/
#guard_msgs in
example (n : Nat) : n = n := by decide +revert

/--
error: Missing eliminator: An eliminator must be provided when multiple induction targets are specified and no default eliminator has been registered

Hint: Write `using <eliminator-name>` to specify an eliminator, or register a default eliminator with the attribute `[cases_eliminator]`
-/
#guard_msgs in
example (b c : Bool) : b = b := by cases b, c <;> rfl

/--
error: Type mismatch
  k
has type
  q
but is expected to have type
  p
-/
#guard_msgs in
example (p q : Prop) (h : p ∨ q) (k : q) : p := by
  rcases h, k with ⟨a | b, _⟩
  · exact a
  · exact k

/-! Each alternative that fails is reported. -/

/--
error: unsolved goals
case zero
⊢ 0 = 0 + 0
---
error: unsolved goals
case succ
n : Nat
ih : n = n + 0
⊢ n + 1 = n + 1 + 0
-/
#guard_msgs in
example (k : Nat) : k = k + 0 := by
  induction k with
  | zero => skip
  | succ n ih => skip

/--
error: Unknown identifier `x`
---
error: Alternative `inr` has not been provided
-/
#guard_msgs in
example (p q : Prop) (h : p ∨ q) : p := by
  cases h with
  | inl h => exact x

/-! Each bullet that fails is reported. -/

/--
error: Unknown identifier `x`
---
error: Unknown identifier `y`
-/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  · exact x
  · exact y

/--
error: Unknown identifier `x`
---
error: Unknown identifier `y`
-/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  case left => exact x
  · exact y

/--
error: Unknown identifier `x`
---
error: Unknown identifier `y`
-/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  next => exact x
  · exact y

/-! Errors after a failed bullet are reported as well. -/

/-- error: `simp` made no progress -/
#guard_msgs in
example (p q : Prop) (hp : p) : q ∧ p := by
  constructor
  · simp
  exact hp

/--
error: `simp` made no progress
---
error: Unknown identifier `x`
-/
#guard_msgs in
example (p q : Prop) (hp : p) : q ∧ p := by
  constructor
  · simp
  exact x

/-! The first of several is the error of a tactic. -/

/--
error: Unknown identifier `x`
---
error: Unknown identifier `y`
-/
#guard_msgs in
example (p q : Prop) : p ∧ q := by
  constructor
  · exact x
  · exact y
