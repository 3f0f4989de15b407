"""The baseline that guesses invariants."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.chance import count_proofs
from benchmarks.random_invariants import guess, main, random_invariants
from lean_gym.datasets import write_jsonl
from lean_gym.types import Theorem

GROWING = "(f : Nat → Nat) (h : f 0 = 1) (h1 : ∀ n, f (n + 1) = f n + 3) (n : Nat)"
HOLDS = Theorem("holds", f"theorem holds {GROWING} : f n ≠ 3")
FAILS = Theorem("fails", f"theorem fails {GROWING} : f n ≠ 4")
BOTH = Theorem("both", f"theorem both {GROWING} : f n ≠ 3 ∧ n = n")
SHOWN = "f : Nat → Nat\nh : f 0 = 1\nh1 : ∀ (n : Nat), f (n + 1) = 3 - f n\nn : Nat\n⊢ f n ≠ 7"


def test_guesses_have_the_numbers_of_the_goal() -> None:
    guesses = {guess(random.Random(seed), SHOWN) for seed in range(300)}
    assert "suffices h9 : f n = 1 ∨ f n = 3 by omega" in guesses
    assert "suffices h9 : f n % 3 = 7 by omega" in guesses
    assert len(guesses) == 3 * 4 * 4  # three forms, two places, the numbers 0, 1, 3 and 7
    assert guess(random.Random(0), "⊢ True") == "omega"
    two = SHOWN.replace("f : Nat", "f g : Nat")
    assert any("∧ g n =" in guess(random.Random(seed), two) for seed in range(20))
    more = SHOWN.replace("f : Nat → Nat", "f : Nat → Nat → Nat")
    assert "∀ a, f n a = a + " in guess(random.Random(0), more)


def test_the_script_finishes_what_was_guessed_right() -> None:
    """With the numbers 0, 1 and 3, at least one guess in 27 is right: `f n = 3 * n + 1`."""
    proofs = count_proofs(random_invariants, [HOLDS, FAILS, BOTH], attempts=30, steps=12, seed=0)
    assert proofs[0] > 0
    assert proofs[1] == 0
    assert proofs[2] > 0


def test_the_command_prints_the_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.jsonl"
    write_jsonl(path, [FAILS])
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "pass@1 0.0%",
        "pass@8 0.0%",
        "1 theorems, 8 episodes each, at most 12 tactics",
    ]
