"""Probing of new goals: asked for only, cached, and without effect on the episode."""

from lean_gym.backends.fake import FakeBackend, toy_rules
from lean_gym.errors import BackendCrashed
from lean_gym.execution import Job, Prover, ProverOptions
from lean_gym.execution.probe import AUTOMATION, probe_of
from lean_gym.types import Theorem

T = Theorem("t", "theorem t : True ∧ False")


class Automated(FakeBackend):
    """Closes `True` when it is probed."""

    def __init__(self, breaks=0):
        super().__init__(toy_rules)
        self.probed = []
        self.breaks = breaks

    def apply(self, state, tactic, deadline_s=10.0):
        rotation, _, probe = tactic.rpartition("\n")
        if probe != AUTOMATION:
            return super().apply(state, tactic, deadline_s)
        self.probed.append(tactic)
        if len(self.probed) <= self.breaks:
            raise BackendCrashed("lost in a probe")
        at = int(rotation.removeprefix("rotate_left") or 0)
        turned = type(state)((*state.goals[at:], *state.goals[:at]), (*state.handle[at:], *state.handle[:at]))
        return super().apply(turned, "trivial", deadline_s)


def run(prover, *tactics, probe=True):
    prover.run(Job(0, T))
    for length, tactic in enumerate(tactics):
        reply = prover.run(Job(0, T, tactics[:length], tactic, probe=probe))
    return reply


def test_it_tells_which_new_goals_automation_closes():
    backend = Automated()
    prover = Prover(backend, ProverOptions())
    reply = run(prover, "split")
    assert reply.automatic == (True, False)
    assert [goal.target for goal in reply.goals] == ["True", "False"]
    assert backend.probed == [probe_of(0), probe_of(1)]
    # The episode is where it was, and no further goal came up.
    assert run(prover, "split", "trivial").automatic is None
    run(prover, "split", "skip")
    assert len(backend.probed) == 2


def test_nobody_asks_nothing_is_probed():
    backend = Automated()
    assert run(Prover(backend, ProverOptions()), "split", probe=False).automatic is None
    assert backend.probed == []


def test_a_prover_that_is_lost_in_a_probe_does_not_lose_the_step():
    backends = []

    def factory():
        backends.append(Automated(breaks=1))
        return backends[-1]

    prover = Prover(factory, ProverOptions())
    reply = run(prover, "split")
    assert (reply.error, reply.automatic) == (None, (False, False))
    after = prover.run(Job(0, T, ("split",), "trivial", probe=True))
    assert [goal.target for goal in after.goals] == ["False"]
    assert len(backends) == 2
