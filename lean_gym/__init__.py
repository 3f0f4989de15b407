"""lean_gym: Lean 4 theorem proving as a Gymnasium environment.

    import gymnasium as gym
    import lean_gym

    swap = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    env = gym.make("LeanProof-v0", theorems=[swap], render_mode="human")
    env.reset(seed=0)
    for tactic in ("constructor", "exact h.right", "exact h.left"):
        observation, reward, terminated, truncated, info = env.step(tactic)

Importing this package registers `LeanProof-v0`. What it exports is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lean_gym.registration import in_worker, register_envs

if TYPE_CHECKING:
    from lean_gym.backends import ProofBackend, create_backend
    from lean_gym.backends.conformance import check_backend
    from lean_gym.datasets import load_theorems
    from lean_gym.envs.env import LeanProofEnv
    from lean_gym.envs.vector import LeanProofVectorEnv
    from lean_gym.errors import BackendError, DataError, LeanGymError
    from lean_gym.rewards import Reward, Transition, create_reward, register_reward
    from lean_gym.types import Goal, Hypothesis, Outcome, ProofState, TacticResult, Theorem, Verdict

__all__ = [
    "BackendError",
    "DataError",
    "Goal",
    "Hypothesis",
    "LeanGymError",
    "LeanProofEnv",
    "LeanProofVectorEnv",
    "Outcome",
    "ProofBackend",
    "ProofState",
    "Reward",
    "TacticResult",
    "Theorem",
    "Transition",
    "Verdict",
    "check_backend",
    "create_backend",
    "create_reward",
    "load_theorems",
    "register_envs",
    "register_reward",
]

_PLACES = {
    "backends": ("ProofBackend", "create_backend"),
    "backends.conformance": ("check_backend",),
    "datasets": ("load_theorems",),
    "envs.env": ("LeanProofEnv",),
    "errors": ("BackendError", "DataError", "LeanGymError"),
    "rewards": ("Reward", "Transition", "create_reward", "register_reward"),
    "types": ("Goal", "Hypothesis", "Outcome", "ProofState", "TacticResult", "Theorem", "Verdict"),
    "envs.vector": ("LeanProofVectorEnv",),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name == module:
            return import_module(f"{__name__}.{module}")
        if name in names:
            value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]


# A worker would pay for Gymnasium and numpy, 0.2 s and 23 MiB, without using them.
if not in_worker():
    register_envs()
