"""Source text to syntax trees (`lexer`, `parser`, `ast`) and terms back to Lean's own text (`pretty`)."""
