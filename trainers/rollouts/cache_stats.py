"""Counts of repeated tactics, by cache key, independent of the machine.

Two tactics have the same result if the theorem, the accepted tactics before them and their text are equal. The savings
of the provers' caches (`pool/`) depend on the machine: the number of provers, the theorems of each, and the entries
dropped for lack of memory. The keys do not, so these counts are the same on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from lean_gym.types import Outcome
from trainers.rollouts.player import Trajectory

MOST_KEYS = 1 << 18
"""Number of keys kept: the latest new ones."""


def count_keys(episodes: Iterable[Trajectory[Any]], known: dict[int, None]) -> dict[str, float]:
    """Count the tactics of an iteration whose key was known, and add the new keys.

    Args:
        episodes: All episodes played.
        known: Keys of earlier iterations, oldest first; extended in place.

    Returns:
        `repeated`, the share of the tactics whose key occurred before, in this iteration or an earlier one;
        `earlier`, the share whose key was known before the iteration.
    """
    keys = [key for episode in episodes for key in cache_keys(episode)]
    fresh = dict.fromkeys(key for key in keys if key not in known)
    earlier = sum(key in known for key in keys)
    known |= fresh
    for key in list(known)[: max(0, len(known) - MOST_KEYS)]:
        del known[key]
    count = max(1, len(keys))
    return {"repeated": (len(keys) - len(fresh)) / count, "earlier": earlier / count}


def cache_keys(episode: Trajectory[Any]) -> Iterator[int]:
    """Yield the key of each step, as a number of 63 bits."""
    # Every tactic of a rejected proof was accepted, but its last step counts as refused.
    accepted = sum(not step.refused for step in episode.steps) + (episode.outcome is Outcome.REJECTED)
    digest = hashlib.sha256(episode.theorem.encode())
    path = list(episode.tactics)
    for tactic in path[: len(path) - accepted]:  # tactics before the point at which the episode began
        digest.update(_framed(tactic))
    for step in episode.steps:
        tried = digest.copy()
        tried.update(_framed(step.choice.text))
        yield int.from_bytes(tried.digest()[:8], "big") >> 1
        if not step.refused:
            digest = tried


def _framed(tactic: str) -> bytes:
    text = tactic.encode("utf-8", "surrogatepass")
    return len(text).to_bytes(4, "big") + text
