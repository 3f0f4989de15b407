"""Is a finished script a proof? The theorem and the script are compiled as a file, as Lean would.

The file is ours but for the script. Four things are asked for, none of them a matter of what a message says about
success:

1. The commands of the file lie where they lie in the same file with `sorry` for a proof: the script is one body and
   has added no command.
2. Lean reports no error.
3. `#print axioms`, a command of our own in that file, lists the axioms of the declaration. A script that added no
   command cannot have redefined it.
4. The declaration is the stated one: by `frontend.track`, which compares types, refuses new axioms and has the
   kernel check everything again; in versions without it by comparing the two elaborated types with `env.inspect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.backends.pantograph.dialect import read_axioms, read_units, tracked
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.repl import Repl
from lean_gym.backends.pantograph.statement import declared_name, file_with, tactic_body
from lean_gym.errors import DataError
from lean_gym.types import Theorem, Verdict

SORRY_AXIOM: Final = "sorryAx"
_SORRY_BODY: Final = ":= sorry"


@dataclass(frozen=True, slots=True)
class Layout:
    """The file of a theorem with `sorry` for a proof.

    Attributes:
        boundaries: The byte range of each command, the listing of axioms last.
        type: The elaborated type of the declaration, when it had to be asked for.
    """

    boundaries: tuple[tuple[int, int], ...]
    type: Any = None


def layout_of(repl: Repl, theorem: Theorem, seconds: float) -> Layout:
    """How the theorem's file lies without a proof.

    In a REPL without `frontend.track` this leaves the declaration behind; use the process for nothing else.

    Raises:
        DataError: The statement does not compile.
    """
    name = declared_name(theorem)
    units = _compile(repl, theorem, _SORRY_BODY, seconds)
    errors = [text for _, texts, is_error in units for text in texts if is_error]
    listing = read_axioms(units[-1][1], name)
    if errors or listing is None:
        what = errors[0] if errors else f"`#print axioms {name}` printed {units[-1][1]!r}"
        raise DataError(f"theorem {theorem.name!r} does not compile as a file: {what}")
    declared = None if repl.dialect.track else _declared_type(repl, listing.name, seconds)
    return Layout(tuple(boundary for boundary, _, _ in units), declared)


def recompile(
    repl: Repl, theorem: Theorem, tactics: Sequence[str], layout: Layout, seconds: float
) -> Verdict:
    """Judge a finished script.

    Args:
        repl: A process that ran no tactic of any episode; without `frontend.track`, a fresh one.
        theorem: The statement, as the environment holds it.
        tactics: The script.
        layout: From `layout_of`, of another process in case this one must be fresh.
        seconds: Wall-clock seconds for each step of the check.
    """
    name = declared_name(theorem)
    body = tactic_body(tactics)
    units = _compile(repl, theorem, body, seconds)
    problem = _misplaced(theorem, layout, body, [boundary for boundary, _, _ in units])
    if problem is None:
        problem = next((texts[0] for _, texts, is_error in units if is_error), None)
    if problem is not None:
        return _refused(problem)
    listing = read_axioms(units[-1][1], name)
    if listing is None:
        return _refused(f"the axioms of {name} were not listed: {units[-1][1]!r}")
    axioms = listing.axioms
    if SORRY_AXIOM in axioms:
        return _refused("the proof uses `sorry`", axioms)
    if repl.dialect.track:
        difference = _tracked(repl, theorem, body, seconds)
    else:
        difference = _difference(repl, listing.name, layout, seconds)
    if difference is not None:
        return _refused(difference, axioms)
    # The verdict rests on these answers, so none may have been an earlier one.
    repl.sync()
    method = "frontend.track" if repl.dialect.track else "env.inspect"
    return Verdict(True, axioms=axioms, details={"compared_by": method})


def _refused(problem: str, axioms: tuple[str, ...] = ()) -> Verdict:
    return Verdict(False, f"recompiled as a file: {problem}", axioms)


def _compile(
    repl: Repl, theorem: Theorem, body: str, seconds: float
) -> list[tuple[tuple[int, int], list[str], bool]]:
    keep = not repl.dialect.track
    source = _listed(theorem, body)
    payload = {"file": source, "readHeader": False, "inheritEnv": keep}
    answer = repl.limited("frontend.process", payload, seconds)
    if "error" in answer:
        return [((0, len(source.encode())), [str(answer.get("desc"))], True)]
    units = read_units(answer)
    if not units:
        unknown_shape("frontend.process", answer, "at least one command")
    return units


def _listed(theorem: Theorem, body: str) -> str:
    return file_with(theorem, body) + f"\n\n#print axioms {declared_name(theorem)}\n"


def _misplaced(theorem: Theorem, layout: Layout, body: str, got: Sequence[tuple[int, int]]) -> str | None:
    """Whether the script is one body at its place: everything behind it is moved by its length, nothing else."""
    start = len(file_with(theorem, "").encode())
    shift = len(body.encode()) - len(_SORRY_BODY.encode())

    def moved(at: int) -> int:
        return at + shift if at > start else at

    expected = [(moved(begin), moved(end)) for begin, end in layout.boundaries]
    if list(got) == expected:
        return None
    return (
        f"the script is no single proof: the file has commands at the bytes {list(got)}, expected {expected}"
    )


def _tracked(repl: Repl, theorem: Theorem, body: str, seconds: float) -> str | None:
    files = {"src": file_with(theorem, _SORRY_BODY), "dst": file_with(theorem, body)}
    return tracked(repl.limited("frontend.track", files, seconds))


def _declared_type(repl: Repl, name: str, seconds: float) -> Json:
    """The elaborated type that the environment holds under a name."""
    answer = repl.limited("env.inspect", {"name": name, "value": False}, seconds)
    if not isinstance(answer.get("type"), dict) or answer.get("isUnsafe") is not False:
        unknown_shape("env.inspect", answer, "an object with `type`, and `isUnsafe` false")
    return dict(answer["type"])


def _difference(repl: Repl, name: str, layout: Layout, seconds: float) -> str | None:
    declared = _declared_type(repl, name, seconds)
    if declared != layout.type:
        return f"the script proves {declared!r}, expected {layout.type!r}"
    return None
