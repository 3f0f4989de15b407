"""Pretty-printer: terms back to Lean's text."""
