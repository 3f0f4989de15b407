-- Checked with Lean 4.35.0.

/-! # Patterns in `let`, `have` and `fun` expand to `match`; cases ruled out by hypotheses; projections of a `match` -/

set_option linter.unusedVariables false

/-! A pattern in let is shown as match. -/

namespace Ex1
def f (p : Nat × Nat) : Nat := let (a, b) := p; b + a

/--
info: f.eq_def : ∀ (p : Nat × Nat),
  f p =
    match p with
    | (a, b) => b + a
-/
#guard_msgs in
#check @f.eq_def
end Ex1

namespace Ex2
def f (p : Nat × Nat) : Nat := have (a, b) := p; b + a

/--
info: f.eq_def : ∀ (p : Nat × Nat),
  f p =
    match p with
    | (a, b) => b + a
-/
#guard_msgs in
#check @f.eq_def
end Ex2

namespace Ex3
def f (p : Nat × Nat) : Nat := match p with | (a, b) => b + a

/--
info: f.eq_def : ∀ (p : Nat × Nat),
  f p =
    match p with
    | (a, b) => b + a
-/
#guard_msgs in
#check @f.eq_def
end Ex3

/-! Patterns of functions. -/

/--
trace: x✝ : ∃ x, x > 3 ∧ x < 5
x : Nat
h : x > 3
right✝ : x < 5
⊢ ∃ y, y > 3
-/
#guard_msgs in
example : (∃ x : Nat, x > 3 ∧ x < 5) → ∃ y, y > 3 := fun ⟨x, h, _⟩ => by
  trace_state
  exact ⟨x, h⟩

/-! What is matched must fit the pattern. -/

/--
error: Invalid `⟨...⟩` notation: The expected type `True ∨ False` has more than one constructor

Note: This notation can only be used when the expected type is an inductive type with a single constructor
-/
#guard_msgs in
example (h : True ∨ False) : True := have ⟨x, y⟩ := h; trivial

namespace Ex6

/--
error: Missing cases:
(Nat.succ _)
-/
#guard_msgs in
def f (n : Nat) : Nat := let (0) := n; 1
end Ex6

/-! Hypotheses rule alternatives out. -/

/--
trace: α : Type u_1
l : List α
x y : α
xs : List α
x✝ : (x :: y :: xs).length ≥ 2
⊢ True
-/
#guard_msgs in
example (l : List α) (_ : l.length ≥ 2) : True := by
  match l with
  | x :: y :: xs => trace_state; trivial

namespace Ex8
def f (n : Nat) (h : n > 0) : Nat := match n with
  | k + 1 => k

/--
info: def Ex8.f : (n : Nat) → n > 0 → Nat :=
fun n h =>
  match n, h with
  | k.succ, h => k
-/
#guard_msgs in
#print f
end Ex8

/--
error: Missing cases:
(List.cons _ []), _
-/
#guard_msgs in
example (l : List α) (_ : l.length ≥ 1) : True := by
  match l with
  | x :: y :: xs => trivial

/-! Funext over types. -/

namespace Ex10
def A {α : Type u} (x : List α) := x
def B {α : Type u} (x : List α) := x
theorem t : @A = @B := by
  funext α x
  rfl
end Ex10

namespace Ex11
def A {α : Type u} (x : List α) := x
def B {α : Type u} (x : List α) := x
theorem t : @A = @B := by
  funext α
  rfl
end Ex11

/-! The expected type is used before an instance behind it. -/

example {n : Nat} (P : Fin n → Prop) [DecidablePred P] : Decidable (∀ i, P i) :=
  decidable_of_iff (∀ k h, P ⟨k, h⟩) ⟨fun h k => match k with | ⟨k, l⟩ => h k l, fun h k l => h ⟨k, l⟩⟩

/-! What types say about an index is not checked. -/

namespace Ex13
inductive Alternating (α : Type u) : Bool → Type u where
  | nil : Alternating α true
  | cons : α → Alternating α b → Alternating α (!b)
def Alternating.length : Alternating α b → Nat
  | .nil => 0
  | .cons _ xs => xs.length + 1
example : (Alternating.cons 1 (.cons 2 .nil)).length = 2 := rfl
theorem t (xs : Alternating α b) : b = (xs.length % 2 = 0) := by
  induction xs
  · simp [Alternating.length]
  next b' _ xs ih =>
    simp [Alternating.length]
    cases b' <;> simp only [Bool.true_eq_false, false_iff, true_iff] <;> simp at ih <;> omega
end Ex13

/-! What is outside is refused by name. -/

/--
error: Invalid dotted identifier notation: The expected type of `.a`
  Foo
is not of the form `C ...` or `... → C ...` where C is a constant
-/
#guard_msgs in
example (f : Foo → Nat) : Foo → Nat
  | .a => 1

/-! Names that the user declares or binds are not taken for names of core. -/

namespace Ex15
theorem t (xs : List attach) : xs = xs := rfl
end Ex15

section
def List.attach (xs : List Nat) : List Nat := xs
example (xs : List Nat) : xs.attach = xs := rfl
end

/-- error: Unknown constant `List.attachs` -/
#guard_msgs in
#check List.attachs
