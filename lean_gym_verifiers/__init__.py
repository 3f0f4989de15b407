"""The taskset of `lean_gym.integrations.verifiers` under a name that verifiers can find: `vf-eval lean-gym-verifiers`.

verifiers imports a taskset by the name of a package that stands alone.
"""

from lean_gym.integrations.verifiers import LeanTaskset

__all__ = ["LeanTaskset"]
