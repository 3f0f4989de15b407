"""Tactics: each builds a term for a goal; `state.Tactics` runs blocks of them.

`registry` holds the function of each tactic, `families` imports the modules that register them. To add a tactic: write
a function `(Tactics, syntax node)` in the file of its family and decorate it with `registry.runs`.
"""
