"""Theorem sets: JSONL rows <-> `list[Theorem]`.

    rows.py        one row: fields, types, messages
    jsonl.py       files
    sets.py        sets by name, path or list; filtering and splitting
    core.py        the set `core` under a random split
    proofs.py      reference proofs, step by step
    theorem_set.py a loaded set, looked up by name and drawn from
    generators.py  the loop and the difficulty measure that the generators of theorems share
    propositional_theorems.py  unlimited propositional theorems, each with a proof
    propositional.py  propositional formulas and their prover
    first_order.py  unlimited first-order theorems with witnesses, each with a proof
    inductive_predicates.py  unlimited theorems about inductively defined predicates, each with a proof
    invariants.py            unlimited theorems that need an invented induction hypothesis, each with a proof
    algebra.py     unlimited equations in algebraic structures, proved by rewriting with their laws
    cancellation.py          unlimited theorems proved by operations on both sides of an equation
    relations.py             unlimited theorems about a relation that `rw` does not know
    equations.py   unlimited equations, proved by rewriting or by induction, each with a proof
    rewriting.py   random equations whose proof is a known chain of rewriting steps
    procedural.py  the generators by name, as data sets of questions that score their answers
    benchmarks.py  miniF2F, ProofNet, PutnamBench and LeanDojo Benchmark, in the layouts they are published in
    leandojo.py    the last of these: traced theorems of a repository
    leandojo_steps.py  its proof steps and premises
    traced.py      theorem sets that `python -m lean_gym trace --jsonl` wrote
    answers.py     answers of language models cut down to the tactics in them
    problems.py    problems as found, made into theorems with unique names; what cannot be used, with reasons
    lean_source.py Lean files cut into imports, context and statements
    redefinitions.py  contexts that give Lean's own words another meaning
    toolchain.py   the versions of Lean and Mathlib that a folder is pinned to
    hub.py         rows of Hugging Face data sets
    saved.py       theorem sets as such data sets
    check_statements.py  check that each statement starts as exactly one goal
    overview.py    sets and generators in words: sizes, subjects, cards, samples
    __main__.py    `python -m lean_gym.datasets`
    convert.py     `python -m lean_gym.datasets.convert SOURCE OUT.jsonl`

A row is `{"name", "statement", "context", "imports"}` plus, optionally, `split`, `domain`, `difficulty`, `proof`,
`source`, `lean_version`, `mathlib_revision`, `position` and `permitted_axioms`.
"""

from lean_gym.datasets.answers import Answer, Refusal, proof_in, tactic_in
from lean_gym.datasets.benchmarks import (
    load_leandojo,
    load_minif2f,
    load_proofnet,
    load_putnambench,
    read_benchmark,
)
from lean_gym.datasets.check_statements import check_starts
from lean_gym.datasets.jsonl import read_jsonl, write_jsonl
from lean_gym.datasets.problems import BenchmarkSet, Failure
from lean_gym.datasets.procedural import ProceduralDataset, create_dataset, generator_names
from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.saved import load_dataset, save_dataset
from lean_gym.datasets.sets import TheoremSource, filter_theorems, load_theorems, set_names, split_theorems
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
