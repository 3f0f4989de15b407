"""A script is replayed on a statement that was elaborated once, without any effect of the episode before."""

from __future__ import annotations

import pytest

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from minilean.kernel.expr import mk_const
from minilean.library import library
from minilean.meta.extension import REDUCIBLE
from minilean.proof import Problem, ProofError, State, prove

CONTEXT = "def two : Nat := 2"


def _run(problem: Problem, *tactics: str) -> State:
    state = problem.start()
    for tactic in tactics:
        step = problem.apply(state, tactic)
        assert step.state is not None, step.error
        state = step.state
    return state


@pytest.mark.parametrize("name", ["logic", "nat"])
def test_it_says_what_a_replay_from_the_source_says(name: str) -> None:
    for theorem in [one for one in load_theorems(name) if one.proof][::12]:
        problem = Problem.from_source(theorem.statement, library(), theorem.context)
        _run(problem, *proof_steps(theorem.proof))
        again = problem.again()
        found = again.check(_run(again, *proof_steps(theorem.proof)))
        assert found == prove(theorem.statement, proof_steps(theorem.proof), library(), theorem.context)


def test_states_of_the_episode_are_not_states_of_the_replay() -> None:
    problem = Problem.from_source("theorem t (p : Prop) (h : p) : p", library())
    done = _run(problem, "exact h")
    again = problem.again()
    assert again.start() is not problem.start()
    assert again.start().mctx is not problem.start().mctx
    with pytest.raises(ProofError):
        # finished, but not a state of the replay
        again.check(done)


def test_what_is_declared_after_the_statement_proves_nothing() -> None:
    problem = Problem.from_source("theorem t (p : Prop) : p", library(), CONTEXT)
    problem.env.kernel.add_axiom("cheat", (), mk_const("False"))
    done = _run(problem, "exact cheat.elim")
    with pytest.raises(ProofError, match="cheat"):
        problem.check(done)
    again = problem.again()
    with pytest.raises(ProofError, match="cheat"):
        again.check(_run(again, "exact cheat.elim"))


def test_what_tactics_may_find_out_is_of_no_use_to_the_kernel() -> None:
    problem = Problem.from_source("theorem t : two = 3", library(), CONTEXT)
    # simulate an episode that changes the elaborator's tables and caches
    problem.env.reducibility["two"] = REDUCIBLE
    problem._whnf_cache.update({(mk_const("two"), level): _three() for level in range(5)})
    step = problem.apply(problem.start(), "rfl")
    if step.state is not None:
        with pytest.raises(ProofError):
            problem.check(step.state)
    again = problem.again()
    assert again.apply(again.start(), "rfl").state is None


def _three():  # type: ignore[no-untyped-def]
    from minilean.meta.numerals import mk_numeral

    return mk_numeral(3)


def test_verifying_does_not_disturb_an_episode_of_the_same_theorem() -> None:
    backend = MinileanBackend()
    theorem = Theorem("t", "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q", context=CONTEXT)
    state = backend.apply(backend.start(theorem), "constructor").state
    assert state is not None
    assert backend.verify(theorem, ["exact ⟨hp, hq⟩"]).proved
    assert not backend.verify(theorem, ["exact ⟨hq, hp⟩"]).proved
    after = backend.apply(state, "exact hp").state
    assert after is not None
    assert len(after.goals) == 1
    assert not backend.verify(theorem, []).proved


def test_a_statement_is_not_taken_for_another_with_its_name() -> None:
    backend = MinileanBackend()
    one = Theorem("t", "theorem t (p : Prop) (h : p) : p")
    other = Theorem("t", "theorem t (p : Prop) : p")
    assert backend.verify(one, ["exact h"]).proved
    assert not backend.verify(other, ["exact h"]).proved
    assert backend.verify(one, ["exact h"]).proved
