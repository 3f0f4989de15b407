"""Text of a prompt and of an answer, without a tokenizer; endpoints need nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from trainers.config.rollout import PromptConfig

Messages = list[dict[str, str]]


def shown_goals(goals: str, settings: PromptConfig) -> str:
    """Return the goals that a prompt shows, out of all open ones."""
    count = settings.prompt_goals
    return "\n\n".join(goals.split("\n\n")[:count]) if count else goals


def chat_messages(goals: str, settings: PromptConfig) -> Messages:
    """Return the messages that ask for the next tactic."""
    system = [{"role": "system", "content": settings.instruction}] if settings.instruction else []
    return [*system, {"role": "user", "content": goals}]


def before_stop(text: str, stop: Sequence[str]) -> str:
    """Return the part of an answer before the first of the stop texts."""
    return text[: min((text.index(mark) for mark in stop if mark in text), default=len(text))]
