from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_gym import Theorem
from trainers.curriculum.theorems import checksum, held_out_source, load_sets, select_theorems
from trainers.errors import ConfigError


def write(path: Path, *names: str, split: str = "") -> str:
    rows = [
        {"name": n, "statement": f"theorem {n} : True", "context": "", "imports": [], "split": split}
        for n in names
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_sets_own_split_is_used(theorem_file: Path) -> None:
    split = select_theorems(str(theorem_file), "test")
    assert len(split.train) == 20
    assert {theorem.name for theorem in split.held_out} == {"t4", "t8", "t12", "t16", "t20"}
    assert len(split.all) == 25


def test_validation_is_cut_from_the_training_part(theorem_file: Path) -> None:
    split = select_theorems(str(theorem_file), "validation")
    assert (len(split.train), len(split.held_out)) == (16, 4)
    assert all(theorem.split == "train" for theorem in split.all)
    assert split == select_theorems(str(theorem_file), "validation")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("logic", "logic:test"),
        ("logic,nat", "logic:test,nat:test"),
        ("logic:train,logic:test", "logic:test"),
        ("logic:train,nat", "nat:test"),
    ],
)
def test_the_held_out_part_of_sets_has_a_name(source: str, expected: str) -> None:
    split = select_theorems(source, "test")
    assert held_out_source(source, split) == expected
    assert load_sets(expected) == list(split.held_out)
    assert held_out_source(source, select_theorems(source, "validation")) is None


def test_a_set_without_a_test_split_is_cut(tmp_path: Path) -> None:
    split = select_theorems(write(tmp_path / "a.jsonl", *(f"a{i}" for i in range(10))), "test")
    assert (len(split.train), len(split.held_out)) == (8, 2)
    assert split.separate


def test_a_set_too_small_to_cut_is_measured_on_itself(tmp_path: Path) -> None:
    split = select_theorems(write(tmp_path / "a.jsonl", "a0", "a1"), "test")
    assert split.train == split.held_out
    assert not split.separate
    assert len(split.all) == 2


def test_sets_are_joined_by_commas(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.jsonl", "a0"), write(tmp_path / "b.jsonl", "b0", split="test")
    split = select_theorems(f"{first}, {second}", "test")
    assert [theorem.name for theorem in split.all] == ["a0", "b0"]


def test_the_checksum_follows_the_content(tmp_path: Path) -> None:
    one = select_theorems(write(tmp_path / "a.jsonl", "a0", "a1"), "test").checksum
    assert one == select_theorems(write(tmp_path / "b.jsonl", "a0", "a1"), "test").checksum
    assert one != select_theorems(write(tmp_path / "a.jsonl", "a0", "a2"), "test").checksum


def test_unusable_sources_are_refused(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.jsonl", "a0"), write(tmp_path / "b.jsonl", "a0")
    with pytest.raises(ConfigError, match="name 'a0' occurs twice"):
        select_theorems(f"{first},{second}", "test")
    with pytest.raises(ConfigError, match="no training theorem is left"):
        select_theorems(write(tmp_path / "a.jsonl", "a0", split="test"), "test")
    with pytest.raises(ConfigError, match="did you mean 'logic'"):
        select_theorems("logik", "test")


def test_parts_of_sets_are_joined() -> None:
    names = [theorem.name for theorem in load_sets("logic:test, nat:test")]
    assert len(names) == len(load_sets("logic:test")) + len(load_sets("nat:test"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("logik", "did you mean 'logic'"),
        ("logic:tset", "did you mean 'test'"),
        (" , ", "expected a set name"),
        ("logic,logic:test", "occurs twice in 'logic,logic:test'"),
        ("missing.jsonl", "missing.jsonl: cannot be read"),
    ],
)
def test_unusable_sets(source: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_sets(source)
    with pytest.raises(ConfigError, match=message):
        select_theorems(source, "test")


def test_the_checksum_sees_content(theorems: tuple[Theorem, ...]) -> None:
    assert checksum(theorems) == checksum(list(theorems))
    assert checksum(theorems) != checksum(theorems[:1])
