"""The set `core` under its two splits, and its rows as values."""

import pytest

from lean_gym.datasets import load_theorems
from lean_gym.datasets.formats.rows import row_from_theorem, theorem_from_row
from lean_gym.errors import DataError


def test_the_random_split_changes_nothing_but_the_split():
    core, shuffled = load_theorems("core"), load_theorems("core_random")
    assert [(t.name, t.statement, t.position, t.proof) for t in core] == [
        (t.name, t.statement, t.position, t.proof) for t in shuffled
    ]
    assert {t.name for t in core if t.split == "test"} != {t.name for t in shuffled if t.split == "test"}


@pytest.mark.parametrize("label", ["core", "core_random"])
def test_a_quarter_to_a_third_is_held_out(label):
    test, train = load_theorems(f"{label}:test"), load_theorems(f"{label}:train")
    assert 0.22 < len(test) / (len(test) + len(train)) < 0.34
    assert not {t.name for t in test} & {t.name for t in train}


def test_the_split_by_file_holds_out_later_files_and_the_random_one_does_not():
    train = {t.domain for t in load_theorems("core:train")}
    assert not train & {t.domain for t in load_theorems("core:test")}
    train = {t.domain for t in load_theorems("core_random:train")}
    assert len(train & {t.domain for t in load_theorems("core_random:test")}) > 20


def test_a_position_survives_the_way_through_a_row():
    theorem = load_theorems("core:test")[0]
    row = row_from_theorem(theorem)
    assert row["position"] == theorem.position
    assert theorem_from_row(row, "here") == theorem
    with pytest.raises(DataError, match="here: field 'position': got 3, expected a string"):
        theorem_from_row({**row, "position": 3}, "here")


def test_a_misspelt_name_is_pointed_to():
    with pytest.raises(DataError, match="did you mean 'core_random'"):
        load_theorems("core_randon")
