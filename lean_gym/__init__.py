"""lean_gym: Lean 4 theorem proving as a Gymnasium environment.

    import gymnasium as gym
    import lean_gym

    swap = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    env = gym.make("LeanProof-v0", theorems=[swap], render_mode="human")
    env.reset(seed=0)
    for tactic in ("constructor", "exact h.right", "exact h.left"):
        observation, reward, terminated, truncated, info = env.step(tactic)

Importing this package registers `LeanProof-v0`. Its exports are loaded on first use. `lean_gym.__version__` is the
version of the installed package `lean-gym`, and `0+uninstalled` in a source tree that is not installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lean_gym.registration import register_envs

if TYPE_CHECKING:
    from lean_gym.backends import ProofBackend, create_backend
    from lean_gym.backends.conformance import check_backend
    from lean_gym.datasets import load_theorems
    from lean_gym.envs.env import LeanProofEnv
    from lean_gym.envs.vector import LeanProofVectorEnv
    from lean_gym.errors import BackendError, DataError, LeanGymError
    from lean_gym.rewards import Reward, Transition, create_reward, register_reward
    from lean_gym.types import (
        Goal,
        Hypothesis,
        Outcome,
        ProofState,
        ScriptError,
        TacticResult,
        Theorem,
        Verdict,
    )

    __version__: str

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
    "ScriptError",
    "TacticResult",
    "Theorem",
    "Transition",
    "Verdict",
    "__version__",
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
    "types": (
        "Goal",
        "Hypothesis",
        "Outcome",
        "ProofState",
        "ScriptError",
        "TacticResult",
        "Theorem",
        "Verdict",
    ),
    "envs.vector": ("LeanProofVectorEnv",),
}


def _installed_version() -> str:
    """Return the version of the installed package, `0+uninstalled` where there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lean-gym")
    except PackageNotFoundError:
        return "0+uninstalled"


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = globals()[name] = _installed_version()
        return value
    for module, names in _PLACES.items():
        if name == module:
            return import_module(f"{__name__}.{module}")
        if name in names:
            value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]


register_envs()
