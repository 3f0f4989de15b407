"""A game that `backend="fake"` understands, as a file: conjunctions of disjunctions of `True` and `False`."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)

SCRIPTS = {
    "True": ["trivial"],
    "False ∨ True": ["right", "trivial"],
    "False ∨ False ∨ True": ["right", "right", "trivial"],
}


def _row(number: int, first: str, second: str) -> dict[str, object]:
    return {
        "name": f"t{number}",
        "statement": f"theorem t{number} : {first} ∧ {second}",
        "context": "",
        "imports": [],
        "split": "train" if number % 3 else "test",
        "proof": "\n".join(["split", *SCRIPTS[first], *SCRIPTS[second]]),
    }


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [_row(number, *pair) for number, pair in enumerate(product(SCRIPTS, repeat=2))]
    path = tmp_path_factory.mktemp("sets") / "game.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
