-- Checked with Lean 4.35.0.

/-! # `grind` with lemmas: arguments, modifiers, the attribute `@[grind]`, and options -/

set_option linter.unusedVariables false

/-! A lemma is instantiated. -/

namespace LemmaInstantiated
def g (x : Nat) := min x 3
theorem gg (x : Nat) : g (g x) = g x := by unfold g; omega

example (a : Nat) : g (g (g a)) = g a := by grind [gg]

example (a : Nat) : g (g (g a)) = g a := by grind only [gg]

end LemmaInstantiated
