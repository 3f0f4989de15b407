"""Probing of new goals: asked for only, cached, and without effect on the episode."""

from lean_gym.backends.fake import FakeBackend, toy_rules
from lean_gym.errors import BackendCrashed
from lean_gym.execution import Job, JobRunner, ProverOptions
from lean_gym.execution.probe import closing_tactic
from lean_gym.types import Theorem
from lean_gym.verification.forbidden import AUTOMATION, forbidden_head

T = Theorem("t", "theorem t : True ∧ False")
CLOSING = closing_tactic(())


class Automated(FakeBackend):
    """Closes `True` when it is probed with `trivial`."""

    def __init__(self, breaks=0):
        super().__init__(toy_rules)
        self.probed = []
        self.breaks = breaks

    def apply(self, state, tactic, deadline_s=10.0):
        rotation, _, probe = tactic.rpartition("\n")
        if not probe.startswith("focus"):
            return super().apply(state, tactic, deadline_s)
        self.probed.append(tactic)
        if len(self.probed) <= self.breaks:
            raise BackendCrashed("lost in a probe")
        at = int(rotation.removeprefix("rotate_left") or 0)
        turned = type(state)((*state.goals[at:], *state.goals[:at]), (*state.handle[at:], *state.handle[:at]))
        return super().apply(turned, "trivial" if "| trivial |" in probe else "no closer", deadline_s)


def run(prover, *tactics, probe=True):
    prover.run(Job(0, T))
    for length, tactic in enumerate(tactics):
        reply = prover.run(Job(0, T, tactics[:length], tactic, probe=probe))
    return reply


def test_it_tells_which_new_goals_automation_closes():
    backend = Automated()
    prover = JobRunner(backend, ProverOptions())
    reply = run(prover, "split")
    assert reply.automatic == (True, False)
    assert [goal.target for goal in reply.goals] == ["True", "False"]
    assert backend.probed == [CLOSING, f"rotate_left 1\n{CLOSING}"]
    # The episode is where it was, and no further goal came up.
    assert run(prover, "split", "trivial").automatic is None
    run(prover, "split", "skip")
    assert len(backend.probed) == 2


def test_nobody_asks_nothing_is_probed():
    backend = Automated()
    assert run(JobRunner(backend, ProverOptions()), "split", probe=False).automatic is None
    assert backend.probed == []


def test_a_prover_that_is_lost_in_a_probe_does_not_lose_the_step():
    backends = []

    def factory():
        backends.append(Automated(breaks=1))
        return backends[-1]

    prover = JobRunner(factory, ProverOptions())
    reply = run(prover, "split")
    assert (reply.error, reply.automatic) == (None, (False, False))
    after = prover.run(Job(0, T, ("split",), "trivial", probe=True))
    assert [goal.target for goal in after.goals] == ["False"]
    assert len(backends) == 2


def test_the_probe_leaves_out_what_is_forbidden():
    whole = "assumption | rfl | trivial | contradiction | omega | decide | (simp_all; done) | exact default"
    assert closing_tactic(()) == f"focus (intros; first | {whole})"
    without = closing_tactic(AUTOMATION)
    assert without == "focus (intros; first | assumption | rfl | contradiction | exact default)"
    assert forbidden_head(without, AUTOMATION) is None
    assert (
        closing_tactic(("intros", "exact", "simp"))
        == f"focus (first | {whole.removesuffix(' | exact default')})"
    )


def test_a_goal_that_only_a_forbidden_tactic_closes_is_not_automatic():
    for forbid, automatic in (
        ((), (True, False)),
        (("trivial",), (False, False)),
        (("omega",), (True, False)),
    ):
        backend = Automated()
        assert run(JobRunner(backend, ProverOptions(forbid=forbid)), "split").automatic == automatic
        assert len(backend.probed) == 2


def test_nothing_left_to_probe_with_means_no_probe():
    backend = Automated()
    forbid = (*AUTOMATION, "assumption", "rfl", "contradiction", "exact")
    assert run(JobRunner(backend, ProverOptions(forbid=forbid)), "split").automatic == (False, False)
    assert backend.probed == []
