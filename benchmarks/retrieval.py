"""Time of the nearest premises: the best 100 of 200,000 vectors, on one core.

    python -m benchmarks.retrieval [--vectors N] [--count K] [--widths 128,384,1472] [--accessible 1.0,0.5]

Each line names the search, the width and the share of the vectors that are accessible. It has the median time of a
single query, the median CPU time, which other programs on the machine lengthen less, and the CPU time of each of 32
queries that are asked together, in milliseconds. Vectors are random, of length 1; 1472 is the width of ByT5-small.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import torch

from lean_gym.command_line import Parser
from trainers.corpora.retrieval.index import FaissNearest, Nearest, TorchNearest

TOGETHER = 32


def measured(
    search: Nearest, width: int, mask: np.ndarray, count: int, repeats: int
) -> tuple[float, float, float]:
    """Return the median times of a query alone, on the clock and of the CPU, and the CPU time of one of many, in ms."""
    generator = torch.Generator().manual_seed(1)
    alone, computed = [], []
    for _ in range(repeats + 1):
        query = torch.randn(1, width, generator=generator)
        began, busy = time.perf_counter(), time.thread_time()
        search.search(query, [mask], count)
        alone.append(1000 * (time.perf_counter() - began))
        computed.append(1000 * (time.thread_time() - busy))
    queries = torch.randn(TOGETHER, width, generator=generator)
    busy = time.thread_time()
    search.search(queries, [mask] * TOGETHER, count)
    together = 1000 * (time.thread_time() - busy) / TOGETHER
    return statistics.median(alone[1:]), statistics.median(computed[1:]), together


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--vectors", type=int, default=200_000)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--widths", default="128,384,1472")
    parser.add_argument("--accessible", default="1.0,0.5")
    parser.add_argument("--repeats", type=int, default=30)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    kinds: dict[str, type[FaissNearest] | type[TorchNearest]] = {"torch": TorchNearest}
    if find_spec("faiss") is not None:
        import faiss

        faiss.omp_set_num_threads(1)
        kinds["faiss"] = FaissNearest
    print(f"{given.count} of {given.vectors} vectors, one core, ms")
    for width in map(int, given.widths.split(",")):
        generator = torch.Generator().manual_seed(0)
        vectors = torch.nn.functional.normalize(torch.randn(given.vectors, width, generator=generator), dim=1)
        for name, kind in kinds.items():
            search = kind(vectors)
            for share in map(float, given.accessible.split(",")):
                mask = np.random.default_rng(0).random(given.vectors) < share
                clock, busy, together = measured(search, width, mask, given.count, given.repeats)
                print(
                    f"{name:<6} width {width:>5}  accessible {share:4.0%}  one query {clock:7.2f} "
                    f"(CPU {busy:7.2f})  each of {TOGETHER} (CPU {together:7.2f})",
                    flush=True,
                )
            del search
    return 0


if __name__ == "__main__":
    sys.exit(main())
