"""Goals as fixed-size vectors, for agents whose policy is a plain network."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from typing import Any, Final

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

Features = npt.NDArray[np.float32]
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


class HashedGoals(gym.ObservationWrapper[Features, Any, str], RecordConstructorArgs):
    """Observations are hashed bags of tokens: which symbols the goals hold, and how often.

    Tokens after a `⊢` are counted apart from those of hypotheses. A count of k becomes `1 - exp(-k / 2)`, so
    values lie in [0, 1]. The hash is the same in every process and on every machine.

    Args:
        env: An environment whose observations are printed goals.
        size: Length of the vector; tokens that share a place are added up.

    Raises:
        ValueError: `size` is not positive.
    """

    def __init__(self, env: gym.Env[str, Any], size: int = 256) -> None:
        RecordConstructorArgs.__init__(self, size=size)
        gym.ObservationWrapper.__init__(self, env)
        self.size = size
        self.observation_space = _space(size)

    def observation(self, observation: str) -> Features:
        """The vector of printed goals, of shape `(size,)`."""
        return _features(observation, self.size)


# Bare, as Gymnasium's wrappers of vector environments take type arguments from 1.4 on only.
class VectorHashedGoals(VectorWrapper):
    """The same for `gymnasium.make_vec("LeanProof-v0")`: observations are an array of shape `(num_envs, size)`.

    Under the autoreset mode `SAME_STEP`, `infos["final_obs"]` holds vectors too.

    Args:
        env: A vector environment whose observations are printed goals.
        size: Length of each vector.

    Raises:
        ValueError: `size` is not positive.
    """

    def __init__(self, env: VectorEnv[tuple[str, ...], Any, npt.NDArray[Any]], size: int = 256) -> None:
        super().__init__(env)
        self.single_observation_space = _space(size)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.size = size

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Start episodes, as the environment below does."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._stacked(observations), infos

    def step(
        self, actions: Any
    ) -> tuple[Features, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Step all episodes, as the environment below does."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            final = [None if text is None else _features(text, self.size) for text in infos["final_obs"]]
            infos = {**infos, "final_obs": np.array([*final, None], dtype=object)[:-1]}
        return self._stacked(observations), rewards, terminated, truncated, infos

    def _stacked(self, observations: tuple[str, ...]) -> Features:
        return np.stack([_features(text, self.size) for text in observations])


def _space(size: int) -> Any:
    if size < 1:
        raise ValueError(f"size: got {size!r}, expected at least 1")
    return Box(low=0.0, high=1.0, shape=(size,), dtype=np.float32)


def _features(text: str, size: int) -> Features:
    counts: Counter[int] = Counter()
    for line in text.splitlines():
        for token in _TOKEN.findall(line):
            key = ("goal " if line.startswith("⊢") else "context ") + token
            counts[zlib.crc32(key.encode("utf-8", "replace")) % size] += 1
    vector = np.zeros(size, dtype=np.float32)
    for place, count in counts.items():
        vector[place] = 1.0 - math.exp(-count / 2.0)
    return vector
