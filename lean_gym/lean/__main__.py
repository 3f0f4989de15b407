"""`python -m lean_gym.lean FILE...`: have Lean's own kernel check exports of lean4export's format.

    python -m minilean export --all --as lean4export F.lean > f.ndjson && python -m lean_gym.lean f.ndjson
    python -m lean_gym.lean --on library.ndjson proof.ndjson other.ndjson
    python -m lean_gym.lean --on library.ndjson -                            names of files, as they come on stdin
    python -m lean_gym.lean compile                                          compile minilean's library with Lean

Each FILE is checked by itself, on top of the files of `--on`. The answer to it is one JSON object on a line of standard
output, `{"file": "f.ndjson", "accepted": true, "declarations": 3648, "lean": "4.35.0"}`, or with `"accepted": false`
and the reason. `compile` prints the folder with the .olean files, or the errors of a file of the library that Lean
refuses. Exit code: 0 if all are accepted, 1 if not, 2 if the library or a file of `--on` cannot be used.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from lean_gym.command_line import Parser
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.compiled_library import NotCompiled, compiled_library
from lean_gym.lean.kernel import LeanKernel, Rejected
from lean_gym.lean.library import find_library
from lean_gym.lean.objects import Lean


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["compile"]:
        return _compile(words[1:])
    parser = Parser(
        prog="python -m lean_gym.lean", description="Have Lean's own kernel check exported declarations."
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="export to check; - reads names of files on stdin"
    )
    parser.add_argument(
        "--on", action="append", default=[], metavar="FILE", help="export that the files rest on"
    )
    parser.add_argument("--library", metavar="FILE", help="Lean's library libleanshared.so")
    options = parser.parse_args(words)
    try:
        lean = Lean(find_library(options.library))
        kernel = LeanKernel(lean)
        for file in options.on:
            with _opened(file) as lines:
                kernel.add(lines)
    except (BackendUnavailable, OSError, ValueError, Rejected) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    accepted = True
    for file in _names(options.files):
        answer: dict[str, object] = {"file": file, "lean": lean.version}
        try:
            with _opened(file) as lines:
                answer |= {"accepted": True, "declarations": kernel.judge(lines)}
        except (OSError, ValueError, Rejected) as error:
            answer |= {"accepted": False, "reason": " ".join(str(error).split())}
            accepted = False
        print(json.dumps(answer), flush=True)
    return 0 if accepted else 1


def _compile(words: Sequence[str]) -> int:
    parser = Parser(
        prog="python -m lean_gym.lean compile",
        description="Compile minilean's library with Lean; what is compiled already is kept.",
    )
    parser.add_argument("--library", metavar="FILE", help="Lean's library libleanshared.so")
    options = parser.parse_args(words)
    try:
        library = find_library(options.library)
        folder = compiled_library(library, lambda line: print(line, file=sys.stderr, flush=True))
    except BackendUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except NotCompiled as error:
        print(error, file=sys.stderr)
        return 1
    print(folder)
    return 0


def _opened(file: str) -> TextIO:
    if os.path.exists(file) and not os.path.isfile(file):  # a device or a pipe may never end
        raise OSError(f"{file}: expected a regular file")
    return open(file, encoding="utf-8", errors="surrogateescape")


def _names(given: Sequence[str]) -> Iterator[str]:
    for name in given:
        if name == "-":
            yield from (line.removesuffix("\n") for line in sys.stdin)
        else:
            yield name


if __name__ == "__main__":
    sys.exit(main())
