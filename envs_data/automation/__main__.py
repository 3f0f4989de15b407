"""Measure what a fixed list of automation scripts proves on a theorem set: the yardstick beside every policy.

    python -m envs_data.automation logic:test nat:test      a table: each script with the share that it proves
    python -m envs_data.automation logic:test,nat:test      the same
    python -m envs_data.automation mine.jsonl --json        the figures as JSON
    python -m envs_data.automation logic --write FILE       the set with `automation: true|false` in every row

Each script of `envs_data.automation.scripts.SCRIPTS` is one tactic text, tried once on the fresh statement. A script
counts where the prover accepts it, no goals are left, and the replayed script is a verified proof
(`lean_gym.verification.verify`). The verdict is deterministic on minilean, whose tactics have a budget of steps;
`--seconds` is a further limit for each script, and the table says how many scripts ran into it. Results are kept in
the user's cache folder, see `envs_data.automation.cache`.

minilean refuses `aesop` as unsupported, so it proves nothing there, and its `grind` knows less than Lean's: see
docs/minilean/divergences.md. A set on which automation fails on minilean may still fall to `grind` on real Lean.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from envs_data.automation.measuring import SECONDS, Measured, measure
from envs_data.automation.scripts import SCRIPTS
from envs_data.progress import ProgressLine
from lean_gym.atomic_files import replacing
from lean_gym.command_line import Parser, unless_closed
from lean_gym.datasets import load_theorems, write_jsonl
from lean_gym.errors import BackendError, LeanGymError
from lean_gym.types import Theorem


def _load(sources: Sequence[str]) -> list[Theorem]:
    """Load sets, each argument one or several separated by commas.

    Raises:
        DataError: A set cannot be used, or two theorems share a name.
    """
    names = [name.strip() for source in sources for name in source.split(",") if name.strip()]
    return load_theorems([theorem for name in names for theorem in load_theorems(name)])


def write_flags(path: Path, theorems: Sequence[Theorem], measured: Measured) -> None:
    """Write the theorems as JSONL with the flag `automation`, by atomic replacement.

    Raises:
        OSError: The file cannot be written.
    """
    flagged = [replace(t, automation=t.name in measured.proved_by_any) for t in theorems]
    with replacing(path) as temporary:
        write_jsonl(temporary, flagged)


def summary(measured: Measured) -> dict[str, Any]:
    """Return the figures as JSON-able values."""
    return {
        "theorems": measured.theorems,
        "best": measured.best,
        "best_script": measured.best_script,
        "any": measured.any,
        "scripts": {script: measured.share(script) for script in SCRIPTS},
        "out_of_time": measured.out_of_time,
        "unusable": dict(measured.unusable),
    }


def _print_table(label: str, measured: Measured) -> None:
    print(f"automation on {label}: {measured.theorems} theorems, one attempt of each script")
    for script in sorted(SCRIPTS, key=measured.share, reverse=True):
        print(f"{100 * measured.share(script):6.1f}%  {script}")
    print(f"best single script: {100 * measured.best:.1f}%, `{measured.best_script}`")
    print(f"any script: {100 * measured.any:.1f}%")
    if measured.out_of_time:
        print(
            f"{measured.out_of_time} attempts ran out of time and count as failed; a faster machine may differ"
        )
    for name, problem in measured.unusable.items():
        print(f"not usable, counts as not proved: {name}: {' / '.join(problem.split(chr(10)))}")


def _seconds(text: str) -> float:
    """Return a number of seconds.

    Raises:
        ArgumentTypeError: The text is no finite number above 0.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number of seconds above 0")
    return value


def _options(text: str) -> dict[str, Any]:
    """Return the options of a backend.

    Raises:
        ArgumentTypeError: The text is no JSON object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a JSON object")
    return value


def _workers(text: str) -> int:
    """Return a number of processes.

    Raises:
        ArgumentTypeError: The text is no number from 0.
    """
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number of processes, 0 for this one")
    return int(text)


def _parser() -> Parser:
    parser = Parser(
        prog="python -m envs_data.automation",
        description="Measure what a fixed list of automation scripts proves on a theorem set.",
    )
    add = parser.add_argument
    add("sets", nargs="+", metavar="SET", help="set name or JSONL path; several may be given, or with commas")
    add("--backend", default="minilean", help="prover that judges (default: %(default)s)")
    add(
        "--backend-options",
        type=_options,
        default={},
        metavar="JSON",
        help='e.g. {"repl_command": ["PROGRAM"]}',
    )
    add("--workers", type=_workers, metavar="N", help="prover processes (default: one per core)")
    add(
        "--seconds",
        type=_seconds,
        default=SECONDS,
        metavar="S",
        help="limit for one script (default: %(default)g)",
    )
    add("--fresh", action="store_true", help="try every script again instead of reading the cache")
    add("--json", action="store_true", help="print the figures as JSON")
    add("--write", type=Path, metavar="FILE", help="write the set to FILE with `automation` in every row")
    return parser


@unless_closed()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status: 0, 1 when the prover fails, 2 for bad usage."""
    parser = _parser()
    options = parser.parse_args(arguments)
    label = ", ".join(options.sets)
    try:
        theorems = _load(options.sets)
        progress = ProgressLine(label, len(theorems), sys.stderr)
        measured = measure(
            theorems,
            options.backend,
            options.workers,
            options.seconds,
            options.fresh,
            progress.show,
            options.backend_options,
        )
        if options.write is not None:
            write_flags(options.write, theorems, measured)
    except BackendError as error:
        print(f"{parser.prog}: backend {options.backend!r} failed: {error}", file=sys.stderr)
        return 1
    except (LeanGymError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{parser.prog}: --write: cannot write {options.write}: {error.strerror}", file=sys.stderr)
        return 2
    if options.json:
        figures = {"set": label, "backend": options.backend, "seconds": options.seconds, **summary(measured)}
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        _print_table(label, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
