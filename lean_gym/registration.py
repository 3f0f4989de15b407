"""Registration of the environment ids of lean_gym with Gymnasium.

`import lean_gym` registers them; so does Gymnasium's own `gym.make("lean_gym:LeanProof-v0")`, which imports lean_gym.
"""

from __future__ import annotations

from typing import Final

from gymnasium.envs.registration import register, registry

ENTRY_POINTS: Final[dict[str, tuple[str, str]]] = {
    "LeanProof-v0": ("lean_gym.envs.env:LeanProofEnv", "lean_gym.envs.vector:LeanProofVectorEnv"),
}
"""Environment id -> entry point of its class and of its vector class."""


def register_envs() -> None:
    """Register every id of `ENTRY_POINTS` that Gymnasium does not know yet."""
    for env_id, (entry_point, vector_entry_point) in ENTRY_POINTS.items():
        if env_id not in registry:
            register(id=env_id, entry_point=entry_point, vector_entry_point=vector_entry_point)
