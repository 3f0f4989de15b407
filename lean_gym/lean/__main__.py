"""`python -m lean_gym.lean FILE...`: have Lean's own kernel check exports of lean4export's format.

    python -m minilean export --all --as lean4export F.lean > f.ndjson && python -m lean_gym.lean f.ndjson
    python -m lean_gym.lean --on library.ndjson proof.ndjson other.ndjson
    python -m lean_gym.lean --on library.ndjson -                            names of files, as they come on stdin
    python -m lean_gym.lean compile                                          compile minilean's library with Lean

Each FILE is checked by itself, on top of the files of `--on`, in a process of its own that has read them. A line of
standard input names one file; of several, with tabs between, each rests on those before it, and the last is answered
about. The answer to a file is one JSON object on a line of standard output,
`{"file": "f.ndjson", "accepted": true, "declarations": 3648, "lean": "4.35.0"}`, or with `"accepted": false` and the
reason. `compile` prints the folder with the .olean files, or the errors of a file of the library that Lean refuses.
Exit code: 0 if all are accepted, 1 if not, 2 if the library or a file of `--on` cannot be used.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from lean_gym.command_line import Parser
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.child import ChildError, in_child
from lean_gym.lean.compiled_library import NotCompiled, compiled_library
from lean_gym.lean.kernel import ExportError, LeanKernel, Rejected
from lean_gym.lean.library import find_library
from lean_gym.lean.objects import Lean

MAX_LINE: Final = 1 << 24
"""Greatest number of characters of a row, as for minilean's reader."""


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
    parser.add_argument("--seconds", type=_positive, help="processor time for a file")
    parser.add_argument(
        "--memory-mib", type=_positive, help="address space for a file, the library's 2,400 MiB included"
    )
    options = parser.parse_args(words)
    try:
        lean = Lean(find_library(options.library))
        if not options.on:
            return _judge_all(LeanKernel(lean), options)
        # Files of --on may end the process that reads them.
        return int(in_child(lambda: {"status": _judge_on(lean, options)})["status"])
    except (BackendUnavailable, ChildError, OSError, ValueError) as error:
        return _unusable(error)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"got {text!r}, expected a whole number from 1")
    return int(text)


def _judge_on(lean: Lean, options: Namespace) -> int:
    kernel = LeanKernel(lean)
    try:
        for file in options.on:
            kernel.add(_lines(file))
    except (OSError, ValueError, Rejected, MemoryError) as error:
        return _unusable(error)
    return _judge_all(kernel, options)


def _unusable(error: Exception) -> int:
    print(f"error: {_reason(error)}", file=sys.stderr, flush=True)
    return 2


def _judge_all(kernel: LeanKernel, options: Namespace) -> int:
    accepted = True
    gc.freeze()  # else a collection in a child copies all that it shares with this process
    for files in _names(options.files):
        answer: dict[str, Any] = {"file": files[-1], "lean": kernel.version}
        try:
            answer |= in_child(partial(_judged, kernel, files), options.seconds, options.memory_mib)
        except ChildError as error:
            answer |= {"accepted": False, "reason": _reason(error)}
        accepted = accepted and answer["accepted"]
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
    except NotCompiled as error:
        print(error, file=sys.stderr)
        return 1
    except BackendUnavailable as error:
        return _unusable(error)
    print(folder)
    return 0


def _judged(kernel: LeanKernel, files: Sequence[str]) -> dict[str, Any]:
    try:
        for file in files[:-1]:
            kernel.add(_lines(file))
        before = kernel.declarations
        kernel.add(_lines(files[-1]))
    except (OSError, ValueError, Rejected, MemoryError) as error:
        return {"accepted": False, "reason": _reason(error)}
    return {"accepted": True, "declarations": kernel.declarations - before}


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _lines(name: str) -> Iterator[str]:
    if os.path.exists(name) and not os.path.isfile(name):  # a device or a pipe may never end
        raise OSError(f"{name}: expected a regular file")
    with open(name, encoding="utf-8", errors="surrogateescape") as file:
        number = 1
        while line := file.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise ExportError(f"line {number}: expected at most {MAX_LINE} characters")
            yield line
            number += 1


def _names(given: Sequence[str]) -> Iterator[list[str]]:
    for name in given:
        if name == "-":
            sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]  # any bytes name a file
            yield from (line.removesuffix("\n").split("\t") for line in sys.stdin)
        else:
            yield [name]


if __name__ == "__main__":
    sys.exit(main())
