"""Export of finished proofs for other checkers and as Lean source."""
