"""`verify="independent"`: a judgement by a process that never saw the candidate's text, in a kernel of its own.

Three processes, as in leanprover/comparator:

1. The *challenge*: statement and context alone, compiled and exported in lean4export's format. It is trusted.
2. The *solution*: the same with the script, compiled and exported in the sandbox. Nothing that it says is believed.
3. The *judge*, `python -m minilean judge`, reads the two files. It compares the statement and everything below it,
   and lists the axioms. What is new has to be accepted by the chosen kernels (`kernels.py`): by default by minilean's,
   in that process, by Lean's own (`lean_gym.lean`) where its library is installed, and by nanoda where it is and the
   files are complete.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import BackendCrashed, BackendUnavailable, DataError
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.kernels import (
    MEMORY_MIB,
    NANODA,
    KernelChoice,
    LeanKernelProcess,
    Wrap,
    chosen_kernels,
    kernels_here,
)
from lean_gym.verification.processes import Finished, run_program
from lean_gym.verification.verify import PERMITTED_AXIOMS, check_level

LEVEL: Final = "independent"
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


class IndependentJudge:
    """Judges exports by fresh processes, and by one that keeps Lean's library loaded. Close it after use.

    Args:
        kernel: The kernels that have to accept, see `lean_gym.verification.kernels`. Statement and axioms are always
            compared by minilean's judge.
        complete: The exports will hold all down to the axioms; for the check of `kernel`.
        wrap: The sandbox.

    Raises:
        ValueError: An unknown kernel, or one that such exports are not for.
        BackendUnavailable: A kernel is not installed.
    """

    def __init__(self, kernel: KernelChoice = None, complete: bool = True, wrap: Wrap = list) -> None:
        self._kernels = chosen_kernels(kernel, complete)
        self._wrap = wrap
        self._lean = LeanKernelProcess(wrap)

    def judge(self, files: Files, deadline: float) -> Verdict:
        """Judge two exports.

        Args:
            files: The exports.
            deadline: `time.monotonic()` at which the processes are killed.

        Raises:
            BackendTimeout: No answer in time.
            BackendUnavailable: The judge does not run.
        """
        complete = files.deep or files.given is not None
        kernels = kernels_here(complete) if self._kernels is None else self._kernels
        with tempfile.TemporaryDirectory(prefix="lean-gym-") as folder:
            done = _minilean("judge", _judge_arguments(files, kernels, folder), "", deadline, self._wrap)
            verdict = _verdict(done, {"kernels": list(kernels), "deep": files.deep}, _is_settled(kernels))
            if not verdict.proved or "lean" not in kernels:
                return verdict
            paths = [str(Path(folder, "solution.ndjson"))]
            if not complete:
                paths = [str(Path(folder, "rest.ndjson")), *paths]
                Path(paths[0]).write_text(json.loads(done.output)["rest"], "utf-8")
            try:
                answer = self._lean.answer(paths, deadline)
            except BackendCrashed as error:
                answer = {"accepted": False, "reason": str(error)}
        if answer["accepted"]:
            return verdict
        reason = f"independent check: Lean's kernel: {answer.get('reason')}"
        return Verdict(False, reason, details=verdict.details, level=LEVEL)

    def close(self) -> None:
        """End the process of Lean's kernel; the next judgement starts another."""
        self._lean.close()


def independent_judge(
    verify: str, kernel: KernelChoice, complete: bool, wrap: Wrap = list
) -> IndependentJudge | None:
    """Return the judge that a level of verification asks for; `None` for the other levels.

    Args:
        verify: The level.
        kernel: See `IndependentJudge`, as what follows.
        complete: What the exports will hold.
        wrap: The sandbox.

    Raises:
        ValueError: An unknown level or kernel, or kernels for another level.
        BackendUnavailable: A kernel is not installed.
    """
    if check_level(verify) == LEVEL:
        return IndependentJudge(kernel, complete, wrap)
    if kernel is not None:
        raise ValueError(
            f"kernel: got {kernel!r}, which only verify='independent' asks, not verify={verify!r}"
        )
    return None


def _is_settled(kernels: Sequence[str]) -> bool:
    """Return whether a kernel has judged when minilean's judge has answered."""
    return "minilean" in kernels or "nanoda" in kernels


def _judge_arguments(files: Files, kernels: Sequence[str], folder: str) -> list[str]:
    """Write the files into a folder, and return the arguments of `python -m minilean judge` for them."""
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
    if "minilean" not in kernels:
        arguments += ["--compare"]
    if "nanoda" in kernels:
        arguments += ["--nanoda", NANODA]
    if "lean" in kernels and files.given is None and not files.deep:
        arguments += ["--rest"]
    return arguments


def _verdict(done: Finished, details: dict[str, Any], settled: bool) -> Verdict:
    """Return the verdict of minilean's judge; where no kernel has judged yet, it is one on the comparison alone."""
    try:
        answer = json.loads(done.output)
        if answer.get("proved" if settled else "compared") is True and done.status == 0:
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
        The files for `IndependentJudge`; a refusal where the solution does not compile.

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
