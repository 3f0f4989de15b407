"""The course: ten theorems in order, with proofs, texts and hints, which an agent can play."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import gymnasium as gym
import pytest

import envs_data
import lean_gym
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.generators.base import measure_difficulty
from lean_gym.play.web.bundle import HERE

FOLDER = Path(envs_data.__file__).parent
COURSE = load_theorems("course")
LEVELS = json.loads((HERE / "page" / "levels.json").read_text(encoding="utf-8"))


def test_the_levels_are_the_set_in_order() -> None:
    assert [level["name"] for level in LEVELS] == [theorem.name for theorem in COURSE]
    assert len(COURSE) == 10
    assert all(set(level) == {"name", "title", "text", "hint"} for level in LEVELS)


@pytest.mark.parametrize("theorem", COURSE, ids=lambda theorem: theorem.name)
def test_an_agent_plays_the_reference_proof(theorem: lean_gym.Theorem) -> None:
    env = gym.make("LeanProof-v0", theorems="course", backend="minilean")
    env.reset(options={"theorem": theorem.name})
    for tactic in proof_steps(theorem.proof):
        _, _, terminated, _, info = env.step(tactic)
    env.close()
    assert (info["outcome"], terminated) == ("proved", True)


def test_rows_have_what_the_card_says() -> None:
    card = (FOLDER / "course.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((FOLDER / "course.jsonl").read_bytes()).hexdigest()
    assert f"`{digest}`" in card
    for theorem in COURSE:
        assert theorem.name.startswith("course_")
        assert theorem.statement.startswith(f"theorem {theorem.name} ")
        assert theorem.difficulty == measure_difficulty(theorem.proof)
        assert (theorem.split, theorem.context, theorem.automation) == ("", "", True)
        assert not re.search(r"\b(simp|omega|grind|decide)\b", theorem.proof)
        assert f"| {theorem.domain} |" in card
