"""Is it a proof? Permitted axioms, replay of finished scripts, canaries, the filter in front of real Lean."""
