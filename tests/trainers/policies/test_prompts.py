from __future__ import annotations

import pytest

from trainers.config.run import RolloutConfig
from trainers.policies.prompts import chat_messages, shown_goals, tactic_of_reply


@pytest.mark.parametrize(
    ("reply", "tactic"),
    [
        ("  simp \n", "simp"),
        ("```lean\nintro h\n```", "intro h"),
        (
            "Sure:\n```lean4\ncases h with\n| inl a => exact a\n```\nas asked",
            "cases h with\n| inl a => exact a",
        ),
        ("```\nrfl```", "rfl"),
        ("", ""),
    ],
)
def test_tactic_of_reply(reply: str, tactic: str) -> None:
    assert tactic_of_reply(reply) == tactic


def test_goals_are_shown_up_to_the_number_asked_for() -> None:
    goals = "h : p\n⊢ p\n\n⊢ q\n\n⊢ r"
    assert shown_goals(goals, RolloutConfig(prompt_goals=2)) == "h : p\n⊢ p\n\n⊢ q"
    assert shown_goals(goals, RolloutConfig(prompt_goals=0)) == goals


def test_an_empty_instruction_is_no_message() -> None:
    assert chat_messages("⊢ p", RolloutConfig(instruction="")) == [{"role": "user", "content": "⊢ p"}]
