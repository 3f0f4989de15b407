"""Recursive functions: structural recursion and equation lemmas."""
