"""Proofs of Lean's tactics, exported by Lean, in the kernels of both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lean_gym.backends.lean import LeanBackend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

SETS = ("logic", "nat", "algebra", "steps", "invariants", "core")
CONTEXTS = {
    "mutual": (
        "mutual\ninductive Even : Nat → Prop\n| zero : Even 0\n| succ (n : Nat) : Odd n → Even (n + 1)\n"
        "inductive Odd : Nat → Prop\n| succ (n : Nat) : Even n → Odd (n + 1)\nend\n",
        "theorem t : Even 2",
        ["exact .succ _ (.succ _ .zero)"],
    ),
    "nested": (
        "inductive Tree (α : Type) where\n| node : α → List (Tree α) → Tree α\n"
        "def Tree.root {α : Type} : Tree α → α\n| .node a _ => a\n",
        "theorem t (α : Type) (a : α) (ts : List (Tree α)) : (Tree.node a ts).root = a",
        ["rfl"],
    ),
    "class": (
        "class Magma (α : Type u) where\n  op : α → α → α\n  comm : ∀ a b, op a b = op b a\n"
        "instance : Magma Nat := ⟨Nat.add, Nat.add_comm⟩\nopaque c : Nat\n",
        "theorem t (n : Nat) : Magma.op n c = Magma.op c n",
        ["exact Magma.comm n c"],
    ),
    "quotient": (
        "def Parity : Setoid Nat := ⟨fun a b => a % 2 = b % 2, ⟨fun _ => rfl, Eq.symm, Eq.trans⟩⟩\n",
        "theorem t : Quotient.mk Parity 1 = Quotient.mk Parity 3",
        ["exact Quotient.sound (s := Parity) (show 1 % 2 = 3 % 2 from rfl)"],
    ),
}


@pytest.fixture(scope="module")
def backend(lean_library: Path) -> Iterator[LeanBackend]:
    made = LeanBackend(str(lean_library), sandbox="off", verify="independent")
    yield made
    made.close()


@pytest.mark.parametrize("count", [1, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.timeout(3600)
def test_reference_proofs_are_accepted_by_both_kernels(backend: LeanBackend, count: int) -> None:
    for name in SETS:
        theorems = [
            each
            for each in load_theorems(name)
            if each.proof and not each.position.startswith(("Prelude.lean", "Classes.lean"))
        ]
        spread = theorems[:: -(-len(theorems) // 60)]
        for each in random.sample(spread, min(count, len(spread))):  # others in each run
            verdict = verify_script(backend, each, proof_steps(each.proof))
            assert verdict.proved, (each.name, verdict.reason)
            assert verdict.level == "independent"
            assert verdict.details["kernels"] == ["minilean", "lean"]


@pytest.mark.parametrize("kind", CONTEXTS)
def test_declarations_of_a_context_are_exported(backend: LeanBackend, kind: str) -> None:
    context, statement, tactics = CONTEXTS[kind]
    verdict = backend.verify(Theorem("t", statement, context), tactics)
    assert verdict.proved, verdict.reason
    assert verdict.axioms == (("Quot.sound",) if kind == "quotient" else ())


def test_an_axiom_of_a_context_is_not_permitted(backend: LeanBackend) -> None:
    verdict = backend.verify(Theorem("t", "theorem t : 1 = 1", "axiom h : 1 = 1\n"), ["exact h"])
    assert (verdict.proved, verdict.reason) == (
        False,
        "independent check: uses axioms that the challenge does not state: h",
    )


@pytest.mark.parametrize("kernel", ["minilean", "lean"])
def test_another_statement_is_not_proved_by_what_was_exported(
    lean_library: Path, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that ran the script says what it likes: the challenge comes from another one."""
    made = LeanBackend(str(lean_library), sandbox="off", verify="independent", kernel=kernel)
    exports = made.exports
    wanted = Theorem("t", "theorem t (n : Nat) : n + 0 = n")
    others = (
        replace(wanted, statement="theorem t (n : Nat) : n = n"),
        replace(wanted, statement="theorem t (n : Int) : n + 0 = n"),
        replace(wanted, context="axiom everything : False\n"),
    )

    def forged(other: Theorem, tactic: str):
        def answer(theorem, tactics, name, given, deadline_s):
            challenge, _ = exports(theorem, tactics, name, given, deadline_s)
            return challenge, exports(other, [tactic], name, given, deadline_s)[1]

        return answer

    try:
        assert made.verify(wanted, ["rfl"]).proved
        for other, tactic in zip(others, ["rfl", "simp", "exact everything.elim"], strict=True):
            monkeypatch.setattr(made, "exports", forged(other, tactic))
            verdict = made.verify(wanted, ["rfl"])
            assert not verdict.proved, other
            assert verdict.reason.startswith("independent check: ")
    finally:
        made.close()
