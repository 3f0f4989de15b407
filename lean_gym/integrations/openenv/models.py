"""Messages between client and server."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class LeanAction(Action):  # type: ignore[misc]
    """One step of a proof."""

    tactic: str = Field(description="One Lean 4 tactic, without `by`")


class LeanObservation(Observation):  # type: ignore[misc]
    """The proof after a reset or a step; `done` and `reward` are OpenEnv's own fields."""

    goals: str = Field(description="The open goals as Lean prints them, `no goals` when none are left")
    outcome: str = Field(
        description="`running`, `tactic_error`, `proved`, ...: a value of lean_gym's Outcome"
    )
    error: str | None = Field(default=None, description="Lean's message about a tactic that was refused")
    messages: list[str] = Field(default_factory=list, description="Further messages of an accepted tactic")
    tactics: list[str] = Field(default_factory=list, description="The tactics that were accepted, in order")
    steps: int = Field(default=0, description="Tactics tried, refused ones included")
    task: dict[str, Any] = Field(default_factory=dict, description="The task, as the task API describes it")


class LeanState(State):  # type: ignore[misc]
    """State of a session; `episode_id` and `step_count` are OpenEnv's own fields."""

    outcome: str | None = Field(
        default=None, description="As in the observation; None before the first reset"
    )
    tactics: list[str] = Field(default_factory=list, description="As in the observation")
    task: dict[str, Any] = Field(default_factory=dict, description="As in the observation")
