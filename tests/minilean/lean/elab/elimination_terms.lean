-- Checked with Lean 4.35.0.

/-! # Recursors in terms find their motive; holes in `simp` arguments; implicit parameters of types; `(x : A) × B x` -/

set_option linter.unusedVariables false

/-! What Lean accepts. -/

-- Lean's App.lean, `elabAsElim?`: the motive of `False.rec` is explicit, and `_` counts as "not provided"
example (p : Prop) (h : False) : p := False.rec (fun _ => p) h
example (p : Prop) (h : False) : p := False.rec _ h
example (p : Prop) (h : False) : p := False.casesOn (fun _ => p) h
example (n : Nat) : n = n + 0 := Nat.rec rfl (fun n ih => rfl) n
example (n : Nat) : n = n + 0 := n.rec rfl (fun n ih => rfl)

-- the type comes from the other side of the equation
example (h : Option α → β) : (fun o => Option.casesOn o (h none) (fun a => h (some a))) = h := by
  funext a
  cases a <;> rfl

example (n : Nat) : n = 0 ∨ n > 0 := Nat.casesOn n (Or.inl rfl) (fun k => Or.inr (Nat.succ_pos k))
example (a b : Nat) (p : Nat → Prop) (h : a = b) (h2 : p a) : p b := h.rec h2
example (p q : Prop) (h : p ∨ q) : q ∨ p := Or.casesOn h .inr .inl

-- arguments beyond the eliminator's own are applied to its result
example (n : Nat) (h0 : n ≠ 0) (h1 : n ≠ 1) : n ≠ 0 ∧ n ≠ 1 := Nat.recOn n (fun h k => ⟨h, k⟩) (fun _ _ h k => ⟨h, k⟩) h0 h1
example : ∀ n, n ≥ 0 := Nat.rec (Nat.le_refl 0) (fun _ ih => Nat.le_succ_of_le ih)

namespace Ex12
def swapped : Nat → Nat → (Nat → Nat) → Nat := fun x => x.casesOn
end Ex12

namespace Ex13
structure P where
  x : Nat
example (p : P) : ∀ q : P, p.x = q.x → p = q :=
  P.recOn p <| fun a q => P.recOn q $ fun b (h : (P.mk a).x = (P.mk b).x) => congrArg P.mk h
end Ex13

namespace Ex14
@[elab_as_elim] axiom up {p : Nat → Prop} {n} : ∀ {m}, n ≤ m → (∀ {k}, p k → p (k + 1)) → p n → p m
example {p : Nat → Prop} {n} {next : ∀ {k}, p k → p (k + 1)} (x : p n) : p n := up n.le_refl next x
end Ex14

example (n : Nat) : n = 0 ∨ n > 0 := by
  refine Nat.casesOn n ?_ ?_
  · exact Or.inl rfl
  · intro k; exact Or.inr (Nat.succ_pos k)

namespace Ex16
@[elab_as_elim] theorem two {p : Nat → Prop} (n : Nat) (h0 : p 0) (hs : ∀ n, p (n + 1)) : p n :=
  Nat.casesOn n h0 hs
example (n : Nat) : n + 1 > 0 := two n (Nat.succ_pos 0) (fun n => Nat.succ_pos _)
end Ex16

example (f : Nat → Nat → Nat) (h : ∀ a b, f a b = a) (x : Nat) : f 2 x = 2 := by simp [h _ x]
example (p q : Nat → Prop) (h : ∀ n, q n → p n) (k : q 2) : p 2 := by simp only [h _ k]
example (xs ys : List α) : xs ++ [] ++ ys = xs ++ ys := by simp only [List.append_nil _]

namespace Ex20
inductive Pal {α : Type} : List α → Prop where
  | nil : Pal []
  | one (x : α) : Pal [x]
  | more (x : α) (xs : List α) (h : Pal xs) : Pal ([x] ++ xs ++ [x])
example (a b : α) : Pal [a, b, a] := Pal.more a _ (Pal.one b)
end Ex20

example {A : Type} {B : A → Type} : ((x : A) × B x → A) × ((p : (x : A) × B x) → B p.1) :=
  ⟨fun p => p.1, fun p => p.2⟩

example : (n : Nat) ×' n = 2 := ⟨2, rfl⟩

/-! What Lean refuses. -/

/-- error: failed to elaborate eliminator, expected type is not available -/
#guard_msgs in
#check Nat.rec 0 (fun n ih => ih) 3

/--
error: failed to elaborate eliminator, insufficient number of arguments, expected type:
  n = n
-/
#guard_msgs in
example (n : Nat) : n = n := Nat.rec rfl

/--
error: failed to elaborate eliminator, insufficient number of arguments, expected type:
  (Nat → Nat) → Nat → Nat
-/
#guard_msgs in
example (x : Nat) : (Nat → Nat) → Nat → Nat := x.casesOn

/-- error: failed to elaborate eliminator, unused named arguments: [a] -/
#guard_msgs in
example (x : Nat) : Nat := x.casesOn (a := 1) 0

namespace Ex27

/--
error: unexpected eliminator resulting type
  p
-/
#guard_msgs in
@[elab_as_elim] theorem t {p : Prop} (h : p) : p := h
end Ex27

/-- error: `simp` made no progress -/
#guard_msgs in
example (f : Nat → Nat → Nat) (h : ∀ b, f 1 b = 1) : f 2 3 = 2 := by simp only [h _]

namespace Ex29

/--
error: Mismatched inductive type parameter in
  P Nat []
The provided argument
  Nat
is not definitionally equal to the expected parameter
  α

Note: The value of parameter `α` must be fixed throughout the inductive declaration. Consider making this parameter an index if it must vary.
-/
#guard_msgs in
inductive P (α : Type) : List α → Prop where
  | nil : P Nat []
end Ex29
