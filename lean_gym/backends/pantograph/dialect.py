"""What this REPL can do, found once by trying: Pantograph's commands and fields vary between its versions.

Each question is asked by a small request with a known answer, never by a version number: builds exist for every Lean.
What a version lacks is worked around where that is possible; an answer of an unknown shape is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.errors import BackendUnavailable

Ask = Callable[[str, Json], Json]

_SCOPED: Final = (
    "namespace LeanGymProbe\ntheorem inner : True := trivial\nend LeanGymProbe\nopen LeanGymProbe\n"
)
_OPEN_GOAL: Final = _SCOPED + "theorem LeanGymProbe.outer : True := sorry"
_LISTING: Final = (
    "theorem LeanGymProbe.listed (p : Prop) (h : p ∧ p) : p := by\n  exact h.1\n\n"
    "#print axioms LeanGymProbe.listed\n"
)
_WITH_SORRY: Final = "theorem LeanGymProbe.tracked : True := sorry"
_HONEST: Final = "theorem LeanGymProbe.tracked : True := by\n  trivial"
_WITH_AXIOM: Final = "axiom LeanGymProbe.foul : True\n" + _HONEST
_KEPT: Final = "theorem LeanGymProbe.kept : True := trivial"
_ROOT_FLAGS: Final = ("rootHasSorry", "rootHasUnsafe", "rootHasMVar")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a REPL can do.

    Attributes:
        starter: How a statement with binders becomes a goal: `"distil"`, `"sorrys"` (of `frontend.process`) or
            `"closed"` (no file commands: the closed statement).
        blocks: Whether `goal.tactic` takes several tactics at once.
        keeps_scope: Whether tactics see what the theorem's context opened; otherwise it is said with each tactic.
        root_flags: Whether `goal.print` tells if the proof term has metavariables, `sorry` or unsafe constants.
        listing: Whether `frontend.process` reports what a file's commands print, by command.
        track: Whether there is a working `frontend.track`.
        keeps_files: Whether what a file declares can be looked at afterwards; only asked for without `track`.
        delete_command: The command that frees states.
    """

    starter: str
    blocks: bool
    keeps_scope: bool
    root_flags: bool
    listing: bool
    track: bool
    keeps_files: bool
    delete_command: str

    @property
    def lacks_for_full(self) -> str | None:
        """What is missing for full verification, `None` when nothing is."""
        if not self.listing:
            return "`frontend.process` with the messages of each command"
        if not (self.track or self.keeps_files):
            return "`frontend.track`, and no `frontend.process` with `inheritEnv`"
        return None

    @property
    def lacks_for_replay(self) -> str | None:
        """What is missing for verification by replay, `None` when nothing is."""
        return (
            None if self.root_flags else "`goal.print` with `rootHasMVar`, `rootHasSorry` and `rootHasUnsafe`"
        )


def probe(ask: Ask) -> Dialect:
    """Find out what a REPL can do.

    Its states are freed. Without `frontend.track` its environment has one more theorem afterwards.

    Args:
        ask: Sends a command with its payload and returns the answer.

    Raises:
        BackendUnavailable: It lacks something that cannot be done without.
        ProtocolError: It answers in an unknown shape.
    """
    options = ask("options.print", {})
    if options.get("automaticMode") is not True:
        if "error" in options or "printJsonPretty" not in options:
            unknown_shape("options.print", options, "an object with the options")
        raise BackendUnavailable(
            f"the REPL has no automatic mode (its options: {options}); use Pantograph 0.2.19 or later"
        )
    started = ask("goal.start", {"expr": "True"})
    state = started.get("stateId")
    if "error" in started:
        raise BackendUnavailable(
            f"the REPL does not know `True` ({started.get('desc')}); imports must contain 'Init' or a module above it"
        )
    if not isinstance(state, int):
        unknown_shape("goal.start", started, "an object with `stateId`")
    done = _closes(ask, state, "trivial")
    if done is None:
        unknown_shape("goal.tactic", ask("goal.tactic", {"stateId": state, "tactic": "trivial"}), "no goals")
    states = [state, done]
    root = ask("goal.print", {"stateId": done, "rootExpr": True})
    block = _closes(ask, state, "skip\ntrivial")
    starter, keeps_scope = _starter(ask, states)
    states += [] if block is None else [block]
    track = _tracks(ask)
    return Dialect(
        starter=starter,
        blocks=block is not None,
        keeps_scope=keeps_scope,
        root_flags="root" in root and all(isinstance(root.get(flag), bool) for flag in _ROOT_FLAGS),
        listing=_lists(ask),
        track=track,
        keeps_files=not track and _keeps_files(ask),
        delete_command=_delete(ask, states),
    )


def read_units(answer: Json) -> list[tuple[tuple[int, int], list[str], bool]]:
    """The commands of a processed file: byte range, messages, and whether one of these is an error.

    Raises:
        ProtocolError: The answer has an unknown shape.
    """
    units = answer.get("units")
    if not isinstance(units, list):
        unknown_shape("frontend.process", answer, "an object with a list `units`")
    rows = []
    for unit in units:
        match unit:
            case {"boundary": [int(start), int(end)], "messages": list(messages)}:
                texts = [message_text(message) for message in messages]
                rows.append(((start, end), texts, any(is_error(message) for message in messages)))
            case _:
                unknown_shape("compilation unit", unit, "an object with `boundary` and `messages`")
    return rows


def message_text(message: Any) -> str:
    """The text of a message: Lean's own object in later versions, a string in earlier ones.

    Raises:
        ProtocolError: It is neither.
    """
    match message:
        case str(text) | {"data": str(text)}:
            return text
        case _:
            unknown_shape("message", message, "an object with `data`, or a string")


def is_error(message: Any) -> bool:
    """Whether Lean marked a message as an error; earlier versions do not tell."""
    return isinstance(message, dict) and message.get("severity") == "error"


_NO_AXIOMS: Final = re.compile(r"'(?P<name>.+)' does not depend on any axioms\s*")
_AXIOMS: Final = re.compile(r"'(?P<name>.+)' depends on axioms:\s*\[(?P<axioms>[^\[\]]*)\]\s*", re.DOTALL)
_POSITION: Final = re.compile(r"[^\n]*?:\d+:\d+: (?:info(?:rmation)?: ?)?")


@dataclass(frozen=True, slots=True)
class AxiomListing:
    """What `#print axioms` printed: the constant's full name and its axioms, sorted."""

    name: str
    axioms: tuple[str, ...]


def read_axioms(texts: Sequence[str], name: str) -> AxiomListing | None:
    """What `#print axioms` printed.

    Args:
        texts: The messages of that command, all of them.
        name: The constant, as written there.

    Returns:
        The listing; `None` when this is none for that constant.
    """
    if len(texts) != 1:
        return None
    place = _POSITION.match(texts[0])
    text = texts[0] if place is None else texts[0][place.end() :]
    found = _NO_AXIOMS.fullmatch(text) or _AXIOMS.fullmatch(text)
    if found is None or not f".{found['name']}".replace("«", "").replace("»", "").endswith(
        f".{_plain(name)}"
    ):
        return None
    listed = found.groupdict().get("axioms") or ""
    return AxiomListing(
        found["name"], tuple(sorted(axiom.strip() for axiom in listed.split(",") if axiom.strip()))
    )


def _plain(name: str) -> str:
    return name.removeprefix("_root_.").replace("«", "").replace("»", "")


def _closes(ask: Ask, state: int, tactic: str) -> int | None:
    """The state in which `tactic` leaves no goals, `None` when it does not."""
    answer = ask("goal.tactic", {"stateId": state, "tactic": tactic})
    after = answer.get("nextStateId")
    return after if answer.get("goals") == [] and isinstance(after, int) else None


def _starter(ask: Ask, states: list[int]) -> tuple[str, bool]:
    for starter, answer in _started(ask):
        if answer is not None:
            states.append(answer)
            after = _closes(ask, answer, "exact inner")
            states += [] if after is None else [after]
            return starter, after is not None
    return "closed", False


def _started(ask: Ask) -> Iterator[tuple[str, int | None]]:
    yield "distil", distilled_state(ask("frontend.distil", {"file": _OPEN_GOAL, "ignoreValues": False}))[0]
    yield "sorrys", sorry_state(ask("frontend.process", {"file": _OPEN_GOAL, "sorrys": True}))[0]


def distilled_state(answer: Json) -> tuple[int | None, Any]:
    """The last state of a `frontend.distil` answer and its goals; `None` when it has none."""
    targets = answer.get("targets")
    last = targets[-1] if isinstance(targets, list) and targets else None
    return _state_of(last, "stateId")


def sorry_state(answer: Json) -> tuple[int | None, Any]:
    """The last state of a `frontend.process` answer with `sorrys`, and its goals; `None` when it has none."""
    units = answer.get("units")
    with_state = [
        unit
        for unit in (units if isinstance(units, list) else ())
        if isinstance(unit, dict) and unit.get("goalStateId") is not None
    ]
    return _state_of(with_state[-1] if with_state else None, "goalStateId")


def _state_of(row: Any, key: str) -> tuple[int | None, Any]:
    if not isinstance(row, dict) or not isinstance(row.get(key), int):
        return None, None
    return row[key], row.get("goals")


def _lists(ask: Ask) -> bool:
    answer = ask("frontend.process", {"file": _LISTING, "newConstants": True})
    if not isinstance(answer.get("units"), list):
        return False
    rows = [texts for _, texts, _ in read_units(answer) if texts]
    return len(rows) == 1 and read_axioms(rows[0], "LeanGymProbe.listed") == AxiomListing(
        "LeanGymProbe.listed", ()
    )


def _tracks(ask: Ask) -> bool:
    """Whether `frontend.track` accepts an honest completion, and does not accept a `sorry` or an axiom."""
    return (
        tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _HONEST})) is None
        and tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _WITH_SORRY})) is not None
        and tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _WITH_AXIOM})) is not None
    )


def _keeps_files(ask: Ask) -> bool:
    ask("frontend.process", {"file": _KEPT, "inheritEnv": True})
    return isinstance(ask("env.inspect", {"name": "LeanGymProbe.kept"}).get("type"), dict)


def tracked(answer: Json) -> str | None:
    """Why `frontend.track` does not accept a completion; `None` when it does.

    Both message lists must be there: an answer of another shape accepts nothing.
    """
    failure = answer.get("failure")
    if failure is not None:
        return str(failure)
    if "error" in answer:
        return str(answer.get("desc"))
    messages = [answer.get("srcMessages"), answer.get("dstMessages")]
    if not all(isinstance(part, list) for part in messages):
        return f"unknown answer {answer!r}"
    errors = [message_text(message) for part in messages for message in part if is_error(message)]  # type: ignore[union-attr]
    return "; ".join(errors) if errors else None


def _delete(ask: Ask, states: list[int]) -> str:
    for command in ("goal.delete", "goal.remove"):
        if "error" not in ask(command, {"stateIds": states}):
            return command
    raise BackendUnavailable(
        "the REPL has neither `goal.delete` nor `goal.remove`: its memory would only grow"
    )
