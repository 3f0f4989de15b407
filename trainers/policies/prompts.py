"""The words of a prompt and of an answer, without a tokenizer: an endpoint is asked by these alone."""

from __future__ import annotations

import re

from trainers.config.run import PromptConfig

Messages = list[dict[str, str]]
_FENCE = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)


def shown_goals(goals: str, settings: PromptConfig) -> str:
    """The goals that a prompt shows, out of all open ones."""
    count = settings.prompt_goals
    return "\n\n".join(goals.split("\n\n")[:count]) if count else goals


def chat_messages(goals: str, settings: PromptConfig) -> Messages:
    """A chat that asks for the next tactic."""
    system = [{"role": "system", "content": settings.instruction}] if settings.instruction else []
    return [*system, {"role": "user", "content": goals}]


def tactic_of_reply(text: str) -> str:
    """The tactic in a chat reply: the first fenced block if there is one, else the whole reply, trimmed."""
    fenced = _FENCE.search(text)
    return (fenced.group(1) if fenced else text).strip()
