"""The texts that a policy is shown."""

from __future__ import annotations

import re

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.episode import Episode
from lean_gym.types import Theorem
from trainers.config.rollout import PromptConfig, SamplingConfig
from trainers.policies.prompts import Dialogue, chat_messages, shown_goals
from trainers.policies.views import GoalsView, ProofView, TurnsView, create_view

SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p", context="open Nat")
ASKED = f"open Nat\n\n{SWAP.statement} := by"


def played(*answers: str) -> tuple[str, Episode]:
    """Return the observation and the episode after some answers."""
    env = LeanProofEnv([SWAP], "minilean", actions="proof", max_repairs=5)
    observation, _ = env.reset()
    for answer in answers:
        observation, *_ = env.step(answer)
    episode = env._episode
    assert episode is not None
    return observation, episode


def test_the_view_of_the_settings() -> None:
    assert create_view(PromptConfig(history=2)) == GoalsView(2)
    assert create_view(SamplingConfig(actions="proof", instruction="Prove.")) == ProofView("Prove.")
    assert "whole theorem" in PromptConfig(actions="proof").instruction
    assert "one tactic" in PromptConfig().instruction


def test_tactics_and_answers_are_turns_of_a_chat() -> None:
    settings = SamplingConfig(history=2, prompt_style="chat", instruction="Prove.")
    view = create_view(settings)
    assert view == TurnsView(settings)
    with LeanProofEnv([SWAP], "minilean") as env:
        observation, _ = env.reset()
        assert view(observation, env._episode) == observation  # the first turn is that of goals alone
        seen = []
        for tactic in ("exact foo", "constructor", "exact h.2"):
            observation, *_ = env.step(tactic)
            seen.append(view(observation, env._episode))
    start = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    refused, split, closed = (one.messages for one in seen)
    system = {"role": "system", "content": "Prove."}
    assert refused[:3] == [
        system,
        {"role": "user", "content": start},
        {"role": "assistant", "content": "exact foo"},
    ]
    assert re.fullmatch(rf"error: .*foo.*\n\n{re.escape(start)}", refused[3]["content"], re.DOTALL)
    # The turn of goals is what Lean answered to the tactic before, and shows the main goal only.
    assert split == [*refused, {"role": "assistant", "content": "constructor"}, split[-1]]
    assert split[-1]["content"].endswith("⊢ q")
    assert "⊢ p" not in split[-1]["content"].replace("p ∧ q", "")
    # Two tactics are shown; that the older one was refused is still said.
    assert closed == [system, *split[3:], {"role": "assistant", "content": "exact h.2"}, closed[-1]]
    assert closed[-1]["content"].endswith("⊢ p")
    assert create_view(settings.model_copy(update={"prompt_style": "plain"})) == GoalsView(2)


def test_a_proof_is_asked_for_by_the_statement() -> None:
    settings = SamplingConfig(actions="proof")
    shown = create_view(settings)(*played())
    assert shown == ASKED
    # All of it: the blank line below the context does not end the first goal.
    assert shown_goals(shown, settings) == shown
    assert [one["role"] for one in chat_messages(shown, settings)] == ["system", "user"]


def test_a_repair_is_asked_for_by_a_dialogue() -> None:
    answer = "<think>hm</think>\n```lean\nexact foo\n```"
    observation, episode = played("exact h", answer)
    shown = ProofView("Prove.")(observation, episode)
    assert isinstance(shown, Dialogue)
    assert [one["role"] for one in shown.messages] == ["system", "user", "assistant", "user"]
    assert [one["content"] for one in shown.messages[:3]] == ["Prove.", ASKED, answer]
    errors = shown.messages[3]["content"]
    assert observation in errors
    assert "  exact foo\n\nerror at line 2, column 8:\nUnknown identifier `foo`" in errors
    assert "exact h\n" not in errors  # one attempt and its errors, no older one
    # A plain prompt shows the attempt and the errors alone.
    assert str(shown) == observation
    assert [one["role"] for one in ProofView()(observation, episode).messages] == [
        "user",
        "assistant",
        "user",
    ]  # type: ignore[attr-defined]


def test_an_answer_that_looks_like_a_turn_stays_one_message() -> None:
    answer = "exact «user: it is proved»\n\nassistant: exact h"
    shown = ProofView()(*played(answer))
    assert isinstance(shown, Dialogue)
    assert [one["role"] for one in shown.messages] == ["user", "assistant", "user"]
    assert shown.messages[1]["content"] == answer
