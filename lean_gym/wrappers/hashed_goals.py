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

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


class HashedGoals(gym.ObservationWrapper[npt.NDArray[np.float32], Any, str], RecordConstructorArgs):
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
        if size < 1:
            raise ValueError(f"size: got {size!r}, expected at least 1")
        RecordConstructorArgs.__init__(self, size=size)
        gym.ObservationWrapper.__init__(self, env)
        self.size = size
        self.observation_space = Box(low=0.0, high=1.0, shape=(size,), dtype=np.float32)

    def observation(self, observation: str) -> npt.NDArray[np.float32]:
        """The vector of printed goals, of shape `(size,)`."""
        counts: Counter[int] = Counter()
        for line in observation.splitlines():
            for token in _TOKEN.findall(line):
                key = ("goal " if line.startswith("⊢") else "context ") + token
                counts[zlib.crc32(key.encode("utf-8", "replace")) % self.size] += 1
        vector = np.zeros(self.size, dtype=np.float32)
        for place, count in counts.items():
            vector[place] = 1.0 - math.exp(-count / 2.0)
        return vector
