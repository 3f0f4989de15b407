"""Make a JSONL set of a benchmark, checked statement by statement.

    python -m lean_gym.datasets.convert minif2f:~/miniF2F-lean4 minif2f.jsonl --check --project ~/miniF2F-lean4
    python -m lean_gym.datasets.convert putnambench:~/PutnamBench putnam.jsonl
    python -m lean_gym.datasets.convert leandojo:~/leandojo_benchmark_4:val val.jsonl --checkout ~/mathlib4

SOURCE is what `load_theorems` takes as text. Three files are written:

    OUT.jsonl            the theorems, one a line
    OUT.failures.jsonl   the statements that cannot be used: name, source, message; Lean's message where Lean refused it
    OUT.card.json        source, versions of Lean and Mathlib, which prover checked, how many

With --check each statement is started on a prover, and those that do not start as exactly one goal go to the failures.
The same command continues after an interruption. Exit status: 0 theorems were written, 1 none could be
used, 2 bad usage.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from lean_gym.atomic_files import write_text
from lean_gym.backends import ProofBackend, backend_names, create_backend
from lean_gym.backends.registry import resolve_name
from lean_gym.command_line import Parser, offer_completion
from lean_gym.datasets.check_statements import start_problem
from lean_gym.datasets.formats.benchmarks import cut_layout, read_benchmark
from lean_gym.datasets.formats.problems import BenchmarkSet, Failure
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.datasets.sets import load_theorems
from lean_gym.datasets.splits import cut_split
from lean_gym.errors import BackendError, BackendUnavailable, DataError, LeanGymError
from lean_gym.types import Theorem

_REPORT_EVERY: Final = 50


class StartChecker:
    """Starts theorems on a prover that is replaced when a theorem kills it.

    Args:
        create: Makes a prover.
    """

    def __init__(self, create: Callable[[], ProofBackend]) -> None:
        self._create = create
        self._backend = create()

    def __call__(self, theorem: Theorem) -> str:
        """Return why the theorem cannot be used, `""` if it can; a prover that fails on it twice is a reason.

        Raises:
            BackendUnavailable: The prover cannot be started.
        """
        message = ""
        for _ in range(2):
            try:
                return start_problem(self._backend, theorem)
            except BackendUnavailable:
                raise
            except BackendError as error:
                message = f"the prover failed on it twice: {error}"
                self._backend.close()
                self._backend = self._create()
        return message

    def close(self) -> None:
        """End the prover."""
        self._backend.close()


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The files of one conversion, and what an interrupted one has already written to them.

    Attributes:
        rows: The theorems.
        failures: What cannot be used.
        card: Settings and counts.
    """

    rows: Path
    failures: Path
    card: Path

    @classmethod
    def at(cls, out: str) -> OutputFiles:
        """The three paths that go with `OUT.jsonl`.

        Raises:
            DataError: Another ending.
        """
        path = Path(out)
        if path.suffix != ".jsonl":
            raise DataError(f"OUT: got {out!r}, expected a path that ends in .jsonl")
        return cls(path, path.with_suffix(".failures.jsonl"), path.with_suffix(".card.json"))

    def resume(self, settings: Mapping[str, Any]) -> tuple[dict[str, Any], set[tuple[str, str]]]:
        """Read what an earlier run left: rows by name, and failures by name and source.

        A line that was cut off by the interruption is removed.

        Raises:
            DataError: The files were made by other settings.
        """
        if not self.card.is_file():
            if self.rows.exists():
                raise DataError(
                    f"{self.rows}: exists and has no {self.card.name}; delete it or give another OUT"
                )
            self.rows.parent.mkdir(parents=True, exist_ok=True)
            self.write_card(settings, {})
        card = json.loads(self.card.read_text(encoding="utf-8"))
        if card["settings"] != settings:
            raise DataError(
                f"{self.card}: made by {card['settings']}, expected {dict(settings)}; delete it and "
                f"{self.rows.name}, or give another OUT"
            )
        rows = {row["name"]: row for row in _complete_lines(self.rows)}
        failures = {(failure["name"], failure["source"]) for failure in _complete_lines(self.failures)}
        return rows, failures

    def write_card(self, settings: Mapping[str, Any], counts: Mapping[str, Any]) -> None:
        """Write the card in one step."""
        text = json.dumps({"settings": dict(settings), **counts}, ensure_ascii=False, indent=2) + "\n"
        write_text(self.card, text)


def read_source(source: str, split: str | None, strategy: str, checkout: str | None) -> BenchmarkSet:
    """Read anything that `load_theorems` takes as text, with what cannot be used.

    Raises:
        DataError: It cannot be read, or an option does not fit it.
    """
    benchmark = cut_layout(source)
    if checkout is not None and (benchmark is None or benchmark[0] != "leandojo"):
        raise DataError(f"--checkout: only leandojo sources take one, got {source!r}")
    if benchmark is None:
        return BenchmarkSet(load_theorems(source if split is None else f"{source}:{split}"))
    place, part = cut_split(benchmark[1])
    return read_benchmark(benchmark[0], place, split or part, strategy=strategy, checkout=checkout)


def convert(
    found: BenchmarkSet,
    files: OutputFiles,
    settings: Mapping[str, Any],
    check: Callable[[Theorem], str] | None,
    progress: TextIO,
) -> dict[str, Any]:
    """Write a set; continue an interrupted conversion.

    Args:
        found: The set.
        files: Where to.
        settings: What decides the content; kept on the card.
        check: Why a theorem cannot be used, `""` if it can; `None` to check nothing.
        progress: Where to say how far it is.

    Returns:
        The counts and versions that the card holds.

    Raises:
        DataError: What was written earlier does not belong to this set.
        BackendUnavailable: The prover cannot be started.
    """
    rows, failed = files.resume(settings)
    with files.rows.open("a", encoding="utf-8") as good, files.failures.open("a", encoding="utf-8") as bad:
        for failure in found.failures:
            if (failure.name, failure.source) not in failed:
                _append(bad, asdict(failure))
                failed.add((failure.name, failure.source))
        for number, theorem in enumerate(found.theorems, start=1):
            row = row_from_theorem(theorem)
            if theorem.name in rows:
                if rows[theorem.name] != row:
                    raise DataError(
                        f"{files.rows}: holds another {theorem.name!r}; delete it or give another OUT"
                    )
            elif (theorem.name, theorem.source) not in failed:
                problem = "" if check is None else check(theorem)
                if problem:
                    _append(bad, asdict(Failure(theorem.name, theorem.source, problem)))
                    failed.add((theorem.name, theorem.source))
                else:
                    _append(good, row)
                    rows[theorem.name] = row
            if number % _REPORT_EVERY == 0 or number == len(found.theorems):
                progress.write(f"{number}/{len(found.theorems)} theorems, {len(failed)} failures\n")
                progress.flush()
    counts = {
        "theorems": len(rows),
        "failures": len(failed),
        "splits": dict(Counter(row.get("split", "") for row in rows.values())),
        "lean_versions": sorted({theorem.lean_version for theorem in found.theorems} - {""}),
        "mathlib_revisions": sorted({theorem.mathlib_revision for theorem in found.theorems} - {""}),
    }
    files.write_card(settings, counts)
    return counts


def main(arguments: Sequence[str] | None = None, program: str = "python -m lean_gym.datasets.convert") -> int:
    """Run the command line; return its exit status."""
    parser = _parser(program)
    offer_completion(parser)
    options = parser.parse_args(arguments)
    checker = None
    try:
        files = OutputFiles.at(options.out)
        found = read_source(options.source, options.split, options.strategy, options.checkout)
        settings = {
            "source": options.source,
            "split": options.split,
            "strategy": options.strategy,
            "checkout": options.checkout,
            "checked_on": None,
        }
        if options.check:
            backend_options = {} if options.project is None else {"project_path": options.project}
            name = resolve_name(options.backend, backend_options)
            settings["checked_on"] = name
            # Nothing is verified here, so a REPL with the weaker level is enough.
            checker = StartChecker(lambda: create_backend(name, verify="replay", **backend_options))
        counts = convert(found, files, settings, checker, sys.stderr)
    except (LeanGymError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    finally:
        if checker is not None:
            checker.close()
    print(_summary(files, settings, counts))
    return 0 if counts["theorems"] else 1


def _parser(program: str) -> Parser:
    parser = Parser(
        prog=program,
        description="Make a JSONL set of a benchmark for real Lean.",
    )
    parser.add_argument("source", metavar="SOURCE", help="LAYOUT:PLACE, a set name or a JSONL path")
    parser.add_argument("out", metavar="OUT.jsonl", help="the file to write")
    parser.add_argument("--split", help="keep this split only")
    parser.add_argument("--check", action="store_true", help="start every statement on a prover")
    parser.add_argument(
        "--backend",
        default="auto",
        help=f"the prover for --check: {', '.join(backend_names())} (default: auto)",
    )
    parser.add_argument("--project", help="for --check: the Lean project whose modules are imported")
    parser.add_argument("--strategy", default="random", help="leandojo: which split folder (default: random)")
    parser.add_argument("--checkout", help="leandojo: the traced repository at the traced commit")
    return parser


def _summary(files: OutputFiles, settings: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    splits = ", ".join(
        f"{split or 'no split'} {number}" for split, number in sorted(counts["splits"].items())
    )
    lean = ", ".join(counts["lean_versions"]) or "unknown"
    mathlib = ", ".join(revision[:12] for revision in counts["mathlib_revisions"]) or "unknown"
    checked = (
        f"each starts as one goal on {settings['checked_on']}"
        if settings["checked_on"]
        else "not checked: --check starts each one on a prover"
    )
    return (
        f"{files.rows}: {counts['theorems']} theorems ({splits or 'none'}); {checked}\n"
        f"written for Lean {lean}, Mathlib {mathlib}\n"
        f"{files.failures}: {counts['failures']} statements that cannot be used"
    )


def _append(file: TextIO, row: Mapping[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    file.flush()


def _complete_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file; what an interruption left behind the last line end is cut off."""
    if not path.is_file():
        return []
    content = path.read_bytes()
    complete = content[: content.rfind(b"\n") + 1]
    if len(complete) < len(content):
        path.write_bytes(complete)
    return [json.loads(line) for line in complete.split(b"\n") if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
