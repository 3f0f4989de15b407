"""Files that import each other: reading a project, the environment before any of its theorems, traces of its proofs."""
