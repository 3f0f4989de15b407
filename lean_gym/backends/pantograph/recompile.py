"""Full verification of a finished script: the theorem and the script are compiled as a file by Lean.

All of the file but the script is ours. There are four conditions; none of them rests on a message that reports success:

1. The commands of the file lie where they lie in the same file with `sorry` for a proof: the script is one body, and
   no command stands between it and ours.
2. Lean reports no error, and none for the same script in brackets. The first file does not reveal a command that
   follows the proof after `in`; in brackets that is no term, and a script that closes the brackets itself fails in the
   first file.
3. `#print axioms`, a command of our own in that file, lists the axioms of the declaration that it listed without the
   script. A script that added no command cannot have redefined it. The axioms, `sorryAx` among them, are judged by
   `lean_gym.verification.verify`.
4. The declaration is the stated one: by `frontend.track`, which compares types, refuses new axioms and has the
   kernel check everything again; in versions without it by comparing the two elaborated types with `env.inspect`,
   in the environment that the file leaves behind, or in that of a last goal which is put behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.backends.pantograph.axioms import AxiomListing, read_axioms
from lean_gym.backends.pantograph.dialect import SORRY_GOAL, read_units, sorry_state, tracked
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.repl import Repl
from lean_gym.backends.statement import (
    bracketed_body,
    declared_name,
    file_with,
    rooted_name,
    tactic_body,
)
from lean_gym.errors import DataError
from lean_gym.types import Theorem, Verdict

_SORRY_BODY: Final = ":= sorry"


@dataclass(frozen=True, slots=True)
class Layout:
    """The file of a theorem with `sorry` for a proof.

    Attributes:
        boundaries: The byte range of each command, our own last.
        asked: What our `#print axioms` calls the declaration.
        name: The declaration's full name.
        type: Its elaborated type, when that had to be asked for.
    """

    boundaries: tuple[tuple[int, int], ...]
    asked: str
    name: str
    type: Any = None


def layout_of(repl: Repl, theorem: Theorem, seconds: float) -> Layout:
    """Return the layout of the theorem's file without a proof.

    Unless `Dialect.judges_many`, the declaration stays in the process; use the process for nothing else.

    Raises:
        DataError: The statement does not compile.
    """
    name = declared_name(theorem)
    problem = None
    # Where the context opens a namespace with a declaration of that name, the name alone is ambiguous.
    for asked in (name, rooted_name(theorem)):
        file = _compile(repl, theorem, asked, _SORRY_BODY, seconds)
        listing = read_axioms(file.listed, asked)
        errors = [text for _, texts, is_error in file.units for text in texts if is_error]
        if listing is not None and not errors:
            break
        problem = problem or (errors[0] if errors else f"`#print axioms {asked}` printed {file.listed!r}")
    else:
        raise DataError(f"theorem {theorem.name!r} does not compile as a file: {problem}")
    boundaries = tuple(boundary for boundary, _, _ in file.units)
    if repl.dialect.compared_by == "track":
        return Layout(boundaries, asked, listing.name)
    if repl.dialect.compared_by == "inherit":
        file = _compile(repl, theorem, asked, _SORRY_BODY, seconds, keep=True)
    return Layout(boundaries, asked, listing.name, _declared_type(repl, file, listing.name, seconds))


def recompile(
    repl: Repl, theorem: Theorem, tactics: Sequence[str], layout: Layout, seconds: float
) -> Verdict:
    """Judge a finished script.

    Args:
        repl: A process that ran no tactic of any episode; unless `Dialect.judges_many`, a fresh one.
        theorem: The statement, as the environment holds it.
        tactics: The script.
        layout: From `layout_of`, of another process in case this one must be fresh.
        seconds: Wall-clock seconds for each step of the check.
    """
    by_track = repl.dialect.compared_by == "track"
    bodies = [tactic_body(tactics)] if by_track else [tactic_body(tactics), bracketed_body(tactics)]
    for body in bodies:
        file = _compile(repl, theorem, layout.asked, body, seconds, keep=body == bodies[-1])
        found = _listing(theorem, layout, body, file)
        if isinstance(found, str):
            return _refused(found)
        listing = found
    if by_track:
        difference = _tracked(repl, theorem, bracketed_body(tactics), seconds)
    else:
        difference = _difference(repl, file, listing.name, layout, seconds)
    if difference is not None:
        return _refused(difference, listing.axioms)
    # The verdict rests on these answers, so none may have been an earlier one.
    repl.sync()
    method = "frontend.track" if by_track else "env.inspect"
    return Verdict(True, axioms=listing.axioms, details={"compared_by": method})


def _listing(theorem: Theorem, layout: Layout, body: str, file: _File) -> AxiomListing | str:
    """Return the axioms that a compiled file lists, or the problem with it."""
    problem = _misplaced(theorem, layout, body, [boundary for boundary, _, _ in file.units])
    if problem is None:
        problem = next((texts[0] for _, texts, is_error in file.units if is_error), None)
    if problem is not None:
        return problem
    listing = read_axioms(file.listed, layout.asked)
    if listing is None:
        return f"the axioms of {layout.asked} were not listed: {file.listed!r}"
    if listing.name != layout.name:
        return f"`#print axioms {layout.asked}` lists {listing.name}, expected {layout.name}"
    return listing


def _refused(problem: str, axioms: tuple[str, ...] = ()) -> Verdict:
    return Verdict(False, f"recompiled as a file: {problem}", axioms)


@dataclass(frozen=True, slots=True)
class _File:
    """A compiled file.

    Attributes:
        units: Byte range, messages and whether one of these is an error, of each command.
        listed: What our `#print axioms` printed.
        last_state: The state whose environment has all of the file, where one was asked for.
    """

    units: list[tuple[tuple[int, int], list[str], bool]]
    listed: list[str]
    last_state: int | None


def _compile(
    repl: Repl, theorem: Theorem, asked: str, body: str, seconds: float, keep: bool = False
) -> _File:
    """Compile a file; `keep` leaves its declarations in the process where their types have to be inspected."""
    by_state = repl.dialect.compared_by == "state"
    source = _listed(theorem, asked, body) + (f"\n{SORRY_GOAL}\n" if by_state else "")
    keep = keep and repl.dialect.compared_by == "inherit"
    payload = {"file": source, "readHeader": False, "inheritEnv": keep, "sorrys": by_state}
    repl.settle()
    answer = repl.limited("frontend.process", payload, seconds)
    if "error" in answer:
        return _File([((0, len(source.encode())), [str(answer.get("desc"))], True)], [], None)
    units = read_units(answer)
    if len(units) <= by_state:
        unknown_shape("frontend.process", answer, "at least one command")
    repl.adopt(answer)
    last_state = sorry_state({"units": answer["units"][-1:]})[0] if by_state else None
    return _File(units, units[-1 - by_state][1], last_state)


def _listed(theorem: Theorem, asked: str, body: str) -> str:
    return file_with(theorem, body) + f"\n\n#print axioms {asked}\n"


def _misplaced(theorem: Theorem, layout: Layout, body: str, got: Sequence[tuple[int, int]]) -> str | None:
    """Return why the commands of a file show that the script is not one body; `None` when they lie as expected.

    The commands after the script move by its length, and nothing else changes.
    """
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


def _declared_type(repl: Repl, file: _File, name: str, seconds: float) -> Json:
    """Return the elaborated type of a name in the environment after a file."""
    if repl.dialect.compared_by == "state":
        repl.ask("goal.print", {"stateId": file.last_state}, seconds)
    answer = repl.ask("env.inspect", {"name": name, "value": False}, seconds)
    if not isinstance(answer.get("type"), dict) or answer.get("isUnsafe") is not False:
        unknown_shape("env.inspect", answer, "an object with `type`, and `isUnsafe` false")
    return dict(answer["type"])


def _difference(repl: Repl, file: _File, name: str, layout: Layout, seconds: float) -> str | None:
    declared = _declared_type(repl, file, name, seconds)
    if declared != layout.type:
        return f"the script proves {declared!r}, expected {layout.type!r}"
    return None
