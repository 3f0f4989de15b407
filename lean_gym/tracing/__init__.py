"""Lean projects to corpora: declarations, theorems and the steps of their proofs."""
