"""lean_gym: Lean 4 theorem proving as a Gymnasium environment.

    import gymnasium as gym

    swap = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    env = gym.make("LeanProof-v0", theorems=[swap], render_mode="human")
    env.reset(seed=0)
    for tactic in ("constructor", "exact h.right", "exact h.left"):
        observation, reward, terminated, truncated, info = env.step(tactic)

Importing this package registers `LeanProof-v0` and loads neither torch nor a prover.
"""

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

register_envs()
