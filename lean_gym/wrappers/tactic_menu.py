"""Tactics by number, for agents that choose among a fixed set of actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorActionWrapper, VectorEnv
from gymnasium.vector.utils import batch_space

from lean_gym.envs.vector import LeanProofVectorEnv

DEFAULT_MENU: Final = (
    "intro h", "intro x", "assumption", "constructor", "left", "right", "cases h", "exfalso", "contradiction",
    "exact h", "apply h", "rw [h]", "symm", "rfl", "trivial", "simp", "simp [*]", "decide", "induction n",
)  # fmt: skip
"""Tactics that need no terms beyond the usual hypothesis names."""

Masks = npt.NDArray[np.bool_]


class TacticMenu(gym.ActionWrapper[Any, Any, str], RecordConstructorArgs):
    """Actions are indices into a menu of tactics, as Stable-Baselines3 and other agents of that kind need.

    `action_masks` is what MaskablePPO of sb3-contrib asks for.

    Args:
        env: An environment whose actions are tactics.
        menu: The tactics, each one once.

    Raises:
        ValueError: The menu is empty or repeats a tactic.
    """

    def __init__(self, env: gym.Env[Any, str], menu: Sequence[str] = DEFAULT_MENU) -> None:
        self.menu = _checked(menu)
        # A list, as JSON has no tuples: the spec is equal to itself after a round trip.
        RecordConstructorArgs.__init__(self, menu=list(self.menu))
        gym.ActionWrapper.__init__(self, env)
        self.action_space = Discrete(len(self.menu))

    def action(self, action: Any) -> str:
        """The tactic of a number.

        Raises:
            ValueError: The number is not on the menu.
        """
        return _tactic(self.menu, action)

    def action_masks(self) -> Masks:
        """Return which entries of the menu Lean accepts in the present state, as an array of shape `(len(menu),)`.

        Each entry is tried beside the episode, once per state: a mask of a new state costs as much as a step with every
        entry, one of a state that was asked about before next to nothing. The step that follows is answered from the
        cache of tactic results. A finished proof is accepted if it is verified. Where Lean accepts no entry, and after
        the end of an episode, all are allowed, as agents need an action; such a step is refused and counts.

        Raises:
            ResetNeeded: There is no episode.
            AttributeError: The environment below is no `LeanProof-v0`.
        """
        masks: Masks = _masks([self.get_wrapper_attr("accepts")(self.menu)])[0]
        return masks


# Bare, as Gymnasium's wrappers of vector environments take type arguments from 1.4 on only.
class VectorTacticMenu(VectorActionWrapper):
    """The same for `gymnasium.make_vec("LeanProof-v0")`: actions are an array of indices, shape `(num_envs,)`.

    Args:
        env: A vector environment whose actions are tactics.
        menu: The tactics, each one once.

    Raises:
        ValueError: The menu is empty or repeats a tactic.
    """

    def __init__(
        self, env: VectorEnv[Any, Sequence[str], npt.NDArray[Any]], menu: Sequence[str] = DEFAULT_MENU
    ) -> None:
        super().__init__(env)
        self.menu = _checked(menu)
        self.single_action_space = Discrete(len(self.menu))
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def actions(self, actions: Any) -> list[str]:
        """The tactics of as many numbers.

        Raises:
            ValueError: A number is not on the menu.
        """
        return [_tactic(self.menu, action) for action in actions]

    def action_masks(self) -> Masks:
        """Return which entries of the menu Lean accepts, shape `(num_envs, len(menu))`; see `TacticMenu.action_masks`.

        All episodes try an entry at the same time, over the worker processes.

        Raises:
            ResetNeeded: An episode was never started.
            TypeError: The environment below is not the vector environment of `LeanProof-v0`. That of the vectorization
                modes `"sync"` and `"async"` wraps each environment: use `envs.call("action_masks")` there.
        """
        envs = self.unwrapped
        if not isinstance(envs, LeanProofVectorEnv):
            raise TypeError(
                f"action_masks: got {type(envs).__name__}, expected gymnasium.make_vec('LeanProof-v0'); with "
                "vectorization_mode='sync' or 'async' wrap each environment in TacticMenu and use "
                "envs.call('action_masks')"
            )
        return _masks(envs.accepts(self.menu))


def _checked(menu: Sequence[str]) -> tuple[str, ...]:
    if not menu or len(set(menu)) != len(menu):
        raise ValueError(f"menu: got {list(menu)!r}, expected at least one tactic and none twice")
    return tuple(menu)


def _tactic(menu: tuple[str, ...], action: Any) -> str:
    if not isinstance(action, int | np.integer | np.ndarray) or not 0 <= int(action) < len(menu):
        raise ValueError(f"action: got {action!r}, expected an index from 0 to {len(menu) - 1}")
    return menu[int(action)]


def _masks(accepted: Sequence[Sequence[bool]]) -> Masks:
    masks = np.array(accepted, dtype=np.bool_)
    masks[~masks.any(axis=1)] = True
    return masks
