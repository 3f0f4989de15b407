"""A model of rollout and training on a cluster: where it saturates, and what to buy.

    python -m benchmarks.cluster_model                                        1 to 1,000 provers, 1 to 64 samplers
    python -m benchmarks.cluster_model --tactic-s 0.2 --update-s 60 --staleness 1
    python -m benchmarks.cluster_model --provers 8 --samplers 1 --token-s 0.002,0.0001    one machine

A discrete-event simulation (SimPy) of iterations: episodes ask a sampler for a tactic, then a prover tries it, until
the episode ends; the learner updates when the groups of an iteration are complete. Rollouts may run ahead by
`--staleness` iterations, as in `trainers/run/ahead.py`.

    sampler    draws a token for each of its b rows in A + B b seconds; a tactic has a geometric number of tokens
    prover     takes a lognormal time with a median, a sigma and a largest value
    learner    takes a fixed time for an update, which several learners divide without loss

Give it measured times. The defaults are those of no machine; docs/log.md has runs that it was compared with.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import simpy
from rich.console import Console
from rich.table import Table

from benchmarks.figures import open_console
from lean_gym.command_line import Parser


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster and its work.

    Attributes:
        provers: Lean workers.
        samplers: Engines that sample tactics, each with a model of its own.
        learners: Devices that divide an update.
        tactic_s: Median, sigma and largest value of the seconds of a tactic.
        token_s: A and B: seconds of a token for b rows are A + B b.
        tokens: Mean number of tokens of a tactic.
        steps: Mean number of tactics of an episode, and the most.
        episodes: Episodes of an iteration.
        group: Episodes of a group.
        update_s: Seconds of an update on one device.
        staleness: Iterations that rollouts may run ahead.
        slots: Episodes played at once; as many as an iteration has if left out.
    """

    provers: int = 8
    samplers: int = 1
    learners: int = 1
    tactic_s: tuple[float, float, float] = (0.03, 1.5, 4.0)
    token_s: tuple[float, float] = (0.02, 0.0002)
    tokens: float = 12.0
    steps: tuple[float, int] = (6.0, 12)
    episodes: int = 512
    group: int = 8
    update_s: float = 30.0
    staleness: int = 0
    slots: int = 0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError: One is too small.
        """
        least = {"provers": 1, "samplers": 1, "learners": 1, "tokens": 1, "group": 1, "episodes": self.group}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise ValueError(f"{name}: expected at least {value}, got {getattr(self, name)}")
        if min(self.steps) < 1:
            raise ValueError(f"steps: expected at least 1, got {min(self.steps)}")


@dataclass(frozen=True, slots=True)
class Figures:
    """Result of a simulation.

    Attributes:
        iteration_s: Seconds of an iteration.
        tactics_per_second: Tactics tried, over all of the time.
        provers, samplers, learner: Shares of the time that they are busy.
    """

    iteration_s: float
    tactics_per_second: float
    provers: float
    samplers: float
    learner: float

    def limit(self, staleness: int) -> str:
        """Return what holds the cluster up: a part that is busy nearly always, or that parts wait for each other."""
        shares = {"provers": self.provers, "samplers": self.samplers, "learners": self.learner}
        name, share = max(shares.items(), key=lambda item: item[1])
        if share > 0.8:
            return name
        return "too few episodes" if staleness else "alternation: --staleness 1"


@dataclass(slots=True)
class _Sampler:
    """An engine: rows join between two tokens, and leave when their tactic ends."""

    rows: dict[simpy.Event, int] = field(default_factory=dict)
    wakes: simpy.Event | None = None
    busy_s: float = 0.0


class Simulation:
    """A run of some iterations."""

    def __init__(self, cluster: Cluster, seed: int = 0) -> None:
        """Make the parts; nothing has happened yet."""
        self._cluster = cluster
        self._rng = np.random.default_rng(seed)
        self._env = simpy.Environment()
        self._provers = simpy.Resource(self._env, cluster.provers)
        self._slots = simpy.Resource(self._env, cluster.slots or cluster.episodes)
        self._samplers = [_Sampler() for _ in range(cluster.samplers)]
        self._turn = itertools.cycle(self._samplers)
        self._proving_s = self._updating_s = 0.0
        self._tactics = self._done = self._updates = self._planned = 0
        self._changed = self._env.event()

    def run(self, iterations: int, skipped: int = 1) -> Figures:
        """Simulate iterations and return the figures of those after the first ones, which fill the cluster."""
        for sampler in self._samplers:
            self._env.process(self._sample(sampler))
        learner = self._env.process(self._learn(skipped))
        self._env.run(until=learner)
        before: Any = learner.value
        self._env.run(until=self._env.process(self._learn(iterations)))
        seconds, tactics, proving, sampling, updating = (
            now - then for now, then in zip(self._counts(), before, strict=True)
        )
        cluster = self._cluster
        return Figures(
            iteration_s=seconds / iterations,
            tactics_per_second=tactics / seconds,
            provers=proving / seconds / cluster.provers,
            samplers=sampling / seconds / cluster.samplers,
            learner=updating / seconds,
        )

    def _counts(self) -> tuple[float, ...]:
        sampling = sum(sampler.busy_s for sampler in self._samplers)
        return self._env.now, self._tactics, self._proving_s, sampling, self._updating_s

    def _learn(self, iterations: int) -> Generator[Any, Any, tuple[float, ...]]:
        cluster = self._cluster
        groups = cluster.episodes // cluster.group
        for _ in range(iterations):
            while self._planned <= self._updates + cluster.staleness:
                self._planned += 1
                for _ in range(groups):
                    self._env.process(self._play_group())
            while self._done < groups * (self._updates + 1):
                yield self._changed
            seconds = cluster.update_s / cluster.learners
            yield self._env.timeout(seconds)
            self._updating_s += seconds
            self._updates += 1
        return self._counts()

    def _play_group(self) -> Generator[Any, Any, None]:
        yield self._env.all_of([self._env.process(self._play()) for _ in range(self._cluster.group)])
        self._done += 1
        self._changed.succeed()
        self._changed = self._env.event()

    def _play(self) -> Generator[Any, Any, None]:
        mean, most = self._cluster.steps
        median, sigma, largest = self._cluster.tactic_s
        with self._slots.request() as slot:
            yield slot
            for _ in range(min(most, int(self._rng.geometric(1.0 / mean)))):
                yield self._ask(int(self._rng.geometric(1.0 / self._cluster.tokens)))
                with self._provers.request() as prover:
                    yield prover
                    seconds = min(largest, median * float(np.exp(sigma * self._rng.standard_normal())))
                    yield self._env.timeout(seconds)
                    self._proving_s += seconds
                self._tactics += 1

    def _ask(self, tokens: int) -> simpy.Event:
        sampler, ended = next(self._turn), self._env.event()
        sampler.rows[ended] = tokens
        if sampler.wakes is not None:
            sampler.wakes.succeed()
            sampler.wakes = None
        return ended

    def _sample(self, sampler: _Sampler) -> Generator[Any, Any, None]:
        fixed, each = self._cluster.token_s
        while True:
            if not sampler.rows:
                sampler.wakes = self._env.event()
                yield sampler.wakes
            rows = list(sampler.rows)
            seconds = fixed + each * len(rows)
            yield self._env.timeout(seconds)
            sampler.busy_s += seconds
            for row in rows:
                sampler.rows[row] -= 1
                if not sampler.rows[row]:
                    del sampler.rows[row]
                    row.succeed()


def grid(base: Cluster, provers: Sequence[int], samplers: Sequence[int], iterations: int) -> Table:
    """Simulate all pairs of numbers of provers and samplers."""
    table = Table(
        "provers", "samplers", "s an iteration", "tactics/s", "busy: provers", "samplers", "learner", "limit"
    )
    for own in itertools.product(provers, samplers):
        values = {name: getattr(base, name) for name in Cluster.__slots__}
        found = Simulation(Cluster(**values | dict(zip(("provers", "samplers"), own, strict=True)))).run(
            iterations
        )
        shares = (f"{share:.0%}" for share in (found.provers, found.samplers, found.learner))
        speed = f"{found.tactics_per_second:.0f}"
        limit = found.limit(base.staleness)
        table.add_row(*map(str, own), f"{found.iteration_s:.1f}", speed, *shares, limit)
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit code."""
    usual = Cluster()
    parser = Parser(prog="python -m benchmarks.cluster_model", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--provers", type=_list(int), default=[1, 8, 32, 128, 1000], metavar="N,..")
    parser.add_argument("--samplers", type=_list(int), default=[1, 4, 16, 64], metavar="N,..")
    for name in (
        "learners",
        "tactic_s",
        "token_s",
        "tokens",
        "steps",
        "episodes",
        "group",
        "update_s",
        "staleness",
        "slots",
    ):
        value = getattr(usual, name)
        kind = type(value)
        read: Any = _list(float) if kind is tuple else kind
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=read, default=value, help=f"(default: {value})"
        )
    parser.add_argument("--iterations", type=int, default=5, help="simulated iterations (default: 5)")
    args = vars(parser.parse_args(arguments))
    provers, samplers, iterations = (args.pop(name) for name in ("provers", "samplers", "iterations"))
    if len(args["tactic_s"]) == 1:
        args["tactic_s"] = (*args["tactic_s"], 0.0, *args["tactic_s"])
    args["steps"] = (args["steps"][0], int(args["steps"][-1]))
    console: Console = open_console()
    try:
        console.print(grid(Cluster(**args), provers, samplers, iterations))
    except ValueError as error:
        parser.error(str(error))
    return 0


def _list(kind: type) -> Any:
    def read(text: str) -> tuple[Any, ...]:
        try:
            found = tuple(kind(word) for word in text.split(","))
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected numbers separated by commas, got {text!r}") from None
        if not all(number >= 0 for number in found):
            raise argparse.ArgumentTypeError(f"expected numbers of 0 or more, got {text!r}")
        return found

    return read


if __name__ == "__main__":
    sys.exit(main())
