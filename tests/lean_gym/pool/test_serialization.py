import pickle

import pytest

from lean_gym.execution import Job, Reply
from lean_gym.pool.serialization import pack_job, pack_reply, unpack_job, unpack_reply
from lean_gym.types import Goal, Hypothesis, Theorem, Verdict

GOALS = (
    Goal(
        "case inl\nh : p\nn : Nat := 2\n⊢ q", "q", (Hypothesis("h", "p"), Hypothesis("n", "Nat", "2")), "inl"
    ),
    Goal("⊢ p", "p"),
)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(goals=GOALS, messages=("a note",), seconds=0.25),
        Reply(goals=GOALS, redefined=("False",)),
        Reply(goals=(), verdict=Verdict(True, axioms=("propext",), details={"version": "4"})),
        Reply(error="refused"),
        Reply(crashed=True, error="lost"),
    ],
)
def test_replies_survive_the_trip(reply):
    assert unpack_reply(pickle.loads(pickle.dumps(pack_reply(reply)))) == reply


def test_a_failure_survives_the_trip():
    packed = pack_reply(Reply(failure=ValueError("bad")))
    failure = unpack_reply(pickle.loads(pickle.dumps(packed))).failure
    assert (type(failure), str(failure)) == (ValueError, "bad")


def test_jobs_survive_the_trip():
    job = Job(3, Theorem("t", "theorem t : p"), ("split",), "trivial", 2.0)
    assert unpack_job(pickle.loads(pickle.dumps(pack_job(job)))) == job
