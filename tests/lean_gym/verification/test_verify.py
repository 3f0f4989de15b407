import ast
import pkgutil
import re
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest

from envs_data.validate import score
from lean_gym.backends import create_backend
from lean_gym.backends.fake import FakeBackend
from lean_gym.types import Theorem, Verdict
from lean_gym.verification import verify as rules
from lean_gym.verification.verify import PERMITTED_AXIOMS, judge, verify_script
from minilean.proof import Problem

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted(
    path
    for package in ("lean_gym", "trainers", "envs_data", "minilean", "benchmarks", "examples")
    for path in (ROOT / package).rglob("*.py")
)

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


def test_a_theorem_may_permit_less_and_never_more():
    backend = FakeBackend(axioms={"trivial": ["Classical.choice"]})
    strict = replace(THEOREM, permitted_axioms=("propext",))
    verdict = verify_script(backend, strict, PROOF)
    assert not verdict.proved
    assert verdict.reason == "uses axioms that are not permitted: Classical.choice"
    assert verify_script(FakeBackend(axioms={"trivial": ["propext"]}), strict, PROOF).proved
    foreign = replace(THEOREM, permitted_axioms=("Lean.ofReduceBool", "sorryAx"))
    for axiom in foreign.permitted_axioms:
        assert not verify_script(FakeBackend(axioms={"trivial": [axiom]}), foreign, PROOF).proved


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


def test_sorry_is_never_a_proof_whatever_is_permitted():
    verdict = Verdict(True, axioms=("propext", "sorryAx"))
    for permitted in (PERMITTED_AXIOMS, ("propext", "sorryAx")):
        for verify in ("full", "replay"):
            judged = judge(verdict, permitted, verify)
            assert (judged.proved, judged.reason) == (False, "the proof uses `sorry`")
            assert judged.axioms == ("propext", "sorryAx")


def test_sorry_cannot_be_permitted():
    with pytest.raises(ValueError, match="permitted_axioms: got 'sorryAx', the axiom of `sorry`"):
        gym.make("LeanProof-v0", theorems=[THEOREM], backend="fake", permitted_axioms=["propext", "sorryAx"])


@pytest.mark.parametrize("axiom", ["sorryAx", "Lean.ofReduceBool", "cheat"])
def test_a_backend_does_not_judge_the_axioms_that_it_reports(axiom):
    """It believes its own proof; reward and validation do not."""
    backend = FakeBackend(axioms={"trivial": [axiom]})
    assert backend.verify(THEOREM, PROOF).proved
    assert not verify_script(backend, THEOREM, PROOF).proved
    assert score(backend, THEOREM, PROOF)[0] == 0.0
    env = gym.make("LeanProof-v0", theorems=[THEOREM], backend=backend, reward="binary")
    env.reset(seed=0)
    for tactic in PROOF:
        _, reward, _, _, info = env.step(tactic)
        assert reward == 0.0
    assert info["outcome"] == "rejected"


def test_axioms_of_the_embedded_lean_are_judged(monkeypatch):
    monkeypatch.setattr(Problem, "check", lambda *_: ("Lean.trustCompiler",))
    backend = create_backend("minilean")
    theorem, script = Theorem("t", "theorem t : True"), ("trivial",)
    assert backend.verify(theorem, script).axioms == ("Lean.trustCompiler",)
    verdict = verify_script(backend, theorem, script)
    assert (verdict.proved, verdict.reason) == (
        False,
        "uses axioms that are not permitted: Lean.trustCompiler",
    )


def test_the_permitted_axioms_are_written_down_once():
    """No other list, set or tuple of the source tree holds two of them."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Tuple | ast.List | ast.Set)
        and sum(isinstance(one, ast.Constant) and one.value in PERMITTED_AXIOMS for one in node.elts) > 1
    ]
    assert found == ["lean_gym/verification/verify.py"]


def test_no_other_module_asks_a_backend_for_a_verdict():
    """The conformance suite looks at backends themselves; a backend may judge itself, or ask its base class."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "verify"
        and ast.unparse(node.func.value) != "super()"
    }
    assert found - {"lean_gym/backends/conformance.py", "lean_gym/backends/pantograph/client.py"} == {
        "lean_gym/verification/verify.py"
    }


def test_every_rule_names_what_enforces_it():
    stated = re.split(r"^\d+\. ", rules.__doc__, flags=re.MULTILINE)[1:]
    assert len(stated) == 13
    for rule in stated:
        names = re.findall(r"`((?:lean_gym|minilean)\.[\w.]+)`", rule)
        assert names, rule
        for name in names:
            assert callable(pkgutil.resolve_name(name)) or isinstance(pkgutil.resolve_name(name), property), (
                name
            )


@pytest.mark.parametrize("permitted", ["sorryAx propext", "propext", None, [1]])
def test_permitted_axioms_are_a_list_of_names(permitted):
    """In a string, the search for a name would be the search for a part of the string."""
    with pytest.raises(ValueError, match=r"permitted_axioms: got .* expected a list of names"):
        judge(Verdict(True, axioms=("sorryAx ",)), permitted)
