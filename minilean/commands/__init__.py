"""Commands of a Lean file: declarations, attributes, sections, queries, deriving handlers."""
