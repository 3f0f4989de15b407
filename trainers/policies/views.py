"""Views: the text that a policy is shown in a state of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from lean_gym.envs.attempts import asked_text
from lean_gym.envs.episode import Episode
from trainers.config.rollout import PromptConfig
from trainers.policies.presets.view import PresetView
from trainers.policies.prompts import Dialogue


class View(Protocol):
    """Rule that says what a policy is shown."""

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the text.

        Args:
            observation: The observation of the environment.
            episode: The episode at this point: its theorem, goals, accepted tactics and last error.
        """


@dataclass(frozen=True, slots=True)
class GoalsView:
    """The goals below the latest accepted tactics, those before a branch included, as Lean comments.

    Attributes:
        history: Number of tactics shown; 0 shows goals only.
    """

    history: int = 0

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the text."""
        accepted = episode.tactics[-self.history :] if self.history else ()
        return "".join(f"-- {line}\n" for tactic in accepted for line in tactic.splitlines()) + observation


@dataclass(frozen=True, slots=True)
class ProofView:
    """The statement; after a failed attempt a dialogue: the statement, the last answer, and Lean's errors about it.

    A plain prompt shows the observation alone: the declaration as it was checked, and the errors.

    Attributes:
        instruction: System message of the dialogue; empty for none.
    """

    instruction: str = ""

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the text."""
        if not episode.attempt:
            return observation
        messages = [
            {"role": "user", "content": asked_text(episode.theorem)},
            {"role": "assistant", "content": episode.tactic or ""},
            {"role": "user", "content": f"This is not a proof:\n\n{observation}\n\nGive a corrected one."},
        ]
        if self.instruction:
            messages.insert(0, {"role": "system", "content": self.instruction})
        return Dialogue(messages, observation)


ONLY_GOALS: Final = GoalsView()


def create_view(settings: PromptConfig) -> View:
    """Return the view that the settings name.

    Raises:
        PolicyError: There is no preset of that name.
    """
    if settings.preset:
        return PresetView(settings)
    return ProofView(settings.instruction) if settings.actions == "proof" else GoalsView(settings.history)
