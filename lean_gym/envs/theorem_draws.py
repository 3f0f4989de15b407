"""Choice of a theorem for each of many episodes: named by the caller, or drawn by the episode's own generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding

from lean_gym.datasets import TheoremBook
from lean_gym.envs.arguments import check_mask, check_reset_options
from lean_gym.errors import excerpt
from lean_gym.types import Theorem


def seed_of(seed: int, episode: int) -> int:
    """Return the seed of an episode of a vector environment that is seeded with an integer.

    The episodes of neighbouring seeds, `seed + episode`, would be the same but for one. These are independent, as
    those of `numpy.random.SeedSequence(seed).spawn(num_envs)` are.
    """
    return int(np.random.SeedSequence(seed, spawn_key=(episode,)).generate_state(1, np.uint64)[0])


class Draws:
    """One random generator for each episode, over the same theorems.

    Args:
        theorems: What to draw from.
        count: How many episodes.
    """

    def __init__(self, theorems: TheoremBook, count: int) -> None:
        self._theorems = theorems
        self._rngs: list[np.random.Generator | None] = [None] * count

    def draw(self, slot: int) -> Theorem:
        """Draw the next theorem of an episode."""
        rng = self._rngs[slot]
        if rng is None:
            rng = self._rngs[slot] = seeding.np_random()[0]
        return self._theorems.draw(rng)

    def read(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> dict[int, Theorem | None]:
        """Read the arguments of a vector environment's `reset`, and seed the generators of the episodes to start.

        Args:
            seed: As for `seed`.
            options: `reset_mask` and `theorem`, both optional.

        Returns:
            The episodes to start, with the theorems asked for; `None` stands for one that is to be drawn.

        Raises:
            ValueError: An unknown option, theorem or mask.
        """
        check_reset_options(options, ("reset_mask", "theorem"))
        slots = check_mask("options['reset_mask']", (options or {}).get("reset_mask"), len(self._rngs))
        wanted = self.wanted((options or {}).get("theorem"))
        self.seed(seed, slots)
        return {slot: wanted[slot] for slot in slots}

    def seed(self, seed: int | Sequence[int | None] | None, slots: Sequence[int]) -> None:
        """Seed these episodes' generators: episode `i` with `seed_of(seed, i)`, or each with its own of a list.

        Raises:
            ValueError: A list of the wrong length.
        """
        if seed is None:
            return
        if isinstance(seed, int | np.integer):
            seed = [seed_of(int(seed), slot) for slot in range(len(self._rngs))]
        if isinstance(seed, str | bytes) or not isinstance(seed, Sequence | np.ndarray):
            raise ValueError(
                f"seed: got {excerpt(seed)}, expected an integer, or a list with one for each episode"
            )
        if len(seed) != len(self._rngs):
            raise ValueError(
                f"seed: got {len(seed)} seeds, expected one for each of {len(self._rngs)} episodes"
            )
        for slot in slots:
            if seed[slot] is not None:
                self._rngs[slot] = seeding.np_random(seed[slot])[0]

    def wanted(self, theorem: object) -> list[Theorem | None]:
        """The theorems that a reset option asks for, by episode; `None` where it asks for none.

        Raises:
            ValueError: No theorem of that name, or a list of the wrong length.
        """
        count = len(self._rngs)
        if theorem is None or isinstance(theorem, str | Theorem):
            return [self._theorems.find(theorem)] * count
        if not isinstance(theorem, list | tuple) or len(theorem) != count:
            raise ValueError(
                f"options['theorem']: got {excerpt(theorem)}, expected a name, or a list with one for each "
                f"of {count} episodes"
            )
        return [self._theorems.find(one) for one in theorem]
