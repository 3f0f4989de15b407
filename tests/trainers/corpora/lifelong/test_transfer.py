"""Measures of forgetting, and the parts of repositories, by hand."""

from __future__ import annotations

import dataclasses

import pytest

from lean_gym import Theorem
from trainers.corpora.lifelong.records import Repository, TracedTheorem
from trainers.corpora.lifelong.theorem_parts import drawn_again, parts_of
from trainers.corpora.lifelong.transfer import measures

RATES = [
    [0.1, 0.0, 0.2],
    [0.5, 0.1, 0.2],
    [0.4, 0.7, 0.5],
    [0.2, 0.6, 0.9],
]


def test_measures_of_three_repositories() -> None:
    found = measures(RATES)
    assert found["average"] == pytest.approx((0.2 + 0.6 + 0.9) / 3)
    assert found["plasticity"] == pytest.approx((0.4 + 0.6 + 0.4) / 3)
    assert found["forward_transfer"] == pytest.approx(((0.1 - 0.0) + (0.5 - 0.2)) / 2)
    assert found["backward_transfer"] == pytest.approx(((0.2 - 0.5) + (0.6 - 0.7)) / 2)
    assert found["forgetting"] == pytest.approx(((0.5 - 0.2) + (0.7 - 0.6)) / 2)


def test_measures_on_the_way() -> None:
    assert set(measures(RATES[:1]).values()) == {None}
    first = measures(RATES[:2])
    assert first["plasticity"] == pytest.approx(0.4)
    assert first["backward_transfer"] is None
    # A repository without held-out theorems is left out.
    without = [[0.1, None, 0.2], [0.5, None, 0.2], [0.4, None, 0.5], [0.2, None, 0.9]]
    assert measures(without)["plasticity"] == pytest.approx(0.4)
    assert measures(without)["backward_transfer"] == pytest.approx(-0.3)


def repository(*theorems: Theorem, status: str = "proven") -> Repository:
    rows = [
        TracedTheorem(one.name, "A.lean", (1, 1), (1, 2), one.statement, status=status, episode=one)  # type: ignore[arg-type]
        for one in theorems
    ]
    return Repository("r", "", "r", theorems=rows)


def made(name: str, says: str, split: str = "") -> Theorem:
    return Theorem(name, f"theorem {name} : {says}", split=split, proof="rfl")


def test_theorems_are_divided_60_20_20_unless_the_set_says_otherwise() -> None:
    theorems = [made(f"t{number}", f"{number} = {number}") for number in range(10)]
    (parts,) = parts_of([repository(*theorems)])
    assert (len(parts.train), len(parts.test)) == (8, 2)
    given = [dataclasses.replace(one, split="test" if one.name == "t3" else "train") for one in theorems]
    (parts,) = parts_of([repository(*given)])
    assert [one.name for one in parts.test] == ["t3"]


def test_what_is_held_out_is_trained_on_nowhere() -> None:
    """A copy of a held-out theorem under another name, in a repository that comes later or earlier."""
    first = repository(made("a", "1 = 1", "test"), made("b", "2 = 2", "train"))
    later = repository(
        made("copy", "1 = 1", "train"), made("c", "3 = 3", "train"), made("d", "4 = 4", "test")
    )
    for order in ([first, later], [later, first]):
        trained = {one.name for part in parts_of(order) for one in part.train}
        assert trained == {"b", "c"}
    parts = parts_of([first, later], beside=[made("other", "3 = 3")])
    assert {one.name for part in parts for one in part.train} == {"b"}


def test_a_sorry_is_neither_trained_on_nor_measured() -> None:
    open_ones = repository(made("a", "1 = 1"), made("b", "2 = 2"), status="sorry")
    claimed = repository(made("a", "1 = 1"), made("b", "2 = 2"), status="sorry_proved")
    for each in (open_ones, claimed):
        (parts,) = parts_of([each])
        assert parts.train == parts.test == ()


def test_replay_draws_names_that_are_free() -> None:
    earlier = [made(f"t{number}", f"{number} = {number}") for number in range(20)]
    own = [made("t1", "7 = 7"), *(made(f"o{number}", "8 = 8") for number in range(9))]
    drawn = drawn_again(earlier, own, 0.5, seed=0, number=1)
    assert len({one.name for one in drawn}) == len(drawn) == 5
    assert "t1" not in {one.name for one in drawn}
    assert drawn == drawn_again(earlier, own, 0.5, seed=0, number=1)
    assert drawn_again(earlier, own, 0.0, seed=0, number=1) == []
    assert len(drawn_again(earlier, own, 1.0, seed=0, number=2)) == 10
