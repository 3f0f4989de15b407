"""The keys of the group cache that a run has come across: which tactics needed a proof of their own.

A tactic's result is that of an earlier one where theorem, accepted tactics before it and its text are the same. How
much of that the provers' caches really save (`pool/`) depends on the machine: how many there are, which theorems each
got, what was dropped for want of room. The keys do not, so what is counted here is the same wherever a run goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from lean_gym.types import Outcome
from trainers.rollouts.player import Trajectory

MOST_KEYS = 1 << 18
"""Keys that are remembered: those that were new last."""


def count_keys(episodes: Iterable[Trajectory[Any]], known: dict[int, None]) -> dict[str, float]:
    """Count the tactics of an iteration whose result was known, and remember their keys.

    Args:
        episodes: Everything that was played.
        known: Keys of earlier iterations, oldest first; extended in place.

    Returns:
        `repeated`, the share of the tactics that some other of this iteration or an earlier one had the key of, the
        first of them not counted; `earlier`, the share whose key was known before the iteration.
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
    """The key of each step, as a number of 63 bits."""
    # A proof that was rejected at its end was accepted tactic by tactic; its last step counts as refused all the same.
    accepted = sum(not step.refused for step in episode.steps) + (episode.outcome is Outcome.REJECTED)
    digest = hashlib.sha256(episode.theorem.encode())
    path = list(episode.tactics)
    for tactic in path[: len(path) - accepted]:  # of an episode that went on from another one's point
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
