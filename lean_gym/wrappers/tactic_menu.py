"""Tactics by number, for agents that choose among a fixed set of actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.utils import RecordConstructorArgs

DEFAULT_MENU: Final = (
    "intro h", "intro x", "assumption", "constructor", "left", "right", "cases h", "exfalso", "contradiction",
    "exact h", "apply h", "rw [h]", "symm", "rfl", "trivial", "simp", "simp [*]", "decide", "induction n",
)  # fmt: skip
"""Tactics that need no terms beyond the usual hypothesis names."""


class TacticMenu(gym.ActionWrapper[Any, Any, str], RecordConstructorArgs):
    """Actions are indices into a menu of tactics, as Stable-Baselines3 and other agents of that kind need.

    Args:
        env: An environment whose actions are tactics.
        menu: The tactics, each one once.

    Raises:
        ValueError: The menu is empty or repeats a tactic.
    """

    def __init__(self, env: gym.Env[Any, str], menu: Sequence[str] = DEFAULT_MENU) -> None:
        if not menu or len(set(menu)) != len(menu):
            raise ValueError(f"menu: got {list(menu)!r}, expected at least one tactic and none twice")
        RecordConstructorArgs.__init__(self, menu=tuple(menu))
        gym.ActionWrapper.__init__(self, env)
        self.menu = tuple(menu)
        self.action_space = Discrete(len(self.menu))

    def action(self, action: Any) -> str:
        """The tactic of a number.

        Raises:
            ValueError: The number is not on the menu.
        """
        if not isinstance(action, int | np.integer | np.ndarray) or not 0 <= int(action) < len(self.menu):
            raise ValueError(f"action: got {action!r}, expected an index from 0 to {len(self.menu) - 1}")
        return self.menu[int(action)]
