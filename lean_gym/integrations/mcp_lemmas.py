"""Search for lemmas of the prover's library by words of their names and statements."""

from __future__ import annotations

import threading
from typing import Final

from lean_gym.types import Theorem

MOST_FOUND: Final = 50
"""Lemmas in one answer."""
_LONGEST_QUERY: Final = 1000


class LemmaSearch:
    """Lemmas of minilean's library, which are printed once, at the first search."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: dict[str, str] | None = None

    def find(self, query: str, limit: int, theorem: Theorem | None = None) -> list[str]:
        """Return the signatures that hold all words of a query, those with more of them in the name first.

        Args:
            query: Words and symbols separated by spaces, e.g. `Nat add comm` or `n + 0`; case does not matter.
            limit: Most signatures.
            theorem: The theorem to be proved: lemmas that its proof may not use are left out.

        Raises:
            ValueError: An empty query or one that is too long, or a limit out of range.
        """
        words = query.casefold().split()
        if not words or len(query) > _LONGEST_QUERY:
            raise ValueError(f"query: got {len(query)} characters, expected words, at most {_LONGEST_QUERY}")
        if not 1 <= limit <= MOST_FOUND:
            raise ValueError(f"limit: got {limit}, expected 1 to {MOST_FOUND}")
        known = self._signatures()
        names = known.keys() if theorem is None else self._usable(theorem)
        found = []
        for name in names:
            shown = known.get(name, "")
            if all(word in shown.casefold() for word in words):
                found.append((-sum(word in name.casefold() for word in words), len(shown), shown))
        return [shown for _, _, shown in sorted(found)[:limit]]

    def _signatures(self) -> dict[str, str]:
        from lean_gym.backends.minilean import signatures

        with self._lock:
            if self._all is None:
                self._all = signatures()
            return self._all

    def _usable(self, theorem: Theorem) -> list[str]:
        from lean_gym.backends.minilean import MinileanBackend

        return MinileanBackend.declarations(theorem)
