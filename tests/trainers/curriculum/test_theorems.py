from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lean_gym import Theorem
from trainers.config.run import CurriculumConfig
from trainers.curriculum.theorems import TheoremSampler, checksum, held_out_source, load_sets, select_theorems
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


def test_sampler_prefers_theorems_that_are_sometimes_proved() -> None:
    sampler = TheoremSampler(["always", "never", "half"], floor=0.1)
    for name, rate in (("always", 1.0), ("never", 0.0), ("half", 0.5)):
        sampler.record(name, rate)
    rng = np.random.default_rng(0)
    draws = [sampler.draw(1, rng)[0] for _ in range(600)]
    # weights 0.1, 0.1, 1
    assert draws.count("half") / 600 == pytest.approx(1 / 1.2, abs=0.06)
    assert draws.count("always") > 0 < draws.count("never")


def test_sampler_averages_over_time_and_draws_without_repeats() -> None:
    sampler = TheoremSampler(["a", "b"], decay=0.5)
    for rate in (1.0, 0.0, 0.0):
        sampler.record("a", rate)
    assert sampler.solve_rates == {"a": 0.25}
    assert sorted(sampler.draw(5, np.random.default_rng(0))) == ["a", "b"]


def test_uniform_draws_all_alike() -> None:
    sampler = TheoremSampler(["always", "never", "half", "new"], CurriculumConfig(curriculum="uniform"))
    for name, rate in (("always", 1.0), ("never", 0.0), ("half", 0.5)):
        sampler.record(name, rate)
    rng = np.random.default_rng(0)
    draws = [sampler.draw(1, rng)[0] for _ in range(800)]
    for name in sampler.names:
        assert draws.count(name) / 800 == pytest.approx(0.25, abs=0.06)


def test_easy_theorems_are_retired_and_revisited() -> None:
    settings = CurriculumConfig(retire_after=2, revisit_weight=0.05)
    sampler = TheoremSampler(["easy", "half"], settings)
    sampler.record("half", 0.5)
    sampler.record("easy", 1.0)
    assert sampler.retired == []
    sampler.record("easy", 1.0)
    assert sampler.retired == ["easy"]
    rng = np.random.default_rng(0)
    draws = [sampler.draw(1, rng)[0] for _ in range(2000)]
    # weights 0.05 and 1
    assert draws.count("easy") / 2000 == pytest.approx(0.05 / 1.05, abs=0.02)
    sampler.record("easy", 0.875)  # one episode of eight failed
    assert sampler.retired == []


def mixed_share_of_groups(size: int, **settings: Any) -> float:
    """Share of mixed groups in 60 iterations of 16 groups of 8; a fifth of the theorems can be proved at all."""
    rng = np.random.default_rng(0)
    chances = np.where(rng.random(size) < 0.2, rng.uniform(0.1, 0.9, size), 0.0)
    names = [str(number) for number in range(size)]
    sampler = TheoremSampler(names, CurriculumConfig(**settings))
    mixed = 0
    for _ in range(60):
        for name in sampler.draw(16, rng):
            rate = rng.binomial(8, chances[int(name)]) / 8
            sampler.record(name, rate)
            mixed += 0.0 < rate < 1.0
    return mixed / (60 * 16)


@pytest.mark.parametrize(("size", "least"), [(429, 0.5), (100_000, 0.4)])
def test_half_of_a_draw_is_kept_for_mixed_theorems(size: int, least: float) -> None:
    """Without it the curriculum does nothing for a large set: no better than a uniform draw, 18% mixed groups."""
    assert mixed_share_of_groups(size) >= least
    uniform = mixed_share_of_groups(size, curriculum="uniform")
    assert uniform == pytest.approx(0.18, abs=0.05)
    if size == 100_000:
        assert mixed_share_of_groups(size, mixed_share=0.0) == pytest.approx(uniform, abs=0.05)


def test_the_kept_part_holds_theorems_that_are_still_mixed() -> None:
    sampler = TheoremSampler([str(number) for number in range(100)])
    for name, rates in (
        ("1", (0.5,)),
        ("2", (0.125, 0.0, 0.0)),
        ("3", (0.875,)),
        ("4", (1.0,)),
        ("5", (0.0,)),
    ):
        for rate in rates:
            sampler.record(name, rate)
    rng = np.random.default_rng(0)
    for _ in range(20):
        drawn = sampler.draw(4, rng)
        assert set(drawn[:2]) == {"1", "3"}
        assert len(set(drawn)) == 4


def test_a_sampler_continues_from_what_was_recorded() -> None:
    names = [str(number) for number in range(50)]
    settings = CurriculumConfig(retire_after=1)
    first = TheoremSampler(names, settings)
    for place, name in enumerate(names[::2]):
        first.record(name, (place % 5) / 4)
    second = TheoremSampler(names, settings, solve_rates=first.solve_rates, streaks=first.streaks)
    assert second.retired == first.retired != []
    assert second.draw(20, np.random.default_rng(1)) == first.draw(20, np.random.default_rng(1))
    second.record("1", 0.5)
    assert first.solve_rates["1"] == 0.5  # the same dictionary, which a checkpoint holds


def test_nothing_is_retired_by_default() -> None:
    sampler = TheoremSampler(["easy"])
    for _ in range(50):
        sampler.record("easy", 1.0)
    assert sampler.retired == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"curriculum": "adaptiv"}, "curriculum: expected one of adaptive, uniform, got 'adaptiv'"),
        ({"retire_after": -1}, "retire_after: expected a whole number at least 0, got -1"),
        ({"retire_after": 2, "curriculum": "uniform"}, "expected 0 with the curriculum 'uniform'"),
        ({"mixed_share": 1.5}, "mixed_share: expected a number from 0 to 1"),
        ({"revisit_weight": 0.0}, "revisit_weight: expected a number above 0"),
    ],
)
def test_unusable_curricula_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CurriculumConfig(**values)


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
