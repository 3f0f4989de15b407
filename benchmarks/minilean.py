"""Speed and memory of minilean, measured by replaying the reference proofs of the theorem sets.

    python -m benchmarks.minilean                     both sets, 3 passes
    python -m benchmarks.minilean --sets nat --passes 10

steps/s      tactic steps, one after the other, with and without printing the goals after each
latency      of single tactics without printing: median and 99th percentile over all passes
re-check     of a finished proof: closing its term and checking it against the statement in the kernel
load         importing minilean and loading its library: with all proofs, and from the cache file
live states  memory of 1,000 states of proofs with their printed goals: growth of the process, and Python's part

Each pass is a new process, because terms and printed goals are cached. Elaboration of the statements is not measured.
The tables go to standard output; add figures worth keeping to docs/log.md, together with the command.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks.children import ChildFailed, run_child
from benchmarks.figures import Spread, open_console, percentile
from benchmarks.minilean_jobs import Replay
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems
from lean_gym.errors import DataError

_JOBS = "benchmarks.minilean_jobs"
_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Latency:
    """Latency of one kind of tactic.

    Attributes:
        steps: Number of steps.
        median_ms: Median of a step, in milliseconds.
        p99_ms: 99th percentile, in milliseconds.
        share: Share of the time of all tactics, from 0 to 1.
    """

    steps: int
    median_ms: float
    p99_ms: float
    share: float


def rates(passes: Sequence[Replay], printing: bool) -> Spread:
    """Return the tactic steps per second of each pass."""
    return Spread.of(
        [len(one.tactic_s) / (sum(one.tactic_s) + printing * sum(one.printing_s)) for one in passes]
    )


def latencies(passes: Sequence[Replay]) -> dict[str, Latency]:
    """Return the latency by head of the tactic, sorted by share of the time, largest first."""
    by_head: dict[str, list[float]] = {}
    for one in passes:
        for head, seconds in zip(one.heads, one.tactic_s, strict=True):
            by_head.setdefault(head, []).append(seconds)
    total = sum(map(sum, by_head.values()))
    found = {
        head: Latency(len(values), *_median_and_p99(values), sum(values) / total)
        for head, values in by_head.items()
    }
    return dict(sorted(found.items(), key=lambda item: item[1].share, reverse=True))


def _median_and_p99(seconds: Sequence[float]) -> tuple[float, float]:
    return _MS * percentile(seconds, 0.5), _MS * percentile(seconds, 0.99)


def plain_seconds(passes: Sequence[Replay]) -> list[float]:
    """Return the seconds of the tactics that neither search nor compute."""
    return [
        seconds
        for one in passes
        for automatic, seconds in zip(one.automatic, one.tactic_s, strict=True)
        if not automatic
    ]


def measure_loading(passes: int) -> tuple[float, Spread]:
    """Return the seconds to load the library with an empty cache, and then from the cache file."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = [run_child(_JOBS, {"kind": "load"}, {"XDG_CACHE_HOME": folder}) for _ in range(passes + 1)]
    return seconds[0], Spread.of(seconds[1:])


def mib_per_thousand(held: tuple[int, float]) -> float:
    """Return the MiB of 1,000 states, from (states, MiB)."""
    states, used = held
    return 1000.0 * used / states


def figures_table(passes: Sequence[Replay], loading: tuple[float, Spread], states: Sequence[float]) -> Table:
    """Return the table of the figures and their targets.

    Args:
        passes: The replays.
        loading: Result of `measure_loading`.
        states: MiB of 1,000 states: growth of the process, and memory allocated by Python.
    """
    table = Table("", "measured", "aim")
    everything = [seconds for one in passes for seconds in one.tactic_s]
    checks = [seconds for one in passes for seconds in one.check_s]
    for label, figure, aim in (
        ("tactic steps/s, goals printed", rates(passes, printing=True).text(), "3,000"),
        ("tactic steps/s, nothing printed", rates(passes, printing=False).text(), ""),
        ("tactic, ms: median, p99", _pair(everything), ""),
        ("tactic without simp, omega, decide, ms: median, p99", _pair(plain_seconds(passes)), "0.3 median"),
        ("kernel re-check of a proof, ms: median, p99", _pair(checks), "2 median"),
        ("library proved anew, s", f"{loading[0]:.2f}", ""),
        ("library from the cache, s", loading[1].text(2), "0.4"),
        ("1,000 live states: growth of the process, MiB", f"{states[0]:.1f}", "50"),
        ("1,000 live states: held by Python, MiB", f"{states[1]:.1f}", ""),
    ):
        table.add_row(label, figure, aim)
    return table


def _pair(seconds: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in _median_and_p99(seconds)) if seconds else "-"


def latency_table(found: dict[str, Latency]) -> Table:
    """Return the table of the latency of each tactic."""
    table = Table("tactic", "steps", "median, ms", "p99, ms", "share of the time")
    for head, one in found.items():
        table.add_row(head, str(one.steps), f"{one.median_ms:.2f}", f"{one.p99_ms:.2f}", f"{one.share:.1%}")
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = Parser("python -m benchmarks.minilean", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", default="logic,nat", help="theorem sets or paths, by commas [%(default)s]")
    parser.add_argument("--passes", type=int, default=3, help="replays, and cached loads [%(default)s]")
    parser.add_argument("--states", type=int, default=1000, help="states to keep alive [%(default)s]")
    given = parser.parse_args(arguments)
    if given.passes < 1 or given.states < 1:
        parser.error("--passes and --states: expected at least 1")
    sets = given.sets.split(",")
    try:
        theorems = sum(bool(one.proof) for name in sets for one in load_theorems(name))
        if not theorems:
            raise DataError(f"{given.sets}: no theorem has a reference proof to replay")
        loading = measure_loading(given.passes)
        passes = [Replay(**run_child(_JOBS, {"kind": "replay", "sets": sets})) for _ in range(given.passes)]
        job = {"kind": "states", "sets": sets, "count": given.states}
        states = [mib_per_thousand(run_child(_JOBS, job | {"traced": traced})) for traced in (False, True)]
    except (DataError, ChildFailed) as error:
        parser.exit(2, f"error: {error}\n")
    console = open_console()
    steps = len(passes[0].tactic_s)
    console.print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores: {theorems} proofs, {steps} tactic steps, "
        f"{given.passes} passes",
    )
    for name in sorted({name for one in passes for name in one.failed}):
        console.print(f"refused: {name}", markup=False)
    console.print(figures_table(passes, loading, states))
    console.print(latency_table(latencies(passes)))


if __name__ == "__main__":
    main()
