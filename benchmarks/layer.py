"""Cost of a step on our side of the REPL: CPU time of this process; the REPL runs in another one.

    python -m benchmarks.layer                               both sets, minilean's REPL
    python -m benchmarks.layer --repl pantograph-repl --sets logic

    client       `PantographBackend.apply`: write the request, read the answer, build the goals
    environment  `LeanProofEnv.step` on it: also budget, filter, cache, reward and observation

Waiting for the REPL takes no CPU time here, so the figures hold for any REPL that answers with goals of this size.
Other programs still slow a step down, because they evict its data from the processor's caches, so the time of a step is
the minimum of three passes. The table goes to standard output; add figures worth keeping to docs/log.md.
"""

from __future__ import annotations

import platform
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar

import numpy as np

from lean_gym import LeanProofEnv
from lean_gym.backends.pantograph import PantographBackend
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem

PASSES: Final = 3

T = TypeVar("T")


def seconds_of(call: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a call, and the CPU seconds of this thread that it took."""
    began = time.thread_time()
    result = call()
    return result, time.thread_time() - began


def client_seconds(theorems: Sequence[Theorem], command: Sequence[str]) -> list[float]:
    """Return the CPU seconds of each tactic step through the client."""
    backend = PantographBackend(command, sandbox="off", verify="replay")
    seconds = []
    for theorem in theorems:
        state = backend.start(theorem)
        states = [state]
        for tactic in proof_steps(theorem.proof):
            result, took = seconds_of(partial(backend.apply, state, tactic))
            assert result.state is not None, f"{theorem.name}: {tactic!r} fails: {result.error}"
            seconds.append(took)
            state = result.state
            states.append(state)
        backend.release(states)
    backend.close()
    return seconds


def environment_seconds(theorems: Sequence[Theorem], command: Sequence[str]) -> list[float]:
    """Return the CPU seconds of each step of an environment, without the last step of a proof, which verifies."""
    options = {"repl_command": list(command), "sandbox": "off"}
    env = LeanProofEnv(theorems, "pantograph", backend_options=options, verify="replay")
    seconds = []
    for theorem in theorems:
        env.reset(options={"theorem": theorem.name})
        for tactic in proof_steps(theorem.proof)[:-1]:
            seconds.append(seconds_of(partial(env.step, tactic))[1])
    env.close()
    return seconds


def row(label: str, seconds: Sequence[float]) -> str:
    """Return one line of the table, in microseconds."""
    micro = [one * 1e6 for one in seconds]
    worst = float(np.quantile(micro, 0.99, method="higher"))
    mean, median = statistics.mean(micro), statistics.median(micro)
    return f"| {label:<11} | {len(micro):>6} | {mean:>7.0f} | {median:>7.0f} | {worst:>7.0f} |"


def main() -> None:
    """Print the table."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", default="logic,nat", help="theorem sets or paths, by commas [%(default)s]")
    parser.add_argument("--repl", default=f"{sys.executable} -m minilean repl", help="the REPL [%(default)s]")
    given = parser.parse_args()
    command = shlex.split(given.repl)
    theorems = [one for name in given.sets.split(",") for one in load_theorems(name) if one.proof]
    print(f"Python {platform.python_version()}, {len(theorems)} theorems\n")
    print("| µs a step   |  steps |    mean |  median |     99% |")
    print("|-------------|--------|---------|---------|---------|")
    for label, measure in (("client", client_seconds), ("environment", environment_seconds)):
        passes = [measure(theorems, command) for _ in range(PASSES)]
        print(row(label, [min(step) for step in zip(*passes, strict=True)]), flush=True)


if __name__ == "__main__":
    main()
