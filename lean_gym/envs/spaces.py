"""Text spaces for tactics and goals.

`gymnasium.spaces.Text` checks every character against a finite character set and draws letters at random,
which suits neither `⊢ ∀ ℕ ✝` nor tactics. These spaces hold any string up to a length and draw strings of the
kind an agent meets. They are batched by Gymnasium's own rule for custom spaces: `n` of them become a `Tuple`
of `n`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Space
from gymnasium.wrappers.utils import create_zero_array

_HYPOTHESES: Final = ("h", "h1", "h2", "hp", "hq", "ih", "n", "m", "x")
_TERMS: Final = ("p", "q", "p ∧ q", "p ∨ q", "p → q", "¬p", "∀ x, p x", "n + 0 = n", "n + m = m + n", "a ≤ b")
_TACTICS: Final = (
    "intro {h}", "exact {h}", "apply {h}", "assumption", "constructor", "left", "right", "exfalso",
    "contradiction", "cases {h}", "induction {h}", "rw [{h}]", "simp", "simp [{h}]", "rfl", "trivial",
    "have {h} : {t} := by assumption", "show {t}", "exists {h}", "symm", "decide", "by_cases {h} : {t}",
)  # fmt: skip


class _ProofText(Space[str]):
    """Any string of at most `max_length` characters. Subclasses say what `sample` draws."""

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        if max_length < 1:
            raise ValueError(f"max_length: got {max_length}, expected a positive number of characters")
        self.max_length = max_length
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed-size array form; see `lean_gym.wrappers.HashedGoals` for features."""
        return False

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a string within the length limit."""
        return isinstance(x, str) and len(x) <= self.max_length

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """Draw one string from the space's own random generator.

        Raises:
            ValueError: A mask was given; there is no finite set of strings to mask.
        """
        if mask is not None or probability is not None:
            raise ValueError(f"{self}: sample takes no mask; wrap the env in TacticMenu to mask actions")
        return self._draw()[: self.max_length]

    def from_jsonable(self, sample_n: list[Any]) -> list[Any]:
        """Read back what `to_jsonable` wrote."""
        return [str(sample) for sample in sample_n]

    def _draw(self) -> str:
        raise NotImplementedError

    def _pick(self, choices: Iterable[str]) -> str:
        options = tuple(choices)
        return options[int(self.np_random.integers(len(options)))]

    def __repr__(self) -> str:
        """The class and its limit."""
        return f"{type(self).__name__}(max_length={self.max_length})"

    def __eq__(self, other: object) -> bool:
        """Equal to spaces of the same class with the same limit."""
        return type(other) is type(self) and other.max_length == self.max_length

    __hash__ = None  # type: ignore[assignment]


class TacticSpace(_ProofText):
    """Actions: one tactic block, any text up to `max_length` characters.

    `sample` draws a common tactic with common hypothesis names, so that a random agent proves easy theorems
    now and then. Text that is no tactic is in the space too: the prover refuses it, which is an ordinary
    step.
    """

    def _draw(self) -> str:
        return self._pick(_TACTICS).format(h=self._pick(_HYPOTHESES), t=self._pick(_TERMS))


class GoalSpace(_ProofText):
    """Observations: the goals as Lean prints them, at most `max_length` characters, cut text included."""

    def _draw(self) -> str:
        goals = []
        for _ in range(int(self.np_random.integers(1, 4))):
            count = int(self.np_random.integers(0, 3))
            names = self.np_random.choice(_HYPOTHESES, size=count, replace=False)
            context = "".join(f"{name} : {self._pick(_TERMS)}\n" for name in names)
            goals.append(f"{context}⊢ {self._pick(_TERMS)}")
        return "\n\n".join(goals)


# Wrappers of Gymnasium show it before there is an observation, as DelayObservation does.
create_zero_array.register(_ProofText, lambda space: "")


def clip_text(text: str, max_length: int) -> str:
    """`text`, or its beginning with a last line that says how many characters were left out.

    Args:
        text: Printed goals.
        max_length: Most characters of the result, mark included.

    Returns:
        A string of at most `max_length` characters, `text` itself when it fits.
    """
    if len(text) <= max_length:
        return text
    mark = "\n[... {} more characters]"
    kept = max(0, max_length - len(mark.format(len(text))))
    return (text[:kept] + mark.format(len(text) - kept))[:max_length]
