"""Curricula: which theorems to draw."""
