"""The sampler of theorems: every curriculum, by the shares of what it draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lean_gym import Theorem
from trainers.config.run import CurriculumConfig
from trainers.curriculum.sampler import TheoremSampler
from trainers.curriculum.theorems import TheoremSplit
from trainers.errors import ConfigError


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
    first = TheoremSampler(names)
    for place, name in enumerate(names[::2]):
        first.record(name, (place % 5) / 4)
    second = TheoremSampler(names, solve_rates=first.solve_rates)
    assert second.draw(20, np.random.default_rng(1)) == first.draw(20, np.random.default_rng(1))
    second.record("1", 0.5)
    assert first.solve_rates["1"] == 0.5  # the same dictionary, which a checkpoint holds


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"curriculum": "adaptiv"},
            "curriculum: expected one of adaptive, half, easy_first, percentile, uniform, got 'adaptiv'",
        ),
        ({"mixed_share": 1.5}, "mixed_share: expected a number from 0 to 1"),
    ],
)
def test_unusable_curricula_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CurriculumConfig(**values)


RATINGS = [3.0, 1.0, 2.0, None, 6.0, 5.0, 4.0, 8.0, 7.0]
NAMES = ["3", "1", "2", "unknown", "6", "5", "4", "8", "7"]


def drawn(sampler: TheoremSampler, count: int = 3, times: int = 200) -> set[str]:
    rng = np.random.default_rng(0)
    return {name for _ in range(times) for name in sampler.draw(count, rng)}


def test_easy_first_begins_with_the_easiest_and_ends_with_all() -> None:
    settings = CurriculumConfig(curriculum="easy_first", easy_share=0.34)
    sampler = TheoremSampler(NAMES, settings, ratings=RATINGS)
    assert drawn(sampler) == {"1", "2", "3"}
    sampler.completed = (
        0.5  # 0.34 + 0.66 / 2 of nine are six; the theorem of unknown difficulty is in the middle
    )
    assert drawn(sampler) == {"1", "2", "3", "4", "5", "unknown"}
    sampler.completed = 1.0
    assert drawn(sampler) == set(NAMES)
    sampler.completed = 0.0
    assert len(sampler.draw(5, np.random.default_rng(0))) == 5  # harder ones fill up


def test_percentile_draws_one_third_after_another() -> None:
    settings = CurriculumConfig(curriculum="percentile")
    sampler = TheoremSampler(NAMES, settings, ratings=RATINGS)
    parts = []
    for completed in (0.0, 0.4, 0.7, 1.0):
        sampler.completed = completed
        parts.append(drawn(sampler, count=2))
    assert parts[:3] == [{"1", "2", "3"}, {"4", "5"}, {"6", "7", "8", "unknown"}]
    assert parts[3] == parts[2]


def test_half_expects_of_new_theorems_what_their_difficulty_has_shown() -> None:
    names = [f"{kind}{number}" for kind in ("easy", "medium", "hard") for number in range(30)]
    ratings = [{"e": 1.0, "m": 2.0, "h": 3.0}[name[0]] for name in names]

    def share_of_medium(curriculum: str, restored: bool = False) -> float:
        settings = CurriculumConfig(curriculum=curriculum, mixed_share=0.0)  # type: ignore[arg-type]
        sampler = TheoremSampler(names, settings, ratings=ratings)
        for number in range(3):
            for kind, rate in (("easy", 1.0), ("medium", 0.5), ("hard", 0.0)):
                sampler.record(f"{kind}{number}", rate)
        if restored:
            sampler = TheoremSampler(names, settings, solve_rates=sampler.solve_rates, ratings=ratings)
        rng = np.random.default_rng(0)
        found = [name for _ in range(200) for name in sampler.draw(4, rng)]
        return sum(name.startswith("medium") for name in found) / len(found)

    # Weights: 30 of 1 and 60 of 0.15 for `half`; `adaptive` knows nothing of the 81 that were not tried.
    assert share_of_medium("half") == pytest.approx(30 / 39, abs=0.05)
    assert share_of_medium("half", restored=True) == share_of_medium("half")
    assert share_of_medium("adaptive") == pytest.approx(30 / 84.9, abs=0.05)


def test_difficulties_come_from_the_theorems() -> None:
    theorems = [Theorem(f"t{n}", f"theorem t{n} : True", proof="\n".join(["skip"] * n)) for n in (3, 1, 2)]
    settings = CurriculumConfig(curriculum="easy_first", easy_share=0.3)
    sampler = TheoremSampler.over(TheoremSplit(tuple(theorems), ()), settings, {})
    assert drawn(sampler, count=1) == {"t1"}


def test_the_sets_of_a_mixture_are_drawn_by_the_roots_of_their_sizes() -> None:
    names = [f"{label}{number}" for label, count in (("big", 400), ("small", 16)) for number in range(count)]
    sets = [name.rstrip("0123456789") for name in names]
    sampler = TheoremSampler(names, CurriculumConfig(curriculum="uniform"), sets=sets)
    rng = np.random.default_rng(0)
    drawn_names = [name for _ in range(600) for name in sampler.draw(1, rng)]
    share = sum(name.startswith("small") for name in drawn_names) / len(drawn_names)
    assert abs(share - 4 / 24) < 0.05  # alike it would be 16 / 416
