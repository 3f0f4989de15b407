"""Theorem sets as JSONL, each with a card: `logic` (logic.jsonl, logic.md), `nat` and `core`.

    core.py             python -m envs_data.core: make the set `core` from minilean's library
    statement_key.py    key that is equal for two statements of one theorem
    validate.py         python -m envs_data.validate: replay every reference proof, refuse every wrong one

Load a set with `lean_gym.datasets.load_theorems("logic")`.
"""
