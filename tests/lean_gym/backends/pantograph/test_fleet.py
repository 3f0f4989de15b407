"""Processes by imports: how many start, which of them end, and what a failing one costs."""

import os
import select
import signal
import time
from dataclasses import replace

import gymnasium as gym
import pytest

from lean_gym.backends.pantograph import facts
from lean_gym.backends.pantograph.client import PantographBackend
from lean_gym.backends.pantograph.discovery import known_lean_path
from lean_gym.backends.pantograph.repl import Repl
from lean_gym.errors import BackendCrashed, BackendKilled, BackendUnavailable, DataError, StateLost
from lean_gym.types import Theorem


def theorem(*imports, name="t"):
    return Theorem(name, f"theorem {name} (p : Prop) (h : p) : p", imports=imports)


def prove(backend, goal):
    state = backend.apply(backend.start(goal), "exact h").state
    assert state.is_finished
    return backend.verify(goal, ["exact h"]).proved


def test_three_sets_of_imports_start_six_processes(known):
    backend = known.backend()
    for _ in range(5):
        for module in ("A", "B", "C"):
            assert prove(backend, theorem("Init", module))
    assert sorted(known.starts()) == ["Init A"] * 2 + ["Init B"] * 2 + ["Init C"] * 2


def test_the_default_imports_start_nothing_before_a_theorem_needs_them(counted):
    first = counted.backend()
    assert counted.starts() == ["Init"]  # its abilities were not known
    assert prove(first, theorem("A"))
    assert list(first._fleet._members) == [("A",)]
    counted.forget()
    backend = counted.backend()
    assert counted.starts() == []
    assert prove(backend, theorem("A"))
    assert counted.starts() == ["A", "A"]
    assert prove(backend, theorem())
    assert counted.starts() == ["A", "A", "Init", "Init"]


def test_abilities_are_found_once_on_a_machine(counted):
    counted.backend(imports=["Init"])
    probes = counted.commands().count("frontend.track")
    assert probes > 0
    counted.backend(imports=["Init"])
    assert counted.commands().count("frontend.track") == probes


@pytest.mark.parametrize("imports", [None, ["Init"]])
def test_an_import_that_cannot_be_loaded_is_an_error_of_its_theorem(known, imports):
    backend = known.backend(imports=imports)
    bad = theorem("Missing.Module", name="bad")
    known.forget()
    for _ in range(3):
        with pytest.raises(
            DataError,
            match=r"theorem 'bad': its imports Missing\.Module cannot be loaded: .*unknown module prefix",
        ):
            backend.start(bad)
    assert known.starts().count("Missing.Module") == 1
    # As the proof that others start, or the judge of the default imports.
    assert known.starts().count("Init") <= 1
    assert prove(backend, theorem())


def test_a_start_that_is_killed_is_tried_again_once(known):
    backend = known.backend()
    assert prove(backend, theorem("Once"))
    known.forget()
    with pytest.raises(DataError, match=r"imports Killed cannot be loaded: .*killed by signal 9"):
        backend.start(theorem("Killed"))
    assert known.starts() == ["Killed", "Killed"]


def test_a_start_that_takes_too_long_is_not_tried_again(known):
    backend = known.backend(start_seconds=8.0)
    assert prove(backend, theorem("A"))
    known.forget()
    with pytest.raises(DataError, match=r"imports Slow cannot be loaded: .*not ready within 8 s"):
        backend.start(theorem("Slow"))
    assert known.starts() == ["Slow"]


def test_a_repl_that_never_starts_is_no_error_of_a_theorem(known, monkeypatch):
    backend = known.backend()
    monkeypatch.setattr("lean_gym.backends.pantograph.fleet.CONTROL", ("Missing.Init",))
    with pytest.raises(BackendUnavailable):
        backend.start(theorem("Missing.Module"))
    with pytest.raises(BackendUnavailable, match="did not start"):
        known.backend(imports=["Missing.Module"])


def test_an_environment_goes_on_after_a_theorem_whose_imports_are_missing(known):
    good, bad = theorem("A", name="good"), theorem("Missing", name="bad")
    env = gym.make(
        "LeanProof-v0",
        theorems=[good, bad],
        backend="pantograph",
        backend_options=known.options,
        disable_env_checker=True,
    )
    try:
        for _ in range(2):
            with pytest.raises(DataError, match="imports Missing cannot be loaded"):
                env.reset(options={"theorem": "bad"})
            env.reset(options={"theorem": "good"})
            assert env.step("exact h")[1] == 1.0
    finally:
        env.close()
    assert sorted(known.starts()) == ["A", "A", "Init", "Missing"]


def test_a_vector_environment_goes_on_as_well(known):
    good, bad = theorem("A", name="good"), theorem("Missing", name="bad")
    envs = gym.make_vec(
        "LeanProof-v0",
        num_envs=2,
        theorems=[good, bad],
        backend="pantograph",
        num_workers=2,
        backend_options=known.options,
    )
    try:
        with pytest.raises(DataError, match="imports Missing cannot be loaded"):
            envs.reset(options={"theorem": ["bad", "good"]})
        envs.reset(options={"theorem": ["good", "good"]})
        assert list(envs.step(["exact h", "exact h"])[1]) == [1.0, 1.0]
        assert envs.unwrapped.stats()["worker_restarts"] == 0
    finally:
        envs.close()
    # In each worker: one with the missing module, one with Init as the proof that others start, at most. The judge gets
    # ready for all imports.
    assert known.starts().count("Missing") == 3
    assert known.starts().count("Init") <= 2


def test_one_lost_process_restarts_alone(known):
    env = gym.make(
        "LeanProof-v0",
        theorems=[theorem("A", name="a"), theorem("B", name="b")],
        backend="pantograph",
        backend_options=known.options,
    )
    try:
        for name in ("a", "b"):
            env.reset(options={"theorem": name})
            env.step("exact h")
        assert sorted(known.starts()) == ["A", "A", "B", "B"]
        known.forget()
        env.reset(options={"theorem": "a"})
        env.step("have k := h")
        assert env.step("die now")[4]["outcome"] == "crashed"
        for name in ("a", "b"):
            env.reset(options={"theorem": name})
            assert env.step("exact id h")[1] == 1.0
    finally:
        env.close()
    # Twice for the step that kills; neither the judges nor the process for B.
    assert known.starts() == ["A", "A"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("num_workers", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_step_is_not_blamed_for_a_process_that_was_killed_or_stopped_from_outside(
    known, log, number, num_workers
):
    """Twice, which would quarantine a step that ends its process itself."""
    envs = gym.make_vec(
        "LeanProof-v0",
        num_envs=1,
        theorems=[theorem("A", name="a")],
        backend="pantograph",
        num_workers=num_workers,
        backend_options=known.options,
        tactic_seconds=1.0,
    )
    try:
        envs.reset()
        log.with_suffix(".signals").write_text(f"{number:d}\n{number:d}\n")
        _, rewards, _, _, infos = envs.step(["exact h"])
        assert (list(rewards), list(infos["outcome"])) == ([1.0], ["proved"])
        stats = envs.unwrapped.stats()
        assert (stats["quarantined"], stats["backend_restarts"], stats["worker_restarts"]) == (0, 2, 0)
        assert log.with_suffix(".signals").read_text() == ""
    finally:
        envs.close()


def test_a_step_on_which_the_process_is_killed_again_and_again_is_given_up(known, log):
    env = gym.make(
        "LeanProof-v0", theorems=[theorem("A")], backend="pantograph", backend_options=known.options
    )
    try:
        env.reset()
        log.with_suffix(".signals").write_text(f"{signal.SIGKILL:d}\n" * 50)
        info = env.step("exact h")[4]
        assert info["outcome"] == "crashed"
        assert "the prover was lost 8 times on this step: the REPL was killed by signal 9" in info["error"]
        assert len(log.with_suffix(".signals").read_text().split()) == 42
    finally:
        env.close()


def test_a_state_of_a_lost_process_says_that_its_step_is_not_to_blame(known):
    backend = known.backend()
    old, state = backend.start(theorem("A")), backend.start(theorem("A"))
    with pytest.raises(BackendCrashed):
        backend.apply(state, "die now")
    with pytest.raises(StateLost) as caught:
        backend.apply(old, "exact h")
    assert caught.value.backend_usable


def test_a_process_with_an_open_episode_stays_while_another_can_go(known):
    backend = known.backend(max_processes=3)
    open_one = backend.start(theorem("A"))
    deadline = time.monotonic() + 60.0
    while known.starts().count("A") < 2:  # a judge that is ended at once would not be counted
        assert time.monotonic() < deadline
        time.sleep(0.01)
    for module in ("B", "C", "D"):
        assert prove(backend, theorem(module))
    assert backend.apply(open_one, "exact h").state.is_finished
    assert known.starts().count("A") == 2  # its judge went first
    backend.release([open_one])
    backend.start(theorem("E"))
    backend.start(theorem("F"))
    with pytest.raises(StateLost):
        backend.apply(open_one, "exact h")


def test_the_successor_of_a_judge_starts_ahead(known, monkeypatch):
    monkeypatch.setattr("lean_gym.backends.pantograph.verdicts._RECYCLE_AFTER", 3)
    backend = known.backend()
    judge = backend._fleet.judge(("Init",))
    assert prove(
        backend, theorem()
    )  # the first asks twice: for the file without a proof, and for that with it
    assert judge.processes == 1
    assert prove(backend, theorem())
    assert judge.processes == 2
    successor = judge._next.process.pid
    assert prove(backend, theorem())
    assert judge._repl.process.pid == successor
    assert known.starts() == ["Init"] * 3


def test_a_judge_that_was_lost_while_it_started_is_replaced(known):
    backend = known.backend()
    backend.start(theorem())
    judge = backend._fleet.judge(("Init",))
    lost = judge._repl.process
    os.kill(lost.pid, signal.SIGKILL)
    assert backend.verify(theorem(), ["exact h"]).proved
    assert judge._repl.process.pid != lost.pid


def test_the_time_to_start_counts_from_the_start_of_the_process(known):
    """A judge that hangs is noticed at its first use, and does not cost the whole time again."""
    settings = known.backend()._settings
    started = time.monotonic()
    hung = Repl(replace(settings, start_seconds=2.0), ("Slow",))
    well = Repl(replace(settings, start_seconds=2.0), ("Init",))
    assert select.select([well.process._stdout], [], [], 60.0)[0]  # what it says when it is ready, unread
    time.sleep(max(0.0, started + 2.5 - time.monotonic()))
    began = time.monotonic()
    with pytest.raises(BackendUnavailable, match="not ready within 2 s"):
        hung.ready()
    assert time.monotonic() - began < 5.0
    assert well.ready().alive  # it was ready in time, and waited to be asked
    well.close()


def test_setting_the_time_limit_counts_as_time_of_the_command(known):
    repl = known.backend().start(theorem()).handle.repl
    os.kill(repl.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(
        BackendKilled, match=r"options\.set: no answer within 2\.5 s: the process was stopped"
    ):
        repl.limited("goal.tactic", {}, 0.5)
    assert time.monotonic() - began < 5.0


def test_lake_is_asked_once_for_a_project(tmp_path, monkeypatch):
    lake = tmp_path / "bin" / "lake"
    lake.parent.mkdir()
    lake.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/log\necho a/lib\n")
    lake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{lake.parent}:/usr/bin:/bin")
    (tmp_path / "lakefile.toml").touch()
    for _ in range(2):
        assert known_lean_path(str(tmp_path)) == "a/lib"
    assert (tmp_path / "log").read_text() == "asked\n"
    (tmp_path / "lake-manifest.json").write_text("{}")
    assert known_lean_path(str(tmp_path)) == "a/lib"
    assert (tmp_path / "log").read_text() == "asked\nasked\n"


def test_a_step_that_needs_too_much_memory_costs_its_process_alone(known):
    env = gym.make(
        "LeanProof-v0",
        theorems=[theorem("A", name="a")],
        backend="pantograph",
        memory_mib=700,
        backend_options=known.options,
    )
    try:
        env.reset()
        info = env.step("take memory")[4]
        assert (info["outcome"], info["error"]) == ("tactic_error", "stopped: out of memory")
        assert env.step("exact h")[1] == 1.0
    finally:
        env.close()
    assert (
        known.starts() == ["A"] * 4
    )  # three processes for episodes, of which the step takes two, and the judge


def test_too_few_processes():
    with pytest.raises(ValueError, match="max_processes: got 1, expected at least 2"):
        PantographBackend(["/bin/true"], max_processes=1)


def test_facts_are_shared_and_expire(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = []

    def find():
        found.append(1)
        return {"n": len(found)}

    assert facts.shared("test", ["k"], find, 1.0) == {"n": 1}
    assert facts.shared("test", ["k"], find, 1.0) == {"n": 1}
    assert facts.shared("test", ["other"], find, 1.0) == {"n": 2}
    monkeypatch.setattr(facts, "KEPT_SECONDS", 0.0)
    assert facts.shared("test", ["k"], find, 1.0) == {"n": 3}


def test_slots_are_shared_by_the_processes_of_a_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with facts.slot("test", 2, 1.0), facts.slot("test", 2, 1.0):
        began = time.monotonic()
        with facts.slot("test", 2, 0.5):
            assert time.monotonic() - began >= 0.5  # none was free, and the block runs nevertheless
        with facts.slot("test", 3, 5.0):
            pass
        assert time.monotonic() - began < 5.0


def test_facts_that_others_can_write_are_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert facts.shared("test", ["k"], lambda: 1, 1.0) == 1
    (file,) = (tmp_path / "lean-gym" / "pantograph").glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o666)
    assert facts.shared("test", ["k"], lambda: 2, 1.0) == 2
    file.write_text("{")
    assert facts.shared("test", ["k"], lambda: 3, 1.0) == 3
    file.parent.chmod(0o777)
    assert facts.shared("test", ["k"], lambda: 4, 1.0) == 4


def test_a_fact_is_found_by_one_process_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with facts._locked(facts._folder() / "x.lock", 1.0):
        lock = facts.os.open(facts._folder() / "x.lock", facts.os.O_RDWR)
        assert not facts._take(lock)
    assert facts._take(lock)
    facts.os.close(lock)
