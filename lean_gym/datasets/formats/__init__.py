"""Readers and writers of theorems: rows, files, Hugging Face data sets, published benchmarks.

rows.py            one row: fields, types, messages
jsonl.py           JSONL files of rows
hub.py             rows of Hugging Face data sets
saved.py           theorem sets as such data sets
lean_source.py     Lean files cut into imports, context and statements
toolchain.py       the versions of Lean and Mathlib that a folder is pinned to
problems.py        problems as found, made into theorems with unique names; what cannot be used, with reasons
benchmarks.py      miniF2F, ProofNet, PutnamBench and LeanDojo Benchmark, in the layouts they are published in
leandojo.py        the last of these: traced theorems of a repository
leandojo_steps.py  its proof steps and premises
"""
