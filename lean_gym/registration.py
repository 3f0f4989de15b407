"""Registration of the environment ids of lean_gym with Gymnasium.

`import lean_gym` registers them; so does Gymnasium's own `gym.make("lean_gym:LeanProof-v0")`, which imports lean_gym.
"""

from __future__ import annotations

import multiprocessing
from typing import Final

ENTRY_POINTS: Final[dict[str, tuple[str, str]]] = {
    "LeanProof-v0": ("lean_gym.envs.env:LeanProofEnv", "lean_gym.envs.vector:LeanProofVectorEnv"),
}
"""Environment id -> entry point of its class and of its vector class."""

WORKER_NAME: Final = "lean-gym-worker-"
"""Prefix of the process names of the pool's workers."""


def in_worker() -> bool:
    """Return whether this process is a worker of the pool. It runs provers and makes no environments."""
    return multiprocessing.current_process().name.startswith(WORKER_NAME)


def register_envs() -> None:
    """Register every id of `ENTRY_POINTS` that Gymnasium does not know yet."""
    from gymnasium.envs.registration import register, registry

    for env_id, (entry_point, vector_entry_point) in ENTRY_POINTS.items():
        if env_id not in registry:
            register(id=env_id, entry_point=entry_point, vector_entry_point=vector_entry_point)
