"""`conv` mode: rewriting at a chosen place of a term."""
