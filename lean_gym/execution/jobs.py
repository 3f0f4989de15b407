"""Requests to a prover, and its replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lean_gym.types import Goal, ScriptError, Theorem, Verdict
from lean_gym.verification.verify import PERMITTED_AXIOMS

COUNTERS: Final = (
    "starts", "start_hits", "tactics", "tactic_hits", "tactic_misses", "replayed_tactics",
    "verifications", "verification_hits", "backend_restarts", "deadline_kills", "backend_seconds",
)  # fmt: skip
"""Counters of a prover: requests; those that a cache answered and, for tactics, those it did not; tactics run
again to restore an episode; provers replaced, and those among them stopped at a deadline; seconds inside the
backend, which is Lean's time."""


@dataclass(frozen=True, slots=True)
class Job:
    """One request for one episode.

    Attributes:
        slot: Which episode; a prover keeps one state for each.
        theorem: What it proves.
        tactics: The accepted tactics that led to the episode's state.
        tactic: The tactic to try there, or `None` to start the theorem.
        deadline_s: Wall-clock seconds for the tactic.
        judge: Whether to judge the whole script, from its statement, instead of trying its last tactic. Without a
            tactic the backend only gets ready to judge scripts of this theorem.
        whole: Whether the tactic is a whole proof: one that leaves goals is refused, and refusals have positions.
    """

    slot: int
    theorem: Theorem
    tactics: tuple[str, ...] = ()
    tactic: str | None = None
    deadline_s: float = 10.0
    judge: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of a job.

    Attributes:
        goals: All open goals afterwards; `None` when the tactic was refused or the job failed.
        error: Why the tactic was refused, or how the prover was lost.
        messages: The prover's further messages.
        verdict: Set when no goals were left: whether the replayed script is a proof. `None` means that nobody has
            judged the script, which then is no proof.
        crashed: The prover died on this job twice; the episode cannot go on.
        failure: An exception for the caller: a theorem that does not start, or a bug in the backend.
        seconds: Wall-clock time of the job itself; restoring a lost state is left out.
        errors: Errors of a whole proof that was refused, with their positions.
        redefined: Of the start of a theorem, as for `ProofState`.
    """

    goals: tuple[Goal, ...] | None = None
    error: str | None = None
    messages: tuple[str, ...] = ()
    verdict: Verdict | None = None
    crashed: bool = False
    failure: Exception | None = None
    seconds: float = 0.0
    errors: tuple[ScriptError, ...] = ()
    redefined: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Return whether the tactic applied: it left goals, or finished a script that was judged to be a proof."""
        if self.goals is None:
            return False
        return bool(self.goals) or (self.verdict is not None and self.verdict.proved)


@dataclass(frozen=True, slots=True)
class ProverOptions:
    """Options of a prover.

    Attributes:
        permitted_axioms: Axioms a proof may depend on.
        verify_seconds: Wall-clock seconds for the replay of a finished script, and to start a theorem.
        cache_size: Most tactic results to keep, 0 for none; as many verdicts are kept.
        verify: The level of verification that a proof needs, one of `lean_gym.verification.verify.VERIFY_LEVELS`.
        judges: Whether a finished script is judged at once; otherwise its reply has no verdict, and a job of its own
            asks for one.
        max_goal_chars: Longest text of all goals that a tactic may leave, `None` for no limit; one that leaves more is
            refused. Whole proofs are not held to it.
    """

    permitted_axioms: tuple[str, ...] = PERMITTED_AXIOMS
    verify_seconds: float = 60.0
    cache_size: int = 4096
    verify: str = "full"
    judges: bool = True
    max_goal_chars: int | None = None
