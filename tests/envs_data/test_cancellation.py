"""The set `cancellation`: its form, its card, its two parts, and that it is what the generator gives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chance import count_proofs
from benchmarks.random_cancellations import random_cancellations
from envs_data.automation import measure
from envs_data.cancellation import PARTS, PATH, TRAIN_SEED, equations_of, is_instance, main
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.cancellation import CANCELLATION
from lean_gym.datasets.generators import measure_difficulty
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

KEYS = ["name", "statement", "context", "imports", "split", "domain", "difficulty", "proof"]
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def part(split: str) -> list[Theorem]:
    return [theorem for theorem in load_theorems("cancellation") if theorem.split == split]


def test_rows_have_the_fixed_form() -> None:
    for row in ROWS:
        # What automation proves is measured for the test part only.
        assert list(row) == ([*KEYS, "automation"] if row["split"] == "test" else KEYS)
        assert row["imports"] == []
        assert row["context"].startswith("structure ")
        assert row["difficulty"] == measure_difficulty(row["proof"])
    splits = Counter(row["split"] for row in ROWS)
    assert splits["train"] >= 600
    assert splits["test"] >= 150


def test_automation_proves_nothing_of_the_test_part() -> None:
    assert not any(row["automation"] for row in ROWS if row["split"] == "test")
    sample = part("test")[::40]
    assert sample
    assert not measure(sample, seconds=5.0, fresh=True).proved_by_any


def test_operations_at_random_prove_next_to_nothing_of_the_test_part() -> None:
    test = part("test")[::6]
    assert len(test) >= 30
    assert sum(count_proofs(random_cancellations, test, attempts=4, steps=12, seed=0)) / 4 <= 0.06 * len(test)


def test_every_reference_proof_is_verified() -> None:
    backend = create_backend("minilean")
    for each in load_theorems("cancellation")[::12]:
        steps = proof_steps(each.proof)
        assert verify_script(backend, each, steps).proved, each.name
        assert not verify_script(backend, each, steps[:-1]).proved, each.name


def test_a_step_with_another_argument_is_refused() -> None:
    backend = create_backend("minilean")
    theorem = Theorem(
        name="t",
        statement="theorem t {α : Type} (A : Loop α) (a b c d : α) (h : A.mul a b = A.mul a c) : b = c",
        context=next(row["context"] for row in ROWS if row["domain"] == "loop"),
    )
    start = backend.start(theorem)
    for step, refused in (
        ("replace h := congrArg (A.ldiv d) h; simp only [A.ldiv_mul] at h", True),
        ("replace h := congrArg (A.rdiv b) h; simp only [A.ldiv_mul] at h", True),
        ("replace h := congrArg (A.ldiv a) h; simp only [A.ldiv_mul] at h", False),
    ):
        assert (backend.apply(start, step).state is None) == refused, step


def test_rows_are_what_the_generator_gives() -> None:
    rows = {row["name"]: row for row in ROWS}
    for drawn in PARTS:
        found = [
            each for each in CANCELLATION.generate(30, drawn.difficulty, TRAIN_SEED) if each.name in rows
        ]
        assert len(found) >= 10
        for each in found:
            row = rows[each.name]
            assert (each.statement, each.proof) == (row["statement"], row["proof"])
            assert (each.domain, each.context) == (row["domain"], row["context"])


def _theorem(binders: str, goal: str, context: str = "structure S") -> Theorem:
    return Theorem(
        name="t",
        statement=f"theorem t {{α : Type}} (A : S α) (a b c d : α) {binders} : {goal}",
        context=context,
    )


def test_instances_are_found() -> None:
    general = _theorem("(h : A.mul a b = A.mul a c)", "b = c")
    assert equations_of(general) == ((("A.mul", "a", "b"), ("A.mul", "a", "c")), ("b", "c"))
    assert is_instance(_theorem("(h : A.mul d (A.inv a) = A.mul d b)", "A.inv a = b"), general)
    assert is_instance(_theorem("(h : A.mul a c = A.mul a b)", "c = b"), general)
    assert not is_instance(_theorem("(h : A.mul b a = A.mul c a)", "b = c"), general)
    assert not is_instance(general, _theorem("(h : A.mul d (A.inv a) = A.mul d b)", "A.inv a = b"))
    assert not is_instance(_theorem("(h : A.mul a b = A.mul a c)", "b = c", "structure T"), general)
    two = _theorem("(h : A.inv a = A.inv b) (h1 : A.inv (A.inv b) = A.inv c)", "a = b ∧ A.inv b = c")
    assert len(equations_of(two)) == 4
    assert not is_instance(two, general)


def test_no_training_theorem_has_a_test_theorem_as_its_instance() -> None:
    test = part("test")
    assert not [each.name for each in part("train") if any(is_instance(special, each) for special in test)]


@pytest.mark.slow
@pytest.mark.timeout(6000)
def test_the_file_is_what_the_generator_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_the_card_tells_the_truth(
    check_card: Callable[[Path, list[dict[str, Any]], list[str]], None],
) -> None:
    check_card(PATH, ROWS, [*KEYS, "automation"])
