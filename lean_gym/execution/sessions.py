"""States of the backend that a prover keeps: of a theorem's start, of a slot, of a snapshot."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from lean_gym.execution.cache import Ledger, ResultCache
from lean_gym.types import ProofState, Theorem

_MAX_STARTS: Final = 256


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


class KeptStates:
    """The states that are still needed in one backend: by slots, starts of theorems, results and snapshots.

    Args:
        cache_size: Most tactic results to keep.
    """

    def __init__(self, cache_size: int) -> None:
        self._cache_size = cache_size
        self._sessions: dict[int, Session] = {}
        self._starts: OrderedDict[Theorem, Start] = OrderedDict()
        self._start_count = 0
        self.life = 0
        """How often the states were lost."""
        self.ledger = Ledger()
        self.results = ResultCache(cache_size, self.ledger)

    def session(self, slot: int) -> Session | None:
        """Return the state that a slot is in; `None` when it is in none, or has lost it."""
        return self._sessions.get(slot)

    def enter(self, slot: int, session: Session) -> None:
        """Put a slot into a state."""
        self.ledger.keep(session.state)
        self.leave(slot)
        self._sessions[slot] = session

    def leave(self, slot: int) -> None:
        """Take a slot out of its state."""
        left = self._sessions.pop(slot, None)
        if left is not None:
            self.ledger.drop(left.state)

    def has_start(self, theorem: Theorem) -> bool:
        """Return whether a theorem's start is kept."""
        return theorem in self._starts

    def find_start(self, theorem: Theorem) -> Start | None:
        """Return a theorem's start, which then counts as used last; `None` when it is not kept."""
        start = self._starts.get(theorem)
        if start is not None:
            self._starts.move_to_end(theorem)
        return start

    def add_start(self, theorem: Theorem, state: ProofState) -> Start:
        """Keep and number a theorem's start; that of the theorem not used for longest may go, with its results."""
        self._start_count += 1
        start = Start(self._start_count, state)
        self.ledger.keep(state)
        self._starts[theorem] = start
        if len(self._starts) > _MAX_STARTS:
            forgotten = self._starts.popitem(last=False)[1]
            self.results.forget(forgotten.number)
            self.ledger.drop(forgotten.state)
        return start

    def hold(self, slot: int) -> HeldState | None:
        """Keep a slot's state for a snapshot; `None` when it is in none, or has lost it."""
        session = self._sessions.get(slot)
        if session is None:
            return None
        self.ledger.keep(session.state)
        return HeldState(session.start, session.state, self.life)

    def resume(self, slot: int, theorem: Theorem, tactics: tuple[str, ...], held: HeldState | None) -> None:
        """Put a slot into a held state; without one, or when it was lost, the slot is in none."""
        if held is not None and held.life == self.life:
            self.enter(slot, Session(theorem, held.start, tactics, held.state))
        else:
            self.leave(slot)

    def lose_all(self) -> list[ProofState]:
        """Forget and return all states."""
        self.life += 1
        lost = self.ledger.take_all()
        self.ledger = Ledger()
        self.results = ResultCache(self._cache_size, self.ledger)
        self._sessions.clear()
        self._starts.clear()
        return lost
