"""Benchmark for checkers of proofs: a score for each class of tricks.

    benchmark.py      the checker as a process, the outcome of each case, the report by class
    tricks.py         the cases: false theorems, wrong scripts and honest proofs, each in a class
    export_tricks.py  forged exports, made of `genuine.ndjson`

`python -m lean_gym.checkers` is the program.
"""
