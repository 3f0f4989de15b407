"""The sets whose test part automation does not prove: their form, their cards, and that the generators give them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.chance import NewPolicy, count_proofs
from benchmarks.random_cancellations import random_cancellations
from benchmarks.random_invariants import random_invariants
from envs_data import cancellation, invariants
from envs_data.automation import measure
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.generators.base import Generator, measure_difficulty
from lean_gym.datasets.generators.cancellation import CANCELLATION
from lean_gym.datasets.generators.invariants import INVARIANTS
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

KEYS = ["name", "statement", "context", "imports", "split", "domain", "difficulty", "proof"]
SETS: dict[str, tuple[ModuleType, Generator, NewPolicy]] = {
    "cancellation": (cancellation, CANCELLATION, random_cancellations),
    "invariants": (invariants, INVARIANTS, random_invariants),
}

pytestmark = pytest.mark.parametrize("name", SETS)


def rows_of(name: str) -> list[dict[str, Any]]:
    path: Path = SETS[name][0].PATH
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def measured_part(name: str) -> list[Theorem]:
    return [theorem for theorem in load_theorems(name) if theorem.split == "test"]


def test_rows_have_the_fixed_form(name: str) -> None:
    rows = rows_of(name)
    for row in rows:
        # What automation proves is measured for the test part only.
        assert list(row) == ([*KEYS, "automation"] if row["split"] == "test" else KEYS)
        assert row["imports"] == []
        assert row["difficulty"] == measure_difficulty(row["proof"])
    splits = Counter(row["split"] for row in rows)
    assert splits["train"] >= 600
    assert splits["test"] >= 150


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [1, pytest.param(None, marks=pytest.mark.slow)])
def test_automation_proves_nothing_of_the_test_part(name: str, count: int | None) -> None:
    assert not any(row["automation"] for row in rows_of(name) if row["split"] == "test")
    sample = measured_part(name)[::50]
    assert len(sample) >= 3
    sample = random.sample(sample, count or len(sample))  # another one in each run
    assert not measure(sample, seconds=5.0, fresh=True).proved_by_any


def test_chance_proves_next_to_nothing_of_the_test_part(name: str) -> None:
    test = measured_part(name)[::6]
    assert len(test) >= 30
    assert sum(count_proofs(SETS[name][2], test, attempts=4, steps=12, seed=0)) / 4 <= 0.05 * len(test)


@pytest.mark.parametrize("every", [96, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.timeout(1200)
def test_every_reference_proof_is_verified(name: str, every: int) -> None:
    backend = create_backend("minilean")
    for each in load_theorems(name)[::every]:
        steps = proof_steps(each.proof)
        assert verify_script(backend, each, steps).proved, each.name
        assert not verify_script(backend, each, steps[:-1]).proved, each.name


def test_rows_are_what_the_generator_gives(name: str) -> None:
    module, generator, _ = SETS[name]
    rows = {row["name"]: row for row in rows_of(name)}
    for drawn in module.PARTS:
        found = [
            each for each in generator.generate(30, drawn.difficulty, module.TRAIN_SEED) if each.name in rows
        ]
        assert len(found) >= 10
        for each in found:
            row = rows[each.name]
            assert (each.statement, each.proof) == (row["statement"], row["proof"])
            assert (each.domain, each.context) == (row["domain"], row["context"])


@pytest.mark.slow
@pytest.mark.timeout(6000)
def test_the_file_is_what_the_generator_gives(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert SETS[name][0].main(["--check"]) == 0, capsys.readouterr().err


def test_the_card_tells_the_truth(
    name: str, check_card: Callable[[Path, list[dict[str, Any]], list[str]], None]
) -> None:
    check_card(SETS[name][0].PATH, rows_of(name), [*KEYS, "automation"])
