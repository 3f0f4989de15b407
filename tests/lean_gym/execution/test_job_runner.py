import threading

import pytest
from gymnasium.error import ClosedEnvironmentError

from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendCrashed, BackendTimeout, BackendUnavailable, DataError, StateLost
from lean_gym.execution import Job, JobRunner, ProverOptions
from lean_gym.execution.cache import Ledger, ResultCache
from lean_gym.types import TacticResult, Theorem

T = Theorem("t", "theorem t : True ∧ True")
U = Theorem("u", "theorem u : True ∨ False")


class Backends:
    """A factory that remembers the backends it made."""

    def __init__(self, **options):
        self.options = options
        self.made = []

    def __call__(self):
        self.made.append(FakeBackend(**self.options))
        return self.made[-1]

    def calls(self, method):
        return [subject for backend in self.made for name, subject in backend.calls if name == method]


def make(cache_size=4096, **options):
    backends = Backends(**options)
    return JobRunner(backends, ProverOptions(cache_size=cache_size)), backends


def play(prover, slot, theorem, tactics):
    """Start and try the tactics in order; return all replies."""
    replies, done = [prover.run(Job(slot, theorem))], ()
    for tactic in tactics:
        replies.append(prover.run(Job(slot, theorem, done, tactic)))
        if replies[-1].goals is not None:
            done = (*done, tactic)
    return replies


def test_start_step_refusal_and_proof():
    prover, _ = make()
    replies = play(prover, 0, T, ["split", "left", "trivial", "trivial"])
    assert [None if r.goals is None else len(r.goals) for r in replies] == [1, 2, None, 1, 0]
    assert replies[2].error == "'left' does not apply to 'True'"
    assert [r.verdict is not None for r in replies] == [False, False, False, False, True]
    assert replies[-1].verdict.proved


def test_a_cheat_gets_a_verdict_that_is_no_proof():
    prover, _ = make()
    verdict = play(prover, 0, T, ["sorry"])[-1].verdict
    assert not verdict.proved
    assert verdict.reason == "the script uses 'sorry'"


def test_siblings_share_start_results_and_verdict():
    prover, backends = make()
    first = play(prover, 0, T, ["split", "trivial", "trivial"])
    second = play(prover, 1, T, ["split", "trivial", "trivial"])
    assert [r.goals for r in second] == [r.goals for r in first]
    assert second[-1].verdict == first[-1].verdict
    assert backends.calls("apply") == ["split", "trivial", "trivial"]
    # One start for the episodes and one within the one verification.
    assert backends.calls("verify") == ["t"]
    assert backends.calls("start") == ["t", "t"]
    counts = prover.take_counters()
    assert counts.pop("backend_seconds") > 0
    assert counts == {
        "starts": 2, "start_hits": 1, "tactics": 6, "tactic_hits": 3, "tactic_misses": 3,
        "replayed_tactics": 0, "verifications": 2, "verification_hits": 1, "backend_restarts": 0,
        "deadline_kills": 0,
    }  # fmt: skip
    assert prover.take_counters()["tactics"] == 0


def test_the_cache_key_is_the_path_and_not_the_goals():
    """`skip` leads to equal goals by another path, which must be proved on its own."""
    prover, backends = make()
    play(prover, 0, T, ["split"])
    play(prover, 1, T, ["skip", "split"])
    assert backends.calls("apply") == ["split", "skip", "split"]


def test_equal_paths_of_different_theorems_do_not_meet():
    prover, _ = make(rules={("A", "go"): ["B"], ("C", "go"): ["D"]}, starts={"t": ["A"], "u": ["C"]})
    assert play(prover, 0, T, ["go"])[-1].goals[0].target == "B"
    assert play(prover, 1, U, ["go"])[-1].goals[0].target == "D"


def test_a_finished_state_from_the_cache_is_still_verified():
    """Reaching the end by cached steps alone does not make a proof: the script is replayed."""
    prover, backends = make()
    replies = play(prover, 0, T, ["sorry"])
    again = play(prover, 1, T, ["sorry"])
    assert not replies[-1].verdict.proved
    assert not again[-1].verdict.proved
    assert play(prover, 2, T, ["skip", "sorry"])[-1].verdict.proved is False
    assert backends.calls("verify") == ["t", "t"]


def test_the_cache_is_bounded_and_gives_states_back():
    prover, backends = make(cache_size=2)
    for _ in range(30):
        play(prover, 0, T, ["skip", "skip", "skip", "split"])
    assert backends.calls("apply").count("split") == 30
    assert len(backends.calls("release")) >= 64
    assert len(prover._backend.states.results) == 2


def test_no_cache_at_all():
    prover, backends = make(cache_size=0)
    for slot in (0, 1):
        assert play(prover, slot, T, ["split", "trivial", "trivial"])[-1].verdict.proved
    assert backends.calls("apply") == ["split", "trivial", "trivial"] * 2
    assert backends.calls("verify") == ["t", "t"]


def test_a_refusal_near_the_deadline_is_not_remembered():
    prover, backends = make(slow={"skip": 0.02})
    prover.run(Job(0, T))
    assert prover.run(Job(0, T, (), "skip", deadline_s=0.005)).error == "deadline of 0.005 s exceeded"
    assert prover.run(Job(0, T, (), "skip", deadline_s=5.0)).error is None
    assert backends.calls("apply") == ["skip", "skip"]


def test_a_job_from_elsewhere_is_replayed():
    prover, backends = make()
    reply = prover.run(Job(3, T, ("split", "trivial"), "trivial"))
    assert reply.verdict.proved
    assert backends.calls("apply") == ["split", "trivial", "trivial"]


def test_a_crash_is_survived_by_a_new_backend_and_a_replay():
    prover, backends = make()
    play(prover, 0, T, ["split"])
    play(prover, 1, T, ["skip"])
    backends.made[0].close()  # From now on it raises BackendCrashed.
    reply = prover.run(Job(0, T, ("split",), "trivial"))
    assert reply.error is None
    assert [goal.target for goal in reply.goals] == ["True"]
    assert len(backends.made) == 2
    assert backends.made[1].calls == [("start", "t"), ("apply", "split"), ("apply", "trivial")]
    # The other episode of the lost backend goes on as well.
    assert prover.run(Job(1, T, ("skip",), "split")).error is None
    assert prover.take_counters()["backend_restarts"] == 1


def test_a_tactic_that_crashes_twice_is_given_up():
    prover, backends = make(crash_on=["boom"])
    replies = play(prover, 0, T, ["split", "boom"])
    assert replies[-1].crashed
    assert replies[-1].goals is None
    assert "lost twice on this step: fake backend: it crashed on 'boom'" in replies[-1].error
    assert len(backends.made) == 2
    assert prover.run(Job(1, U)).goals is not None


def test_a_stopped_tactic_is_a_refusal():
    prover, _ = make(timeout_on=["boom"])
    replies = play(prover, 0, T, ["split", "boom", "trivial"])
    assert replies[2].error == "stopped after 10 s: fake backend: it was stopped on 'boom'"
    assert not replies[2].crashed
    assert [goal.target for goal in replies[3].goals] == ["True"]


def test_a_backend_of_the_callers_is_neither_restarted_nor_closed():
    backend = FakeBackend(crash_on=["boom"])
    prover = JobRunner(backend, ProverOptions())
    assert play(prover, 0, T, ["boom"])[-1].crashed
    assert isinstance(prover.run(Job(0, T)).failure, BackendCrashed)
    healthy = FakeBackend()
    JobRunner(healthy, ProverOptions()).close()
    assert healthy.start(T).goals


def test_a_bad_theorem_is_reported():
    prover, _ = make()
    reply = prover.run(Job(0, Theorem("b", "theorem b")))
    assert isinstance(reply.failure, DataError)
    finished = prover_with_finished_start().run(Job(0, T))
    assert str(finished.failure) == "theorem 't': starts with no goals, expected at least one"


def prover_with_finished_start():
    return JobRunner(Backends(starts={"t": []}), ProverOptions())


def test_a_replay_that_no_longer_fits_is_a_crash():
    prover, _ = make()
    reply = prover.run(Job(0, T, ("left",), "trivial"))
    assert reply.crashed
    assert "step 1 of the replay, accepted before, was refused" in reply.error


def test_an_unexpected_exception_is_not_swallowed():
    def broken(goal, tactic):
        raise ZeroDivisionError

    prover = JobRunner(Backends(rules=broken), ProverOptions())
    prover.run(Job(0, T))
    with pytest.raises(ZeroDivisionError):
        prover.run(Job(0, T, (), "skip"))


def test_hold_and_resume():
    prover, backends = make(cache_size=0)
    play(prover, 0, T, ["split"])
    held = prover.hold(0)
    prover.run(Job(0, T, ("split",), "trivial"))
    prover.resume(0, T, ("split",), held)
    assert prover.run(Job(0, T, ("split",), "trivial")).error is None
    assert backends.calls("apply") == ["split", "trivial", "trivial"]


def test_resume_after_a_crash_replays():
    prover, backends = make(crash_on=["boom"])
    play(prover, 0, T, ["split"])
    held = prover.hold(0)
    prover.run(Job(1, T, (), "boom"))
    prover.resume(0, T, ("split",), held)
    assert prover.run(Job(0, T, ("split",), "trivial")).error is None
    assert backends.made[-1].calls == [("start", "t"), ("apply", "split"), ("apply", "trivial")]
    prover.drop(held)


def test_held_states_are_released_only_when_dropped():
    prover, backends = make(cache_size=0)
    prover.run(Job(0, T))
    prover.run(Job(0, T, (), "split"))
    held = prover.hold(0)
    for number in range(70):
        prover.run(Job(0, T))
        prover.run(Job(0, T, (), "skip;" * number + "skip"))
    assert "⊢ True\n\n⊢ True" not in backends.calls("release")
    prover.drop(held)
    for number in range(70):
        prover.run(Job(0, T))
        prover.run(Job(0, T, (), "skip;" * number + "skip"))
    assert "⊢ True\n\n⊢ True" in backends.calls("release")


class Moody(FakeBackend):
    """Crashes or times out on the calls whose numbers are given, counted over all backends of one list."""

    def __init__(self, made, crashes=(), timeouts=()):
        super().__init__()
        self.made, self.crashes, self.timeouts = made, crashes, timeouts

    def apply(self, state, tactic, deadline_s=10.0):
        self.strike()
        return super().apply(state, tactic, deadline_s)

    def verify(self, theorem, tactics, deadline_s=60.0):
        self.strike()
        return super().verify(theorem, tactics, deadline_s)

    def strike(self):
        self.made.append(self)
        if len(self.made) in self.crashes:
            raise BackendCrashed("moody")
        if len(self.made) in self.timeouts:
            raise BackendTimeout("moody")


@pytest.mark.parametrize("fault", ["crashes", "timeouts"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_accident_anywhere_changes_nothing(fault, number):
    made = []
    prover = JobRunner(lambda: Moody(made, **{fault: [number]}), ProverOptions())
    replies = play(prover, 0, T, ["split", "trivial", "trivial"])
    assert [len(reply.goals) for reply in replies] == [1, 2, 1, 0]
    assert replies[-1].verdict.proved
    counts = prover.take_counters()
    assert counts["backend_restarts"] == 1
    assert counts["deadline_kills"] == (fault == "timeouts")


def test_losses_during_the_replay_are_not_the_steps_fault():
    """Call 3 is the step; 4 and 6 are steps of its replay, and 9 is the step again."""
    made = []
    prover = JobRunner(lambda: Moody(made, crashes=[3, 4, 6]), ProverOptions())
    replies = play(prover, 0, T, ["split", "trivial", "trivial"])
    assert replies[-1].verdict.proved
    assert prover.take_counters()["backend_restarts"] == 3


def test_a_verification_that_is_stopped_twice_is_a_rejection():
    made = []
    prover = JobRunner(lambda: Moody(made, timeouts=[4, 5]), ProverOptions())
    verdict = play(prover, 0, T, ["split", "trivial", "trivial"])[-1].verdict
    assert (verdict.proved, verdict.reason) == (False, "verification was stopped: moody")


def test_a_stopped_step_is_tried_again_only_if_it_gets_more_time():
    prover, backends = make(timeout_on=["boom"])
    play(prover, 0, T, ["boom"])
    assert len(backends.made) == 2
    assert prover.run(Job(1, T, (), "boom", deadline_s=10.0)).error.startswith("stopped after 10 s")
    assert len(backends.made) == 2
    assert prover.run(Job(1, T, (), "boom", deadline_s=11.0)).error.startswith("stopped after 11 s")
    assert len(backends.made) == 4


def test_a_backend_that_stumbles_at_its_start_is_started_again():
    starts = []

    def factory():
        starts.append(1)
        if len(starts) in (1, 3):
            raise BackendCrashed("stumbled")
        return FakeBackend(crash_on=["boom"])

    prover = JobRunner(factory, ProverOptions())
    assert prover.open() == "fake"
    assert play(prover, 0, T, ["boom", "split"])[-1].error is None
    assert len(starts) == 5


def test_a_backend_that_cannot_be_had_is_a_failure_and_no_crash():
    def factory():
        raise BackendUnavailable("not installed")

    prover = JobRunner(factory, ProverOptions())
    reply = prover.run(Job(0, T))
    assert isinstance(reply.failure, BackendUnavailable)
    assert not reply.crashed
    with pytest.raises(BackendUnavailable, match="not installed"):
        prover.open()


def test_memory_that_runs_out_is_a_refusal():
    def greedy(goal, tactic):
        if tactic == "eat":
            raise MemoryError
        return (goal,)

    prover, _ = make(rules=greedy)
    assert play(prover, 0, T, ["eat"])[-1].error == "stopped: out of memory"
    assert prover.run(Job(0, T, (), "skip")).error is None


def test_a_theorem_that_kills_at_its_start_is_quarantined():
    class Deadly(FakeBackend):
        def start(self, theorem):
            if theorem.name == "t":
                raise BackendCrashed("deadly")
            return super().start(theorem)

    prover = JobRunner(Deadly, ProverOptions())
    reply = prover.run(Job(0, T))
    assert (reply.crashed, reply.goals, reply.failure) == (True, None, None)
    assert reply.error == "the prover was lost twice on this step: deadly"
    assert prover.run(Job(0, T)).error == "theorem 't' is quarantined: it kills provers"
    assert prover.run(Job(0, U)).goals is not None
    assert prover.take_counters()["backend_restarts"] == 2


def test_seconds_leave_out_what_it_took_to_restore():
    prover, _ = make(slow={"skip": 0.05})
    play(prover, 0, T, ["skip"])
    prover._backend.restart(BackendCrashed("gone"))
    assert prover.run(Job(0, T, ("skip",), "split")).seconds < 0.05


class Losing(FakeBackend):
    """Loses its states at the tactic `lose`, and can be used on."""

    blames = True
    lost = 0

    def apply(self, state, tactic, deadline_s=10.0):
        if tactic == "lose" and (self.blames or self.lost < 3):
            self.lost += 1
            error = BackendCrashed("lost") if self.blames else StateLost("lost before")
            error.backend_usable = True
            raise error
        return super().apply(state, "skip" if tactic == "lose" else tactic, deadline_s)


def test_a_backend_that_replaces_what_it_lost_is_kept():
    made = []

    def factory():
        made.append(Losing())
        return made[-1]

    prover = JobRunner(factory, ProverOptions())
    play(prover, 0, T, ["split"])
    reply = prover.run(Job(0, T, ("split",), "lose"))
    assert (reply.crashed, reply.error) == (True, "the prover was lost twice on this step: lost")
    (backend,) = made
    # The states of the episode, which its other processes may still hold, are given back.
    assert [name for name, _ in backend.calls].count("release") >= 2
    assert prover.run(Job(0, T, ("split",), "trivial")).goals is not None
    assert len(made) == 1


def test_a_state_that_was_lost_before_is_no_strike_against_the_step():
    backend = Losing()
    backend.blames = False
    prover = JobRunner(lambda: backend, ProverOptions())
    play(prover, 0, T, ["split"])
    assert prover.run(Job(0, T, ("split",), "lose")).goals is not None
    assert prover.quarantined == 0


def test_a_backend_whose_processes_do_not_start_is_given_up_after_three_attempts():
    class Dead(FakeBackend):
        starts = 0

        def start(self, theorem):
            Dead.starts += 1
            raise BackendUnavailable("no process starts")

    reply = JobRunner(Dead, ProverOptions()).run(Job(0, T))
    assert isinstance(reply.failure, BackendUnavailable)
    assert Dead.starts == 3


def test_results_are_kept_by_theorem():
    ledger = Ledger()
    cache = ResultCache(3, ledger)
    one, two, three = (TacticResult(error=str(number)) for number in range(3))
    cache.put(1, ("a",), one)
    cache.put(2, ("a",), two)
    cache.put(1, ("b",), three)
    assert (cache.get(1, ("a",)), cache.get(2, ("a",)), cache.get(1, ("c",))) == (one, two, None)
    # Theorem 1 was not used for longest, and in it `b`.
    cache.put(2, ("b",), one)
    assert (len(cache), cache.get(1, ("b",)), cache.get(1, ("a",))) == (3, None, one)
    cache.forget(2)
    assert (len(cache), cache.get(2, ("a",))) == (1, None)


def test_closing_from_another_thread_waits_for_the_job_and_leaves_no_backend():
    prover, backends = make(slow={"skip": 1.0})
    prover.run(Job(0, T))
    closer = threading.Timer(0.2, prover.close)
    closer.start()
    assert prover.run(Job(0, T, (), "skip")).error is None
    closer.join()
    with pytest.raises(ClosedEnvironmentError, match="closed"):
        prover.run(Job(0, T, ("skip",), "split"))
    with pytest.raises(ClosedEnvironmentError, match="closed"):
        prover.open()
    assert len(backends.made) == 1
    with pytest.raises(BackendCrashed):
        backends.made[0].start(T)
