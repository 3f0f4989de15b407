"""`python -m lean_gym check FILE...`: Lean's messages about files, and with `--kernel lean` its own kernel's verdict.

    python -m lean_gym check Proofs.lean                  as `python -m minilean check`
    python -m lean_gym check --kernel lean Proofs.lean    Proofs.lean: Lean 4.35.0 accepts 31 declarations
    python -m lean_gym check --kernel lean t.ndjson       an export of lean4export's format

The messages are minilean's, which elaborates the files. With `--kernel lean` the declarations of a file without errors
are exported as minilean's kernel accepted them, on the library's theorems as axioms, and Lean's kernel has to accept
them too. A file of a project, with imports of its own, is not exported.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.verification.kernels import LeanKernelProcess, chosen_kernels

_EXPORT: Final = ".ndjson"
_SECONDS: Final = 600.0
"""Wall-clock seconds of Lean's kernel for a file."""


def main(argv: Sequence[str], program: str) -> int:
    """Run the command line.

    Args:
        argv: Words after the program's name.
        program: How the program was started, for messages.

    Returns:
        The exit status: 0, 1 for errors in a file or a refusal, 2 for a file that cannot be read or a kernel that is
        not here.
    """
    parser = Parser(prog=program, description="Elaborate Lean files and print Lean's messages.")
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help=f"a Lean source file; with --kernel lean also {_EXPORT}"
    )
    parser.add_argument(
        "--kernel",
        default="minilean",
        choices=("minilean", "lean"),
        help="the kernel with the last word (minilean)",
    )
    parser.add_argument("--root", metavar="DIR", help="folder in which imports are looked for")
    parser.add_argument("--json", action="store_true", help="print one JSON object a message")
    offer_completion(parser)
    options = parser.parse_args(argv)
    sources = [file for file in options.files if not file.endswith(_EXPORT)]
    try:
        chosen_kernels(options.kernel, complete=True)
    except BackendUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.kernel == "minilean" and len(sources) < len(options.files):
        parser.error(f"{_EXPORT} files are for --kernel lean, or for python -m minilean judge")
    flags = ["--json"] * options.json + (["--root", options.root] if options.root else [])
    status = _minilean("check", *flags, "--", *sources) if sources else 0
    if status == 0 and options.kernel == "lean":
        with unless_closed():
            return _by_lean(options.files, options.json)
    return status


def _minilean(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "minilean", *words], check=False).returncode


def _by_lean(files: Sequence[str], as_json: bool) -> int:
    """Have Lean's kernel check files, and print a line for each; return the exit status."""
    status = 0
    kernel = LeanKernelProcess()
    try:
        with tempfile.TemporaryDirectory(prefix="lean-gym-") as folder:
            for file in files:
                export = file
                if not file.endswith(_EXPORT):
                    export = str(Path(folder, f"file{_EXPORT}"))
                    ended = _minilean(
                        "export", "--all", "--given", "--as", "lean4export", "--output", export, "--", file
                    )
                    if ended != 0:
                        status = max(status, ended)
                        continue
                try:
                    answer = kernel.answer([export], time.monotonic() + _SECONDS)
                except BackendError as error:
                    answer = {"accepted": False, "reason": str(error)}
                status = max(status, 0 if answer["accepted"] else 1)
                _print(file, answer, as_json)
    finally:
        kernel.close()
    return status


def _print(file: str, answer: dict[str, Any], as_json: bool) -> None:
    if as_json:
        facts = {key: value for key, value in answer.items() if key != "file"}
        line = json.dumps({"fileName": file, "kernel": "lean", **facts}, ensure_ascii=False)
    elif answer["accepted"]:
        line = f"{file}: Lean {answer['lean']} accepts {answer['declarations']} declarations"
    else:
        line = f"{file}: error: Lean's kernel: {answer['reason']}"
    print(line, flush=True)
