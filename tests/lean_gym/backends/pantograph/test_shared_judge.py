"""Several workers, one judge: the processes of an environment, and what is lost when the judge is struck."""

import os
import signal

import gymnasium as gym
import pytest

from lean_gym.backends.registry import backend_factory, judge_apart
from lean_gym.errors import BackendKilled
from lean_gym.process_state import family
from lean_gym.types import Theorem

NUM_WORKERS = 3
THEOREM = Theorem("t", "theorem t (p q : Prop) (h : p) : p ∨ q", imports=("A",))
SCRIPTS = ["exact Or.inl h", "exact Or.inl (id h)", "exact Or.inl (id (id h))"]


def open_envs(known, **options):
    return gym.make_vec(
        "LeanProof-v0",
        num_envs=NUM_WORKERS,
        theorems=[THEOREM],
        backend="pantograph",
        num_workers=NUM_WORKERS,
        cache_size=0,
        backend_options={**known.options, **options},
    )


def repls(pid):
    """Return the REPLs that a worker has started."""
    return [one for one in family(pid) if any("counted_repl.py" in word for word in one.cmdline())]


def judge_of(envs):
    """Return the judge's REPL, once it runs."""
    (worker,) = envs.unwrapped._pool._judges._workers
    while not (found := repls(worker.process.pid)):
        envs.unwrapped._pool._judges.poll(0.1)
    return found[0]


def play(envs):
    """Play one episode in each slot; return rewards and outcomes."""
    envs.reset()
    _, rewards, _, _, infos = envs.step(SCRIPTS)
    return list(rewards), list(infos["outcome"])


CALM = ([1.0] * NUM_WORKERS, ["proved"] * NUM_WORKERS)


@pytest.mark.timeout(600)
def test_workers_share_a_judge_that_may_be_killed_and_stopped_in_every_phase(known, log):
    envs = open_envs(known)
    try:
        assert play(envs) == CALM
        # One for the episodes of each worker, and one judge.
        assert known.starts() == ["A"] * (NUM_WORKERS + 1)
        pool = envs.unwrapped._pool
        assert [len(repls(worker.process.pid)) for worker in pool._provers._workers] == [1] * NUM_WORKERS
        for how in (signal.SIGKILL, signal.SIGSTOP):
            for phase in ("idle", "judging", "starting"):
                known.forget()
                if phase == "judging":
                    log.with_suffix(".judging").write_text(f"{how:d}\n")
                else:
                    if phase == "starting":
                        log.with_suffix(".starting").write_text(f"{how:d}\n")
                    os.kill(judge_of(envs).pid, signal.SIGKILL if phase == "starting" else how)
                assert play(envs) == CALM, (how, phase)
                assert known.starts() == ["A"] * (2 if phase == "starting" else 1), (how, phase)
        stats = envs.unwrapped.stats()
        assert (stats["quarantined"], stats["worker_restarts"]) == (0, 0)
    finally:
        envs.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_role_can_be_chosen_and_then_nothing_is_shared(known):
    envs = open_envs(known, role="both")
    try:
        assert play(envs) == CALM
        assert known.starts() == ["A"] * 2 * NUM_WORKERS
    finally:
        envs.close()


def test_the_default_imports_have_a_judge_alone_in_the_judging_process(known):
    backend = known.backend(imports=["Init"], role="judge")
    assert backend.verify(Theorem("t", "theorem t : True"), ["trivial"]).proved
    assert known.starts() == ["Init"]


def test_a_backend_for_episodes_judges_when_it_must(known):
    backend = known.backend(imports=["Init"], role="episodes")
    assert known.starts() == ["Init"]
    assert backend.verify(Theorem("t", "theorem t : True"), ["trivial"]).proved
    assert known.starts() == ["Init"] * 2


def test_an_unknown_role(known):
    with pytest.raises(ValueError, match=r"unknown role 'jury' \(known: both, episodes, judge\)"):
        known.backend(role="jury")


def test_which_backends_are_judged_apart(known):
    assert judge_apart(backend_factory("minilean", {})) is None
    assert judge_apart(backend_factory("pantograph", {**known.options, "role": "both"})) is None
    episodes, judge = judge_apart(backend_factory("pantograph", known.options))
    for factory, role in ((episodes, "episodes"), (judge, "judge")):
        backend = factory()
        assert backend._fleet._role == role
        backend.close()


def test_a_repl_that_is_stopped_is_noticed_long_before_its_deadline(known):
    backend = known.backend()
    goal = Theorem("t", "theorem t : True")
    state = backend.start(goal)
    os.kill(state.handle.repl.process.pid, signal.SIGSTOP)
    with pytest.raises(BackendKilled, match="the process was stopped by a signal"):
        backend.apply(state, "trivial", deadline_s=100_000.0)
