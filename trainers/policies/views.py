"""Views: the text that a policy is shown in a state of an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from lean_gym.envs.attempts import asked_text
from lean_gym.envs.episode import Episode
from lean_gym.types import ProofState
from trainers.config.rollout import PromptConfig
from trainers.policies.premises import Premise, Premised, Retriever, lines_of
from trainers.policies.presets.view import PresetView
from trainers.policies.prompts import Dialogue, below, shown_goals


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
class TurnsView:
    """The goals as the last turn of a chat, below the latest tactics and what Lean answered.

    Lean's answer to a tactic is the goals after it; if it was refused, its message above the goals.

    Attributes:
        settings: Number of tactics shown, goals shown of each state, and the system message.
    """

    settings: PromptConfig

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the text."""
        past = episode.history
        errors = [None, *(step.error for step in past)]  # of the step before each state
        first = max(0, len(past) - self.settings.history)
        messages = []
        for step, error in zip(past[first:], errors[first:], strict=False):
            before = ProofState(step.before, handle=None).text
            messages.append({"role": "user", "content": self._told(before, error)})
            messages.append({"role": "assistant", "content": step.tactic})
        if not messages:
            return observation
        messages.append({"role": "user", "content": self._told(observation, errors[-1])})
        return Dialogue(below(self.settings.instruction, messages))

    def _told(self, goals: str, error: str | None) -> str:
        shown = shown_goals(goals, self.settings)
        return shown if error is None else f"error: {error[:_MOST_ERROR]}\n\n{shown}"


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
        return Dialogue(below(self.instruction, messages), observation)


ONLY_GOALS: Final = GoalsView()
_MOST_ERROR: Final = 300
"""Characters of Lean's message that a turn shows; what follows is mostly the goals again."""


_USUAL: Final = PromptConfig(prompt_goals=0)


@dataclass(frozen=True, slots=True)
class PremisesView:
    """Premises that a retriever finds for a state, above the text of another view.

    Premises are found by the goals that a prompt shows; for a whole proof, by the statement.

    Attributes:
        view: Gives the text.
        retriever: Finds the premises.
        settings: Number of the premises, and goals shown.
    """

    view: View
    retriever: Retriever
    settings: PromptConfig = _USUAL

    def __call__(self, observation: str, episode: Episode) -> str:
        """Return the text."""
        return self.show_all([observation], [episode])[0]

    def show_all(self, observations: Sequence[str], episodes: Sequence[Episode]) -> list[str]:
        """Return the texts of states; their premises are retrieved together."""
        asked = [
            each.theorem.statement if isinstance(self.view, ProofView) else shown_goals(text, self.settings)
            for text, each in zip(observations, episodes, strict=True)
        ]
        found = self.retriever(asked, self.settings.premises, [each.theorem for each in episodes])
        return [
            _with_premises(self.view(text, each), premises)
            for text, each, premises in zip(observations, episodes, found, strict=True)
        ]

    def without_episode(self, goals: str) -> str:
        """Return goals below their premises."""
        (found,) = self.retriever([shown_goals(goals, self.settings)], self.settings.premises)
        return _with_premises(goals, found)


def _with_premises(shown: str, premises: Sequence[Premise]) -> str:
    """Return a text below premises; in a dialogue they stand in the first message of the user."""
    lines = lines_of(premises)
    if not isinstance(shown, Dialogue):
        return Premised(lines, shown) if lines else shown
    messages = [dict(one) for one in shown.messages]
    first = next(one for one in messages if one["role"] == "user")
    first["content"] = "\n".join([*reversed(lines), first["content"]])
    return Dialogue(messages, Premised(lines, str(shown)))


def with_retriever(view: View, retriever: Retriever | None) -> View:
    """Return a view that shows premises as well; without a retriever the view itself.

    Raises:
        PolicyError: It is the view of a preset that shows no premises.
    """
    if retriever is None:
        return view
    if isinstance(view, PresetView):
        return PresetView(view.settings, retriever)
    return PremisesView(view, retriever)


def show_all(view: View, observations: Sequence[str], episodes: Sequence[Episode]) -> list[str]:
    """Return what is shown in several states, with one call of the retriever if there is one."""
    if isinstance(view, PremisesView | PresetView):
        return view.show_all(observations, episodes)
    return [view(text, episode) for text, episode in zip(observations, episodes, strict=True)]


def create_view(settings: PromptConfig, retriever: Retriever | None = None) -> View:
    """Return the view that the settings name.

    Args:
        settings: The settings.
        retriever: Finds the premises that are shown; that of `settings.retriever`, which the programs open.

    Raises:
        PolicyError: There is no preset of that name, or there is a retriever and the preset shows no premises.
        ValueError: The settings name a retriever, and none is given.
    """
    if settings.retriever and retriever is None:
        raise ValueError(f"retriever: expected that of {settings.retriever}, got None")
    if settings.preset:
        return PresetView(settings, retriever)
    view: View = GoalsView(settings.history)
    if settings.actions == "proof":
        view = ProofView(settings.instruction)
    elif settings.history and settings.prompt_style == "chat":
        view = TurnsView(settings)
    return view if retriever is None else PremisesView(view, retriever, settings)
