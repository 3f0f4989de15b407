"""Episodes while workers are stopped and killed in every phase: they must end as they do in calm weather.

A second thread strikes as `kill -STOP` and `kill -9` do, from outside. It looks at what the pool knows of its workers
to choose the phase.
"""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter

import numpy as np
import psutil
import pytest

from lean_gym import LeanProofVectorEnv
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.pool.telemetry import Entry
from minilean.library import library

PHASES = ("starting", "idle", "busy", "verifying")
SIGNALS = (signal.SIGKILL, signal.SIGSTOP)
NUM_ENVS = 12
NUM_WORKERS = 3


def scripts(count):
    """Return theorems with what is tried: a tactic that fails, then the reference proof, some cut short or spoilt."""
    theorems = [one for name in ("logic", "nat") for one in load_theorems(name) if one.proof]
    chosen = []
    for number in range(count):
        theorem = theorems[7 * number % len(theorems)]
        steps = ["exact no_such_name", *proof_steps(theorem.proof)]
        if number % 5 == 1:
            steps[-1] = "sorry"
        elif number % 5 == 2:
            steps = [*steps[:-1], "skip"]
        chosen.append((theorem, steps))
    return chosen


def play(vec, chosen, on_end=lambda: None):
    """Play the scripts, as many as fit at a time; return each episode's steps, without times."""
    waiting = list(enumerate(chosen))[::-1]
    playing, results = {}, {}
    moving = list(range(vec.num_envs))
    while waiting or playing:
        starting = {slot: waiting.pop() for slot in moving if slot not in playing and waiting}
        if starting:
            theorems = [starting[slot][1][0] if slot in starting else None for slot in range(vec.num_envs)]
            mask = np.array([slot in starting for slot in range(vec.num_envs)])
            vec.reset(options={"reset_mask": mask, "theorem": theorems})
        for slot, (number, (_, steps)) in starting.items():
            playing[slot] = (number, list(steps))
            results[number] = []
        moving = [slot for slot in moving if slot in playing]
        vec.step_async([playing[slot][1].pop(0) for slot in moving], moving)
        ready = vec.recv()
        moving = ready.env_ids.tolist()
        for index, slot in enumerate(moving):
            number, steps = playing[slot]
            info = ready.infos[index]
            reward = float(ready.rewards[index])
            results[number].append(
                (info["outcome"], info["error"], reward, info["tactics"], ready.observations[index])
            )
            if ready.terminated[index] or not steps:
                del playing[slot]
                on_end()
    return results


def phase_of(worker):
    """Return the phase that a worker is in, as far as its parent can tell; `None` for one that is parked."""
    if worker.problem is not None or worker.process is None:
        return None
    if worker.backend_name is None:
        return "starting"
    running = worker.flying.get(int(worker.telemetry[Entry.RUNNING]))
    if running is None:
        return None if worker.busy else "idle"
    # Only starts and verifications may take so long, and only the latter have a tactic.
    if running.job.tactic is not None and worker.telemetry[Entry.UNTIL] > time.monotonic() + 300:
        return "verifying"
    return "busy"


class Striker(threading.Thread):
    """Strikes one worker at a time, phase by phase, killing and stopping in turn.

    Args:
        pool: The pool whose workers are struck.
        every: Episodes that end between two strikes. It counts no seconds: a loaded machine would have more strikes.
        seed: Of the choice of workers.
    """

    def __init__(self, pool, every, seed):
        super().__init__(daemon=True)
        self._pool, self._every, self._random = pool, every, random.Random(seed)
        self._over = threading.Event()
        self._due = threading.Semaphore(0)
        self._ended = 0
        self.struck = Counter()

    def count(self):
        """Count an episode that has ended."""
        self._ended += 1
        if self._ended % self._every == 0:
            self._due.release()

    def run(self):
        number = 0
        while True:
            self._due.acquire()
            if self._over.is_set():
                return
            self._strike(PHASES[number % len(PHASES)], SIGNALS[number // len(PHASES) % len(SIGNALS)])
            number += 1

    def _strike(self, phase, how):
        """Wait until a worker is in this phase; for a start, end one to have one that starts."""
        if phase == "starting":
            self._strike("idle", signal.SIGKILL)
        while not self._over.wait(0.0005):
            for worker in self._random.sample(self._pool._workers, len(self._pool._workers)):
                # The pool goes on meanwhile: what is read here may be over already, as for any stranger.
                with contextlib.suppress(OSError, AttributeError, RuntimeError):
                    if phase_of(worker) == phase:
                        os.kill(worker.process.pid, how)
                        self.struck[phase, how.name] += 1
                        return

    def stop(self):
        self._over.set()
        self._due.release()
        self.join()


def storm(count, every, seed=0):
    """Play in calm weather and in the storm, and compare; return what was struck, and the pool's counters."""
    library()  # Proved once, then read from its cache by every process.
    chosen = scripts(count)
    options = {
        "num_envs": NUM_ENVS,
        "theorems": list({one.name: one for one, _ in chosen}.values()),
        "backend": "minilean",
        "cache_size": 0,
        # It runs beside other programs: a starved process must not pass for a slow tactic.
        "tactic_seconds": 120.0,
        "verify_seconds": 300.0,
    }
    with LeanProofVectorEnv(**options, num_workers=0) as vec:
        calm = play(vec, chosen)
    with LeanProofVectorEnv(**options, num_workers=NUM_WORKERS) as vec:
        striker = Striker(vec._pool, every, seed)
        striker.start()
        try:
            stormy = play(vec, chosen, striker.count)
        finally:
            striker.stop()
        stats = vec.stats()
    different = [number for number in calm if stormy.get(number) != calm[number]]
    assert len(stormy) == count
    assert not different, [(stormy[number][-2:], calm[number][-2:]) for number in different[:3]]
    assert 0 < sum(rows[-1][2] for rows in calm.values()) < count
    assert stats["quarantined"] == 0
    return striker.struck, stats


@pytest.mark.timeout(600)
def test_a_storm_of_stops_and_kills_changes_no_result():
    struck, stats = storm(120, every=14)
    assert sum(struck.values()) >= 3
    assert stats["worker_restarts"] >= 1


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_two_thousand_episodes_in_a_storm():
    began = time.monotonic()
    struck, stats = storm(2000, every=25)
    print(f"{time.monotonic() - began:.0f} s", dict(struck), {name: n for name, n in stats.items() if n})
    assert {phase for phase, _ in struck} == set(PHASES)
    assert {how for _, how in struck} == {how.name for how in SIGNALS}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", SIGNALS)
@pytest.mark.parametrize("phase", ["starting", "idle", "busy"])
def test_an_environment_closes_while_its_workers_are_struck(phase, how):
    vec = LeanProofVectorEnv(4, ["theorem t (p : Prop) (h : p) : p"], "minilean", num_workers=2)
    if phase != "starting":
        vec.reset()
    if phase == "busy":
        vec.step_async(["repeat (first | skip | exact h)"] * 4)
    pids = [worker.process.pid for worker in vec._pool._workers]
    os.kill(pids[0], how)
    began = time.monotonic()
    vec.close()
    assert time.monotonic() - began < 30
    for pid in pids:
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
