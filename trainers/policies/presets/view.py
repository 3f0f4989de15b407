"""View of a preset: the prompt that the published prover is given in a state of an episode."""

from __future__ import annotations

from lean_gym.envs.episode import Episode
from trainers.config.rollout import PromptConfig
from trainers.policies.presets.base import Mistake, Preset, Retriever, Shown
from trainers.policies.presets.catalogue import find_preset
from trainers.policies.presets.repair import Placed
from trainers.policies.prompts import Dialogue, Rendered, shown_goals
from trainers.runtime.terminal import warn


class PresetView:
    """Prompts of a preset.

    Attributes:
        preset: The preset.
    """

    def __init__(self, settings: PromptConfig, retriever: Retriever | None = None) -> None:
        """Choose the preset.

        Args:
            settings: Its field `preset` is the name.
            retriever: Finds the premises, for a preset that shows some; without one it shows none, and a line says so.

        Raises:
            PolicyError: There is no such preset.
        """
        self.preset = find_preset(settings.preset)
        self._settings = settings
        self._retriever = retriever
        if self.preset.premises and retriever is None:
            warn(f"preset {self.preset.name}: no premises are retrieved, so none are shown")

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the prompt."""
        state = shown_goals(observation, self._settings)
        found = (
            self._retriever(state, self.preset.premises) if self._retriever and self.preset.premises else ()
        )
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
