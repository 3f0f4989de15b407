"""The set `algebra`: its form, its card, its two parts, and that it is what the generator gives."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chance import count_proofs
from benchmarks.random_laws import random_laws
from envs_data.algebra import PARTS, PATH, equation_of, is_instance, is_proved_by_chance, main
from envs_data.automation import measure
from envs_data.instances import is_instance as follows
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.generators.algebra import ALGEBRA
from lean_gym.datasets.generators.base import measure_difficulty
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

KEYS = [
    "name",
    "statement",
    "context",
    "imports",
    "split",
    "domain",
    "difficulty",
    "proof",
    "permitted_axioms",
]
TEST_KEYS = [*KEYS[:-1], "automation", KEYS[-1]]
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def part(split: str) -> list[Theorem]:
    return [theorem for theorem in load_theorems("algebra") if theorem.split == split]


def theorem(equation: str) -> Theorem:
    return Theorem(name="t", statement=f"theorem t {{α : Type}} (A : Semiring α) (a b c d : α) : {equation}")


def test_rows_have_the_fixed_form() -> None:
    for row in ROWS:
        # What automation proves is measured for the test part only.
        assert list(row) == (TEST_KEYS if row["split"] == "test" else KEYS)
        assert row["imports"] == row["permitted_axioms"] == []
        # What a proof leaves to unification counts as if it were named.
        assert row["difficulty"] >= measure_difficulty(row["proof"])
    splits = Counter(row["split"] for row in ROWS)
    assert splits["train"] >= 600
    assert splits["test"] >= 150


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [1, pytest.param(None, marks=pytest.mark.slow)])
def test_automation_proves_nothing_of_the_test_part_without_axioms_and_with_them_grind_alone_does(
    count: int | None,
) -> None:
    assert not any(row["automation"] for row in ROWS if row["split"] == "test")
    sample = part("test")[::60]
    assert len(sample) >= 3
    sample = random.sample(sample, count or len(sample))  # another one in each run
    assert not measure(sample, seconds=5.0, fresh=True).proved_by_any
    classical = [replace(each, permitted_axioms=None) for each in sample]
    proved = measure(classical, seconds=5.0, fresh=True).proved
    assert proved.pop("intros; grind [{definitions}]") == {each.name for each in sample}
    assert not frozenset().union(*(names for script, names in proved.items() if "grind" not in script))


@pytest.mark.parametrize(
    "tactics",
    [
        ["grind [Semiring.add_comm]"],
        ["have h := A.add_comm a b", "grind"],
        ["simp only [A.add_comm a b]"],
        ["by_cases h : a = b", "rw [A.add_comm a b]", "rw [A.add_comm a b]"],
        ["refine Classical.byContradiction fun h => h ?_", "rw [A.add_comm a b]"],
    ],
)
def test_a_proof_that_uses_an_axiom_does_not_count(tactics: list[str]) -> None:
    backend = create_backend("minilean")
    context = next(each.context for each in part("test") if each.domain == "semiring")
    strict = replace(theorem("A.add a b = A.add b a"), context=context, permitted_axioms=())
    assert verify_script(backend, replace(strict, permitted_axioms=None), tactics).axioms
    verdict = verify_script(backend, strict, tactics)
    assert not verdict.proved
    assert verdict.reason.startswith("uses axioms that are not permitted: Classical.choice") or (
        verdict.reason == "uses axioms that are not permitted: propext"
    )
    assert verify_script(backend, strict, ["rw [A.add_comm a b]"]).proved


@pytest.mark.timeout(600)
@pytest.mark.parametrize("every", [8, pytest.param(4, marks=pytest.mark.slow)])
def test_chance_proves_next_to_nothing_of_the_test_part(every: int) -> None:
    """The filter rewrites terms of its own, with draws of its own; here the prover rewrites."""
    test, easy = part("test")[::every], [each for each in part("train")[::10] if is_proved_by_chance(each)]
    assert not any(is_proved_by_chance(each) for each in part("test"))
    easy = easy[:: 6 if every == 8 else 3]
    assert (len(test) >= 20 and len(easy) >= 15) if every == 8 else (len(test) >= 40 and len(easy) >= 30)
    assert sum(count_proofs(random_laws, test, attempts=4, steps=12, seed=0)) / 4 <= 0.05 * len(test)
    assert sum(count_proofs(random_laws, easy, attempts=4, steps=12, seed=0)) / 4 >= 0.25 * len(easy)


@pytest.mark.parametrize("every", [25, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.timeout(1200)
def test_every_reference_proof_is_verified(every: int) -> None:
    backend = create_backend("minilean")
    for each in load_theorems("algebra")[::every]:
        assert verify_script(backend, each, proof_steps(each.proof)).proved, each.name
        assert not verify_script(backend, each, proof_steps(each.proof)[:-1]).proved, each.name


def test_rows_are_what_the_generator_gives() -> None:
    rows = {row["name"]: row for row in ROWS}
    for difficulty in (0.12, 0.27):
        found = [each for each in ALGEBRA.generate(30, difficulty, PARTS[0].seed) if each.name in rows]
        assert len(found) >= 15
        for each in found:
            row = rows[each.name]
            assert (each.statement, each.proof) == (row["statement"], row["proof"])
            assert (each.context, each.domain) == (row["context"], row["domain"])


@pytest.mark.parametrize(
    ("special", "general", "expected"),
    [
        ("A.add (A.mul a b) c = A.add c (A.mul a b)", "A.add a b = A.add b a", True),
        ("A.add c (A.mul a b) = A.add (A.mul a b) c", "A.add a b = A.add b a", True),
        ("A.mul a (A.add b b) = A.mul a (A.add c c)", "A.mul a b = A.mul a c", True),
        ("A.add a b = A.add b a", "A.add (A.mul a b) c = A.add c (A.mul a b)", False),
        ("A.add a b = A.add b c", "A.add a b = A.add b a", False),
        ("A.mul a b = A.mul b a", "A.add a b = A.add b a", False),
    ],
)
def test_instances_are_told_apart(special: str, general: str, expected: bool) -> None:
    assert is_instance(theorem(special), theorem(general)) is expected


def test_no_test_theorem_is_an_instance_of_a_training_theorem() -> None:
    train = part("train")
    for special in part("test"):
        found = [general.name for general in train if is_instance(special, general)]
        assert found == [], special.name


@pytest.mark.timeout(600)
@pytest.mark.parametrize("every", [9, pytest.param(3, marks=pytest.mark.slow)])
def test_the_prover_finds_no_instance_either(every: int) -> None:
    """A sample: one `exact` takes some milliseconds."""
    backend = create_backend("minilean")
    special = part("test")[7]
    others = [general for general in part("train") if general.context == special.context]
    assert len(others) >= 100
    assert not any(follows(backend, general, special) for general in others[::every])
    assert follows(backend, special, special)
    assert is_instance(special, special)


def test_sides_are_read_as_they_are_written() -> None:
    left, right = equation_of(theorem("A.add (A.mul a b) c = d"))
    assert left == ("A.add", ("A.mul", "a", "b"), "c")
    assert right == "d"


@pytest.mark.slow
@pytest.mark.timeout(6000)
def test_the_file_is_what_the_generator_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_the_card_tells_the_truth(
    check_card: Callable[[Path, list[dict[str, Any]], list[str]], None],
) -> None:
    check_card(PATH, ROWS, TEST_KEYS)
