from lean_gym.backends import create_backend
from lean_gym.datasets import Failure, check_starts
from lean_gym.datasets.check_statements import start_problem, undeclared_names
from lean_gym.types import Goal, ProofState, Theorem

GOOD = Theorem("good", "theorem good : value = 2", context="abbrev value : Nat := 2")
BAD = Theorem("bad", "theorem bad : value = 2", source="somewhere")


class ManyGoals:
    """A prover whose theorems start as a given number of goals."""

    def __init__(self, count):
        self.count = count
        self.released = []

    def start(self, theorem):
        return ProofState((Goal("⊢ p", "p"),) * self.count, handle=None)

    def release(self, states):
        self.released += states


def test_a_name_that_nothing_declares_is_not_a_variable():
    backend = create_backend("minilean")
    good, bad = check_starts(backend, [GOOD, BAD])
    backend.close()
    assert good == [GOOD]
    (failure,) = bad
    assert failure == Failure("bad", "somewhere", failure.message)
    assert failure.message.startswith("Lean made variables of value, which nothing declares (autoImplicit)")


def test_binders_variables_and_unnamed_hypotheses_are_declared():
    backend = create_backend("minilean")
    theorem = Theorem(
        "t", "theorem t (a : Nat) (_ : a = b) : c = b", context="variable (b : Nat)\nvariable {c : Nat}"
    )
    state = backend.start(theorem)
    assert undeclared_names(theorem, state.goals[0]) == []
    assert undeclared_names(Theorem("t", "theorem t : a = b"), state.goals[0]) == ["b", "c", "a"]
    backend.close()


def test_statements_that_do_not_elaborate_come_back_with_leans_message():
    backend = create_backend("minilean")
    _, (failure,) = check_starts(backend, [Theorem("t", "theorem t : 1 + = 2")])
    backend.close()
    assert "theorem 't'" in failure.message


def test_exactly_one_goal():
    assert start_problem(ManyGoals(1), GOOD) == ""
    assert start_problem(ManyGoals(0), GOOD) == "starts as 0 goals, expected exactly one"
    two = ManyGoals(2)
    assert start_problem(two, GOOD) == "starts as 2 goals, expected exactly one"
    assert len(two.released) == 1
