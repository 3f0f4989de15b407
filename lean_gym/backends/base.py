"""The contract between the environment and a prover.

A backend turns theorems into proof states and tactics into new states. States are persistent: applying a
tactic never changes the state it was applied to, so a caller may branch from any state it still holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from lean_gym.types import ProofState, TacticResult, Theorem, Verdict


@runtime_checkable
class ProofBackend(Protocol):
    """What an environment needs from a prover.

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
        """Re-check a finished script from scratch against `theorem`, in a state no tactic has touched."""

    def release(self, states: Iterable[ProofState]) -> None:
        """Tell the backend that these states will not be used again."""

    def close(self) -> None:
        """Free every resource; calling it twice is allowed."""
