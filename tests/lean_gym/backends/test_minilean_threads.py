"""Environments in threads of one process, whose tables of terms they share."""

import sys
import threading

import pytest

from lean_gym import LeanProofEnv
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from minilean import proof
from minilean.library import library


@pytest.fixture
def short_turns(monkeypatch):
    """Switch threads often, and trim the tables often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(proof, "MAX_TERMS", 300)
    yield
    sys.setswitchinterval(before)


@pytest.mark.timeout(300)
def test_environments_in_threads_do_not_disturb_each_other(short_turns):
    library()
    theorems = [one for one in load_theorems("logic") if one.proof][:24]
    proved, errors = [], []

    def play(part):
        try:
            with LeanProofEnv(theorems, "minilean", tactic_seconds=60.0) as env:
                for theorem in part:
                    env.reset(options={"theorem": theorem.name})
                    for tactic in proof_steps(theorem.proof):
                        info = env.step(tactic)[4]
                    proved.append(info["is_success"])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=play, args=(theorems[number::4],)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert proved == [True] * len(theorems)


def test_the_wait_for_another_thread_is_not_counted(monkeypatch):
    """A deadline is for the tactic's own work."""
    env = LeanProofEnv([Theorem("t", "theorem t (p : Prop) (h : p) : p")], "minilean", tactic_seconds=0.5)
    env.reset()
    held, done = threading.Event(), threading.Event()

    def hold():
        with proof.ALONE:
            held.set()
            done.wait(1.5)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    assert env.step("exact h")[4]["is_success"]
    thread.join()


def test_printing_is_within_the_deadline():
    """The tactic is quick, and there is no time left to print what it makes."""
    problem = proof.Problem.from_source("theorem t (p : Prop) (h : p) : p ∧ p", library())
    step = problem.apply(problem.start(), "constructor")
    assert len(problem.goal_texts(step.state)) == 2
    with pytest.raises(proof.MetaError, match="deadline has passed"):
        problem.goal_texts(step.state, seconds=-1.0)
    with pytest.raises(proof.MetaError, match="deadline has passed"):
        problem.goal_rows(step.state, seconds=-1.0)


def test_a_state_that_takes_too_long_to_print_is_a_refusal(monkeypatch):
    env = LeanProofEnv([Theorem("t", "theorem t (p : Prop) (h : p) : p ∧ p")], "minilean", tactic_seconds=5.0)
    env.reset()
    plain = proof.Problem.goal_texts
    monkeypatch.setattr(
        proof.Problem, "goal_texts", lambda self, state, seconds: plain(self, state, seconds - 6.0)
    )
    info = env.step("constructor")[4]
    assert (info["outcome"], info["tactics"]) == ("tactic_error", ())
    assert "deadline has passed" in info["error"]
    monkeypatch.undo()
    assert env.step("exact ⟨h, h⟩")[4]["is_success"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "statement",
    [
        "theorem t : ∃ " + " ".join(f"x{i}" for i in range(60)) + " : Nat, "
        + " ∧ ".join(f"x{i} = {i}" for i in range(60)),
        "theorem t " + "".join(f"(x{i} : Nat) (h{i} : x{i} ≤ {i}) " for i in range(30)) + ": x0 ≤ 0",
    ],
    ids=["exists", "binders"],
)  # fmt: skip
def test_statements_of_sixty_variables_start(statement):
    problem = proof.Problem.from_source(statement, library())
    assert len(problem.goal_texts(problem.start())) == 1
