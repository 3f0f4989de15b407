"""Frozen, backend-neutral values of theorem proving, and the protocol between the environment and a prover.

No value depends on the terms of a backend. A `ProofState` carries the printed goals and an opaque
`handle` that only the backend that made it can read; states are immutable, so branching is free.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable


class Outcome(StrEnum):
    """Outcome of a step or an episode, written to `info["outcome"]` as its plain string value."""

    RUNNING = "running"
    """Goals are left and the budget is not spent."""
    PROVED = "proved"
    """No goals are left and the replayed script was verified against the original statement."""
    TACTIC_ERROR = "tactic_error"
    """The last tactic was refused, or the last whole proof failed; the proof state did not change."""
    REJECTED = "rejected"
    """No goals were left, but verification refused the script (the reason is in `info["error"]`)."""
    STEP_LIMIT = "step_limit"
    """The budget of steps, or of whole proofs, is spent."""
    TIME_LIMIT = "time_limit"
    """The episode's wall-clock budget is spent."""
    CRASHED = "crashed"
    """The backend died twice on this step, or the theorem is quarantined; the episode is given up."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """One statement to prove.

    Attributes:
        name: Unique within its set; also the declaration name used for verification.
        statement: Lean source up to, and without, `:=`, e.g. `theorem add_zero (n : Nat) : n + 0 = n`.
        context: Lean commands that precede the statement (`variable`, `open`, ...), `""` for none.
        imports: Lean modules the statement needs, `()` for none.
        split: `"train"`, `"valid"`, `"test"` or `""` when the set has no split.
        domain: Subject within the set, e.g. `"propositional"`; `""` when unknown.
        difficulty: 0.0 (trivial) to 1.0; `None` when unknown.
        proof: A reference tactic script, one tactic block a line as it would stand after `by`; `""` for none.
        source: Where the statement was taken from, e.g. a benchmark's file; `""` when written for its set.
        lean_version: The version of Lean that the statement was written for, e.g. `"4.24.0"`; `""` when unknown.
        mathlib_revision: The commit or tag of Mathlib that it was written for; `""` when unknown or not needed.
        automation: Whether a script of `python -m envs_data.automation` proves it; `None` when not measured.
        position: The place in minilean's library at which it is proved, e.g. `"NatBasic.lean:Nat.add_comm"`, or in a
            traced project, `"ROOT//Foo/Bar.lean:Foo.lemma"`: what this declaration and later ones add cannot be used.
            `""` for the whole library. For the backend minilean only.
        permitted_axioms: Axioms that a proof may depend on, as far as the environment permits them too: `()` asks for
            a constructive proof that uses none; `None` for all that the environment permits.
    """

    name: str
    statement: str
    context: str = ""
    imports: tuple[str, ...] = ()
    split: str = ""
    domain: str = ""
    difficulty: float | None = None
    proof: str = ""
    source: str = ""
    lean_version: str = ""
    mathlib_revision: str = ""
    automation: bool | None = None
    position: str = ""
    permitted_axioms: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One entry of a goal's local context, as Lean prints it. `value` is set for `let` variables only."""

    name: str
    type: str
    value: str | None = None


def _as_html(text: str) -> str:
    """Return a goal as HTML: escaped, targets bold. Letters have the colour of the page around, light or dark."""
    lines = (html.escape(line) for line in text.split("\n"))
    shown = "\n".join(f"<b>{line}</b>" if line.startswith("⊢") else line for line in lines)
    style = "margin:.3em 0;padding:.2em .8em;border-left:3px solid #3b82c4;background:none;color:inherit"
    return f'<pre style="{style}">{shown}</pre>'


@dataclass(frozen=True, slots=True)
class Goal:
    """One open goal. `text` is the goal exactly as Lean prints it, `case` line included."""

    text: str
    target: str
    hypotheses: tuple[Hypothesis, ...] = ()
    case: str | None = None

    def _repr_html_(self) -> str:
        """Return the goal for a notebook, which shows it in its own colours."""
        return _as_html(self.text)


@dataclass(frozen=True, slots=True)
class ProofState:
    """An immutable proof state.

    Attributes:
        goals: All open goals, the main goal first. `()` means that none are left, which is not yet a proof.
        handle: The backend's own reference to the state; compare or inspect it nowhere else.
        redefined: Of the state that a theorem starts with: words of the statement that its context gives another
            meaning than Lean's library, as far as the backend knows.
    """

    goals: tuple[Goal, ...]
    handle: Any = field(repr=False, compare=False)
    redefined: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The goals as Lean prints them: separated by one blank line, `no goals` when none are left."""
        return "\n\n".join(goal.text for goal in self.goals) if self.goals else "no goals"

    def _repr_html_(self) -> str:
        """Return the goals for a notebook, a box for each."""
        return "".join(goal._repr_html_() for goal in self.goals) or _as_html(self.text)

    @property
    def is_finished(self) -> bool:
        """Return whether no goals are left, which is no proof before the script is verified."""
        return not self.goals


@dataclass(frozen=True, slots=True)
class TacticResult:
    """Result of one tactic. Exactly one of `state` and `error` is set.

    Attributes:
        state: The state after the tactic, or `None` when the tactic was refused.
        error: Lean's message when the tactic was refused, else `None`.
        messages: Further messages (warnings, `Try this: ...`) of an accepted tactic.
    """

    state: ProofState | None = None
    error: str | None = None
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptError:
    """One of Lean's errors about a whole proof.

    Attributes:
        line: Line of its beginning in the declaration's source, from 1.
        column: Characters before it on that line, from 0.
        message: Lean's message.
        end_line: Line of its end; `None` when the prover does not say.
        end_column: Characters before its end on that line; `None` with `end_line`.
        goals: The goals there as Lean prints them; `""` when they are not known.
    """

    line: int
    column: int
    message: str
    end_line: int | None = None
    end_column: int | None = None
    goals: str = ""

    def __str__(self) -> str:
        """The position and the message, as Lean prints them."""
        return f"{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of an independent re-check of a finished script against the original statement.

    Attributes:
        proved: Whether the script passed the re-check. A backend does not judge the axioms; in a verdict of
            `lean_gym.verification.verify.verify_script` they are permitted ones.
        reason: Why not, in one line; `""` when `proved`.
        axioms: The axioms that the proof depends on, sorted, `sorryAx` included.
        details: Further facts that a backend reports (version, seconds), JSON-able.
        level: `"full"`: checked from scratch by the kernel, axioms listed; `"independent"`: checked by a process that
            never saw the script, in another kernel; `"replay"`: the tactics were run again, and the axioms are not
            known.
    """

    proved: bool
    reason: str = ""
    axioms: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    level: str = "full"


@runtime_checkable
class ProofBackend(Protocol):
    """Contract between the environment and a prover: theorems to proof states, tactics to new states.

    States are persistent: applying a tactic never changes the state it was applied to, so a caller may branch from
    any state that it still holds.

    A tactic that fails is a value (`TacticResult.error`), never an exception. Exceptions are for a broken
    backend (`BackendCrashed`, `BackendTimeout`, `ProtocolError`), for an unusable theorem (`DataError`)
    and for misuse (`ValueError`).
    """

    name: str
    """Registered name, e.g. `"minilean"`; recorded with every result."""

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement and return its initial state, binders introduced as inside `by`.

        Raises:
            DataError: The statement or its context does not elaborate; the text holds Lean's message.
        """

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Run one tactic block on the state's main goal.

        Args:
            state: A state of this backend that has not been released.
            tactic: Lean tactic source: one tactic, or several separated by newlines or `;`.
            deadline_s: Wall-clock seconds after which the tactic is stopped and reported as refused.
        """

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Re-check a finished script from scratch against `theorem`, in a state that no tactic has touched.

        The verdict lists the axioms of the proof and does not judge them; call
        `lean_gym.verification.verify.verify_script` for a decision.
        """

    def release(self, states: Iterable[ProofState]) -> None:
        """Tell the backend that these states will not be used again."""

    def close(self) -> None:
        """Free every resource; calling it twice is allowed."""


class RegisteredBackend(ProofBackend, Protocol):
    """A backend of the registry, which asks its class what an environment may set and how its results are kept.

    Attributes:
        settings: Options of the class among those that an environment sets: `"verify"`, `"memory_mib"`.
    """

    settings: ClassVar[frozenset[str]]

    @staticmethod
    def sources_key(options: Mapping[str, Any]) -> str | None:
        """Return a text that changes wherever results may, by the code and the libraries that decide them.

        Args:
            options: Keyword arguments of the class.

        Returns:
            `None` where this process cannot tell: what real Lean accepts depends on its version and its modules.
        """


@runtime_checkable
class LibraryLister(Protocol):
    """A backend that lists the declarations of its library."""

    def declarations(self, theorem: Theorem) -> list[str]:
        """Return the names that a proof of a theorem may use, sorted, without those that Lean made up."""


@runtime_checkable
class ScriptChecker(Protocol):
    """A backend that tells the positions of the errors of a whole proof."""

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Check the theorem with a script as a file, and return Lean's errors in order.

        This is for messages alone: no errors do not make a proof.

        Args:
            theorem: The statement.
            script: A tactic block, as it would stand after `by`.
            deadline_s: Wall-clock seconds.

        Returns:
            The errors, positions relative to `lean_gym.backends.scripts.declaration_source`; none where they are not
            known.
        """
