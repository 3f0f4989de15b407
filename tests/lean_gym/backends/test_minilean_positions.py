"""Theorems with a position in minilean's library: the verdict depends on statement, position and script alone."""

from dataclasses import replace

import pytest

from lean_gym.backends import create_backend
from lean_gym.envs.env import LeanProofEnv
from lean_gym.errors import DataError
from lean_gym.execution import Job, JobRunner, ProverOptions
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script

STATEMENT = "theorem add_swap (n m : Nat) : n + m = m + n"
EARLY = Theorem("add_swap", STATEMENT, position="NatBasic.lean:Nat.add_comm")
LATE = replace(EARLY, position="NatBasic.lean:Nat.add_left_comm")
WHOLE = replace(EARLY, position="")
SCRIPTS = (
    "exact Nat.add_comm n m",
    "omega",
    "simp [Nat.add_comm]",
    "exact?",
    "exact (Nat.succ_add n m ▸ rfl)",
)
EXPECTED = {
    EARLY: (False, False, False, False, False),
    LATE: (True, False, True, True, False),
    WHOLE: (True, True, True, True, False),
}


def verdicts(backend, theorem):
    return tuple(verify_script(backend, theorem, [script]).proved for script in SCRIPTS)


@pytest.mark.parametrize(
    "order", [(EARLY, LATE, WHOLE), (WHOLE, LATE, EARLY), (LATE, EARLY, LATE, WHOLE, EARLY)]
)
def test_one_statement_at_three_places_in_any_order(order):
    backend = create_backend("minilean")
    for theorem in order:
        assert verdicts(backend, theorem) == EXPECTED[theorem], theorem.position


def test_the_same_context_at_two_positions_is_two_environments():
    backend = create_backend("minilean")
    context = "def double (n : Nat) : Nat := n + n"
    statement = "theorem twice (n m : Nat) : double n + m = m + double n"
    late = Theorem("twice", statement, context, position=LATE.position)
    early = replace(late, position=EARLY.position)
    script = ["exact Nat.add_comm _ m"]
    for _ in range(2):
        assert verify_script(backend, late, script).proved
        assert not verify_script(backend, early, script).proved


def test_a_context_may_declare_the_name_of_a_later_lemma():
    """It is another theorem, of which nothing else knows."""
    backend = create_backend("minilean")
    context = "theorem Nat.add_comm (n : Nat) : n = n := rfl"
    early = replace(EARLY, context=context)
    assert not verify_script(backend, early, ["exact Nat.add_comm n m"]).proved
    assert verify_script(backend, LATE, ["exact Nat.add_comm n m"]).proved
    with pytest.raises(DataError, match=r"Nat\.add_comm"):
        backend.start(replace(LATE, context=context))


def test_the_caches_of_execution_tell_positions_apart():
    prover = JobRunner(create_backend("minilean"), ProverOptions(cache_size=100))
    jobs = [(WHOLE, True), (EARLY, False), (LATE, True), (EARLY, False), (WHOLE, True)]
    for theorem, proved in jobs:
        prover.run(Job(0, theorem, (), None, 10.0))
        reply = prover.run(Job(0, theorem, (), SCRIPTS[0], 10.0))
        assert (reply.verdict is not None and reply.verdict.proved) is proved


def test_an_unknown_position_is_a_data_error():
    backend = create_backend("minilean")
    with pytest.raises(DataError, match=r"theorem 'add_swap': position: got 'NatBasic\.lean:Nat\.add_com'"):
        backend.start(replace(EARLY, position="NatBasic.lean:Nat.add_com"))


def test_an_episode_at_a_position():
    with LeanProofEnv(theorems=[EARLY], max_steps=3) as env:
        env.reset(seed=0)
        _, reward, terminated, _, info = env.step("exact Nat.add_comm n m")
        assert (reward, terminated, info["outcome"]) == (0.0, False, "tactic_error")
        _, reward, terminated, _, _ = env.step(
            "exact Nat.rec (motive := fun m => n + m = m + n) (Eq.symm (Nat.zero_add n)) "
            "(fun m ih => Eq.trans (congrArg Nat.succ ih) (Eq.symm (Nat.succ_add m n))) m"
        )
        assert (reward, terminated) == (1.0, True)
