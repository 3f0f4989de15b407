"""Tactics that the prover accepts in the states of episodes, found by trying them beside the episodes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lean_gym.envs.episode import Episode
from lean_gym.envs.options import EpisodeOptions
from lean_gym.execution import Job, Reply
from lean_gym.types import Theorem

MOST_STATES: Final = 16_384
"""States whose answers are kept."""

State = tuple[Theorem, tuple[str, ...]]


class Acceptance:
    """Answers of a prover, kept by theorem and script, which determine the state; printed goals do not.

    Args:
        options: The budgets of the episodes, and the tactics that are forbidden.
    """

    def __init__(self, options: EpisodeOptions) -> None:
        self._options = options
        self._known: OrderedDict[State, dict[str, bool]] = OrderedDict()

    def ask(
        self,
        episodes: Mapping[int, Episode],
        tactics: Sequence[str],
        run: Callable[[list[Job]], Sequence[Reply]],
    ) -> dict[int, tuple[bool, ...]]:
        """Return for each episode which tactics its state accepts; one that has ended accepts none.

        Args:
            episodes: By slot.
            tactics: What to try, `m` of them.
            run: Runs jobs of different slots and returns their replies in the same order.

        Returns:
            `m` answers for each slot.

        Raises:
            BackendError: The prover cannot be started.
        """
        found: dict[int, dict[str, bool]] = {}
        for slot, episode in episodes.items():
            found[slot] = dict.fromkeys(tactics, False) if episode.ended else dict(self._of(episode))
        for tactic in dict.fromkeys(tactics):
            jobs = []
            for slot, episode in episodes.items():
                if tactic in found[slot]:
                    continue
                if episode.refuse(tactic, self._options) is not None:
                    found[slot][tactic] = self._of(episode)[tactic] = False
                else:
                    jobs.append(episode.job(slot, tactic, self._options))
            for job, reply in zip(jobs, run(jobs) if jobs else (), strict=True):
                if reply.failure is not None:
                    raise reply.failure
                found[job.slot][tactic] = reply.accepted
                # A refusal near the deadline may be due to the load of the machine.
                if reply.accepted or reply.crashed or reply.seconds < job.deadline_s / 2:
                    self._of(episodes[job.slot])[tactic] = reply.accepted
        return {slot: tuple(answers[tactic] for tactic in tactics) for slot, answers in found.items()}

    def _of(self, episode: Episode) -> dict[str, bool]:
        """Return the answers that are kept for the state of an episode, to read and to add to."""
        state = (episode.theorem, episode.tactics)
        answers = self._known.setdefault(state, {})
        self._known.move_to_end(state)
        if len(self._known) > MOST_STATES:
            self._known.popitem(last=False)
        return answers
