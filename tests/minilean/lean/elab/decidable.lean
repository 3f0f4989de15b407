-- Checked with Lean 4.35.0.

/-! # Instances of `Decidable` are found by the form in which the proposition is written -/

namespace IndexOfInstances

/--
error: failed to synthesize
  Decidable (∃ c, 6 = 2 * c)

Hint: Additional diagnostic information may be available using the `set_option diagnostics true` command.
-/
#guard_msgs in
example : ∃ c, 6 = 2 * c := by decide

/--
error: failed to synthesize instance of type class
  Decidable (List.Mem 3 [1, 3])

Hint: Type class instance resolution failures can be inspected with the `set_option trace.Meta.synthInstance true` command.
-/
#guard_msgs in
example : Decidable (List.Mem 3 [1, 3]) := inferInstance

example : 2 ∣ 6 := by decide
example : 3 ∈ [1, 3] := by decide
example : Decidable (∀ x : Nat, x < 3 → x < 5) := inferInstance
example (p q : Prop) [Decidable p] [Decidable q] : Decidable (p → q) := inferInstance
example (a b : Nat) : Decidable (a ∣ b ∧ ¬ a = b) := inferInstance
instance : Dvd (Fin 3) := ⟨fun a b => a = b⟩
instance (a b : Fin 3) : Decidable (a ∣ b) := inferInstanceAs (Decidable (a = b))
example (a b : Fin 3) : Decidable (a ∣ b) := inferInstance
abbrev All (p : Nat → Prop) := ∀ x, x < 3 → p x
example : Decidable (All (fun x => x < 5)) := inferInstance
example : Decidable (Not (1 = 2)) := inferInstance
example : Decidable (1 = 2 → False) := inferInstance

end IndexOfInstances
