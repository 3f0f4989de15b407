"""Theorem sets through the package `datasets`: what is saved is what is loaded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lean_gym.datasets import load_dataset, load_theorems, save_dataset
from lean_gym.errors import DataError
from lean_gym.types import Theorem

THEOREMS = [
    Theorem("a", "theorem a : True", split="train", difficulty=0.25, proof="trivial", automation=True),
    Theorem(
        "b", "theorem b : two = 2", "def two : Nat := 2", ("Mathlib", "Aesop"), split="valid", domain="∀ ≤"
    ),
    Theorem("c", "theorem c : True ∧ True", split="test", automation=False, lean_version="4.24.0"),
    Theorem("d", "theorem d : True"),
    Theorem("e", "theorem e : True", permitted_axioms=()),
    Theorem("f", "theorem f : True", permitted_axioms=("propext",)),
]


def test_a_set_comes_back_as_it_was(tmp_path: Path) -> None:
    save_dataset(THEOREMS, tmp_path / "set")
    assert sorted(load_dataset(str(tmp_path / "set")), key=lambda each: each.name) == THEOREMS
    assert load_theorems(f"datasets:{tmp_path / 'set'}:test") == [THEOREMS[2]]
    assert {path.name for path in (tmp_path / "set").iterdir() if path.is_dir()} == {
        "train",
        "validation",
        "test",
        "all",
    }


def test_a_set_of_the_project_comes_back(tmp_path: Path) -> None:
    theorems = load_theorems("nat")
    save_dataset(theorems, tmp_path / "nat")
    found = {theorem.name: theorem for theorem in load_theorems(f"datasets:{tmp_path / 'nat'}")}
    assert found == {theorem.name: theorem for theorem in theorems}


def test_a_part_names_the_split_of_rows_without_one(tmp_path: Path) -> None:
    import datasets

    def part(name: str) -> datasets.Dataset:
        return datasets.Dataset.from_list([{"name": name, "statement": f"theorem {name} : True"}])

    made = datasets.DatasetDict({name: part(name) for name in ("test", "validation")})
    made.save_to_disk(str(tmp_path / "set"))
    found = {theorem.name: theorem.split for theorem in load_dataset(str(tmp_path / "set"))}
    assert found == {"test": "test", "validation": "valid"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"name": "a", "statement": "theorem a : True", "reward": 1.0}, "reward"),
        ({"name": "a", "statement": "theorem a : True := by trivial"}, "statement"),
        ({"statement": "theorem a : True"}, "field 'name' is missing"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    import datasets

    datasets.Dataset.from_list([row]).save_to_disk(str(tmp_path / "set"))
    with pytest.raises(DataError, match=rf"row 0.*{message}"):
        load_theorems(f"datasets:{tmp_path / 'set'}")


def test_nothing_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text("mine")
    for folder in (tmp_path, tmp_path / "mine"):
        with pytest.raises(DataError, match="exists; expected a new or an empty folder"):
            save_dataset(THEOREMS, folder)
    with pytest.raises(DataError, match="got no theorem"):
        save_dataset([], tmp_path / "set")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match="pip install datasets"):
        save_dataset(THEOREMS, tmp_path / "set")
