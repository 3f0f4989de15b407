"""Text of a prompt and of an answer, without a tokenizer; endpoints need nothing else."""

from __future__ import annotations

import re

from trainers.config.run import PromptConfig

Messages = list[dict[str, str]]
_FENCE = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)


def shown_goals(goals: str, settings: PromptConfig) -> str:
    """Return the goals that a prompt shows, out of all open ones."""
    count = settings.prompt_goals
    return "\n\n".join(goals.split("\n\n")[:count]) if count else goals


def chat_messages(goals: str, settings: PromptConfig) -> Messages:
    """Return the messages that ask for the next tactic."""
    system = [{"role": "system", "content": settings.instruction}] if settings.instruction else []
    return [*system, {"role": "user", "content": goals}]


def tactic_of_reply(text: str) -> str:
    """Return the tactic in a chat reply: the first fenced block, or the whole reply without one, stripped."""
    fenced = _FENCE.search(text)
    return (fenced.group(1) if fenced else text).strip()
