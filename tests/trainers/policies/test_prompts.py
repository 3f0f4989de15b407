from __future__ import annotations

from trainers.config.rollout import RolloutConfig
from trainers.policies.prompts import chat_messages, shown_goals


def test_goals_are_shown_up_to_the_number_asked_for() -> None:
    goals = "h : p\n⊢ p\n\n⊢ q\n\n⊢ r"
    assert shown_goals(goals, RolloutConfig(prompt_goals=2)) == "h : p\n⊢ p\n\n⊢ q"
    assert shown_goals(goals, RolloutConfig(prompt_goals=0)) == goals


def test_an_empty_instruction_is_no_message() -> None:
    assert chat_messages("⊢ p", RolloutConfig(instruction="")) == [{"role": "user", "content": "⊢ p"}]
