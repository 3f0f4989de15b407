from __future__ import annotations

import pytest

from lean_gym import Theorem
from trainers.rollouts.env import verify_proofs
from trainers.runtime.signals import Interrupted

THEOREMS = [Theorem("one", "theorem one : True"), Theorem("two", "theorem two : True ∧ (False ∨ True)")]


def test_only_proofs_pass() -> None:
    claims = [
        ("one", ("trivial",)),
        ("one", ("sorry",)),
        ("one", ("skip", "trivial")),
        ("one", ()),
        ("one", ("trivial", "trivial")),  # a tactic after the end
        ("one", ("left", "trivial")),  # contains a refused tactic
        ("two", ("split", "trivial", "trivial")),
        ("three", ("trivial",)),
    ]
    verdicts = verify_proofs(THEOREMS, claims, "fake", 1)
    assert verdicts == [(), None, (), None, None, None, None, None]


def test_axioms_come_back() -> None:
    theorem = Theorem("em", "theorem em (p : Prop) : p ∨ ¬p")
    [axioms] = verify_proofs([theorem], [("em", ("exact Classical.em p",))], "minilean", 1)
    assert axioms is not None
    assert "Classical.choice" in axioms


@pytest.mark.parametrize("cheat", ["sorry", "admit", "exact sorryAx _", "native_decide", "axiom x : False"])
def test_cheats_are_no_proofs(cheat: str) -> None:
    theorem = Theorem("no", "theorem no : False")
    assert verify_proofs([theorem], [("no", (cheat,))], "minilean", 1) == [None]


def test_nothing_to_verify() -> None:
    assert verify_proofs(THEOREMS, [], "fake", 1) == []


def test_verifying_can_be_stopped() -> None:
    def stop() -> None:
        raise Interrupted(15)

    with pytest.raises(Interrupted):
        verify_proofs(THEOREMS, [("one", ("trivial",))], "fake", 1, stop)
