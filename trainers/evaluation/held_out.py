"""Pass@k on held-out theorems during training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from trainers.policies.base import Completion, SeededPolicy
from trainers.rollouts.player import EpisodePlayer, Trajectory

LARGEST_K: Final = 8
"""The larger k of pass@k; a measurement with fewer episodes takes their number."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result of an evaluation.

    Attributes:
        samples: Episodes of each theorem.
        proved: Name of each theorem -> episodes that proved it.
        mean_length: Mean number of accepted tactics of the proofs found, 0 without proofs.
        episodes: Every episode, theorem by theorem.
    """

    samples: int
    proved: Mapping[str, int]
    mean_length: float
    episodes: tuple[Trajectory[Completion], ...]

    def rates(self, theorems: Iterable[str] | None = None) -> dict[str, float]:
        """Return pass@1 and pass@8, or pass@n of n < 8 episodes, under their names in `summary.json`.

        Args:
            theorems: Those to average over; all if left out.
        """
        counts = [self.proved[name] for name in (self.proved if theorems is None else theorems)]
        return {
            f"pass@{k}": sum(pass_at_k(self.samples, count, k) for count in counts) / len(counts)
            for k in sorted({1, min(LARGEST_K, self.samples)})
        }


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
        samples: Episodes per theorem.
        seed: Seed of this evaluation's sampling, so that repeated evaluations share their randomness.
    """
    with policy.seeded(seed):
        episodes = player.sample([name for name in theorems for _ in range(samples)], policy)
    counts = [sum(e.proved for e in episodes[at : at + samples]) for at in range(0, len(episodes), samples)]
    lengths = [len(episode.tactics) for episode in episodes if episode.proved]
    return Evaluation(
        samples=samples,
        proved=dict(zip(theorems, counts, strict=True)),
        mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
        episodes=tuple(episodes),
    )
