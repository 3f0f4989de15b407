-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # Arguments of `simp`, names of holes, and the first tactic that closes a goal -/

set_option linter.unusedVariables false

/-! Arguments that `simp` refuses. -/

-- Lean: says in addition: unsolved goals
/-- error: Invalid argument: Variable `a` is not a proposition or let-declaration -/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [a]

/-- error: Invalid argument: Variable `a` is not a proposition or let-declaration -/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [← a]

/--
error: Invalid simp theorem: Expected a proposition, but found
  Nat
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [a + 0]

/-- error: Unknown constant `h` -/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [-h]

/-- error: Unknown constant `Nat.nope` -/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [-Nat.nope]

/--
error: Invalid `←` modifier: `Nat.add` is a declaration name to be unfolded

Hint: The simplifier cannot "refold" definitions by name. Use `rw` for this instead,
                      or use the `←` simp modifier with an equational lemma for `Nat.add`.
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [← Nat.add]

/--
error: Invalid `←` modifier: Cannot be applied to simp theorems of the form `¬ P`

Note: This simp theorem will rewrite `a = 1` to `False`, which should not be applied in the reverse direction
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [← k]

/--
error: Invalid `←` modifier: Cannot be applied to a rule that rewrites to `True`

Note: This simp theorem will rewrite `n ≤ n` to `True`, which should not be applied in the reverse direction
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b := by simp [← Nat.le_refl]

/-! Arguments that change nothing. -/

-- Lean: says in addition: This simp argument is unused:
/--
error: unsolved goals
a b : Nat
h : a + 0 = b
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) : a + 0 = b := by simp [Nat]

/--
error: unsolved goals
a b : Nat
h : a + 0 = b
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) : a + 0 = b := by simp [Nat.succ]

/--
error: unsolved goals
a b : Nat
h : a + 0 = b
⊢ a = b
-/
#guard_msgs in
example (a b : Nat) (h : a + 0 = b) : a + 0 = b := by simp [Nat.rec]

/-! Messages of steps that fail. -/

-- Lean: says in addition: unsolved goals
/--
error: Tactic `cases` failed with a nested error:
Tactic `induction` failed: recursor `Exists.casesOn` can only eliminate into `Prop`

h : ∃ n, n = 3
⊢ Nat
-/
#guard_msgs in
example (h : ∃ n : Nat, n = 3) : True := by have : Nat := by obtain ⟨n, h⟩ := h; exact n
