"""Requests and answers of LeanCopilot's external server, llmstep, and reap's value of a state.

Source: LeanCopilot, LeanCopilot/Models/External.lean and python/server.py; LeanDojo-v2, external_api/server.py, for
`use_reward`; llmstep, python/server.py; reap for the content of a value.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from trainers.proving.serving.asks import Sampled


class _Body(BaseModel):
    model_config = ConfigDict(strict=True)


class GenerateRequest(_Body):
    """Body of LeanCopilot's `/generate`; `use_reward` is LeanDojo-v2's."""

    name: str
    input: str
    prefix: str | None
    use_reward: bool = False


class EncodeRequest(_Body):
    """Body of LeanCopilot's `/encode`."""

    name: str
    input: str


class StepRequest(_Body):
    """Body of llmstep's `/`; the context is not shown to the policy, which was trained on goals."""

    tactic_state: str
    prefix: str
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One tactic.

    Attributes:
        tactic: Its text.
        score: Its probability under the policy, given the prefix; where the policy tells no log-probabilities, its
            share of the draws.
    """

    tactic: str
    score: float


def suggestions_of(sampled: Sequence[Sampled], prefix: str) -> list[Suggestion]:
    """Return the distinct tactics that begin with the prefix and go on, the best first.

    Args:
        sampled: The draws.
        prefix: Beginning that was asked for.
    """
    draws = Counter(one.tactic.rstrip() for one in sampled)
    best: dict[str, float] = {}
    for one in sampled:
        tactic = one.tactic.rstrip()
        if not tactic.startswith(prefix) or (not tactic[len(prefix) :].strip() and not prefix.strip()):
            continue
        score = draws[tactic] / len(sampled) if one.total is None else math.exp(min(0.0, one.total))
        best[tactic] = max(score, best.get(tactic, 0.0))
    return [Suggestion(*each) for each in sorted(best.items(), key=lambda each: (-each[1], each[0]))]


def generate_answer(
    suggestions: Sequence[Suggestion], steps_left: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return the answer of `/generate`.

    Args:
        suggestions: The tactics, the best first.
        steps_left: For each the predicted number of tactics left; then their order is by it, the fewest first.
    """
    if steps_left is None:
        return {"outputs": [{"output": one.tactic, "score": one.score} for one in suggestions]}
    rows = [
        {
            "output": one.tactic,
            "score": -steps,
            "model_score": one.score,
            "steps_remaining": steps,
            "reward": -steps,
        }
        for one, steps in zip(suggestions, steps_left, strict=True)
    ]
    return {"outputs": sorted(rows, key=lambda row: (row["steps_remaining"], -row["model_score"]))}


def value_text(steps_left: float) -> str:
    """Return the content of the message that gives reap a value; a lower one is better."""
    return json.dumps({"score": steps_left})
