"""Theorem sets: JSONL rows <-> `list[Theorem]`.

    rows.py        one row: fields, types, messages
    jsonl.py       files
    sets.py        sets by name, path or list; filtering and splitting
    proofs.py      reference proofs, step by step
    book.py        a loaded set, looked up by name and drawn from
    generators.py  unlimited propositional theorems, each with a proof

A row is `{"name", "statement", "context", "imports"}` plus, optionally, `split`, `domain`, `difficulty` and
`proof`.
"""

from lean_gym.datasets.book import TheoremBook
from lean_gym.datasets.jsonl import read_jsonl, write_jsonl
from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.sets import TheoremSource, filter_theorems, load_theorems, set_names, split_theorems

__all__ = [
    "TheoremBook",
    "TheoremSource",
    "filter_theorems",
    "load_theorems",
    "proof_steps",
    "read_jsonl",
    "set_names",
    "split_theorems",
    "write_jsonl",
]
