"""lean_gym: Lean 4 theorem proving as a Gymnasium environment.

    import gymnasium as gym

    swap = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    env = gym.make("LeanProof-v0", theorems=[swap], render_mode="human")
    env.reset(seed=0)
    for tactic in ("constructor", "exact h.right", "exact h.left"):
        observation, reward, terminated, truncated, info = env.step(tactic)

Importing this package registers `LeanProof-v0`. What it exports is loaded when it is first asked for, so that
the processes of provers load neither Gymnasium nor numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lean_gym.registration import install

if TYPE_CHECKING:
    from lean_gym.backends import ProofBackend, create_backend
    from lean_gym.checker import check_backend
    from lean_gym.datasets import load_theorems
    from lean_gym.env import LeanProofEnv
    from lean_gym.errors import BackendError, DataError, LeanGymError
    from lean_gym.registration import register_envs
    from lean_gym.rewards import Reward, Transition, create_reward, register_reward
    from lean_gym.types import Goal, Hypothesis, Outcome, ProofState, TacticResult, Theorem, Verdict
    from lean_gym.vector import LeanProofVectorEnv

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
    "checker": ("check_backend",),
    "datasets": ("load_theorems",),
    "env": ("LeanProofEnv",),
    "errors": ("BackendError", "DataError", "LeanGymError"),
    "registration": ("register_envs",),
    "rewards": ("Reward", "Transition", "create_reward", "register_reward"),
    "types": ("Goal", "Hypothesis", "Outcome", "ProofState", "TacticResult", "Theorem", "Verdict"),
    "vector": ("LeanProofVectorEnv",),
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


install()
