"""Measure what a fixed list of automation scripts proves on a theorem set: the yardstick beside every policy.

    python -m envs_data.automation logic:test nat:test      a table: each script with the share that it proves
    python -m envs_data.automation logic:test,nat:test      the same
    python -m envs_data.automation mine.jsonl --json        the figures as JSON
    python -m envs_data.automation logic --write FILE       the set with `automation: true|false` in every row

Each script of `SCRIPTS` is one tactic text, tried once on the fresh statement. A script counts where the prover
accepts it, no goals are left, and the replayed script is a verified proof (`lean_gym.verification.verify`). The
verdict is deterministic on minilean, whose tactics have a budget of steps; `--seconds` is a further limit for each
script, and the table says how many scripts ran into it. Results are kept in the user's cache folder, see
`envs_data.automation_cache`.

minilean refuses `grind` and `aesop` as unsupported, so they prove nothing there. A set on which automation fails on
minilean may still fall to `grind` on real Lean.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from envs_data.automation_cache import (
    FAILED,
    OUT_OF_TIME,
    PROVED,
    UNUSABLE,
    add_entries,
    cache_path,
    entry_key,
    read_entries,
)
from envs_data.automation_scripts import SCRIPTS, filled
from envs_data.progress import Progress
from lean_gym.backends.registry import backend_factory, results_key
from lean_gym.datasets import load_theorems, write_jsonl
from lean_gym.errors import BackendError, DataError, LeanGymError
from lean_gym.execution import Job, ProverOptions, Reply
from lean_gym.pool import PoolOptions, create_pool, usable_cores
from lean_gym.types import Theorem

SECONDS: Final = 10.0
"""Seconds for one script, and as many again for its verification; a limit for safety, far above what scripts need."""
_SIDE_BY_SIDE: Final = 32


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of the scripts on some theorems.

    Attributes:
        theorems: Their number.
        proved: Script of `SCRIPTS` -> names of the theorems that it proves.
        out_of_time: Number of scripts, over all theorems, that ran into the limit of seconds.
        unusable: Name of each theorem that does not elaborate -> the prover's message. No script proves it.
    """

    theorems: int
    proved: Mapping[str, frozenset[str]]
    out_of_time: int
    unusable: Mapping[str, str]

    def share(self, script: str) -> float:
        """Return the share of the theorems that a script proves, from 0 to 1."""
        return len(self.proved[script]) / self.theorems

    @property
    def best_script(self) -> str:
        """Return the script that proves most, the earliest among equals."""
        return max(self.proved, key=lambda script: len(self.proved[script]))

    @property
    def best(self) -> float:
        """Return the share that the best single script proves."""
        return self.share(self.best_script)

    @property
    def proved_by_any(self) -> frozenset[str]:
        """Return the names of the theorems that at least one script proves."""
        return frozenset().union(*self.proved.values())

    @property
    def any(self) -> float:
        """Return the share that at least one script proves."""
        return len(self.proved_by_any) / self.theorems


def measure(
    theorems: Sequence[Theorem],
    backend: str = "minilean",
    workers: int | None = None,
    seconds: float = SECONDS,
    fresh: bool = False,
    on_theorem: Callable[[int], None] = lambda done: None,
) -> Measured:
    """Return what every script proves, from the cache where it is known.

    Args:
        theorems: At least one, with names that are unique.
        backend: Registered name of the prover. Results of minilean are cached.
        workers: Prover processes; 0 for this process, `None` for one per core.
        seconds: Limit for one script.
        fresh: Try every script again, and replace what the cache holds.
        on_theorem: Told the number of theorems that are done, after each; may raise to stop.

    Raises:
        ValueError: Unknown backend.
        BackendError: The prover cannot be used.
    """
    tries = [_Tries(theorem) for theorem in theorems]
    prover = results_key(backend)
    path = None if prover is None else cache_path(prover, seconds)
    known = {} if path is None or fresh else read_entries(path)
    missing = [each for each in tries if not each.recall(known.get(each.key, ""))]
    finished: dict[str, str] = {}
    try:
        done = len(tries) - len(missing)
        for each in _tried(missing, backend, workers, seconds):
            finished[each.key] = each.entry
            done += 1
            on_theorem(done)
    finally:
        if path is not None and finished:
            add_entries(path, finished)
    return _collected(tries)


class _Tries:
    """The scripts of one theorem; equal texts are tried once.

    Attributes:
        theorem: The theorem.
        texts: Script -> its text for this theorem, `None` without a value for a placeholder.
        results: Text -> one of the letters of `envs_data.automation_cache`, once it is known.
        problem: Message of the prover where the statement does not elaborate.
    """

    def __init__(self, theorem: Theorem) -> None:
        self.theorem = theorem
        self.texts = {script: filled(script, theorem) for script in SCRIPTS}
        self._distinct = list(dict.fromkeys(filter(None, self.texts.values())))
        self.results: dict[str, str] = {}
        self.problem = ""

    @property
    def key(self) -> str:
        """Return the key in the cache."""
        return entry_key(self.theorem, self._distinct)

    @property
    def entry(self) -> str:
        """Return the entry for the cache, when all texts are tried."""
        if self.problem:
            return UNUSABLE + self.problem
        return "".join(self.results[text] for text in self._distinct)

    @property
    def next_text(self) -> str | None:
        """Return the next text to try, `None` after the last one."""
        if self.problem or len(self.results) == len(self._distinct):
            return None
        return self._distinct[len(self.results)]

    def recall(self, entry: str) -> bool:
        """Take over an entry of the cache; return whether it is one."""
        if entry.startswith(UNUSABLE):
            self.problem = entry.removeprefix(UNUSABLE)
        elif len(entry) == len(self._distinct) and set(entry) <= {PROVED, FAILED, OUT_OF_TIME}:
            self.results = dict(zip(self._distinct, entry, strict=True))
        return self.next_text is None

    def record(self, text: str, reply: Reply, seconds: float) -> None:
        """Keep the result of one text."""
        if isinstance(reply.failure, DataError):
            self.problem = str(reply.failure)
        elif reply.failure is not None:
            raise reply.failure
        elif reply.verdict is not None and reply.verdict.proved:
            self.results[text] = PROVED
        else:
            self.results[text] = OUT_OF_TIME if reply.seconds >= seconds else FAILED


def _tried(missing: Sequence[_Tries], backend: str, workers: int | None, seconds: float) -> Iterator[_Tries]:
    """Try all texts, those of one theorem in one slot of a pool; yield each theorem when it is done."""
    if not missing:
        return
    pool = create_pool(
        backend_factory(backend, {}),
        ProverOptions(cache_size=0),
        PoolOptions(),
        num_workers=usable_cores() if workers is None else workers,
        context="spawn",
        theorems=[each.theorem for each in missing],
    )
    waiting = list(reversed(missing))
    playing: dict[int, _Tries] = {}
    free = list(range(_SIDE_BY_SIDE))
    moved: list[int] = []
    try:
        while waiting or playing:
            while free and waiting:
                moved.append(free.pop())
                playing[moved[-1]] = waiting.pop()
            texts = {slot: playing[slot].next_text for slot in moved}
            pool.submit([Job(slot, playing[slot].theorem, (), text, seconds) for slot, text in texts.items()])
            moved = []
            for slot, reply in pool.receive(1).items():
                each = playing[slot]
                each.record(each.next_text or "", reply, seconds)
                if each.next_text is None:
                    free.append(slot)
                    yield playing.pop(slot)
                else:
                    moved.append(slot)
    finally:
        pool.close()


def _collected(tries: Sequence[_Tries]) -> Measured:
    """Return the results of all theorems."""
    proved = {
        script: frozenset(t.theorem.name for t in tries if t.results.get(t.texts[script] or "") == PROVED)
        for script in SCRIPTS
    }
    out_of_time = sum(result == OUT_OF_TIME for each in tries for result in each.results.values())
    unusable = {each.theorem.name: each.problem for each in tries if each.problem}
    return Measured(len(tries), proved, out_of_time, unusable)


def _load(sources: Sequence[str]) -> list[Theorem]:
    """Load sets, each argument one or several separated by commas.

    Raises:
        DataError: A set cannot be used, or two theorems share a name.
    """
    names = [name.strip() for source in sources for name in source.split(",") if name.strip()]
    return load_theorems([theorem for name in names for theorem in load_theorems(name)])


def wrong_flags(theorems: Sequence[Theorem], measured: Measured) -> list[Theorem]:
    """Return the theorems whose flag `automation` says something else than the measurement; `None` says nothing."""
    return [t for t in theorems if t.automation not in (None, t.name in measured.proved_by_any)]


def write_flags(path: Path, theorems: Sequence[Theorem], measured: Measured) -> None:
    """Write the theorems as JSONL with the flag `automation`, by atomic replacement.

    Raises:
        OSError: The file cannot be written.
    """
    flagged = [replace(t, automation=t.name in measured.proved_by_any) for t in theorems]
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        write_jsonl(temporary, flagged)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


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


def _workers(text: str) -> int:
    """Return a number of processes.

    Raises:
        ArgumentTypeError: The text is no number from 0.
    """
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number of processes, 0 for this one")
    return int(text)


class _Parser(argparse.ArgumentParser):
    """Parser that reports bad usage in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m envs_data.automation",
        description="Measure what a fixed list of automation scripts proves on a theorem set.",
    )
    add = parser.add_argument
    add("sets", nargs="+", metavar="SET", help="set name or JSONL path; several may be given, or with commas")
    add("--backend", default="minilean", help="prover that judges (default: %(default)s)")
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status: 0, 1 when the prover fails, 2 for bad usage."""
    parser = _parser()
    options = parser.parse_args(arguments)
    label = ", ".join(options.sets)
    try:
        theorems = _load(options.sets)
        progress = Progress(label, len(theorems), sys.stderr)
        measured = measure(
            theorems, options.backend, options.workers, options.seconds, options.fresh, progress.show
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
