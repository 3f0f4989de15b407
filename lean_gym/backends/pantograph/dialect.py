"""Abilities of a REPL, found once by small requests with known answers.

Pantograph's commands and fields vary between its versions. The probes ask for behaviour and never for a version
number, since builds exist for every Lean. A missing ability is worked around where that is possible; a REPL from
before Pantograph 0.2.19 and an answer of an unknown shape are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.backends.pantograph.axioms import AxiomListing, read_axioms
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.errors import BackendOutdated, BackendUnavailable

Ask = Callable[[str, Json], Json]

_SCOPED: Final = (
    "namespace LeanGymProbe\ntheorem inner : True := trivial\nend LeanGymProbe\nopen LeanGymProbe\n"
)
_OPEN_GOAL: Final = _SCOPED + "theorem LeanGymProbe.outer (p : Prop) [Decidable p] : True ∧ (p ∨ ¬p) "
_NEEDS_INSTANCE: Final = "exact And.intro LeanGymProbe.inner (Decidable.em p)"
_NEEDS_SCOPE: Final = "exact And.intro inner (Decidable.em p)"
_BODIES: Final = (":= sorry", ":= by sorry")
_LISTING: Final = (
    "theorem LeanGymProbe.listed (p : Prop) (h : p ∧ p) : p := by\n  exact h.1\n\n"
    "#print axioms LeanGymProbe.listed\n"
)
_WITH_SORRY: Final = "theorem LeanGymProbe.tracked : True := sorry"
_HONEST: Final = "theorem LeanGymProbe.tracked : True := by\n  trivial"
_WITH_AXIOM: Final = "axiom LeanGymProbe.foul : True\n" + _HONEST
_KEPT: Final = "theorem LeanGymProbe.kept : True := trivial"
EXPECTED_VERSION: Final = (
    "expected Pantograph 0.2.19 or later (which is for Lean 4.12 or later); build a later one with "
    "pip install 'git+https://github.com/stanford-centaur/PyPantograph', or use backend='minilean'"
)
SORRY_GOAL: Final = "example : True := by sorry"
"""A last command whose goal has the environment of all that stands above it."""
_ERROR: Final = re.compile(r"[^\n]*?:\d+:\d+: error\b")
_ROOT_FLAGS: Final = ("rootHasSorry", "rootHasUnsafe", "rootHasMVar")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Abilities of a REPL.

    Attributes:
        starter: How a statement with binders becomes a goal: `"distil"` (`frontend.distil`) or `"sorrys"` (that option
            of `frontend.process`).
        body: The proof to start with, so that the goal has everything that Lean has inside `by`: some versions lose
            the instances among the binders around the term `sorry`.
        blocks: Whether `goal.tactic` takes several tactics at once.
        keeps_scope: Whether tactics see what the theorem's context opened; otherwise it is said with each tactic.
        leaks: Whether a command on a state leaves the REPL with the environment of that state.
        root_term: Whether `goal.print` shows the proof term.
        root_flags: Whether `goal.print` says if the proof term has metavariables, `sorry` or unsafe constants.
        listing: Whether `frontend.process` reports what a file's commands print, by command.
        compared_by: How the compiled statement is compared with the theorem's: `"track"` (`frontend.track`), or
            `env.inspect` on the file's declaration, in the environment that `frontend.process` keeps (`"inherit"`) or
            in that of a last goal (`"state"`); `None` when the REPL has none of these.
        judges_terms: Whether one process exports what a proof declares (`frontend.export`), and another one, which
            never sees the script, judges that (`frontend.judge`): `lean_gym.lean.repl` does.
    """

    starter: str
    body: str
    blocks: bool
    keeps_scope: bool
    leaks: bool
    root_term: bool
    root_flags: bool
    listing: bool
    compared_by: str | None
    judges_terms: bool

    @property
    def judges_many(self) -> bool:
        """Return whether one process can judge several scripts: declarations of a file do not stay in it."""
        return self.leaks or self.judges_terms or self.compared_by == "track"

    @property
    def lacks_for_full(self) -> str | None:
        """Return the ability that full verification lacks, `None` when it has all."""
        if self.judges_terms or self.compared_by is not None:
            return None
        if not self.listing:
            return "`frontend.process` with the messages of each command"
        return "`frontend.track`, and no `frontend.process` with `inheritEnv`"

    @property
    def lacks_for_replay(self) -> str | None:
        """Return the ability that verification by replay lacks, `None` when it has all."""
        return None if self.root_term else "`goal.print` with the root's term"


def first_state(ask: Ask) -> int:
    """Start a state in the environment after the imports, with `True` as its goal.

    Returns:
        The state's number.

    Raises:
        BackendUnavailable: The REPL does not know `True`.
        ProtocolError: It answers in an unknown shape.
    """
    started = ask("goal.start", {"expr": "True"})
    state = started.get("stateId")
    if "error" in started:
        raise BackendUnavailable(
            f"the REPL does not know `True` ({started.get('desc')}); imports must contain 'Init' or a module above it"
        )
    if not isinstance(state, int):
        unknown_shape("goal.start", started, "an object with `stateId`")
    return state


def probe(ask: Ask, first: int) -> Dialect:
    """Find out the abilities of a REPL.

    All states but the given one are freed. In some versions a few constants stay in the environment, in the namespace
    `LeanGymProbe`.

    Args:
        ask: Sends a command with its payload and returns the answer.
        first: From `first_state`.

    Raises:
        BackendOutdated: The REPL is from before Pantograph 0.2.19.
        BackendUnavailable: The REPL lacks a necessary ability.
        ProtocolError: The REPL answers in an unknown shape.
    """
    _require_automatic_mode(ask)
    listing = _lists(ask)
    done = _closes(ask, first, "trivial")
    if done is None:
        unknown_shape("goal.tactic", ask("goal.tactic", {"stateId": first, "tactic": "trivial"}), "no goals")
    root = ask("goal.print", {"stateId": done, "rootExpr": True})
    block = _closes(ask, first, "skip\ntrivial")
    states = [done] if block is None else [done, block]
    starter, body, keeps_scope = _starter(ask, states)
    leaks = listing and _leaks(ask, first, states)
    judges_terms = _judges_terms(ask)
    compared_by = None if judges_terms else _comparison(ask, listing, leaks)
    _require_deletion(ask, states)
    return Dialect(
        starter=starter,
        body=body,
        blocks=block is not None,
        keeps_scope=keeps_scope,
        leaks=leaks,
        root_term=isinstance(root.get("root"), dict),
        root_flags="root" in root and all(isinstance(root.get(flag), bool) for flag in _ROOT_FLAGS),
        listing=listing,
        compared_by=compared_by,
        judges_terms=judges_terms,
    )


def read_units(answer: Json) -> list[tuple[tuple[int, int], list[str], bool]]:
    """Return the commands of a processed file: byte range, messages, and whether one of these is an error.

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
    """Return the text of a message: Lean's own object in later versions, a string in earlier ones.

    Raises:
        ProtocolError: It is neither.
    """
    match message:
        case str(text) | {"data": str(text)}:
            return text
        case _:
            unknown_shape("message", message, "an object with `data`, or a string")


def is_error(message: Any) -> bool:
    """Return whether Lean marked a message as an error; earlier versions say so in the text."""
    if isinstance(message, str):
        return _ERROR.match(message) is not None
    return isinstance(message, dict) and message.get("severity") == "error"


def _require_automatic_mode(ask: Ask) -> None:
    """Make sure that all goals stay in view after a tactic.

    Raises:
        BackendOutdated: The REPL has no automatic mode.
        ProtocolError: The REPL answers in an unknown shape.
    """
    options = ask("options.print", {})
    if "error" in options or "printJsonPretty" not in options:
        unknown_shape("options.print", options, "an object with the options")
    if options.get("automaticMode") is not True:
        raise BackendOutdated(f"it has no automatic mode, {EXPECTED_VERSION}")


def _closes(ask: Ask, state: int, tactic: str) -> int | None:
    """Return the state in which `tactic` leaves no goals, `None` when it does not."""
    answer = ask("goal.tactic", {"stateId": state, "tactic": tactic})
    after = answer.get("nextStateId")
    return after if answer.get("goals") == [] and isinstance(after, int) else None


def _starter(ask: Ask, states: list[int]) -> tuple[str, str, bool]:
    """Find a way to start a theorem whose goal shows its hypotheses.

    Returns:
        `Dialect.starter`, `Dialect.body` and `Dialect.keeps_scope`.

    Raises:
        BackendUnavailable: There is none.
    """
    found = None
    for starter in ("distil", "sorrys"):
        for body in _BODIES:
            file = {"file": _OPEN_GOAL + body}
            if starter == "distil":
                state, goals = distilled_state(ask("frontend.distil", {**file, "ignoreValues": False}))
            else:
                state, goals = sorry_state(ask("frontend.process", {**file, "sorrys": True}))
            if state is None:
                continue
            states.append(state)
            # Some versions show the closed statement instead of the goal inside `by`.
            if not isinstance(goals, list) or len(goals) != 1 or not goals[0].get("vars"):
                continue
            scoped = _ends(ask, state, _NEEDS_SCOPE, states)
            if scoped or _ends(ask, state, _NEEDS_INSTANCE, states):
                return starter, body, scoped
            found = found or (starter, body, False)
    if found is None:
        raise BackendUnavailable(
            "neither `frontend.distil` nor `frontend.process` with `sorrys` starts a theorem with its hypotheses; "
            "use another Pantograph"
        )
    return found


def _ends(ask: Ask, state: int, tactic: str, states: list[int]) -> bool:
    """Return whether `tactic` leaves no goals; add the new state to `states`."""
    after = _closes(ask, state, tactic)
    states += [] if after is None else [after]
    return after is not None


def distilled_state(answer: Json) -> tuple[int | None, Any]:
    """Return the last state of a `frontend.distil` answer and its goals; `None` when it has none."""
    targets = answer.get("targets")
    last = targets[-1] if isinstance(targets, list) and targets else None
    return _state_of(last, "stateId")


def sorry_state(answer: Json) -> tuple[int | None, Any]:
    """Return the last state of a `frontend.process` answer with `sorrys`, and its goals; `None` when it has none."""
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
    """Return whether `frontend.process` reports what `#print axioms` prints.

    Raises:
        BackendOutdated: The REPL does not know the command.
    """
    answer = ask("frontend.process", {"file": _LISTING, "newConstants": True})
    if answer.get("error") == "command":
        raise BackendOutdated(f"it has no `frontend.process` ({answer.get('desc')}), {EXPECTED_VERSION}")
    if not isinstance(answer.get("units"), list):
        return False
    rows = [texts for _, texts, _ in read_units(answer) if texts]
    return len(rows) == 1 and read_axioms(rows[0], "LeanGymProbe.listed") == AxiomListing(
        "LeanGymProbe.listed", ()
    )


def _judges_terms(ask: Ask) -> bool:
    """Return whether the REPL exports an honest proof and accepts it, and refuses it for another statement."""
    rows = ask("frontend.export", {"file": _HONEST}).get("rows")
    if not isinstance(rows, str):
        return False
    verdicts = [
        ask("frontend.judge", {"statement": statement, "rows": rows}).get("problem", "no answer")
        for statement in (_WITH_SORRY, _WITH_SORRY.replace("True", "False"))
    ]
    return verdicts[0] is None and isinstance(verdicts[1], str)


def _tracks(ask: Ask) -> bool:
    """Return whether `frontend.track` accepts an honest completion and refuses both a `sorry` and an axiom."""
    return (
        tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _HONEST})) is None
        and tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _WITH_SORRY})) is not None
        and tracked(ask("frontend.track", {"src": _WITH_SORRY, "dst": _WITH_AXIOM})) is not None
    )


def _knows(ask: Ask, name: str) -> bool:
    return isinstance(ask("env.inspect", {"name": name}).get("type"), dict)


def _leaks(ask: Ask, first: int, states: list[int]) -> bool:
    """Return whether a command on a state takes the REPL to the environment of that state, and another one back."""
    state, _ = sorry_state(ask("frontend.process", {"file": f"{_KEPT}\n\n{SORRY_GOAL}", "sorrys": True}))
    if state is None:
        return False
    states.append(state)
    ask("goal.print", {"stateId": state})
    there = _knows(ask, "LeanGymProbe.kept")
    ask("goal.print", {"stateId": first})
    return there and not _knows(ask, "LeanGymProbe.kept")


def _comparison(ask: Ask, listing: bool, leaks: bool) -> str | None:
    """Return `Dialect.compared_by`."""
    if listing and _tracks(ask):
        return "track"
    if leaks and listing:
        return "state"
    if not listing:
        return None
    ask("frontend.process", {"file": _KEPT, "inheritEnv": True})
    return "inherit" if _knows(ask, "LeanGymProbe.kept") else None


def tracked(answer: Json) -> str | None:
    """Return why `frontend.track` refuses a completion; `None` when it accepts.

    Both message lists must be present: an answer of another shape is a refusal.
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


def _require_deletion(ask: Ask, states: list[int]) -> None:
    """Delete states.

    Raises:
        BackendUnavailable: The REPL cannot; its memory would grow without limit.
    """
    answer = ask("goal.delete", {"stateIds": states})
    if "error" in answer:
        raise BackendUnavailable(f"it cannot delete states by `goal.delete`: {answer.get('desc')}")
