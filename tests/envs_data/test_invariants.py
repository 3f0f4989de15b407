"""The set `invariants`: its form, its card, its two parts, and that it is what the generator gives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chance import count_proofs
from benchmarks.random_invariants import random_invariants
from envs_data.automation import measure
from envs_data.invariants import PARTS, PATH, TRAIN_SEED, main, recursions
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.generators import measure_difficulty
from lean_gym.datasets.invariants import INVARIANTS
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

KEYS = ["name", "statement", "context", "imports", "split", "domain", "difficulty", "proof"]
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def part(split: str) -> list[Theorem]:
    return [theorem for theorem in load_theorems("invariants") if theorem.split == split]


def test_rows_have_the_fixed_form() -> None:
    for row in ROWS:
        # What automation proves is measured for the test part only.
        assert list(row) == ([*KEYS, "automation"] if row["split"] == "test" else KEYS)
        assert row["imports"] == []
        assert row["context"] == ""
        assert row["difficulty"] == measure_difficulty(row["proof"])
    splits = Counter(row["split"] for row in ROWS)
    assert splits["train"] >= 600
    assert splits["test"] >= 150


def test_automation_proves_nothing_of_the_test_part() -> None:
    assert not any(row["automation"] for row in ROWS if row["split"] == "test")
    sample = part("test")[::60]
    assert sample
    assert not measure(sample, seconds=5.0, fresh=True).proved_by_any


def test_guessing_proves_next_to_nothing_of_the_test_part() -> None:
    test = part("test")[::6]
    assert len(test) >= 30
    assert sum(count_proofs(random_invariants, test, attempts=4, steps=12, seed=0)) / 4 <= 0.05 * len(test)


def test_every_reference_proof_is_verified() -> None:
    backend = create_backend("minilean")
    for each in load_theorems("invariants")[::12]:
        assert verify_script(backend, each, proof_steps(each.proof)).proved, each.name
        assert not verify_script(backend, each, proof_steps(each.proof)[:-1]).proved, each.name


def test_rows_are_what_the_generator_gives() -> None:
    rows = {row["name"]: row for row in ROWS}
    for drawn in PARTS:
        found = [each for each in INVARIANTS.generate(30, drawn.difficulty, TRAIN_SEED) if each.name in rows]
        assert len(found) >= 10
        for each in found:
            row = rows[each.name]
            assert (each.statement, each.proof) == (row["statement"], row["proof"])
            assert each.domain == row["domain"]


def test_recursions_are_compared_without_names() -> None:
    def of(binders: str) -> frozenset[str]:
        return recursions(Theorem(name="t", statement=f"theorem t {binders} (n : Nat) : True"))

    one = of("(f : Nat → Nat) (h : f 0 = 3) (h1 : ∀ n, f (n + 1) = f n + 2)")
    assert one == of("(u : Nat → Nat) (h : u 0 = 3) (h1 : ∀ n, u (n + 1) = u n + 2)")
    assert one != of("(f : Nat → Nat) (h : f 0 = 4) (h1 : ∀ n, f (n + 1) = f n + 2)")
    both = of(
        "(g s : Nat → Nat) (h : g 0 = 1) (h1 : ∀ n, g (n + 1) = s n) (h2 : s 0 = 2) (h3 : ∀ n, s (n + 1) = g n) "
        "(f : Nat → Nat) (h4 : f 0 = 3) (h5 : ∀ n, f (n + 1) = f n + 2) (v : Nat → Nat) (h6 : ∀ n, v n % 4 = 1)"
    )
    assert one < both
    assert len(both) == 2


def test_no_training_theorem_has_a_recursion_of_a_test_theorem() -> None:
    known = frozenset().union(*map(recursions, part("test")))
    assert len(known) >= 100
    assert not any(recursions(theorem) & known for theorem in part("train"))


@pytest.mark.slow
@pytest.mark.timeout(6000)
def test_the_file_is_what_the_generator_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_the_card_tells_the_truth(
    check_card: Callable[[Path, list[dict[str, Any]], list[str]], None],
) -> None:
    check_card(PATH, ROWS, [*KEYS, "automation"])
