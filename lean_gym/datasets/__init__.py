"""Theorem sets: JSONL rows <-> `list[Theorem]`.

    formats/             readers and writers: rows, JSONL, Hugging Face data sets, published benchmarks
    generators/          unlimited theorems of many kinds, each with a proof
    sets.py              sets by name, path or list; filtering
    splits.py            which theorems are for training, for validation and for tests
    traced.py            theorem sets that `python -m lean_gym trace --jsonl` wrote
    theorem_set.py       a loaded set, looked up by name and drawn from
    proofs.py            reference proofs, step by step
    answers.py           answers of language models cut down to the tactics in them
    redefinitions.py     contexts that give Lean's own words another meaning
    check_statements.py  check that each statement starts as exactly one goal
    overview.py          sets and generators in words: sizes, subjects, cards, samples
    __main__.py          `python -m lean_gym.datasets`
    convert.py           `python -m lean_gym.datasets.convert SOURCE OUT.jsonl`

A row is `{"name", "statement", "context", "imports"}` plus, optionally, `split`, `domain`, `difficulty`, `proof`,
`source`, `lean_version`, `mathlib_revision`, `position` and `permitted_axioms`.
"""

from lean_gym.datasets.answers import Answer, Refusal, proof_in, tactic_in
from lean_gym.datasets.check_statements import check_starts
from lean_gym.datasets.formats.benchmarks import (
    load_leandojo,
    load_minif2f,
    load_proofnet,
    load_putnambench,
    read_benchmark,
)
from lean_gym.datasets.formats.jsonl import read_jsonl, write_jsonl
from lean_gym.datasets.formats.problems import BenchmarkSet, Failure
from lean_gym.datasets.formats.saved import load_dataset, save_dataset
from lean_gym.datasets.generators.procedural import ProceduralDataset, create_dataset, generator_names
from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.sets import TheoremSource, filter_theorems, load_theorems, set_names
from lean_gym.datasets.splits import split_theorems
from lean_gym.datasets.theorem_set import TheoremBook

__all__ = [
    "Answer",
    "BenchmarkSet",
    "Failure",
    "ProceduralDataset",
    "Refusal",
    "TheoremBook",
    "TheoremSource",
    "check_starts",
    "create_dataset",
    "filter_theorems",
    "generator_names",
    "load_dataset",
    "load_leandojo",
    "load_minif2f",
    "load_proofnet",
    "load_putnambench",
    "load_theorems",
    "proof_in",
    "proof_steps",
    "read_benchmark",
    "read_jsonl",
    "save_dataset",
    "set_names",
    "split_theorems",
    "tactic_in",
    "write_jsonl",
]
