"""Is this finished proof really a proof of the original statement?

The backend replays the script from scratch, in a state that the episode's tactics never touched, and names
the axioms of the proof. The axioms are judged here, on our side, against an allow-list: deny-lists break
whenever Lean renames an axiom.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from lean_gym.errors import unknown_name
from lean_gym.types import VERIFY_LEVELS, ProofBackend, Theorem, Verdict

PERMITTED_AXIOMS: Final = ("Classical.choice", "Quot.sound", "propext")
"""Lean's three standard axioms."""


def check_level(verify: str) -> str:
    """Refuse a level of verification that does not exist.

    Raises:
        ValueError: Unknown level.
    """
    if verify not in VERIFY_LEVELS:
        raise ValueError(unknown_name("verify", str(verify), VERIFY_LEVELS))
    return verify


def verify_script(
    backend: ProofBackend,
    theorem: Theorem,
    tactics: Sequence[str],
    permitted_axioms: Collection[str] = PERMITTED_AXIOMS,
    deadline_s: float = 60.0,
    verify: str = "full",
) -> Verdict:
    """Replay a finished script and judge the axioms of the resulting proof.

    Args:
        backend: Where to replay; its working states are not used.
        theorem: The statement as the environment holds it, not as any tactic left it.
        tactics: The accepted tactics, in order.
        permitted_axioms: Axioms a proof may depend on.
        deadline_s: Wall-clock seconds for the replay.
        verify: `"full"`, or `"replay"` to believe verdicts of that level too. They know no axioms.

    Returns:
        The backend's verdict, refused if an axiom outside `permitted_axioms` is used or its level is too low.
    """
    verdict = backend.verify(theorem, tuple(tactics), deadline_s)
    foreign = [axiom for axiom in verdict.axioms if axiom not in permitted_axioms]
    if verdict.proved and foreign:
        return replace(
            verdict, proved=False, reason=f"uses axioms that are not permitted: {', '.join(foreign)}"
        )
    if verdict.proved and verify == "full" and verdict.level != "full":
        reason = f"was checked by {verdict.level} alone; verify='replay' accepts that"
        return replace(verdict, proved=False, reason=reason)
    return verdict
