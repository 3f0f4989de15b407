"""A set of theorems as an environment uses it: looked up by name, drawn at random."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from lean_gym.errors import unknown_name
from lean_gym.types import Theorem

_MAX_LISTED: Final = 20


class TheoremBook:
    """A set of theorems to look up by name and to draw from.

    Args:
        theorems: At least one, with unique names.
    """

    def __init__(self, theorems: Iterable[Theorem]) -> None:
        self.all = tuple(theorems)
        self._by_name = {theorem.name: theorem for theorem in self.all}

    def find(self, wanted: object) -> Theorem | None:
        """The theorem that a reset option asks for; `None` when it asks for none.

        Raises:
            ValueError: No theorem of that name.
        """
        if wanted is None or isinstance(wanted, Theorem):
            return wanted
        if not isinstance(wanted, str):
            raise ValueError(
                f"options['theorem']: got {wanted!r}, expected a theorem's name, a Theorem or None"
            )
        if wanted not in self._by_name:
            message = unknown_name("theorem", wanted, self._by_name)
            raise ValueError(message if len(self.all) <= _MAX_LISTED else message.partition(" (known:")[0])
        return self._by_name[wanted]

    def draw(self, rng: np.random.Generator) -> Theorem:
        """Draw uniformly."""
        return self.all[int(rng.integers(len(self.all)))]
