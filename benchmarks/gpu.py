"""Sampling and learning with a model of 0.1 to 1 billion random weights in bf16, compared with `trl.GRPOTrainer`.

    python -m benchmarks.gpu                                 the shape of Qwen3-0.6B, one GPU
    python -m benchmarks.gpu --size 1b --rounds 5
    python -m benchmarks.gpu --device cpu --size tiny        without a GPU: only tests that everything runs

one batch     updates on one batch of episodes that a tiny, trained model played before: real goals, real tactics
own episodes  episodes sampled by the model itself. With random weights it proves nothing, all tactics have the
              largest length, and the goals never change; so both sides sample equally many tokens, and learning is
              not measured. The rate is that of the rollout, including the provers.

Utilisation is the count of `benchmarks.flops` divided by the GPU's specification. It counts the tokens of a side's own
layout, without padding, recomputation and, in sampling, the reading of prompts. A layout that needs fewer tokens is
faster at the same utilisation. Memory is torch's allocation on the GPU, or that of the process on a CPU.

Everything else is as in `benchmarks.trainers`. Without a GPU it ends with one line and exit code 2.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Sequence

from rich.console import Console

from benchmarks.children import ChildFailed
from benchmarks.contest.rounds import (
    Line,
    Outcome,
    Run,
    add_contest_flags,
    compare,
    contest_of,
    hold_contest,
    learning_lines,
    memory_lines,
    per_thousand_tactics,
    table_of,
)
from benchmarks.contest.settings import Measurement, Phase
from benchmarks.figures import open_console
from benchmarks.memory import MemoryUnknown
from lean_gym.command_line import Parser
from lean_gym.errors import unknown_name
from trainers.errors import ConfigError

TERAFLOPS = {"H200": 989.0, "H100 PCIe": 756.0, "H100": 989.0, "A100": 312.0, "L40S": 362.0, "L4": 121.0}
"""Part of a GPU's name -> its specification, in 10^12 bf16 operations with dense matrices per second."""


def specified_teraflops(name: str) -> float | None:
    """Return the specification of the GPU of this name; `None` if the table does not have it."""
    return next((value for part, value in TERAFLOPS.items() if re.search(rf"\b{part}\b", name)), None)


def utilisation(flops: Sequence[float], seconds: Sequence[float], teraflops: float) -> list[float]:
    """Return the achieved share of the specified operations, in percent, for each update."""
    return [100.0 * done / (time * teraflops * 1e12) for done, time in zip(flops, seconds, strict=True)]


def sampling_lines(outcome: Outcome) -> list[Line]:
    """Return the lines about each side's own rollouts."""
    label = "own episodes"
    return [
        compare(
            outcome,
            f"{label}: tokens sampled/s",
            "iteration",
            lambda run: [n / s for n, s in zip(run.tokens, run.rollout_s, strict=True)],
            "rate",
        ),
        compare(
            outcome,
            f"{label}: rollout, s per 1,000 tactics",
            "iteration",
            lambda run: per_thousand_tactics(run.rollout_s, run.tactics),
            "seconds",
            2,
        ),
        *memory_lines(outcome, "iteration", label),
    ]


def utilisation_lines(outcome: Outcome, teraflops: float) -> list[Line]:
    """Return the lines about the model FLOP utilisation of both phases, in percent."""

    def line(label: str, phase: Phase, figure: Callable[[Measurement], Sequence[float]]) -> Line:
        return compare(outcome, f"{label}, % of {teraflops:g} TFLOP/s", phase, figure, "fact", 2)

    return [
        line(
            "one batch: utilisation",
            "learning",
            lambda run: utilisation(run.learning_flops, run.learning_s, teraflops),
        ),
        line(
            "own episodes: utilisation",
            "iteration",
            lambda run: utilisation(run.sampling_flops, run.rollout_s, teraflops),
        ),
    ]


def _device_name(device: str) -> str:
    """Return the device's name.

    Raises:
        ConfigError: There is no GPU.
    """
    import torch

    if device == "cpu":
        return platform.processor() or "a CPU"
    if not torch.cuda.is_available():
        raise ConfigError(
            "no GPU: torch finds no CUDA device; for a run without one: --device cpu --size tiny"
        )
    if not torch.cuda.is_bf16_supported(including_emulation=False):
        raise ConfigError(f"no bf16: {torch.cuda.get_device_name()} does not compute with it")
    return torch.cuda.get_device_name()


def main(arguments: Sequence[str] | None = None, run: Run | None = None) -> None:
    """Print the table."""
    parser = Parser("python -m benchmarks.gpu", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="[%(default)s]")
    parser.add_argument("--size", default="0.6b", help="a name in benchmarks.big_models.SIZES [%(default)s]")
    parser.add_argument("--teraflops", type=float, help="the GPU's specification for bf16 [by its name]")
    add_contest_flags(parser)
    given = parser.parse_args(arguments)
    try:
        name = _device_name(given.device)
        from benchmarks.big_models import SIZES  # loads torch

        if given.size not in SIZES:
            raise ConfigError(unknown_name("size", given.size, SIZES))
        contest = contest_of(given)
        outcome = hold_contest(contest, given.rounds, Console(stderr=True).print, run)
    except (ConfigError, ChildFailed, MemoryUnknown) as error:
        parser.exit(2, f"error: {error}\n")
    lines = [*learning_lines(outcome), *sampling_lines(outcome)]
    teraflops = given.teraflops or specified_teraflops(name)
    console = open_console()
    console.print(f"{name}; {contest}")
    if teraflops is None:
        console.print("utilisation is left out: give --teraflops")
    else:
        lines += utilisation_lines(outcome, teraflops)
    console.print(table_of(lines))


if __name__ == "__main__":
    main()
