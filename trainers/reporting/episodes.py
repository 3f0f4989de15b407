"""Counts over the stored episodes of a run, and the few of them that the page shows."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from trainers.reporting.rows import EpisodeRow, MeasurementRow

PROOFS_SHOWN: Final = 3
"""Most distinct proofs of a theorem that are kept, the shortest ones."""
FAILURES_SHOWN: Final = 2
"""Most failed attempts at a theorem that are kept, the last ones."""
REFUSALS_KEPT: Final = 200_000
"""Most distinct refused tactics that are counted one by one, a bound on memory."""

Refusal = tuple[str, tuple[str, ...], str]
"""(theorem, accepted tactics before, refused tactic)."""


@dataclass(slots=True)
class Played:
    """The episodes of one theorem.

    Attributes:
        by_iteration: Iteration -> (episodes, proofs among them), in the order of the run.
        proofs: The shortest distinct proofs.
        failed: The last episodes that proved nothing.
    """

    by_iteration: dict[int, tuple[int, int]] = field(default_factory=dict)
    proofs: list[EpisodeRow] = field(default_factory=list)
    failed: deque[EpisodeRow] = field(default_factory=lambda: deque(maxlen=FAILURES_SHOWN))

    @property
    def attempts(self) -> int:
        """Return the number of episodes."""
        return sum(episodes for episodes, _ in self.by_iteration.values())

    @property
    def proved(self) -> int:
        """Return the number of episodes that ended with a proof."""
        return sum(proofs for _, proofs in self.by_iteration.values())

    def add(self, episode: EpisodeRow) -> None:
        """Count an episode, and keep it if it is one of those to show."""
        if episode.iteration is not None:
            self.count(episode.iteration, 1, int(episode.proved))
        self.keep(episode)

    def count(self, iteration: int, episodes: int, proved: int) -> None:
        """Count episodes of an iteration, and the proofs among them."""
        before, proofs = self.by_iteration.get(iteration, (0, 0))
        self.by_iteration[iteration] = (before + episodes, proofs + proved)

    def keep(self, episode: EpisodeRow) -> None:
        """Keep an episode if it is one of those to show."""
        if not episode.proved:
            self.failed.append(episode)
        elif all(episode.tactics != other.tactics for other in self.proofs):
            # The sort is stable: of equally long proofs the first ones stay.
            self.proofs = sorted([*self.proofs, episode], key=lambda each: len(each.tactics))[:PROOFS_SHOWN]


@dataclass(slots=True)
class Failures:
    """Counts of refused tactics and of the ends of episodes.

    Attributes:
        outcomes: Outcome -> episodes.
        tactics: Tactics tried.
        refused: Tactics among them that were refused.
        by_word: First word of a refused tactic -> how often.
        refusals: Refused tactic in its place -> how often.
        messages: Refused tactic in its place -> Lean's message, where it is stored.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    tactics: int = 0
    refused: int = 0
    by_word: Counter[str] = field(default_factory=Counter)
    refusals: Counter[Refusal] = field(default_factory=Counter)
    messages: dict[Refusal, str] = field(default_factory=dict)

    def add(self, episode: EpisodeRow) -> None:
        """Count an episode."""
        self.outcomes[episode.outcome] += 1
        self.tactics += len(episode.steps)
        path = accepted_before(episode)
        for step in episode.steps:
            if not step.refused:
                path = (*path, step.tactic)
                continue
            self.refused += 1
            self.by_word[first_word(step.tactic)] += 1
            refusal = (episode.theorem, path, step.tactic)
            if refusal in self.refusals or len(self.refusals) < REFUSALS_KEPT:
                self.refusals[refusal] += 1
                if step.message is not None:
                    self.messages.setdefault(refusal, step.message)


def count_episodes(episodes: Iterable[EpisodeRow]) -> tuple[dict[str, Played], Failures]:
    """Return the episodes by theorem, and the failures of all."""
    played: dict[str, Played] = {}
    failures = Failures()
    for episode in episodes:
        played.setdefault(episode.theorem, Played()).add(episode)
        failures.add(episode)
    return played, failures


def count_measured(rows: Iterable[MeasurementRow]) -> tuple[dict[str, Played], Failures]:
    """Return the episodes of the measurements by theorem, and the failures of those that are stored."""
    measured: dict[str, Played] = {}
    failures = Failures()
    for row in rows:
        own = measured.setdefault(row.theorem, Played())
        own.count(row.iteration, row.episodes, row.proved)
        for episode in row.kept:
            own.keep(episode)
            failures.add(episode)
    return measured, failures


def accepted_before(episode: EpisodeRow) -> tuple[str, ...]:
    """Return the tactics before the first step: those above the branch point that the episode began at."""
    accepted = sum(not step.refused for step in episode.steps)
    return episode.tactics[: max(0, len(episode.tactics) - accepted)]


def first_word(tactic: str) -> str:
    """Return the name of a tactic, up to the first space, bracket or sign."""
    words = tactic.split(None, 1)
    word = words[0] if words else ""
    end = next((at for at, letter in enumerate(word) if not (letter.isalnum() or letter in "_'!?.")), None)
    return word[:end] or word or "(empty)"
