"""Text of a prompt and of an answer, without a tokenizer; endpoints need nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from trainers.config.rollout import PromptConfig
from trainers.policies.premises import Premised

Messages = list[dict[str, str]]


class Dialogue(str):
    """A text for a policy that is several messages of a chat; as a text it shows all of them, one after another.

    A chat gets the messages as they are, below no other instruction; a plain prompt gets the text.

    Attributes:
        messages: The messages, the last one from the user.
        parts: The parts they were made of, for a prompt that has to be shorter; `None` where they are not known.
    """

    messages: Messages
    parts: Any

    def __new__(cls, messages: Messages, text: str | None = None, parts: Any = None) -> Self:
        """Make the text of some messages.

        Args:
            messages: The messages, the last one from the user.
            text: What a plain prompt shows instead of all of them.
            parts: The parts they were made of.
        """
        shown = "\n\n".join(f"{one['role']}: {one['content']}" for one in messages) if text is None else text
        dialogue = super().__new__(cls, shown)
        dialogue.messages = messages
        dialogue.parts = parts
        return dialogue

    def __eq__(self, other: object) -> bool:
        """Equal to a dialogue with the same messages; a prompt is looked up by this."""
        return isinstance(other, Dialogue) and self.messages == other.messages

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[type[Dialogue], tuple[Messages, str, Any]]:
        """Return what makes a copy in another process."""
        return Dialogue, (self.messages, str(self), self.parts)

    def shortened(self) -> Dialogue | None:
        """Return the dialogue without its oldest turn; `None` where one message, below a system's, is left."""
        system = [one for one in self.messages[:1] if one["role"] == "system"]
        turns = self.messages[len(system) :]
        later = next((at for at, one in enumerate(turns) if at and one["role"] == "user"), None)
        return None if later is None else Dialogue([*system, *turns[later:]])


class Rendered(str):
    """A text for a policy that is the whole prompt: no template is put around it.

    Attributes:
        parts: The parts it was made of, for a prompt that has to be shorter.
    """

    parts: Any

    def __new__(cls, text: str, parts: Any = None) -> Self:
        """Keep a text."""
        rendered = super().__new__(cls, text)
        rendered.parts = parts
        return rendered

    def __reduce__(self) -> tuple[type[Rendered], tuple[str, Any]]:
        """Return what makes a copy in another process."""
        return Rendered, (str(self), self.parts)


def shown_goals(goals: str, settings: PromptConfig) -> str:
    """Return the goals that a prompt shows, out of all open ones; a dialogue, and a whole theorem, as it is."""
    count = settings.prompt_goals
    if isinstance(goals, Premised):
        return goals.over(shown_goals(goals.below, settings))
    if isinstance(goals, Dialogue | Rendered) or settings.actions == "proof":
        return goals
    return "\n\n".join(goals.split("\n\n")[:count]) if count else goals


def plain_prompt(goals: str, settings: PromptConfig) -> str:
    """Return the text of a plain prompt."""
    return goals if isinstance(goals, Rendered) else settings.prompt_template.replace("{goals}", goals)


def chat_messages(goals: str, settings: PromptConfig) -> Messages:
    """Return the messages that ask for the next answer; those of a dialogue are given."""
    if isinstance(goals, Dialogue):
        return goals.messages
    instruction = "" if isinstance(goals, Rendered) else settings.instruction
    return below(instruction, [{"role": "user", "content": goals}])


def below(instruction: str, messages: Messages) -> Messages:
    """Return messages below a system message; alone if it is empty."""
    return [*([{"role": "system", "content": instruction}] if instruction else []), *messages]


def candidate_text(goals: str, prefix: str, tactic: str) -> str:
    """Return goals with a candidate tactic as LeanProgress's model reads them.

    Source: LeanDojo-v2, lean_dojo_v2/external_api/python/leanprogress.py.

    Args:
        goals: All open goals.
        prefix: The tactics so far, one a line.
        tactic: The candidate.
    """
    return f"Goal:\n{goals}\n\nPrefix:\n{prefix}\n\nCandidate tactic:\n{tactic}"


def before_stop(text: str, stop: Sequence[str]) -> str:
    """Return the part of an answer before the first of the stop texts."""
    return text[: min((text.index(mark) for mark in stop if mark in text), default=len(text))]
