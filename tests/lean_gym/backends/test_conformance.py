"""The suite passes on an honest backend and catches each kind of broken one, for the right reason."""

from dataclasses import replace

import pytest

from lean_gym.backends.conformance import BackendCase, check_backend
from lean_gym.backends.fake import FakeBackend
from lean_gym.types import ProofState, ScriptError, TacticResult, Theorem, Verdict

CASES = (
    BackendCase(Theorem("both", "theorem both : True ∧ True"), ("split", "trivial", "trivial"), "left"),
    BackendCase(Theorem("one", "theorem one : False ∨ True"), ("right", "trivial"), "split"),
)
BAD = Theorem("bad", "theorem bad")


def check(backend_type):
    return check_backend(backend_type, CASES, bad_theorem=BAD)


def test_the_fake_backend_passes():
    passed = check(FakeBackend)
    assert len(passed) == 7 * len(CASES) + 4
    assert "verify replays every script [both]" in passed


class Credulous(FakeBackend):
    def verify(self, theorem, tactics, deadline_s=60.0):
        return Verdict(proved=True)


class RaisesOnRefusal(FakeBackend):
    def apply(self, state, tactic, deadline_s=10.0):
        result = super().apply(state, tactic, deadline_s)
        if result.error:
            raise RuntimeError(result.error)
        return result


class OneState(FakeBackend):
    """Keeps a single current state, as an interactive prover's terminal does."""

    def start(self, theorem):
        self.current = super().start(theorem)
        return self.current

    def apply(self, state, tactic, deadline_s=10.0):
        result = super().apply(self.current, tactic, deadline_s)
        self.current = result.state or self.current
        return result


class LeavesATrace(FakeBackend):
    """Loses goals of a state on which a tactic was refused."""

    def __init__(self):
        super().__init__()
        self.spoilt = []

    def apply(self, state, tactic, deadline_s=10.0):
        result = super().apply(state, tactic, deadline_s)
        if result.error is not None:
            self.spoilt.append(state)
        elif any(state is spoilt for spoilt in self.spoilt):
            return TacticResult(state=ProofState(result.state.goals[:1], result.state.handle[:1]))
        return result


class BothSet(FakeBackend):
    def apply(self, state, tactic, deadline_s=10.0):
        return TacticResult(state=state, error="and an error")


class TakesAnyTheorem(FakeBackend):
    def start(self, theorem):
        return super().start(Theorem(theorem.name, theorem.statement + " : True"))


class ProvesWithAxiom(FakeBackend):
    def verify(self, theorem, tactics, deadline_s=60.0):
        verdict = super().verify(theorem, tactics, deadline_s)
        return Verdict(verdict.proved, verdict.reason, axioms=("cheat",))


class HidesSorry(FakeBackend):
    """Takes `sorry` for a tactic like any other."""

    def verify(self, theorem, tactics, deadline_s=60.0):
        if "sorry" in tactics:
            return Verdict(proved=True)
        return super().verify(theorem, tactics, deadline_s)


class ReportsSorry(FakeBackend):
    """Leaves `sorry` to the judgement of axioms, as Lean does."""

    def verify(self, theorem, tactics, deadline_s=60.0):
        if "sorry" in tactics:
            return Verdict(proved=True, axioms=("sorryAx",))
        return super().verify(theorem, tactics, deadline_s)


def test_sorry_may_be_reported_as_an_axiom():
    assert len(check(ReportsSorry)) == 7 * len(CASES) + 4


class ClosesOnce(FakeBackend):
    closed = False

    def close(self):
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


class Silent(FakeBackend):
    name = ""


class CountsFromZero(FakeBackend):
    def script_errors(self, theorem, script, deadline_s):
        return tuple(
            replace(one, line=one.line - 1) for one in super().script_errors(theorem, script, deadline_s)
        )


class FalseAlarm(FakeBackend):
    def script_errors(self, theorem, script, deadline_s):
        return (ScriptError(2, 2, "no"),)


class NoPositions(FakeBackend):
    def script_errors(self, theorem, script, deadline_s):
        return ()


def test_a_backend_may_know_no_positions():
    assert len(check(NoPositions)) == 7 * len(CASES) + 4


@pytest.mark.parametrize(
    ("backend_type", "complaint"),
    [
        (Credulous, "verify accepted the empty script"),
        (Credulous, "'theorem check_false : False' was proved"),
        (RaisesOnRefusal, "RuntimeError"),
        (OneState, "states persist [one]: "),
        (LeavesATrace, "a refused tactic left a trace"),
        (BothSet, "exactly one of state and error must be set"),
        (TakesAnyTheorem, "'theorem bad' started with"),
        (ProvesWithAxiom, "uses axioms that are not permitted: cheat"),
        (HidesSorry, "verify accepted 'sorry'"),
        (HidesSorry, "'theorem check_false : False' was proved by ('sorry',)"),
        (ClosesOnce, "closed already"),
        (Silent, "name: got an empty string"),
        (CountsFromZero, "errors at the lines [1], expected one at 2"),
        (FalseAlarm, "a proof has the errors"),
    ],
)
def test_a_broken_backend_is_caught(backend_type, complaint):
    with pytest.raises(AssertionError) as caught:
        check(backend_type)
    assert complaint in str(caught.value)
    assert "checks failed" in str(caught.value)


def test_a_suite_without_cases_is_refused():
    with pytest.raises(ValueError, match="cases: got none"):
        check_backend(FakeBackend, ())
