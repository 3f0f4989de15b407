from __future__ import annotations

import itertools
import random

import pytest

from minilean.kernel.errors import LevelTooComplex
from minilean.kernel.level import (
    ONE,
    ZERO,
    IMax,
    Level,
    Max,
    Param,
    Succ,
    Zero,
    forget_level_mvars,
    is_never_zero,
    is_zero,
    mk_imax,
    mk_level_mvar,
    mk_max,
    mk_offset,
    mk_param,
    mk_succ,
    simplify,
)
from minilean.kernel.level_order import is_equiv, is_leq

U, V = mk_param("u"), mk_param("v")


def value(level: Level, of: dict[str, int]) -> int:
    """Evaluate a level directly, independently of the comparison under test."""
    if type(level) is Zero:
        return 0
    if type(level) is Param:
        return of[level.name]
    if type(level) is Succ:
        return value(level.of, of) + 1
    assert type(level) in (Max, IMax)
    left, right = value(level.left, of), value(level.right, of)
    return 0 if type(level) is IMax and right == 0 else max(left, right)


def random_level(rng: random.Random, depth: int) -> Level:
    kind = rng.randrange(6 if depth else 2)
    if kind == 0:
        return ZERO
    if kind == 1:
        return mk_param(rng.choice("uv"))
    if kind == 2:
        return mk_succ(random_level(rng, depth - 1))
    make = mk_max if kind == 3 else mk_imax
    return make(random_level(rng, depth - 1), random_level(rng, depth - 1))


def test_comparison_agrees_with_the_meaning_on_random_levels() -> None:
    rng = random.Random(0)
    # depth 4 adds at most 4, so two levels that differ anywhere differ below 8
    points = [{"u": u, "v": v} for u, v in itertools.product(range(8), repeat=2)]
    verdicts = set()
    for _ in range(2000):
        a, b = random_level(rng, 4), random_level(rng, 4)
        pairs = [(value(a, p), value(b, p)) for p in points]
        assert is_leq(a, b) == all(x <= y for x, y in pairs), (a, b)
        assert is_equiv(a, b) == all(x == y for x, y in pairs), (a, b)
        assert is_zero(a) == all(x == 0 for x, _ in pairs), a
        assert not is_never_zero(a) or all(x > 0 for x, _ in pairs), a
        assert [value(simplify(a), p) for p in points] == [x for x, _ in pairs], a
        verdicts.add(is_leq(a, b))
    assert verdicts == {True, False}


def test_max_of_one_and_a_successor_is_the_successor() -> None:
    # `1` would put every `Type u` into `Type 0`
    assert simplify(mk_max(ONE, mk_succ(U))) is mk_succ(U)
    assert not is_leq(mk_max(ONE, mk_succ(U)), ONE)


def test_imax_is_zero_only_where_the_right_side_is() -> None:
    assert is_zero(mk_imax(U, ZERO))
    assert not is_zero(mk_imax(ZERO, U))
    assert is_equiv(mk_imax(U, mk_succ(V)), mk_max(U, mk_succ(V)))
    assert not is_equiv(mk_imax(U, V), mk_max(U, V))


def test_comparison_with_many_cases_ends_in_an_error() -> None:
    right = ZERO
    for i in range(40):
        right = mk_max(right, mk_imax(U, mk_param(f"b{i}")))
    with pytest.raises(LevelTooComplex):
        is_leq(U, right)


def test_shared_levels_are_simplified_once() -> None:
    level: Level = U
    for _ in range(200):
        level = mk_max(mk_succ(level), level)
    assert simplify(level) is mk_offset(U, 200)


def test_forgetting_metavariables_keeps_all_other_levels() -> None:
    kept = mk_max(mk_succ(U), V)
    mk_max(mk_succ(mk_level_mvar(7)), V)
    forget_level_mvars()
    assert mk_max(mk_succ(U), V) is kept
