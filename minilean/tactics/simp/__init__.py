"""The simplifier: simp lemmas, congruence, procedures for literals and arithmetic."""
