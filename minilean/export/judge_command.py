"""`python -m minilean judge CHALLENGE SOLUTION`: compare two exports and replay the proof in minilean's kernel.

    python -m minilean judge challenge.ndjson solution.ndjson                      on top of minilean's library
    python -m minilean judge c.ndjson s.ndjson --theorem t --given imports.ndjson  of real Lean: imports are given
    python -m minilean judge c.ndjson s.ndjson --theorem t --deep                  everything is replayed

The files are lean4export's format. CHALLENGE and the file of `--given` are trusted, SOLUTION is not; none of their
authors' programs runs here. `judge.py` has the rules, and `sorryAx` is never permitted. The answer is one JSON object
on standard output, e.g. `{"proved": true, "axioms": ["propext"]}` or `{"proved": false, "reason": "..."}`.

A file of `--deep` or from real Lean is complete, so that another checker can judge it too: `--nanoda nanoda_bin` has
nanoda check the solution as well, with the same permitted axioms. For other files `--rest` adds to the answer, as
`"rest"`, an export of what the solution mentions of minilean's library, with theorems as axioms.

With `--compare` minilean's kernel checks nothing of the solution, as another one does: without `--nanoda` the answer is
`{"compared": true, "axioms": ["propext"]}` then, which is no proof yet.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from minilean.command_line import Parser
from minilean.elab.sorry import SORRY
from minilean.export.format import export_ndjson
from minilean.export.judge import Refused, compare_exports, judge_exports
from minilean.export.limits import limit_process
from minilean.export.nanoda import nanoda_refusal
from minilean.export.produce import NAME, base_environment
from minilean.export.reader import MAX_BYTES, ReadError, read_export
from minilean.export.replay import ReplayError, used_constants
from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError
from minilean.kernel.fuel import deep_stack
from minilean.library.prefix import PositionError
from minilean.library.private_files import read_regular


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit status: 0 if the solution proves the challenge, 1 if not, 2 for a file that cannot be read.
    """
    parser = _parser()
    options = parser.parse_args(list(argv))
    complete = options.deep or options.given is not None
    if options.nanoda and not complete:
        parser.error("--nanoda needs complete files: --deep or --given")
    if options.rest and complete:
        parser.error("--rest is for files that rest on minilean's library, without --deep and --given")
    limit_process(options.seconds, options.memory_mib)
    try:
        challenge, solution = _read(options.challenge), _read(options.solution)
        given = None if options.given is None else _read(options.given)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    answer = _answer(options, challenge, solution, given)
    print(json.dumps(answer, ensure_ascii=False))
    return 0 if answer.get("proved") or answer.get("compared") else 1


def _parser() -> Parser:
    parser = Parser(
        prog="python -m minilean judge", description="Judge an exported proof of an exported statement."
    )
    parser.add_argument("challenge", metavar="CHALLENGE", help="trusted export of the statement")
    parser.add_argument("solution", metavar="SOLUTION", help="export of the proof")
    parser.add_argument("--theorem", default=NAME, metavar="NAME", help=f"the theorem in both files ({NAME})")
    parser.add_argument(
        "--permit",
        action="append",
        metavar="AXIOM",
        help="axiom to permit; repeat for more (all that the trusted side states)",
    )
    base = parser.add_mutually_exclusive_group()
    base.add_argument("--given", metavar="FILE", help="trusted export of constants that are not replayed")
    base.add_argument("--deep", action="store_true", help="nothing is given: replay everything")
    base.add_argument("--position", default="", help="the place in minilean's library that the theorem is at")
    parser.add_argument(
        "--compare", action="store_true", help="compare only: another kernel checks the declarations"
    )
    parser.add_argument("--nanoda", metavar="PROGRAM", help="have nanoda check the solution too")
    parser.add_argument(
        "--rest", action="store_true", help="answer with what SOLUTION rests on in the library"
    )
    parser.add_argument("--seconds", type=int, help="processor time after which the process ends")
    parser.add_argument("--memory-mib", type=int, help="memory at which the process ends")
    return parser


def _read(path: str) -> str:
    content = read_regular(Path(path))
    if content is None:
        raise OSError(f"{path}: cannot be read; expected a regular file of at most {MAX_BYTES} bytes")
    return content.decode("utf-8", "replace")


def _answer(
    options: argparse.Namespace, challenge: str, solution: str, given: str | None
) -> dict[str, object]:
    complete = options.deep or given is not None
    examine = compare_exports if options.compare else judge_exports
    try:
        base: Environment | None = None if complete else base_environment(options.position).kernel
        with deep_stack():
            axioms = examine(challenge, solution, options.theorem, options.permit, base, given)
    except (Refused, ReadError, ReplayError, KernelError, PositionError, MemoryError) as error:
        return {"proved": False, "reason": str(error) or type(error).__name__}
    if SORRY in axioms:
        return {"proved": False, "reason": "the proof uses `sorry`"}
    if options.nanoda:
        refusal = nanoda_refusal(options.nanoda, solution, axioms)
        if refusal is not None:
            return {"proved": False, "reason": refusal}
    found = "compared" if options.compare and not options.nanoda else "proved"
    answer: dict[str, object] = {found: True, "axioms": list(axioms)}
    if options.rest and base is not None:
        answer["rest"] = _rest(base, solution)
    return answer


def _rest(base: Environment, solution: str) -> str:
    """Return an export of the constants of an environment that a file mentions, theorems as axioms."""
    constants = read_export(solution).constants
    names = {name for constant in constants.values() for name in used_constants(constant)} - constants.keys()
    with deep_stack():
        return export_ndjson(base, sorted(name for name in names if name in base), stated=base)
