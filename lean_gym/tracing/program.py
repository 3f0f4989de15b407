"""`python -m lean_gym trace`: a data set of a Lean project in LeanDojo's layout.

    python -m lean_gym trace my_project --out traced/my_project
    python -m lean_gym trace https://host/owner/project@v1.0 --out traced/project --jsonl --jobs 4
    python -m lean_gym trace minilean --out traced/library --jsonl
    python -m lean_gym trace my_project --out traced/my_project --backend pantograph

A project is a folder, with a lakefile or without, a git repository as URL@COMMIT or FOLDER@COMMIT, or `minilean`, the
embedded Lean's own library. A second run into the same folder traces changed files, and those that import them. A file
that cannot be traced is one line on standard error and a row in `metadata.json`; the others go on.
docs/lean_gym/tracing.md describes the data set.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.errors import BackendError
from lean_gym.tracing.project import BACKENDS, MINILEAN, Summary, trace

INTERRUPTED: Final = 130
_BAR: Final = 30
_SHOWN: Final = ("failed", "left out")


def main(arguments: Sequence[str], program: str = "python -m lean_gym trace") -> int:
    """Run the command line.

    Returns:
        The exit status: 0 when every file was traced as a whole, 1 when one was not, 2 for a source that cannot be
        traced, 130 when the run was ended from outside.
    """
    given = _arguments(arguments, program)
    try:
        with unless_closed():
            summary = trace(
                given.project,
                given.out,
                jsonl=given.jsonl,
                jobs=given.jobs,
                backend=given.backend,
                backend_options=given.backend_options,
                on_progress=_show_bar if sys.stderr.isatty() else None,
            )
            return _report(summary)
    except OSError as error:
        print(f"error: {error.filename or given.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    except (ValueError, BackendError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ended; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED


def _arguments(arguments: Sequence[str], program: str) -> argparse.Namespace:
    parser = Parser(
        prog=program,
        description="Make a data set of a Lean project in LeanDojo's layout: premises, proof steps, theorems.",
    )
    parser.add_argument("project", metavar="PROJECT", help="folder, URL[@COMMIT], FOLDER@COMMIT, or minilean")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the data set")
    parser.add_argument("--jsonl", action="store_true", help="also write the theorems as episodes")
    parser.add_argument("--jobs", type=_positive, default=1, metavar="N", help="files traced at a time (1)")
    parser.add_argument("--backend", choices=BACKENDS, default=MINILEAN, help="the prover (minilean)")
    parser.add_argument(
        "--backend-options",
        type=_options,
        metavar="JSON",
        help="for pantograph: repl_command, lean_path, ...",
    )
    offer_completion(parser)
    return parser.parse_args(list(arguments))


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a JSON object")
    return options


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number from 1 on")
    return int(text)


def _show_bar(done: int, total: int, path: str) -> None:
    """Redraw the progress bar on standard error."""
    filled = _BAR * done // total
    end = "\n" if done == total else ""
    print(
        f"\r\x1b[K[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total} {path}",
        end=end,
        file=sys.stderr,
        flush=True,
    )


def _report(summary: Summary) -> int:
    for file in summary.files:
        if file.status in _SHOWN:
            print(f"{file.path}: {file.status}: {file.reason}", file=sys.stderr)
    states = Counter(file.status for file in summary.files)
    print(", ".join(f"{count} {status}" for status, count in sorted(states.items())))
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in summary.counts.items()))
    return int(any(file.reason for file in summary.files))
