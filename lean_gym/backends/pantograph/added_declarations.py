"""Full verification where no command reads files: the script becomes the value of a declaration, by `env.add`.

The statement is elaborated first, on its own, as the value of a proposition. The script's declaration has that
proposition for a type, so that nothing in the script can change what it proves; Lean's kernel checks it as it enters
the environment. What it rests on is then looked at constant by constant, for want of a `#print axioms`.

Such REPLs (before 0.2.19) know no universe parameters in `env.add`, and a context can only open, declare variables
and set options.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Final

from lean_gym.backends.pantograph.axioms import AxiomWalk, Unseen
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.repl import Repl
from lean_gym.backends.pantograph.statement import ClosedStatement, closed_statement, indented, scope_prefix
from lean_gym.errors import DataError
from lean_gym.types import Theorem, Verdict

_STATED: Final = "LeanGymJudge.stated"
_PROVED: Final = "LeanGymJudge.proved"
_TRIES: Final = 3
"""Auxiliary declarations of a proof are only known to the kernel when they were there before: at the next try."""
_UNKNOWN: Final = "unknown constant"
_LINE_BREAK: Final = re.compile(r"\s*\n\s*")


def judge_added(
    repl: Repl, theorem: Theorem, tactics: Sequence[str], walk: AxiomWalk, seconds: float
) -> Verdict:
    """Judge a finished script.

    Args:
        repl: A process that ran no tactic, or is back in the environment after its imports.
        theorem: The statement, as the environment holds it.
        tactics: The script.
        walk: What is known of imported constants.
        seconds: Wall-clock seconds for all of it.

    Raises:
        DataError: The statement cannot be stated in this way.
    """
    until = time.monotonic() + seconds

    def left() -> float:
        return max(until - time.monotonic(), 0.001)

    closed = closed_statement(theorem)
    problem = _add(repl, _STATED, "Prop", closed.expr, closed.levels, False, left())
    if problem is not None:
        raise DataError(f"theorem {theorem.name!r} cannot be stated by `env.add`: {problem}")
    stated = _inspected(repl, _STATED, left())
    proof = proof_term(theorem, closed, tactics)
    for _ in range(_TRIES):
        problem = _add(repl, _PROVED, _STATED, proof, closed.levels, True, left())
        if problem is None or _UNKNOWN not in problem:
            break
    if problem is not None:
        return Verdict(False, f"added as a declaration: {problem}")
    proved = _inspected(repl, _PROVED, left())
    if proved["type"].get("sexp") != f"(:c {_STATED})" or _inspected(repl, _STATED, left()) != stated:
        return Verdict(False, f"the script proves {proved['type']!r}, expected the statement")
    try:
        axioms = walk.axioms_of(_PROVED, lambda name: _inspect(repl, name, left()))
    except Unseen as error:
        return Verdict(False, str(error))
    if "sorryAx" in axioms:
        return Verdict(False, "added as a declaration: the proof uses `sorry`", axioms)
    repl.sync()
    return Verdict(True, axioms=axioms, details={"compared_by": "env.add"})


def proof_term(theorem: Theorem, closed: ClosedStatement, tactics: Sequence[str]) -> str:
    """The script as a term: the statement is shown, its binders are introduced, and the steps follow."""
    first = [f"show {_LINE_BREAK.sub(' ', closed.expr)}"]
    if closed.names:
        first.append(f"intro {' '.join(closed.names)}")
    opened = scope_prefix(theorem.context).replace("\n", " ")
    return f"{opened}by\n{indented([*first, *tactics])}"


def _add(
    repl: Repl, name: str, type_: str, value: str, levels: Sequence[str], is_theorem: bool, seconds: float
) -> str | None:
    """Add a declaration; why that was refused, or `None`."""
    fields: Json = {"name": name, "levels": list(levels), "type": type_, "value": value}
    answer = repl.ask("env.add", {**fields, "isTheorem": is_theorem}, seconds)
    if answer == {}:
        return None
    if not isinstance(answer.get("desc"), str):
        unknown_shape("env.add", answer, "an empty object or an error")
    return str(answer["desc"])


def _inspect(repl: Repl, name: str, seconds: float) -> Json:
    return repl.ask("env.inspect", {"name": name, "value": True}, seconds)


def _inspected(repl: Repl, name: str, seconds: float) -> Json:
    answer = _inspect(repl, name, seconds)
    if not isinstance(answer.get("type"), dict) or answer.get("isUnsafe") is not False:
        unknown_shape("env.inspect", answer, "an object with `type`, and `isUnsafe` false")
    return answer
