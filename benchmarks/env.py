"""Tactic steps per second, replaying the reference proofs of the theorem sets in six ways.

    python -m benchmarks.env                                both sets, 16 parallel episodes
    python -m benchmarks.env --sets nat --passes 5
    python -m benchmarks.env --backend pantograph           through the REPL's protocol; needs a REPL or minilean-repl

    one              one environment, one proof after the other
    two apart        two of them in separate processes, each with half of the theorems: an upper bound for two cores
    vector, N        the vector environment over N workers, by step_async, reset_async and recv
    vector, N, slow  the same with every 20th tactic slowed down
    AsyncVectorEnv   Gymnasium's own, one process for each episode
    naive REPL       `python -m minilean repl` over pipes, one command at a time, without our library

A pass replays every proof once and verifies each one; the naive one compiles the finished file. It includes the
resets, but not the start of processes and the loading of the library. Every pass uses new processes, because a cache
would answer a second replay.

The second table is the load of a trainer of groups: 8 episodes of one theorem start together, and before each step of
the proof every one of them tries a tactic that is refused there, one of four. So of 16 tactics that a group tries at a
state 5 are different. Both ways do the same work; AsyncVectorEnv has a cache in each of its processes, which never
receives a tactic twice. `start` is the time until all episodes have begun for the first time, `MiB` the memory of all
processes but this one at the end, without pages of files.

The tables go to standard output; a figure worth keeping goes into docs/log.md together with the command.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from benchmarks.groups import Group, alone, in_groups
from benchmarks.single import Pass, replay_apart, replay_single
from lean_gym import LeanProofEnv, LeanProofVectorEnv
from lean_gym.backends.registry import create_backend
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.process_state import MemoryGauge
from lean_gym.types import ProofBackend, ProofState, TacticResult, Theorem

BINDER = re.compile(r"[({]([^(){}:]+) :")
SLOW_SHARE = 20
GROUP_SIZE = 8
MAX_STEPS = 10_000


class SlowBackend:
    """Backend in which every 20th tactic, chosen by its text, takes `seconds` longer."""

    def __init__(self, name: str, seconds: float) -> None:
        self._inner: ProofBackend = create_backend(name)
        self._seconds = seconds
        self.name = self._inner.name
        self.start, self.verify = self._inner.start, self._inner.verify
        self.release, self.close = self._inner.release, self._inner.close

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Return the inner backend's result, delayed for a slow tactic."""
        if is_slow(state.text, tactic):
            time.sleep(self._seconds)
        return self._inner.apply(state, tactic, deadline_s)


def is_slow(goals: str, tactic: str) -> bool:
    """Return whether this tactic is one of the slow ones; the result is the same in every process."""
    return zlib.crc32(f"{goals}\n{tactic}".encode()) % SLOW_SHARE == 0


def replay_vector(groups: Sequence[Group], backend: Any, num_envs: int, num_workers: int) -> Pass:
    """Replay groups in parallel; the slots of a group take the next one once all of its episodes have ended."""
    size = len(groups[0].scripts)
    before = MemoryGauge(os.getpid()).read().own
    began = time.perf_counter()
    theorems = list({group.theorem.name: group.theorem for group in groups}.values())
    envs = LeanProofVectorEnv(num_envs, theorems, backend, num_workers=num_workers, max_steps=MAX_STEPS)
    envs.reset(options={"theorem": [theorems[0].name] * num_envs})
    start_seconds = time.perf_counter() - began
    waiting = list(reversed(groups))
    scripts: dict[int, list[str]] = {}
    steps = proved = 0

    def start(places: Sequence[int]) -> None:
        names: list[str | None] = [None] * num_envs
        for place in places[: len(waiting)]:
            group = waiting.pop()
            for member, script in enumerate(group.scripts):
                names[place * size + member] = group.theorem.name
                scripts[place * size + member] = list(script)
        mask = np.array([name is not None for name in names])
        if mask.any():
            envs.reset_async(options={"reset_mask": mask, "theorem": names})

    began = time.perf_counter()
    start(range(num_envs // size))
    while scripts:
        ready = envs.recv(min_ready=min(len(scripts), max(1, num_envs // 4)))
        slots = [int(slot) for slot in ready.env_ids]
        steps += sum(info["steps"] > 0 for info in ready.infos)
        over = ready.terminated | ready.truncated
        ended = [slot for slot, end in zip(slots, over, strict=True) if end or not scripts[slot]]
        proved += sum(bool(info["is_success"]) for info in ready.infos)
        for slot in ended:
            del scripts[slot]
        going_on = [slot for slot in slots if slot in scripts]
        if going_on:
            envs.step_async([scripts[slot].pop(0) for slot in going_on], going_on)
        start(sorted({slot // size for slot in ended} - {slot // size for slot in scripts}))
    seconds = time.perf_counter() - began
    memory = MemoryGauge(os.getpid()).read().own - before
    envs.close()
    return Pass(steps, proved, seconds, start_seconds, memory)


class Replay(gym.Wrapper[str, str, str, str]):
    """Environment that replays its own list of theorems, and does nothing afterwards."""

    def __init__(self, work: Sequence[tuple[Theorem, tuple[str, ...]]], backend: str) -> None:
        theorems = list({theorem.name: theorem for theorem, _ in work}.values())
        super().__init__(LeanProofEnv(theorems, backend, max_steps=MAX_STEPS))
        self._waiting = list(reversed(work))
        self._script: list[str] = []
        self._loaded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start the next theorem; the second call starts the same theorem as the first one."""
        theorem, script = self._waiting.pop() if self._loaded else self._waiting[-1]
        self._loaded = True
        self._script = list(script)
        return self.env.reset(options={"theorem": theorem.name})

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take the next step of the current proof, ignoring the action; `info["did"]` is false without a step."""
        if not self._script:
            return "", 0.0, False, False, {"did": False, "next": False, "is_success": False}
        observation, _, terminated, truncated, info = self.env.step(self._script.pop(0))
        if terminated or truncated:
            self._script = []
        over = not self._script
        did = {"did": True, "next": over and bool(self._waiting), "is_success": info["is_success"]}
        return observation, 0.0, False, False, did


def replay_async_vector_env(groups: Sequence[Group], backend: str, num_envs: int) -> Pass:
    """Replay on Gymnasium's `AsyncVectorEnv`, with the groups distributed over its environments."""
    size = len(groups[0].scripts)
    places = min(num_envs // size, len(groups))
    hands = [
        [(group.theorem, group.scripts[member]) for group in groups[place::places]]
        for place in range(places)
        for member in range(size)
    ]
    before = MemoryGauge(os.getpid()).read().own
    began = time.perf_counter()
    envs = gym.vector.AsyncVectorEnv(
        [partial(Replay, hand, backend) for hand in hands],
        shared_memory=False,
        context="spawn",
        autoreset_mode=AutoresetMode.DISABLED,
    )
    everyone = np.ones(len(hands), dtype=np.bool_)
    envs.reset()
    start_seconds = time.perf_counter() - began
    steps = proved = 0
    began = time.perf_counter()
    envs.reset(options={"reset_mask": everyone})
    while True:
        infos = envs.step([""] * len(hands))[4]
        steps += int(infos["did"].sum())
        proved += int(infos["is_success"].sum())
        if infos["next"].any():
            envs.reset(options={"reset_mask": infos["next"]})
        elif not infos["did"].any():
            break
    seconds = time.perf_counter() - began
    memory = MemoryGauge(os.getpid()).read().own - before
    envs.close()
    return Pass(steps, proved, seconds, start_seconds, memory)


def replay_naively(theorems: Sequence[Theorem]) -> Pass:
    """Drive the REPL with a simple script: write a command, wait for the line, write the next."""
    command = [sys.executable, "-m", "minilean", "repl", "Init"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as repl:
        assert repl.stdin is not None
        assert repl.stdout is not None
        pipes = (repl.stdin, repl.stdout)

        def ask(name: str, **payload: Any) -> dict[str, Any]:
            pipes[0].write(f"{name} {json.dumps(payload, ensure_ascii=False)}\n")
            pipes[0].flush()
            answer: dict[str, Any] = json.loads(pipes[1].readline())
            return answer

        pipes[1].readline()
        steps = proved = 0
        began = time.perf_counter()
        for theorem in theorems:
            script = proof_steps(theorem.proof)
            head = f"{theorem.context}\n{theorem.statement}"
            state = ask("frontend.distil", file=f"{head} := sorry")["targets"][0]["stateId"]
            names = " ".join(BINDER.findall(theorem.statement.rpartition(" : ")[0]))
            answer = ask("goal.tactic", stateId=state, tactic=f"intro {names}") if names else {}
            for tactic in script:
                answer = ask("goal.tactic", stateId=answer.get("nextStateId", state), tactic=tactic)
                steps += 1
            body = "\n".join(script).replace("\n", "\n  ")
            whole = ask(
                "frontend.process",
                file=f"{head} := by\n  {body}",
                readHeader=False,
                inheritEnv=False,
                newConstants=False,
            )
            errors = [
                one for unit in whole["units"] for one in unit["messages"] if one["severity"] == "error"
            ]
            proved += answer.get("goals") == [] and not errors
        seconds = time.perf_counter() - began
        repl.stdin.close()
    return Pass(steps, proved, seconds)


def measure(label: str, replay: Callable[[], Pass], passes: int, expected: int) -> float:
    """Run `passes` passes, print a line with median and range of the rates, and return the median."""
    done = [replay() for _ in range(passes)]
    rates = sorted(one.steps / one.seconds for one in done)
    middle = statistics.median(rates)
    proved = min(one.proved for one in done)
    spread = f"({rates[0]:,.0f} to {rates[-1]:,.0f})"
    line = f"| {label:<22} | {done[0].steps:>6} | {proved}/{expected} | {middle:>8,.0f} {spread} |"
    start = statistics.median(one.start_seconds for one in done)
    memory = statistics.median(one.memory_mib for one in done)
    print(line + (f" {start:.1f} | {memory:,.0f} |" if memory else " - | - |"), flush=True)
    return middle


def slow_seconds_of(theorems: Sequence[Theorem], backend: str, each: float) -> float:
    """Return the additional seconds of the slow tactics of one replay."""
    prover = create_backend(backend)
    total = 0.0
    for theorem in theorems:
        state = prover.start(theorem)
        for tactic in proof_steps(theorem.proof):
            total += each * is_slow(state.text, tactic)
            result = prover.apply(state, tactic)
            state = result.state or state
    prover.close()
    return total


def main() -> None:
    """Print the table and the ratios."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", default="logic,nat", help="theorem sets or paths, by commas [%(default)s]")
    parser.add_argument("--backend", default="minilean", help="backend of all but the last [%(default)s]")
    parser.add_argument("--num-envs", type=int, default=16, help="episodes side by side [%(default)s]")
    parser.add_argument("--passes", type=int, default=3, help="passes per line of the table [%(default)s]")
    parser.add_argument("--slow-seconds", type=float, default=0.02, help="of a slow tactic [%(default)s]")
    parser.add_argument(
        "--group-theorems",
        type=int,
        default=60,
        help="theorems of the second table, 0 for none [%(default)s]",
    )
    given = parser.parse_args()

    theorems = [one for name in given.sets.split(",") for one in load_theorems(name) if one.proof]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {len(theorems)} theorems\n")
    print("| way                    |  steps | proved | steps/s, median of passes | start, s | MiB |")
    print("|------------------------|--------|--------|---------------------------|----------|-----|")
    single = alone(theorems)

    def run(label: str, replay: Callable[[], Pass]) -> float:
        return measure(label, replay, given.passes, len(theorems))

    run("one", lambda: replay_single(theorems, given.backend))
    apart = run("two apart", lambda: replay_apart(theorems, given.backend))
    slow_backend = partial(SlowBackend, given.backend, given.slow_seconds)
    vector = {
        (workers, slow): run(
            f"vector, {workers}{', slow' if slow else ''}",
            partial(replay_vector, single, slow_backend if slow else given.backend, given.num_envs, workers),
        )
        for workers in (1, 2)
        for slow in (False, True)
    }
    gymnasium = run("AsyncVectorEnv", lambda: replay_async_vector_env(single, given.backend, given.num_envs))
    naive = run("naive REPL", lambda: replay_naively(theorems))

    steps = sum(len(proof_steps(theorem.proof)) for theorem in theorems)
    slow_seconds = slow_seconds_of(theorems, given.backend, given.slow_seconds)
    plain, slowed = vector[2, False], vector[2, True]
    # Upper bound for a pool without overhead: the same work, with the slow seconds divided among the workers.
    reachable = steps / (steps / plain + slow_seconds / 2)
    print(
        f"\n2 workers over 1: {plain / vector[1, False]:.2f}x, over AsyncVectorEnv: {plain / gymnasium:.2f}x, "
    )
    print(f"over the naive REPL: {plain / naive:.2f}x; {plain / apart:.0%} of what two environments apart do")
    print(
        f"slow tactics, {slow_seconds:.2f} s of them in all, cost 2 workers {1 - slowed / plain:.1%} of their rate,"
    )
    print(f"which is {1 - slowed / reachable:.1%} below what their own time leaves")
    if given.group_theorems:
        compare_groups(theorems[:: -(-len(theorems) // given.group_theorems)], given)


def compare_groups(theorems: Sequence[Theorem], given: argparse.Namespace) -> None:
    """Print the second table: groups of episodes of one theorem."""
    groups = in_groups(theorems, given.backend, GROUP_SIZE)
    print(f"\n{len(groups)} groups of {GROUP_SIZE} episodes\n")
    print("| way                    |  steps | proved | steps/s, median of passes | start, s | MiB |")
    print("|------------------------|--------|--------|---------------------------|----------|-----|")
    num_envs = -(-given.num_envs // GROUP_SIZE) * GROUP_SIZE
    ways = {
        f"vector, {workers}": partial(replay_vector, groups, given.backend, num_envs, workers)
        for workers in (1, 2)
    } | {"AsyncVectorEnv": partial(replay_async_vector_env, groups, given.backend, num_envs)}
    expected = GROUP_SIZE * len(groups)
    rates = {label: measure(label, replay, given.passes, expected) for label, replay in ways.items()}
    two = rates["vector, 2"]
    over = [f"{two / rates[label]:.2f}x" for label in ("vector, 1", "AsyncVectorEnv")]
    print(f"\n2 workers over 1: {over[0]}, over AsyncVectorEnv: {over[1]}")


if __name__ == "__main__":
    main()
