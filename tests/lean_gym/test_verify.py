from lean_gym.backends.fake import FakeBackend
from lean_gym.types import Theorem
from lean_gym.verify import PERMITTED_AXIOMS, verify_script

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
