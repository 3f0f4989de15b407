-- Checked with Lean 4.35.0.

/-! # `split` on a `match`: variables that stay in the context, hypotheses, equations, splitters -/

set_option linter.unusedVariables false

/-! The copies of the discriminants stay in the context. -/

-- Functional Programming in Lean, "Insertion Sort": `x✝ : Ordering` above `heq✝`
/--
error: unsolved goals
case h_1
g : Nat → Option Nat
b : Nat
x✝ : Option Nat
heq✝ : g b = none
⊢ 1 ≥ 0

case h_2
g : Nat → Option Nat
b : Nat
x✝ : Option Nat
k✝ : Nat
heq✝ : g b = some k✝
⊢ k✝ ≥ 0
-/
#guard_msgs in
example (g : Nat → Option Nat) (b : Nat) : (match g b with | none => 1 | some k => k) ≥ 0 := by
  split

/-! Functions without all their arguments are not split. -/

/--
error: Tactic `split` failed: Could not split an `if` or `match` expression in the goal

Hint: Use `set_option trace.split.failure true` to display additional diagnostic information

f : Nat → Nat
x : Option (Option Nat)
⊢ Option.map (Option.map f) x = x
-/
#guard_msgs in
example (f : Nat → Nat) (x : Option (Option Nat)) : x.map (Option.map f) = x := by
  split

/-! A hypothesis is split and keeps its name. -/

namespace HypothesisSplitAnd
def first (a b : Nat) : Nat :=
  match a, b with
  | 0, _ => 1
  | _, 0 => 2
  | _, _ => 3

example (a b : Nat) (h : first a b = 3) : a ≠ 0 := by
  unfold first at h
  split at h
  · cases h
  · cases h
  · assumption

end HypothesisSplitAnd

/-! Equations assume what `split` gives. -/

namespace EquationsAssumeSplit3
def short : List Nat → Bool
  | [] => true
  | [_] => true
  | _ => false
/-- info: short.eq_3 : ∀ (x : List Nat), (x = [] → False) → (∀ (head : Nat), x = [head] → False) → short x = false -/
#guard_msgs in
#check @short.eq_3
end EquationsAssumeSplit3

/-! A match with an equation is split. -/

namespace MatchWithEquation
def f (n : Nat) : Nat := match h : n with
  | 0 => 1
  | k + 1 => k
example (n : Nat) : f n < n + 2 := by
  unfold f
  split <;> omega
end MatchWithEquation

/-! Later alternatives do not hide earlier ones. -/

namespace LaterAlternativesDo
def short : List Nat → Bool
  | [] => true
  | [_] => true
  | _ => false
/--
error: unsolved goals
case h_3
xs x✝² : List Nat
x✝¹ : xs = [] → False
x✝ : ∀ (head : Nat), xs = [head] → False
⊢ false = true
-/
#guard_msgs in
example (xs : List Nat) : short xs = true := by
  unfold short
  split
  · rfl
  · rfl
  · skip
end LaterAlternativesDo

/-! `simp` lemmas of low priority come last. -/

example (h : true = false) : 1 = 2 := by simp at h

example (b : Bool) (h : true = b) : b = true := by
  simp at h
  exact h
