"""Benchmark for checkers of Lean proofs: a score for each class of tricks.

    python -m lean_gym.checkers --checker 'python -m lean_gym verify'
    python -m lean_gym.checkers --checker ./my_checker --class sorry --json

The checker is any program: it gets one JSON object a line on standard input, and answers each with one JSON object a
line on standard output. docs/lean_gym/benchmark.md has the protocol. The exit status is 0 if every answer is right,
`unsupported` aside, 1 if not, and 2 for a checker that cannot be started.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from lean_gym.checkers.benchmark import SECONDS, Checker, run
from lean_gym.checkers.tricks import Case, all_cases
from lean_gym.command_line import Parser
from lean_gym.errors import unknown_name


def _chosen(wanted: Sequence[str] | None) -> list[Case]:
    cases = all_cases()
    groups = list(dict.fromkeys(case.group for case in cases))
    for name in wanted or ():
        if name not in groups:
            raise ValueError(f"--class: {unknown_name('class', name, groups)}")
    return [case for case in cases if wanted is None or case.group in wanted]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default that of the process; the exit status is described above."""
    parser = Parser(prog="python -m lean_gym.checkers", description="Score a checker of Lean proofs.")
    parser.add_argument("--checker", required=True, metavar="COMMAND", help="the checker, as in a shell")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for an answer ({SECONDS:.0f})")
    parser.add_argument("--class", action="append", dest="classes", help="only this class; repeat for more")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    try:
        cases = _chosen(options.classes)
        command = shlex.split(options.checker)
        if not command:
            raise ValueError("--checker: got nothing, expected a command")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    checker = Checker(command, options.seconds)
    try:
        report = run(checker, cases)
    except OSError as error:
        print(f"--checker: {command[0]!r} cannot be started: {error}", file=sys.stderr)
        return 2
    finally:
        checker.close()
    print(report.as_json() if options.json else report.table())
    if not options.json:
        for group, text, kind in report.wrong:
            if kind != "unsupported":
                print(f"{kind}: {group}: {text}")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
