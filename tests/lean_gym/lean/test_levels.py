"""Universe levels: minilean's kernel and Lean's give the same verdict on random pairs, equal and unequal ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from minilean.kernel.level import ONE, ZERO, IMax, Level, Max, Succ, mk_imax, mk_max, mk_param, mk_succ
from minilean.kernel.level_order import is_equiv, is_equivalent, is_geq, is_leq

Judge = Callable[[str], dict[str, Any]]
PARAMS = ("u", "v", "w")
TOO_BIG = "universe level of type_of(arg #1) of 'd.c' is too big"


def random_level(rng: random.Random, depth: int) -> Level:
    if depth == 0 or rng.random() < 0.25:
        return rng.choice([ZERO, ONE, *map(mk_param, PARAMS * 2)])
    kind = rng.randrange(3)
    if kind == 0:
        return mk_succ(random_level(rng, depth - 1))
    return (mk_max if kind == 1 else mk_imax)(random_level(rng, depth - 1), random_level(rng, depth - 1))


def rewritten(rng: random.Random, level: Level) -> Level:
    """Return a level that is equal, or nearly."""
    kind = rng.randrange(8)
    if isinstance(level, Max | IMax) and kind < 3:
        make = mk_max if isinstance(level, Max) else mk_imax
        if kind == 0:
            return make(rewritten(rng, level.left), level.right)
        return make(level.left, rewritten(rng, level.right)) if kind == 1 else mk_max(level.right, level.left)
    if isinstance(level, Succ) and kind < 3:
        return mk_succ(rewritten(rng, level.of))
    if kind == 5 and isinstance(level, Succ) and isinstance(level.of, Max):
        return mk_max(mk_succ(level.of.left), mk_succ(level.of.right))
    same = {3: (level, level), 4: (level, level), 6: (ZERO, level), 7: (ONE, level)}.get(kind)
    return level if same is None else (mk_imax if kind in (4, 7) else mk_max)(*same)


class Rows:
    """Rows of an export whose declaration `d` has the universe parameters."""

    def __init__(self) -> None:
        meta = {"exporter": {"name": "x", "version": "3.1.0"}, "format": {"version": "3.1.0"}}
        self._rows: list[dict[str, Any]] = [{"meta": meta}, {"in": 1, "str": {"pre": 0, "str": "d"}}]
        self._rows += [{"in": 2 + at, "str": {"pre": 0, "str": name}} for at, name in enumerate(PARAMS)]
        self._rows.append({"in": 5, "str": {"pre": 1, "str": "c"}})
        self._levels: dict[Level, int] = {ZERO: 0}

    def level(self, level: Level) -> int:
        if level not in self._levels:
            if isinstance(level, Succ):
                row: dict[str, Any] = {"succ": self.level(level.of)}
            elif isinstance(level, Max | IMax):
                kind = "max" if isinstance(level, Max) else "imax"
                row = {kind: [self.level(level.left), self.level(level.right)]}
            else:
                row = {"param": 2 + PARAMS.index(level.name)}  # type: ignore[attr-defined]
            self._levels[level] = len(self._levels)
            self._rows.append({"il": self._levels[level], **row})
        return self._levels[level]

    def text(self, *rows: dict[str, Any]) -> str:
        return "\n".join(map(json.dumps, [*self._rows, *rows])) + "\n"


def as_definition(left: Level, right: Level) -> str:
    """`def d : Sort (left + 1) := Sort right`, which is well typed where the levels are equal."""
    rows = Rows()
    type_, value = {"ie": 0, "sort": rows.level(mk_succ(left))}, {"ie": 1, "sort": rows.level(right)}
    made = {"name": 1, "levelParams": [2, 3, 4], "type": 0, "value": 1, "all": [1]}
    return rows.text(type_, value, {"def": {**made, "hints": "abbrev", "safety": "safe"}})


def as_inductive(left: Level, right: Level) -> str:
    """`inductive d : Sort (left + 1) | c (x : Sort right)`, which fits where the left level is at least the other."""
    rows = Rows()
    type_, field = {"ie": 0, "sort": rows.level(mk_succ(left))}, {"ie": 1, "sort": rows.level(right)}
    const = {"ie": 2, "const": {"name": 1, "us": [rows.level(mk_param(name)) for name in PARAMS]}}
    constructor = {"ie": 3, "forallE": {"name": 5, "type": 1, "body": 2, "binderInfo": "default"}}
    own = {"levelParams": [2, 3, 4], "numParams": 0, "isUnsafe": False}
    counts = {"numIndices": 0, "numNested": 0, "isRec": False, "isReflexive": False}
    types = [{"name": 1, "type": 0, "all": [1], "ctors": [5], **own, **counts}]
    ctors = [{"name": 5, "type": 3, "induct": 1, "cidx": 0, "numFields": 1, **own}]
    declaration = {"inductive": {"types": types, "ctors": ctors, "recs": []}}
    return rows.text(type_, field, const, constructor, declaration)


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 2, 3))])
def test_equal_levels(judge: Judge, seed: int) -> None:
    rng = random.Random(seed)
    missed = equal = 0
    for _ in range(250):
        left = random_level(rng, 3)
        right = random_level(rng, 3) if rng.random() < 0.15 else left
        for _ in range(rng.randrange(1, 4)):
            right = rewritten(rng, right)
        ours = is_equivalent(mk_succ(left), mk_succ(right))
        assert judge(as_definition(left, right))["accepted"] is ours, (left, right)
        assert not ours or is_equiv(left, right)
        equal += ours
        missed += is_equiv(left, right) and not ours
    assert equal > 125
    assert missed > 25


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 2, 3))])
def test_universes_that_fit(judge: Judge, seed: int) -> None:
    rng = random.Random(seed)
    fits = 0
    for _ in range(250):
        left = random_level(rng, 3)
        right = random_level(rng, 3) if rng.random() < 0.3 else left
        for _ in range(rng.randrange(1, 4)):
            right = rewritten(rng, right)
        if rng.random() < 0.5:
            left = mk_max(left, random_level(rng, 2))
        ours = is_geq(mk_succ(left), mk_succ(right))
        # Without its recursor the file is refused in any case, but for another reason.
        assert (TOO_BIG not in judge(as_inductive(left, right))["reason"]) is ours, (left, right)
        assert not ours or is_leq(right, left)
        fits += ours
    assert 100 < fits < 225
