"""Theorem sets as JSONL, each with a card: `logic` (logic.jsonl, logic.md), `nat`, `steps`, `course` and `core`.

    instances.py        search for theorems that follow from another one by substitution
    core.py             python -m envs_data.core: make the set `core` from minilean's library
    making.py           the command line of such programs; algebra.py, cancellation.py and invariants.py are others
    statement_key.py    key that is equal for two statements of one theorem
    automation/         python -m envs_data.automation: what automation scripts prove
    progress.py         progress of these commands
    validate.py         python -m envs_data.validate: replay every reference proof, refuse every wrong one

Load a set with `lean_gym.datasets.load_theorems("logic")`.
"""
