"""View of a preset: the prompt that the published prover is given in a state of an episode."""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.envs.episode import Episode
from trainers.config.rollout import PromptConfig
from trainers.errors import PolicyError
from trainers.policies.premises import Premise, Retriever
from trainers.policies.presets.base import Mistake, Preset, Shown
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.repair import Placed
from trainers.policies.prompts import Dialogue, Rendered, shown_goals
from trainers.runtime.terminal import warn


class PresetView:
    """Prompts of a preset.

    Attributes:
        preset: The preset.
        settings: The settings of prompts.
    """

    def __init__(self, settings: PromptConfig, retriever: Retriever | None = None) -> None:
        """Choose the preset.

        Args:
            settings: Its field `preset` is the name.
            retriever: Finds the premises, for a preset that shows some; without one it shows none, and a line says so.

        Raises:
            PolicyError: There is no such preset, or there is a retriever and it shows no premises.
        """
        self.preset = find_preset(settings.preset)
        self.settings = settings
        self._retriever = retriever
        if self.preset.premises and retriever is None:
            warn(f"preset {self.preset.name}: no premises are retrieved, so none are shown")
        if retriever is not None and not self.preset.premises:
            raise PolicyError(
                f"retriever: expected none with the preset {self.preset.name}, which shows no premises"
            )

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the prompt."""
        return self.show_all([observation], [episode])[0]

    def show_all(self, observations: Sequence[str], episodes: Sequence[Episode]) -> list[str]:
        """Return the prompts of states; their premises are retrieved together."""
        states = [shown_goals(observation, self.settings) for observation in observations]
        found: Sequence[Sequence[Premise]] = [()] * len(states)
        if self._retriever is not None:
            found = self._retriever(states, self.settings.premises, [each.theorem for each in episodes])
        return [self._shown(*each) for each in zip(states, episodes, found, strict=True)]

    def without_episode(self, goals: str) -> str:
        """Return the prompt of goals alone."""
        state = shown_goals(goals, self.settings)
        found = self._retriever([state], self.settings.premises)[0] if self._retriever is not None else ()
        return rendered(self.preset, Shown(state, premises=tuple(found)))

    def _shown(self, state: str, episode: Episode, found: Sequence[Premise]) -> str:
        theorem, errors = episode.theorem, episode.errors
        mistakes: tuple[Mistake, ...] = errors
        if episode.attempt and not errors:  # an answer that could not be read
            mistakes = (Placed(1, 0, None, None, episode.error or ""),)
        parts = Shown(
            state,
            theorem.name,
            theorem.statement.strip(),
            theorem.context,
            theorem.imports,
            tactics=episode.tactics,
            premises=tuple(found),
            attempt=episode.attempt or "",
            mistakes=mistakes,
            round=episode.steps,
        )
        return rendered(self.preset, parts)


def rendered(preset: Preset, parts: Shown) -> str:
    """Return the prompt of some parts, which it keeps."""
    prompt = preset.prompt(parts)
    return Rendered(prompt, parts) if isinstance(prompt, str) else Dialogue(prompt, parts=parts)
