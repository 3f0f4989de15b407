"""Client with the types of this package. `openenv.core.GenericEnvClient` speaks to the server as well, in dicts."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from lean_gym.integrations.openenv.models import LeanAction, LeanObservation, LeanState


class LeanEnv(EnvClient[LeanAction, LeanObservation, LeanState]):  # type: ignore[misc]
    """One session on a server.

    with LeanEnv(base_url="http://localhost:8000").sync() as env:
        result = env.reset(split="logic:train", index=0)
        result = env.step(LeanAction(tactic="intro h"))
    """

    def _step_payload(self, action: LeanAction) -> dict[str, Any]:
        return {"tactic": action.tactic}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[LeanObservation]:
        reward, done = payload["reward"], payload["done"]
        observation = LeanObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> LeanState:
        return LeanState(**payload)
