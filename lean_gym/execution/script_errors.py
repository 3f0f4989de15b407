"""Errors of failed whole proofs: positions from a check of the file, goals from tactics that are run again.

The goals at an error are those before the tactic that it lies in. They come from the script up to that tactic, with
`skip` in its place: inside a block, as below `·`, Lean then lists what is unsolved there. Where the backend does not
tell positions, the first step of the script that fails on its own tells the line and the goals.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final

from lean_gym.backends.scripts import declaration_source, script_file, script_lines
from lean_gym.datasets.proofs import proof_steps
from lean_gym.execution.cache import Path
from lean_gym.execution.jobs import Job
from lean_gym.types import ProofBackend, ScriptChecker, ScriptError, TacticResult, Theorem

MOST_ERRORS: Final = 16
"""Errors of one attempt that are kept."""
_INDENT: Final = 2
_UNSOLVED: Final = "unsolved goals"
# A tactic begins after one of these, or with its line.
_OPENS: Final = re.compile(r"(?:·|=>|<;>|;|\(|\bby)\s*(?=\S)")

Run = Callable[[Path], TacticResult | None]
"""Result of the last tactic of a path after the others; `None` where an earlier one fails, or no time is left."""


class ScriptErrors:
    """Errors of failed scripts, kept by theorem and script.

    Args:
        size: Most scripts to keep.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[tuple[Theorem, str], tuple[ScriptError, ...]] = OrderedDict()

    def explain(
        self,
        backend: ProofBackend,
        job: Job,
        result: TacticResult,
        until: float,
        run: Run,
        call: Callable[[float], AbstractContextManager[None]],
    ) -> tuple[ScriptError, ...]:
        """Return the errors of a script that failed, at least one.

        Args:
            backend: Tells positions, if it can.
            job: The attempt; its tactic is the script.
            result: Result of the script as one tactic: a refusal, or a state with goals.
            until: End of the attempt's time, of `time.perf_counter`.
            run: Runs tactics.
            call: Surrounds calls of the backend, which take at most so many seconds.

        Raises:
            BackendError: The backend was lost.
            MemoryError: It needed too much memory.
        """
        theorem, script = job.theorem, job.tactic or ""
        known = self._known.get((theorem, script))
        if known is not None:
            return known
        found: tuple[ScriptError, ...] = ()
        left = until - time.perf_counter()
        if isinstance(backend, ScriptChecker) and left > 0:
            with call(left):
                found = backend.script_errors(theorem, script, left)[:MOST_ERRORS]
        found = found or (first_failure(job, result, run),)
        found = tuple(one if one.goals else with_goals(theorem, script, one, run) for one in found)
        # Past the end something may be missing that a machine with less load finds.
        if time.perf_counter() < until:
            self._known[theorem, script] = found
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        return found


def first_failure(job: Job, result: TacticResult, run: Run) -> ScriptError:
    """Return the error of the first step that fails; where each step works, that of the whole proof.

    Args:
        job: The attempt.
        result: Result of the script as one tactic.
        run: Runs tactics.
    """
    script = job.tactic or ""
    row = script_file(job.theorem, script).by_line + 1
    done: Path = ()
    for step in proof_steps("\n".join(script_lines(script))):
        last = run((*done, step))
        if last is None:
            break
        if last.state is None:
            lines = step.split("\n")
            end, to = row + len(lines) - 1, _INDENT + len(lines[-1])
            return ScriptError(row, _INDENT, last.error or "the tactic failed", end, to, _goals(run, done))
        row, done = row + step.count("\n") + 1, (*done, step)
    return whole_error(job, result)


def whole_error(job: Job, result: TacticResult) -> ScriptError:
    """Return an error about the whole proof, at `by`, where Lean places those about goals that are left."""
    script = job.tactic or ""
    message = result.error or "the proof failed"
    if result.state is not None:
        message = f"{_UNSOLVED}\n{result.state.text}"
    line = script_file(job.theorem, script).by_line
    end = len(declaration_source(job.theorem, script).split("\n")[line - 1])
    return ScriptError(line, end - len("by"), message, line, end, _unsolved(message) or "")


def with_goals(theorem: Theorem, script: str, error: ScriptError, run: Run) -> ScriptError:
    """Return an error with the goals at its position, as far as they can be found.

    Args:
        theorem: The statement.
        script: The tactic block.
        error: An error, its position relative to the declaration.
        run: Runs tactics.
    """
    unsolved = _unsolved(error.message)
    if unsolved is not None:
        return replace(error, goals=unsolved)
    lines = script_lines(script)
    row = error.line - script_file(theorem, script).by_line - 1
    if not 0 <= row < len(lines):
        return error
    *before, _ = steps = proof_steps(
        "\n".join([*lines[:row], _cut(lines[row], error.column - _INDENT) + "skip"])
    )
    result = run(tuple(steps))
    if result is not None and result.state is not None:
        return replace(error, goals=result.state.text)
    inner = None if result is None else _unsolved(result.error or "")
    return replace(error, goals=_goals(run, tuple(before)) if inner is None else inner)


def _cut(line: str, column: int) -> str:
    """Return a line up to the tactic that a column lies in."""
    begins = [len(line) - len(line.lstrip()), *(one.end() for one in _OPENS.finditer(line))]
    return line[: max((at for at in begins if at <= max(column, begins[0])), default=0)]


def _goals(run: Run, path: Path) -> str:
    """Return the goals after a path, `""` where it fails."""
    result = run(path or ("skip",))
    return "" if result is None or result.state is None else result.state.text


def _unsolved(message: str) -> str | None:
    """Return the goals that a message lists as unsolved, `None` for another message."""
    head, _, goals = message.partition("\n")
    return goals if head.endswith(_UNSOLVED) and goals else None
