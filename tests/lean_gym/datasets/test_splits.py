"""The rules of splits, the set `core` under its two splits, and its rows as values."""

import random

import pytest

from lean_gym import Theorem
from lean_gym.datasets import load_theorems, split_theorems
from lean_gym.datasets.formats.rows import row_from_theorem, theorem_from_row
from lean_gym.datasets.splits import divide, train_and_test
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


def test_split_is_seeded_disjoint_and_complete():
    many = [Theorem(f"t{index}", f"theorem t{index} : p") for index in range(10)]
    train, test = split_theorems(many, 0.3, seed=1)
    assert (len(train), len(test)) == (7, 3)
    assert sorted(theorem.name for theorem in train + test) == sorted(theorem.name for theorem in many)
    assert (train, test) == split_theorems(many, 0.3, seed=1)
    assert test != split_theorems(many, 0.3, seed=2)[1]


@pytest.mark.parametrize("fraction", [0.0, 1.0, 0.01, float("nan")])
def test_a_split_has_two_parts(fraction):
    with pytest.raises(ValueError, match="test_fraction: got"):
        split_theorems([Theorem("t", "theorem t : p")] * 3, fraction, seed=0)


def test_the_split_is_that_of_leandojo() -> None:
    names = [f"t{number}" for number in range(20)]
    uses = {name: [f"p{number % 7}"] for number, name in enumerate(names)}
    at_random, novel = divide(names, key=str, premises=uses.__getitem__)
    expected = list(names)
    random.Random(3407).shuffle(expected)
    assert (at_random["train"], at_random["val"], at_random["test"]) == (
        expected[:12],
        expected[12:16],
        expected[16:],
    )
    for parts in (at_random, novel):
        assert sorted(name for part in parts.values() for name in part) == sorted(names)
    assert len(novel["val"]) == 4
    # p6 has two theorems and the others three: rare premises are held back first, and never trained on.
    trained = {premise for name in novel["train"] for premise in uses[name]}
    tested = {premise for part in ("val", "test") for name in novel[part] for premise in uses[name]}
    assert "p6" in tested
    assert not trained & tested


def test_the_split_does_not_change_the_order_given() -> None:
    names = ["a", "b", "c", "d", "e"]
    divide(names, key=str, premises=lambda _: [])
    assert names == ["a", "b", "c", "d", "e"]


def test_all_but_the_test_split_is_for_training():
    theorems = [
        Theorem(f"t{i}", f"theorem t{i} : p", split=s) for i, s in enumerate(["train", "test", "valid", ""])
    ]
    assert train_and_test(theorems) == ([theorems[0], theorems[2], theorems[3]], [theorems[1]])
