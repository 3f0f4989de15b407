import gymnasium as gym
import pytest

from lean_gym.backends.fake import FakeBackend
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.verify import PERMITTED_AXIOMS, verify_script

THEOREM = Theorem("t", "theorem t : True ∧ True")
PROOF = ("split", "trivial", "trivial")


def test_a_proof_is_proved():
    verdict = verify_script(FakeBackend(), THEOREM, PROOF)
    assert verdict.proved
    assert verdict.axioms == ()


def test_what_the_backend_refuses_stays_refused():
    verdict = verify_script(FakeBackend(), THEOREM, PROOF[:-1])
    assert not verdict.proved
    assert verdict.reason == "1 goals are left"


def test_permitted_axioms_pass():
    backend = FakeBackend(axioms={"trivial": ["propext", "Classical.choice"]})
    assert verify_script(backend, THEOREM, PROOF).proved
    assert PERMITTED_AXIOMS == ("Classical.choice", "Quot.sound", "propext")


def test_a_foreign_axiom_turns_a_proof_into_a_refusal():
    backend = FakeBackend(axioms={"trivial": ["propext", "Lean.ofReduceBool"]})
    verdict = verify_script(backend, THEOREM, PROOF)
    assert not verdict.proved
    assert verdict.reason == "uses axioms that are not permitted: Lean.ofReduceBool"
    assert verdict.axioms == ("Lean.ofReduceBool", "propext")


def test_the_caller_may_permit_less():
    backend = FakeBackend(axioms={"trivial": ["Classical.choice"]})
    assert not verify_script(backend, THEOREM, PROOF, permitted_axioms=()).proved


class ReplayingBackend(FakeBackend):
    """Judges by replay alone."""

    def verify(self, theorem, tactics, deadline_s=60.0):
        verdict = super().verify(theorem, tactics, deadline_s)
        return Verdict(verdict.proved, verdict.reason, verdict.axioms, verdict.details, "replay")


def test_a_replay_is_no_full_verification():
    verdict = verify_script(ReplayingBackend(), THEOREM, PROOF)
    assert not verdict.proved
    assert verdict.reason == "was checked by replay alone; verify='replay' accepts that"
    assert verify_script(ReplayingBackend(), THEOREM, PROOF, verify="replay").proved
    assert not verify_script(ReplayingBackend(), THEOREM, PROOF[:-1], verify="replay").proved


@pytest.mark.parametrize(("verify", "reward"), [("full", 0.0), ("replay", 1.0)])
def test_the_environment_marks_the_level(verify, reward):
    env = gym.make(
        "LeanProof-v0", theorems=[THEOREM], backend=ReplayingBackend(), reward="binary", verify=verify
    )
    env.reset(seed=0)
    for tactic in PROOF:
        _, got, _, _, info = env.step(tactic)
    assert got == reward
    assert info["verification"] == "replay"


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match=r"unknown verify 'fulll'; did you mean 'full'\?"):
        gym.make("LeanProof-v0", theorems=[THEOREM], backend="fake", verify="fulll")
