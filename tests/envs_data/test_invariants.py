"""The set `invariants`: no training theorem shares a recursion with a test theorem."""

from __future__ import annotations

from envs_data.invariants import recursions
from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem


def part(split: str) -> list[Theorem]:
    return [theorem for theorem in load_theorems("invariants") if theorem.split == split]


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
