"""Whole proofs on one backend: goals at the errors, the cache, states that nobody needs, judges of their own."""

from dataclasses import replace

import pytest

from lean_gym.backends.fake import FakeBackend
from lean_gym.backends.minilean import MinileanBackend
from lean_gym.backends.scripts import script_file
from lean_gym.execution import Job, JobRunner, ProverOptions
from lean_gym.pool.serialization import pack_job, pack_reply, unpack_job, unpack_reply
from lean_gym.types import ScriptError, Theorem

SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
T = Theorem("t", "theorem t : True ∧ True")


def attempt(script, theorem=SWAP, backend=None, deadline_s=30.0, **options):
    prover = JobRunner(backend or MinileanBackend(), ProverOptions(**options))
    return prover.run(Job(0, theorem, (), script, deadline_s, whole=True))


@pytest.mark.parametrize(
    ("script", "place", "goals"),
    [
        ("exact foo", (2, 8), "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"),
        ("constructor\n· exact foo\n· exact h.1", (3, 10), "case left\np q : Prop\nh : p ∧ q\n⊢ q"),
        (
            "constructor\ncase right =>\n  have g := h.1\n  exact foo\nexact h.2",
            (5, 10),
            "p q : Prop\nh : p ∧ q\ng : p\n⊢ p",
        ),
        ("have g : p := by\n  exact foo\nexact ⟨h.2, g⟩", (3, 10), "p q : Prop\nh : p ∧ q\n⊢ p"),
        ("have g : p := h.1; exact foo", (2, 27), "p q : Prop\nh : p ∧ q\ng : p\n⊢ q ∧ p"),
        (
            "cases h with\n| intro a b =>\n  exact foo",
            (4, 10),
            "case intro\np q : Prop\na : p\nb : q\n⊢ q ∧ p",
        ),
        ("constructor\n· skip\n· exact h.1", (3, 2), "case left\np q : Prop\nh : p ∧ q\n⊢ q"),
    ],
)
def test_goals_at_an_error(script, place, goals):
    shown = [((one.line, one.column), one.goals) for one in attempt(script).errors]
    assert shown[0][0] == place
    assert shown[0][1].startswith(goals)


def test_an_error_above_the_proof_is_not_the_script_s():
    file = script_file(replace(SWAP, context="open Nat"), "skip")
    assert (file.start, file.by_line, file.text.split("\n")[3]) == (2, 1, "  skip")
    found = [ScriptError(line, 0, "no") for line in (1, 2, 3, 4)]
    assert [one.line for one in file.errors(iter(found))] == [1, 2]


def test_a_comment_at_the_end_of_the_statement():
    theorem = Theorem("swap", f"{SWAP.statement} -- both\n  -- ways")
    (error,) = attempt("exact foo", theorem).errors
    assert (error.line, error.column) == (4, 8)


def test_time_that_is_spent_leaves_the_first_message():
    backend = FakeBackend(slow={"split": 0.2})
    (error,) = attempt("split\nleft", T, backend, deadline_s=0.1).errors
    assert error.message.startswith("deadline of")
    assert not any(name == "script_errors" for name, _ in backend.calls)


def test_a_failure_is_explained_once():
    backend = FakeBackend()
    prover = JobRunner(backend, ProverOptions())
    replies = [prover.run(Job(slot, T, (), "split\nleft", whole=True)) for slot in (0, 1, 0)]
    assert [name for name, _ in backend.calls].count("script_errors") == 1
    assert len({reply.errors for reply in replies}) == 1
    assert prover.run(Job(0, T, (), "split\nright", whole=True)).errors != replies[0].errors


@pytest.mark.parametrize("cache_size", [0, 4096])
def test_a_failed_attempt_leaves_the_start_state(cache_size):
    backend = FakeBackend()
    prover = JobRunner(backend, ProverOptions(cache_size=cache_size))
    prover.run(Job(0, T))
    assert prover.run(Job(0, T, (), "split", whole=True)).goals is None
    assert prover.run(Job(0, T, (), "split\ntrivial\ntrivial", whole=True)).verdict.proved


def test_without_a_cache_every_state_is_released():
    backend = FakeBackend()
    prover = JobRunner(backend, ProverOptions(cache_size=0))
    for _ in range(70):
        prover.run(Job(0, T, (), "skip\nskip\nleft", whole=True))
    assert sum(name == "release" for name, _ in backend.calls) > 64


def test_jobs_and_errors_travel():
    job = Job(3, SWAP, (), "exact h", 2.0, whole=True)
    assert unpack_job(pack_job(job)) == job
    reply = attempt("exact foo")
    assert isinstance(reply.errors[0], ScriptError)
    assert unpack_reply(pack_reply(reply)) == reply
