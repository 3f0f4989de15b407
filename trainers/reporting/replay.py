"""Replay in minilean of what older runs do not store: goals along a proof, and messages of refused tactics.

The run judged these proofs and tactics; nothing here decides whether something is proved. Real Lean executes what a
tactic says, so runs on it are not replayed.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.backends.registry import create_backend
from lean_gym.errors import LeanGymError
from lean_gym.types import ProofState, Theorem
from trainers.reporting.episodes import Refusal, first_word
from trainers.reporting.rows import EpisodeRow, TacticRow

REPLAYABLE: Final = "minilean"
"""The backend whose runs are replayed."""
TACTIC_SECONDS: Final = 1.0
TOTAL_SECONDS: Final = 30.0
"""Most seconds of replay for one run."""
MOST_REFUSALS: Final = 5000
"""Most refused tactics that are tried again, the most frequent ones."""
_QUOTED: Final = re.compile(r"(Tactic )?`([^`\n]*)`")
_PLACE: Final = re.compile(r"<input>:\d+:\d+: ")
_NUMBER: Final = re.compile(r"\b\d+\b")


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Refused tactics with the same message, names and numbers aside.

    Attributes:
        message: Their common message.
        count: How often they were tried.
        distinct: Number of different tactics at different places.
        theorem: Theorem of the most frequent one.
        tactic: That tactic.
        full: Its whole message.
    """

    message: str
    count: int
    distinct: int
    theorem: str
    tactic: str
    full: str


class Replayer:
    """States of theorems in minilean, each kept once it is reached."""

    def __init__(self, theorems: Mapping[str, Theorem]) -> None:
        self._theorems = theorems
        self._backend = create_backend(REPLAYABLE)
        self._states: dict[tuple[str, tuple[str, ...]], ProofState | None] = {}
        self._ends = time.monotonic() + TOTAL_SECONDS

    @property
    def out_of_time(self) -> bool:
        """Return whether the time for one run is spent."""
        return time.monotonic() > self._ends

    def close(self) -> None:
        """Free the backend."""
        self._backend.close()

    def state(self, theorem: str, path: tuple[str, ...]) -> ProofState | None:
        """Return the state after some tactics, `None` where they do not lead to one."""
        for end in range(len(path) + 1):
            key = (theorem, path[:end])
            if key not in self._states:
                self._states[key] = self._reach(theorem, path[:end])
        return self._states[theorem, path]

    def _reach(self, theorem: str, path: tuple[str, ...]) -> ProofState | None:
        try:
            if not path:
                return self._backend.start(self._theorems[theorem]) if theorem in self._theorems else None
            before = self._states[theorem, path[:-1]]
            if before is None or not before.goals:
                return None
            return self._backend.apply(before, path[-1], TACTIC_SECONDS).state
        except LeanGymError:
            return None

    def error(self, refusal: Refusal) -> str | None:
        """Return the message of a refused tactic; `None` where its state is not reached or it is accepted."""
        theorem, path, tactic = refusal
        state = self.state(theorem, path)
        if state is None or not state.goals:
            return None
        try:
            return self._backend.apply(state, tactic, TACTIC_SECONDS).error
        except LeanGymError as error:
            return str(error)

    def proof(self, theorem: str, tactics: Sequence[str], iteration: int | None) -> EpisodeRow | None:
        """Return a proof as an episode with its goals; `None` where the replay does not finish it."""
        path = tuple(tactics)
        steps = []
        for at, tactic in enumerate(path):
            state = self.state(theorem, path[:at])
            if state is None or not state.goals:
                return None
            shown = "\n\n".join(goal.text for goal in state.goals)
            steps.append(TacticRow(shown=shown, tactic=tactic, refused=False))
        end = self.state(theorem, path)
        if end is None or not end.is_finished:
            return None
        return EpisodeRow(
            iteration=iteration, theorem=theorem, outcome="proved", tactics=path, steps=tuple(steps)
        )


def group_errors(
    refusals: Counter[Refusal], stored: Mapping[Refusal, str], replayer: Replayer | None
) -> tuple[list[ErrorGroup], int]:
    """Group refused tactics by their message.

    Args:
        refusals: Refused tactic in its place -> how often it was tried.
        stored: Refused tactic in its place -> message that the run stored.
        replayer: Tries the other ones again, the most frequent first; `None` leaves them out.

    Returns:
        The groups, the most frequent first, and how many tries they stand for.
    """
    counts: Counter[str] = Counter()
    members: Counter[str] = Counter()
    examples: dict[str, tuple[str, str, str]] = {}
    tried = 0
    for refusal, count in refusals.most_common():
        message = stored.get(refusal)
        if message is None and replayer and tried < MOST_REFUSALS and not replayer.out_of_time:
            message = replayer.error(refusal)
            tried += 1
        if message is None:
            continue
        pattern = pattern_of(message, refusal[2])
        counts[pattern] += count
        members[pattern] += 1
        examples.setdefault(pattern, (refusal[0], refusal[2], message))
    groups = [
        ErrorGroup(pattern, count, members[pattern], *examples[pattern])
        for pattern, count in counts.most_common()
    ]
    return groups, counts.total()


def pattern_of(message: str, tactic: str) -> str:
    """Return the first line of a message without the names and numbers that vary, but with the tactic's own name."""
    lines = message.strip().splitlines()
    name = first_word(tactic)
    line = _PLACE.sub("syntax: ", lines[0] if lines else "")
    line = _QUOTED.sub(lambda found: found[0] if found[1] or found[2] == name else "`…`", line)
    return _NUMBER.sub("…", line) or "(no message)"
