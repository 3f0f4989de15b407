"""Claims of an answer earn nothing: only its script counts, below the statement that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from lean_gym.types import Outcome
from trainers.config.rollout import SamplingConfig
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.presets.texts import HEADER
from trainers.policies.prompts import Dialogue
from trainers.policies.views import create_view

WHOLE = [name for name, preset in PRESETS.items() if preset.action == "proof"]
TEXTS = ("deepseek-prover-v1.5", "deepseek-prover-v1.5-cot", "stp")
"""Presets whose answer goes on in the block of the prompt."""


@pytest.fixture(scope="module")
def env() -> Iterator[LeanProofVectorEnv]:
    theorems = [Theorem("no", "theorem no : False"), Theorem("yes", "theorem yes (p : Prop) (h : p) : p")]
    made = LeanProofVectorEnv(1, theorems, backend="minilean", num_workers=0, max_steps=1)
    yield made
    made.close()


def outcome(env: LeanProofVectorEnv, theorem: str, tactic: str) -> Outcome:
    env.reset(options={"theorem": [theorem]})
    *_, infos = env.step([tactic])
    return Outcome(infos["outcome"][0])


def blocked(name: str, file: str) -> str:
    """Return a file as an answer of a preset."""
    return file if name in TEXTS else f"<think>\n</think>\n```lean4\nimport Mathlib\n{file}\n```"


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    "file",
    [
        "theorem no : True := by\n  trivial",
        "axiom cheat : False\n\ntheorem no : False := by\n  exact cheat",
        "theorem no : False := by\n  sorry",
        "theorem no : False := by\n  exact (by sorry)\n\ntheorem other : True := by\n  trivial",
        "instance : Inhabited False := ⟨no⟩\ntheorem no : False := by\n  exact default",
        "theorem no : False := by\n  trivial\n```\n```lean4\nimport A\ntheorem no : True := by trivial",
        "  trivial\n\naxiom cheat : False\n\ntheorem more : False := by\n  exact cheat",
        f"{HEADER}namespace X\ntheorem no : False := by\n  exact X.no\nend X",
    ],
)
def test_a_false_statement_is_never_proved(name: str, file: str, env: LeanProofVectorEnv) -> None:
    tactic = PRESETS[name].clean(blocked(name, file))
    assert outcome(env, "no", tactic) is not Outcome.PROVED


@pytest.mark.parametrize("name", WHOLE)
def test_an_honest_script_is_proved(name: str, env: LeanProofVectorEnv) -> None:
    script = "have k : p := by\n  exact h\nexact k"
    assert outcome(env, "yes", PRESETS[name].clean(PRESETS[name].answer(script))) is Outcome.PROVED
    file = "theorem yes (p : Prop) (h : p) : p := by\n  have k : p := by\n    exact h\n  exact k"
    assert outcome(env, "yes", PRESETS[name].clean(blocked(name, file))) is Outcome.PROVED


def test_a_repair_turn_shows_the_errors_of_the_environment() -> None:
    theorem = Theorem("yes", "theorem yes (p : Prop) (h : p) : p", context="variable (r : Prop)")
    preset = PRESETS["goedel-v2"]
    view = create_view(SamplingConfig(**preset.rollout()))
    options: dict[str, Any] = {"backend": "minilean", "num_workers": 0, "actions": "proof", "max_repairs": 2}
    with LeanProofVectorEnv(1, [theorem], **options) as made:
        observations, _ = made.reset()
        asked = view(observations[0], made.save([0])[0].episode)
        assert isinstance(asked, Dialogue)
        assert len(asked.messages) == 1
        observations, *_ = made.step([preset.clean("```lean4\ntheorem x := by\n  exact k\n```")])
        failed = view(observations[0], made.save([0])[0].episode)
        assert isinstance(failed, Dialogue)
        question, answer, repair = (one["content"] for one in failed.messages)
        assert question == asked.messages[0]["content"]
        assert "variable (r : Prop)\n\ntheorem yes (p : Prop) (h : p) : p := by sorry```" in question
        assert answer.endswith("theorem yes (p : Prop) (h : p) : p := by\n  exact k\n```")
        assert repair.startswith("The proof (Round 0) is not correct.")
        assert "\n  exact <error>k</error>\n" in repair
        assert "Error Message: " in repair
        *_, infos = made.step(["exact h"])
        assert infos["outcome"][0] == Outcome.PROVED
