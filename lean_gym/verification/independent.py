"""`verify="independent"`: a judgement by a process that never saw the candidate's text, in a kernel of its own.

Three processes, as in leanprover/comparator:

1. The *challenge*: statement and context alone, compiled and exported in lean4export's format. It is trusted.
2. The *solution*: the same with the script, compiled and exported in the sandbox. Nothing that it says is believed.
3. The *judge*, `python -m minilean judge`, reads the two files. It compares the statement and everything below it,
   replays what is new in minilean's kernel, and lists the axioms. Lean's own kernel (`lean_gym.lean`) has to
   accept as well where its library is installed, and nanoda where it is and the files are complete.

What the imports of the challenge declare is taken as given: minilean's library, or what lean4export writes of real
Lean's modules without the candidate. With `deep` nothing is given, and all of it is replayed.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import BackendUnavailable, DataError
from lean_gym.lean.library import find_library
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.processes import Finished, run_program
from lean_gym.verification.verify import PERMITTED_AXIOMS

Wrap = Callable[[Sequence[str]], list[str]]
"""Puts a command line into a sandbox."""

LEVEL: Final = "independent"
MEMORY_MIB: Final = 8192
"""Address space of each of minilean's processes, MiB."""
NANODA: Final = "nanoda_bin"
LEAN_PROGRAMS: Final = ("lean", "lean4export")
# Names that lean4export reads on its command line; others are written along with what mentions them.
_PLAIN_NAME: Final = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")
_MAX_ARGUMENTS: Final = 1_000_000
"""Characters of one command line."""
# The module has one name in both files, since private names contain it.
_COMPILE: Final = """
set -e
base=/dev/shm; test -w "$base" || base="${TMPDIR:-/tmp}"
d=$(mktemp -d "$base/proof-XXXXXX")
trap 'rm -rf "$d"' EXIT
cat > "$d/Proof.lean"
lean -o "$d/Proof.olean" "$d/Proof.lean" 1>&2
LEAN_PATH="$d${LEAN_PATH:+:$LEAN_PATH}" lean4export Proof -- "$@"
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The texts that the judge gets.

    Attributes:
        challenge: Export of the statement.
        solution: Export of the proof.
        theorem: The name of the theorem in both.
        given: Export of constants that are taken as given; `None` for minilean's library, or with `deep` for nothing.
        position: The place in minilean's library.
        deep: Nothing is given.
    """

    challenge: str
    solution: str
    theorem: str
    given: str | None = None
    position: str = ""
    deep: bool = False


def judge_files(files: Files, deadline: float, wrap: Wrap = list) -> Verdict:
    """Have a fresh process judge two exports.

    Args:
        files: The exports.
        deadline: `time.monotonic()` at which the process is killed.
        wrap: The sandbox.

    Raises:
        BackendTimeout: No answer in time.
        BackendUnavailable: The judge does not run.
    """
    with tempfile.TemporaryDirectory(prefix="lean-gym-") as folder:
        paths = {}
        for name in ("challenge", "solution", "given"):
            text = getattr(files, name)
            if text is not None:
                paths[name] = str(Path(folder, f"{name}.ndjson"))
                Path(paths[name]).write_text(text, "utf-8")
        arguments = [paths["challenge"], paths["solution"], "--theorem", files.theorem]
        if files.given is not None:
            arguments += ["--given", paths["given"]]
        elif files.deep:
            arguments += ["--deep"]
        elif files.position:
            arguments += ["--position", files.position]
        complete = files.deep or files.given is not None
        nanoda = shutil.which(NANODA) if complete else None
        if nanoda is not None:
            arguments += ["--nanoda", nanoda]
        lean = _lean_library()
        if lean is not None and not complete:
            arguments += ["--rest"]
        kernels = ["minilean", *(["nanoda"] if nanoda else []), *(["lean"] if lean else [])]
        details = {"kernels": kernels, "deep": files.deep}
        done = _minilean("judge", arguments, "", deadline, wrap)
        verdict = _verdict(done, details)
        if not verdict.proved or lean is None:
            return verdict
        below: list[str] = []
        if not complete:
            below = ["--on", str(Path(folder, "rest.ndjson"))]
            Path(below[1]).write_text(json.loads(done.output)["rest"], "utf-8")
        refusal = _lean_refusal(lean, [*below, paths["solution"]], deadline, wrap)
    return verdict if refusal is None else Verdict(False, refusal, details=details, level=LEVEL)


def _lean_library() -> Path | None:
    try:
        return find_library()
    except BackendUnavailable:
        return None


def _lean_refusal(library: Path, files: Sequence[str], deadline: float, wrap: Wrap) -> str | None:
    """Return why Lean's own kernel refuses an export; `None` if it accepts."""
    done = run_lean_kernel(library, files, deadline, wrap)
    try:
        answer = json.loads(done.output)
        if answer["accepted"] is True and done.status == 0:
            return None
        reason = str(answer["reason"])
    except (ValueError, KeyError, TypeError):
        reason = f"no answer: {done.last_line}"
    return f"independent check: Lean's kernel: {reason}"


def run_lean_kernel(library: Path, files: Sequence[str], deadline: float, wrap: Wrap = list) -> Finished:
    """Have Lean's own kernel check an export in a fresh process, `python -m lean_gym.lean`.

    Args:
        library: Lean's library.
        files: The export, behind `--on` and what it rests on.
        deadline: `time.monotonic()` at which the process is killed.
        wrap: The sandbox.

    Raises:
        BackendTimeout: No answer in time.
        BackendUnavailable: The process cannot be started.
    """
    command = [sys.executable, "-m", "lean_gym.lean", "--library", str(library), *files]
    return run_program(wrap(command), "", deadline - time.monotonic())


def _verdict(done: Finished, details: dict[str, Any]) -> Verdict:
    try:
        answer = json.loads(done.output)
        if answer["proved"] is True and done.status == 0:
            return Verdict(True, axioms=tuple(map(str, answer["axioms"])), details=details, level=LEVEL)
        reason = str(answer["reason"])
    except (ValueError, KeyError, TypeError):
        reason = f"the judge gave no answer: {done.last_line}"
    return Verdict(False, f"independent check: {reason}", details=details, level=LEVEL)


def _minilean(command: str, arguments: Sequence[str], text: str, deadline: float, wrap: Wrap) -> Finished:
    seconds = deadline - time.monotonic()
    limits = ["--seconds", str(max(1, int(seconds) + 1)), "--memory-mib", str(MEMORY_MIB)]
    return run_program(wrap([sys.executable, "-m", "minilean", command, *arguments, *limits]), text, seconds)


# --- minilean ---------------------------------------------------------------------------------------------------


def export_with_minilean(
    theorem: Theorem, tactics: Sequence[str] | None, deadline: float, deep: bool = False, wrap: Wrap = list
) -> Finished:
    """Have a fresh process of minilean export a statement, or a proof of it.

    Args:
        theorem: The statement.
        tactics: The script; `None` for the statement alone.
        deadline: `time.monotonic()` at which the process is killed.
        deep: Prove the library anew and export it too.
        wrap: The sandbox.

    Raises:
        BackendTimeout: It did not end in time.
        BackendUnavailable: It does not run.
    """
    source = {"statement": theorem.statement, "context": theorem.context, "position": theorem.position}
    if tactics is not None:
        source["tactics"] = list(tactics)  # type: ignore[assignment]
    return _minilean("export-proof", ["--deep"] if deep else [], json.dumps(source), deadline, wrap)


# --- real Lean --------------------------------------------------------------------------------------------------


def require_lean() -> None:
    """Check that real Lean's programs for this check are on `PATH`.

    Raises:
        BackendUnavailable: One is not.
    """
    for program in LEAN_PROGRAMS:
        if shutil.which(program) is None:
            raise BackendUnavailable(
                f"verify='independent': the program {program!r} is not on PATH; install Lean by elan, and build "
                "github.com/leanprover/lean4export for the same version of Lean"
            )


def lean_files(
    challenge: str,
    solution: str,
    theorem: str,
    imports: Sequence[str],
    deadline: float,
    lean_path: str | None = None,
    deep: bool = False,
    wrap: Wrap = list,
) -> Files | Verdict:
    """Compile and export a challenge and a solution with real Lean, each in processes of its own.

    Args:
        challenge: Lean source with the statement and `sorry` for a proof.
        solution: The candidate's Lean source.
        theorem: The full name of the theorem.
        imports: The modules that the challenge imports.
        deadline: `time.monotonic()` at which the processes are killed.
        lean_path: `LEAN_PATH` with the compiled modules.
        deep: Nothing is taken as given.
        wrap: The sandbox.

    Returns:
        The files for `judge_files`; a refusal where the solution does not compile.

    Raises:
        DataError: The challenge does not compile.
        BackendTimeout: A process did not end in time.
        BackendUnavailable: A program is missing.
    """
    require_lean()
    environment = {} if lean_path is None else {"LEAN_PATH": lean_path}

    def export(source: str, names: Sequence[str]) -> Finished:
        command = wrap(["sh", "-c", _COMPILE, "sh", *names])
        return run_program(command, source, deadline - time.monotonic(), environment)

    stated = export(challenge, [theorem, *PERMITTED_AXIOMS])
    if stated.status != 0:
        raise DataError(f"theorem {theorem!r}: the challenge does not compile: {stated.last_line}")
    solved = export(solution, [theorem])
    if solved.status != 0:
        return Verdict(False, f"independent check: does not compile: {solved.last_line}", level=LEVEL)
    if deep:
        return Files(stated.output, solved.output, theorem, deep=True)
    command = ["lean4export", *imports, "--", *_known_names(solved.output)]
    given = run_program(wrap(command), "", deadline - time.monotonic(), environment)
    if given.status != 0:
        raise BackendUnavailable(f"lean4export on {list(imports)}: {given.last_line}")
    return Files(stated.output, solved.output, theorem, given.output)


def _known_names(export: str) -> Iterable[str]:
    """Return the names in an export that may be constants of the imports; lean4export passes over the others."""
    names: dict[int, str] = {0: ""}
    length = 0
    for line in export.splitlines():
        row = _row(line)
        index, part = row.get("in"), row.get("str")
        if type(index) is not int or type(part) is not dict or part.get("pre") not in names:
            continue
        prefix = names[part["pre"]]
        name = f"{prefix}.{part.get('str')}" if prefix else str(part.get("str"))
        names[index] = name
        length += len(name) + 1
        if length < _MAX_ARGUMENTS and _PLAIN_NAME.fullmatch(name):
            yield name


def _row(line: str) -> dict[str, Any]:
    if not line.startswith('{"in"'):
        return {}
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if type(row) is dict else {}
