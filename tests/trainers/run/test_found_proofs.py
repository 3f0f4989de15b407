from __future__ import annotations

import pytest

from lean_gym import Outcome
from lean_gym.types import Theorem
from trainers.curriculum.theorems import TheoremSplit
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory
from trainers.run.checkpoint import RunState
from trainers.run.found_proofs import FoundProofs

A, B, C = (Theorem(name, f"theorem {name} : True", split="train") for name in "abc")


def proof(name: str, outcome: Outcome = Outcome.PROVED) -> Trajectory[Completion]:
    return Trajectory(name, [], outcome, ("trivial",), ())


@pytest.mark.parametrize(("separate", "training"), [(True, ["a"]), (False, ["a", "c"])])
def test_proofs_of_held_out_theorems_are_apart(separate: bool, training: list[str]) -> None:
    # A held-out part cut from the training split: the rows of the set call it `train`.
    split = TheoremSplit((A, B), (C,), True) if separate else TheoremSplit((A, B, C), (A, B, C), False)
    state = RunState(iteration=4, shown=["b"])
    proofs = FoundProofs(state, split)
    tried = [proof("a"), proof("a"), proof("b"), proof("c", Outcome.STEP_LIMIT), proof("c")]
    assert [row["name"] for row in proofs.record(tried)] == ["a", "c"]
    assert proofs.record(tried) == []
    assert [row["name"] for row in proofs.training] == training
    assert [row["part"] for row in proofs.held_out] == (["held out"] if separate else [])
    assert list(state.proofs) == ["a", "c"]
    assert {row["iteration"] for row in state.proofs.values()} == {4}
