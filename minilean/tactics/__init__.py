"""Tactics: each builds a term for a goal; `state.Tactics` runs blocks of them.

`registry` lists which function runs which tactic. To add one: write it in the file of its family, taking
`(Tactics, syntax node)`, and add it to that file's table.
"""
