"""Generated theorems: what they are made of, and that their proofs hold."""

from __future__ import annotations

from itertools import islice

import pytest

from envs_data.statement_key import statement_key
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.datasets.generators.base import TOLERANCE, measure_difficulty
from lean_gym.datasets.generators.propositional import (
    FALSE,
    TRUE,
    Formula,
    atom,
    atoms,
    conj,
    disj,
    find_proof,
    iff,
    implies,
    is_tautology,
    neg,
    premises,
    truth_table,
)
from lean_gym.datasets.generators.propositional_theorems import PROPOSITIONAL

P, Q, R = atom("p"), atom("q"), atom("r")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (implies(P, implies(Q, P)), "p → q → p"),
        (implies(implies(P, Q), P), "(p → q) → p"),
        (conj(conj(P, Q), R), "(p ∧ q) ∧ r"),
        (conj(P, conj(Q, R)), "p ∧ q ∧ r"),
        (disj(conj(P, Q), R), "p ∧ q ∨ r"),
        (conj(disj(P, Q), R), "(p ∨ q) ∧ r"),
        (neg(neg(P)), "¬¬p"),
        (neg(conj(P, FALSE)), "¬(p ∧ False)"),
        (conj(neg(P), TRUE), "¬p ∧ True"),
        (iff(implies(P, Q), iff(P, Q)), "p → q ↔ (p ↔ q)"),
        (implies(iff(P, Q), P), "(p ↔ q) → p"),
    ],
)
def test_formulas_are_written_as_lean_prints_them(formula: Formula, text: str) -> None:
    assert str(formula) == text


def test_truth_tables_number_the_rows_by_the_atoms() -> None:
    # Row i gives p bit 0 of i and q bit 1 of i, so p is true in rows 1 and 3, q in rows 2 and 3.
    names = ["p", "q"]
    assert truth_table(P, names) == 0b1010
    assert truth_table(Q, names) == 0b1100
    assert truth_table(conj(P, Q), names) == 0b1000
    assert truth_table(implies(P, Q), names) == 0b1101
    assert truth_table(iff(P, Q), names) == 0b1001
    assert truth_table(neg(P), names) == 0b0101


def test_tautologies_are_told_apart() -> None:
    assert is_tautology(implies(implies(implies(P, Q), P), P))
    assert not is_tautology(implies(implies(P, Q), P))
    assert is_tautology(implies(FALSE, P))
    assert not is_tautology(FALSE)


def test_premises_count_negation_as_an_implication() -> None:
    assert premises(implies(P, neg(Q))) == ([P, Q], FALSE)
    assert premises(disj(P, Q)) == ([], disj(P, Q))
    assert atoms(implies(Q, disj(P, Q))) == ["q", "p"]


@pytest.mark.parametrize(
    ("formula", "script"),
    [
        (implies(P, P), ["intro h", "exact h"]),
        (
            implies(conj(P, Q), conj(Q, P)),
            ["intro h", "rcases h with ⟨h1, h2⟩", "exact ⟨h2, h1⟩"],
        ),
        (
            implies(disj(P, Q), disj(Q, P)),
            ["intro h", "rcases h with h1 | h1", "right", "exact h1", "left", "exact h1"],
        ),
        (disj(P, neg(P)), ["by_cases h : p", "left", "exact h", "right", "exact h"]),
        (
            implies(neg(neg(neg(P))), neg(P)),
            ["intro h", "intro h1", "apply h", "intro h2", "exact h2 h1"],
        ),
    ],
)
def test_scripts_follow_the_style_of_the_sets(formula: Formula, script: list[str]) -> None:
    assert find_proof(formula) == script


def test_what_is_no_tautology_has_no_proof() -> None:
    assert find_proof(implies(disj(P, Q), P)) is None


def test_the_search_stops_at_its_node_budget() -> None:
    peirce = implies(implies(implies(P, Q), P), P)
    assert find_proof(peirce, max_nodes=3) is None
    assert find_proof(peirce) is not None


@pytest.mark.parametrize(
    ("proof", "difficulty"),
    [
        ("exact h", 0.0),  # cost 1
        ("intro h\nexact h", 0.03),  # 1 + 1: 1/30
        ("intro h\nleft\nexact h", 0.1),  # 1 + 2 + 1: 3/30
        ("by_cases h : p\nexact h\nexact absurd h1 h", 0.17),  # 3 + 1 + 1 + 1 name: 5/30
        ("rw [Nat.add_comm, h]", 0.1),  # 2 + 1 name + 1 rule: 3/30
        ("induction n\ncase zero => rfl\ncase succ n ih => rw [ih]; exact h", 0.2),  # 3 + 1 + 2 + 1: 6/30
        ("\n".join(["left"] * 40), 1.0),
        ("", 0.0),
    ],
)
def test_difficulty_is_the_documented_sum(proof: str, difficulty: float) -> None:
    assert measure_difficulty(proof) == difficulty


@pytest.mark.parametrize("difficulty", [0.05, 0.15, 0.3, 0.5])
def test_generated_theorems_have_the_wanted_difficulty_and_a_proof(difficulty: float) -> None:
    backend = create_backend("minilean")
    theorems = PROPOSITIONAL.generate(12, difficulty, seed=5)
    assert len(theorems) == 12
    for theorem in theorems:
        assert theorem.difficulty is not None
        assert theorem.difficulty == measure_difficulty(theorem.proof)
        assert abs(theorem.difficulty - difficulty) <= TOLERANCE
        assert theorem.domain in ("propositional", "classical")
        verdict = backend.verify(theorem, theorem.proof.split("\n"))
        assert verdict.proved, f"{theorem.statement}: {verdict.reason}"


def test_no_two_generated_theorems_are_renamings() -> None:
    theorems = PROPOSITIONAL.generate(60, difficulty=0.2, seed=1)
    assert len({theorem.name for theorem in theorems}) == 60
    assert len({theorem.statement.split(" : ", 1)[1] for theorem in theorems}) == 60
    # Premises come in any order, so that a key may be shared; the same formula in other letters may not.
    assert len({statement_key(theorem.statement) for theorem in theorems}) >= 55


def test_the_seed_decides() -> None:
    first = PROPOSITIONAL.generate(8, difficulty=0.25, seed=3)
    assert first == PROPOSITIONAL.generate(8, difficulty=0.25, seed=3)
    assert first == list(islice(PROPOSITIONAL.iterate(0.25, 3), 8))
    assert first[:5] == PROPOSITIONAL.generate(5, difficulty=0.25, seed=3)
    assert first != PROPOSITIONAL.generate(8, difficulty=0.25, seed=4)


def test_different_draws_load_as_one_set() -> None:
    theorems = (
        PROPOSITIONAL.generate(4, 0.1, 0)
        + PROPOSITIONAL.generate(4, 0.3, 0)
        + PROPOSITIONAL.generate(4, 0.1, 1)
    )
    assert load_theorems(theorems) == theorems


def test_nothing_is_generated_when_nothing_is_asked_for() -> None:
    assert PROPOSITIONAL.generate(0) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": -1}, "count must be 0 or more, got -1"),
        ({"count": 1, "difficulty": 0.0}, r"difficulty must lie in \[0.05, 1.0\], got 0.0"),
        ({"count": 1, "difficulty": 1.5}, r"difficulty must lie in \[0.05, 1.0\], got 1.5"),
        ({"count": 1, "seed": -2}, "seed must be 0 or more, got -2"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PROPOSITIONAL.generate(**arguments)  # type: ignore[arg-type]
