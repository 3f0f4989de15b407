"""States of the backend that a prover keeps: of a theorem's start, of a slot, of a snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from lean_gym.types import ProofState, Theorem


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a theorem, numbered."""

    number: int
    state: ProofState


@dataclass(frozen=True, slots=True)
class Session:
    """State that a slot's episode is in."""

    theorem: Theorem
    start: Start
    tactics: tuple[str, ...]
    state: ProofState


@dataclass(frozen=True, slots=True)
class HeldState:
    """A state kept for a snapshot, with its start and the life of the backend that both belong to."""

    start: Start
    state: ProofState
    life: int
