"""Workers that judge for the others: who is asked, and what happens when they are killed, stopped or missing."""

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector.utils import CloudpickleWrapper

from lean_gym.backends.fake import FakeBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.execution import Job, ProverOptions
from lean_gym.pool import ProcessPool, run_all
from lean_gym.pool.judging import JudgingPool
from lean_gym.pool.telemetry import Entry
from lean_gym.types import Theorem, Verdict

T = Theorem("t", "theorem t : True ∨ False", imports=("A",))
NUM_WORKERS = 3


class Noted(FakeBackend):
    """Writes down which process judges what, and takes a moment for it; believes nothing but the script."""

    def __init__(self, note, delay_s=0.0, missing="", **options):
        if missing and Path(missing).exists():
            raise BackendUnavailable("no judge today")
        super().__init__(**options)
        self._note, self._delay_s = note, delay_s

    def verify(self, theorem, tactics, deadline_s=60.0):
        with open(self._note, "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {theorem.name} {' '.join(tactics)}\n")
        if not tactics:
            return Verdict(False, "the script is empty")
        time.sleep(self._delay_s)
        return super().verify(theorem, tactics, deadline_s)


@pytest.fixture
def open_pool(tmp_path):
    pools = []

    def make(name="note", **options):
        note = tmp_path / name

        def part(options, count, judges):
            factory = CloudpickleWrapper(partial(Noted, str(note), **options))
            return ProcessPool(factory, ProverOptions(judges=judges), count)

        pools.append(JudgingPool(part({}, NUM_WORKERS, False), part(options, 1, True)))
        return pools[-1], note

    yield make
    for pool in pools:
        pool.close()


def judged(note):
    """Return the processes that judged, and what they judged, the empty scripts left out."""
    rows = [line.split(" ", 2) for line in note.read_text().splitlines()] if note.exists() else []
    return [(int(pid), script) for pid, _, script in rows if script]


def play(pool, slots):
    """Play an episode in each slot; every third has a script that no judge accepts. Return outcomes."""
    assert all(reply.error is None for reply in run_all(pool, [Job(slot, T) for slot in slots]))
    assert all(reply.error is None for reply in run_all(pool, [Job(slot, T, (), "left") for slot in slots]))
    jobs = [Job(slot, T, ("left",), "sorry" if slot % 3 == 2 else "trivial") for slot in slots]
    replies = run_all(pool, jobs)
    assert all(reply.goals == () and reply.error is None and not reply.crashed for reply in replies)
    return [reply.verdict.proved for reply in replies]


def expected(slots):
    return [slot % 3 != 2 for slot in slots]


@pytest.mark.timeout(120)
def test_one_process_judges_for_all_workers(open_pool):
    pool, note = open_pool()
    slots = range(9)
    assert play(pool, slots) == expected(slots)
    judge = pool._judges._workers[0].process.pid
    workers = {worker.process.pid for worker in pool._provers._workers}
    assert {pid for pid, _ in judged(note)} == {judge}
    assert len(workers) == NUM_WORKERS
    assert judge not in workers
    # One judged each script once, for all slots: the others were answered from what it knew.
    assert sorted(script for _, script in judged(note)) == ["left sorry", "left trivial"]
    stats = pool.stats()
    assert (stats["workers"], stats["verifications"], stats["verification_hits"]) == (NUM_WORKERS + 1, 9, 7)


@pytest.mark.timeout(120)
def test_whole_proofs_are_judged_there_too(open_pool):
    pool, note = open_pool()
    scripts = ("left;trivial", "left;sorry", "left")
    jobs = [Job(slot, T, (), script, whole=True) for slot, script in enumerate(scripts)]
    proved, refused, unfinished = run_all(pool, jobs)
    assert (proved.verdict.proved, proved.errors) == (True, ())
    assert not refused.verdict.proved
    assert (unfinished.verdict, unfinished.goals) == (None, None)
    assert unfinished.errors[0].message == "unsolved goals\n⊢ True"
    judge = pool._judges._workers[0].process.pid
    assert sorted(judged(note)) == [(judge, "left;sorry"), (judge, "left;trivial")]


@pytest.mark.timeout(120)
def test_the_judge_gets_ready_when_a_theorem_with_new_imports_starts(open_pool):
    pool, note = open_pool()
    run_all(pool, [Job(0, T), Job(1, Theorem("u", T.statement, imports=("B",)))])
    while pool._judges.pending:
        pool._judges.poll(0.1)
    run_all(pool, [Job(0, T)])
    assert [line.split()[1:] for line in sorted(note.read_text().splitlines(), key=lambda x: x[-2:])] == [
        ["t"],
        ["u"],
    ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["kill", "stop"])
@pytest.mark.parametrize("phase", ["starting", "idle", "judging"])
def test_a_judge_that_is_struck_loses_no_episode(open_pool, phase, how):
    pool, note = open_pool(delay_s=0.5)
    judges = pool._judges
    slots = range(6)
    if phase != "starting":
        while judges._workers[0].backend_name is None:
            judges.poll(0.1)
    struck = []

    def strike():
        worker = judges._workers[0]
        if not struck and (phase != "judging" or worker.telemetry[Entry.RUNNING]):
            os.kill(worker.process.pid, how)
            struck.append(worker.process.pid)

    if phase == "judging":
        poll = judges.poll

        def striking(wait_s):
            strike()
            poll(min(wait_s, 0.01))

        judges.poll = striking
    else:
        strike()
    assert play(pool, slots) == expected(slots)
    assert struck and judges._workers[0].process.pid != struck[0]
    stats = pool.stats()
    assert (stats["quarantined"], stats["worker_restarts"]) == (0, 1)
    assert {pid for pid, _ in judged(note)} - set(struck) == {judges._workers[0].process.pid}


@pytest.mark.timeout(300)
def test_workers_judge_themselves_while_no_judge_starts(open_pool, tmp_path):
    missing = tmp_path / "missing"
    missing.touch()
    pool, note = open_pool(missing=str(missing))
    slots = range(6)
    assert play(pool, slots) == expected(slots)
    assert {pid for pid, _ in judged(note)} <= {worker.process.pid for worker in pool._provers._workers}
    # It is tried again, later.
    missing.unlink()
    note.unlink()
    pool._rests_until = 0.0
    other = [Job(0, T, (), "left"), Job(0, T, ("left",), "skip"), Job(0, T, ("left", "skip"), "trivial")]
    for job in (Job(0, T), *other):
        reply = run_all(pool, [job])[0]
    assert reply.verdict.proved
    assert {pid for pid, _ in judged(note)} == {pool._judges._workers[0].process.pid}


@pytest.mark.timeout(120)
def test_two_pools_have_judges_of_their_own(open_pool):
    (first, note_1), (second, note_2) = open_pool("one"), open_pool("two")
    assert play(first, range(3)) == play(second, range(3)) == expected(range(3))
    (judge_1,), (judge_2,) = ({pid for pid, _ in judged(note)} for note in (note_1, note_2))
    assert judge_1 != judge_2


@pytest.mark.timeout(120)
def test_a_cancelled_script_is_not_answered_and_its_slot_goes_on(open_pool):
    pool, _ = open_pool(delay_s=1.0)
    run_all(pool, [Job(0, T)])
    pool.submit([Job(0, T, (), "left;trivial")])
    while not pool._tried:
        pool.poll(0.1)
    pool.cancel({0})
    assert pool.receive(1) == {}
    assert run_all(pool, [Job(0, T, (), "left")])[0].goals[0].target == "True"


@pytest.mark.timeout(120)
def test_a_closed_pool_says_so(open_pool):
    pool, _ = open_pool()
    pool.close()
    pool.close()
    with pytest.raises(ClosedEnvironmentError):
        pool.submit([Job(0, T)])


def test_a_worker_that_says_a_script_is_finished_earns_nothing_by_that(open_pool):
    """The judge gets statement and script from the caller's job, and runs the script itself."""
    pool, note = open_pool()
    run_all(pool, [Job(0, T)])
    pool._under_way[0] = Job(0, T, (), "left")
    pool._tried[0] = run_all(pool._provers, [Job(0, T, (), "left;trivial")])[0]
    pool._ask([0])
    verdict = pool.receive(1)[0].verdict
    assert (verdict.proved, verdict.reason) == (False, "1 goals are left")
    assert [script for _, script in judged(note)] == ["left"]
