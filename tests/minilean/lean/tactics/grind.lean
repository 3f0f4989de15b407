-- Checked with Lean 4.35.0.

/-! # `grind`: statements that it proves, and what it reports when it fails -/

set_option linter.unusedVariables false

/-! True statements are proved. -/

example (p q : Prop) (h : p = q) (hp : p) : q := by grind

example (α : Type) (f : α → α) (a b : α) (h : a = b) : f a = f b := by grind

example (α : Type) (f : α → α) (a : α) (h : f (f (f a)) = a) (h2 : f (f (f (f (f a)))) = a) : f a = a := by grind

example (α : Type) (f : α → α → α) (a b : α) (h : f a b = a) : f (f a b) b = a := by grind

example (α : Type) (f g : α → α) (a : α) (h : f = g) : f a = g a := by grind

example (α : Type) (p : α → Prop) (a b : α) (h : a = b) (h2 : p a) : p b := by grind

example (α β : Type) (a c : α) (b d : β) (h : (a, b) = (c, d)) : b = d := by grind

example (α β : Type) (x : α × β) (a : α) (b : β) (h : x = (a, b)) : x.2 = b := by grind

example (h : (3 : Nat) = 4) : False := by grind

example (α : Type) (u : α → α) (v w : α → α) (a b : α) (h : v a = u b) (h2 : b = w a) : u (w a) = v a := by grind

example (α : Type) (p : α → Prop) (h : ∃ x, p x) (h2 : ∀ x, ¬p x) : False := by grind

example (f : Nat → Nat) (h : ∀ x, f (f x) = f x) (a : Nat) : f (f (f a)) = f a := by grind

example (α : Type) (m : α → α → α) (h1 : ∀ a b c, m (m a b) c = m a (m b c)) (h2 : ∀ a b, m a b = m b a) (a b c : α) : m a (m b c) = m c (m b a) := by grind
