"""Write a report on one or several runs, one HTML file.

    python -m trainers.report runs/RUN                      writes runs/RUN/report.html
    python -m trainers.report runs/A runs/B --out both.html compares runs

The file has learning curves, the table of theorems with proof trees, failures by error, and the settings. It needs no
network and no server. Evaluations of a run (`python -m trainers.evaluate`) that lie beside its folder are found.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lean_gym.command_line import Parser, offer_completion
from trainers.config.cli import ending_in_one_line
from trainers.config.flags import fail
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.report") -> int:
    """Run the command line and return the exit code.

    Args:
        arguments: Words after the program's name; `None` takes those of the process.
        program: The program's name, for messages.
    """
    parser = Parser(prog=program, description=(__doc__ or "").partition("\n")[0], allow_abbrev=False)
    parser.add_argument("run", nargs="+", metavar="RUN", help="folder of a run; several are compared")
    parser.add_argument(
        "--out", metavar="FILE", help="the file to write (default: report.html in the first RUN)"
    )
    offer_completion(parser)
    with ending_in_one_line():
        given, unknown = parser.parse_known_args(arguments)
        if unknown:
            fail(f"{program}: unknown flag {unknown[0]}; see --help")
        paths = [Path(run) for run in given.run]
        out = Path(given.out) if given.out is not None else paths[0] / "report.html"
        write_report(paths, out)
    return 0


def write_report(paths: Sequence[Path], out: Path) -> None:
    """Write the report on some runs, and print its path and what is missing or broken in the runs.

    Raises:
        ConfigError: A folder is no run, or the file cannot be written.
    """
    # The page first: a missing package is told before anything is read.
    from trainers.reporting.page import render  # isort: skip
    from trainers.reporting.gather import gather
    from trainers.reporting.run_folder import read_run

    if len({path.resolve() for path in paths}) < len(paths):
        raise ConfigError("RUN: expected different runs, got one of them twice")
    records = [read_run(path, name) for path, name in zip(paths, run_names(paths), strict=True)]
    if out.is_dir() or not out.parent.is_dir():
        raise ConfigError(f"--out {out}: expected a file in a folder that exists")
    runs = [gather(record) for record in records]
    write_text(out, render(runs))
    for run in runs:
        for note in run.record.notes:
            print(f"note: {run.record.name}: {' '.join(note.split())}", file=sys.stderr)
    print(f"report: {out} ({out.stat().st_size / 1e6:.1f} MB)")


def run_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run: that of its folder, with the folders above it where two are alike."""
    full = [path.resolve() for path in paths]
    for depth in range(1, max(len(path.parts) for path in full) + 1):
        names = ["/".join(path.parts[-depth:]) for path in full]
        if len(set(names)) == len(names):
            break
    return names


if __name__ == "__main__":
    sys.exit(main())
