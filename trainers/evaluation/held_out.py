"""Pass@k on held-out theorems during training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from trainers.policies.base import Completion, SeededPolicy
from trainers.rollouts.player import EpisodePlayer, Trajectory


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result of an evaluation.

    Attributes:
        pass_at_1: Mean probability, from 0 to 1, that one episode proves a theorem.
        pass_at_8: The same for at least one of eight.
        mean_length: Mean number of accepted tactics of the proofs found, 0 without proofs.
        episodes: Every episode, theorem by theorem.
    """

    pass_at_1: float
    pass_at_8: float
    mean_length: float
    episodes: tuple[Trajectory[Completion], ...]

    @property
    def rates(self) -> dict[str, float]:
        """Return both rates under their names in `summary.json`."""
        return {"pass@1": self.pass_at_1, "pass@8": self.pass_at_8}


def pass_at_k(samples: int, successes: int, k: int) -> float:
    """Return the unbiased estimate of the probability that at least one of `k` episodes succeeds.

    Args:
        samples: Number of episodes, at least `k`.
        successes: Number of successful ones.
        k: Size of the draw without replacement.

    Raises:
        ValueError: There are fewer samples than `k`, or more successes than samples.

    Source: Chen et al. 2021, arXiv:2107.03374, equation 1.
    """
    if not 0 <= successes <= samples or not 0 < k <= samples:
        raise ValueError(
            f"expected 0 <= successes <= samples and 0 < k <= samples, got {successes=}, {samples=}, {k=}"
        )
    return 1.0 - comb(samples - successes, k) / comb(samples, k)


def evaluate(
    player: EpisodePlayer, policy: SeededPolicy, theorems: Sequence[str], samples: int, seed: int
) -> Evaluation:
    """Play `samples` episodes of each theorem.

    Args:
        player: Plays the episodes.
        policy: Proposes tactics; its own random state is unchanged afterwards.
        theorems: Names, at least one.
        samples: Episodes per theorem, at least 8.
        seed: Seed of this evaluation's sampling, so that repeated evaluations share their randomness.
    """
    with policy.seeded(seed):
        episodes = player.sample([name for name in theorems for _ in range(samples)], policy)
    counts = [sum(e.proved for e in episodes[at : at + samples]) for at in range(0, len(episodes), samples)]
    lengths = [len(episode.tactics) for episode in episodes if episode.proved]
    return Evaluation(
        pass_at_1=sum(pass_at_k(samples, count, 1) for count in counts) / len(counts),
        pass_at_8=sum(pass_at_k(samples, count, 8) for count in counts) / len(counts),
        mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
        episodes=tuple(episodes),
    )
