"""A proof that a person writes, tactic by tactic."""

from __future__ import annotations

import re

from lean_gym.types import ProofBackend, ProofState, TacticResult, Theorem, Verdict
from lean_gym.verification.verify import verify_script


class HandProof:
    """The states of a proof from its start on; each tactic adds one, `undo` takes some away.

    Args:
        backend: The prover.
        theorem: What is proved.
        tactic_seconds: Wall-clock seconds for one tactic.

    Raises:
        DataError: The statement does not elaborate.
        BackendError: The prover failed, here and in every method that asks it.
    """

    def __init__(self, backend: ProofBackend, theorem: Theorem, tactic_seconds: float = 10.0) -> None:
        self.theorem = theorem
        self.tactics: list[str] = []
        self._backend = backend
        self._seconds = tactic_seconds
        self._states = [backend.start(theorem)]

    @property
    def state(self) -> ProofState:
        """The present state."""
        return self._states[-1]

    def apply(self, tactic: str) -> TacticResult:
        """Run a tactic; the proof goes on from its state, or stays where it is if it is refused."""
        result = self.tried(tactic)
        if result.state is not None:
            self.tactics.append(tactic)
            self._states.append(result.state)
        return result

    def tried(self, tactic: str) -> TacticResult:
        """Run a tactic on the present state and stay there."""
        return self._backend.apply(self.state, tactic, self._seconds)

    def undo(self, count: int = 1) -> int:
        """Take back the last tactics; return how many there were to take back."""
        taken = min(count, len(self.tactics))
        if taken:
            self._backend.release(self._states[-taken:])
            del self._states[-taken:], self.tactics[-taken:]
        return taken

    def verdict(self) -> Verdict:
        """Replay the script from the bare statement and judge it, as the environment does before it pays."""
        return verify_script(self._backend, self.theorem, self.tactics)

    def script(self) -> str:
        """Return the statement with the tactics so far, as Lean source."""
        lines = [f"  {line}" for tactic in self.tactics for line in tactic.split("\n")]
        return "\n".join([f"{self.theorem.statement} := by", *lines])


def fresh_name(taken: set[str]) -> str:
    """Return a name for a new hypothesis: `h`, `h1`, `h2`, ..., the first that is not taken."""
    numbers = [0, *(int(name[1:]) for name in taken if re.fullmatch(r"h[0-9]{1,9}", name))]
    return "h" if "h" not in taken else f"h{max(numbers) + 1}"
