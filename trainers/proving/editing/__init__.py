"""Lean files with proofs filled in for their `sorry`s.

filling.py       the program `python -m trainers.prove --file`
holes.py         the `sorry`s that a search can fill
proof_blocks.py  the place of a `sorry` in a block of tactics
file_check.py    check of a file with proofs filled in
file_text.py     reading, editing and writing a file
"""
