"""Rules of an algorithm for rollouts and for the learner, as functions of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

from trainers.algorithms.settings import GroupSettings

SAME_RETURN = 1e-9
"""Returns closer than this count as equal."""


def has_spread(returns: Sequence[float]) -> bool:
    """Return whether a group has different returns; equal ones give exactly zero advantage."""
    return max(returns) - min(returns) >= SAME_RETURN


def groups_to_replace(groups: Sequence[Sequence[float]], rounds_done: int, rounds: int) -> list[int]:
    """Return the groups that dynamic sampling replaces by new ones.

    Source: DAPO, arXiv:2503.14476, section 3.2. The paper samples until a batch is full; here the rounds are
    bounded, because early in training most groups may have equal returns for long.

    Args:
        groups: Returns per group.
        rounds_done: Rounds of replacement done so far.
        rounds: Largest number of rounds.

    Returns:
        Indices of groups without spread; none when the rounds are used up.
    """
    if rounds_done >= rounds:
        return []
    return [index for index, returns in enumerate(groups) if not has_spread(returns)]


def overlong_charge(length: float, limit: float, settings: GroupSettings) -> float:
    """Return the soft overlong punishment of an episode.

    It is 0 up to the last `overlong_buffer` share of the limit, then rises linearly to `overlong_penalty` at the
    limit, and is constant beyond. Source: DAPO, arXiv:2503.14476, section 3.4.

    Args:
        length: Length of the episode, in any unit.
        limit: Largest length, in the same unit.
        settings: The algorithm's settings.

    Returns:
        A number of at least 0, to be subtracted from the return.
    """
    buffer = settings.overlong_buffer * limit
    if buffer <= 0.0:
        return 0.0
    excess = length - (limit - buffer)
    return settings.overlong_penalty * min(max(excess / buffer, 0.0), 1.0)


def unlikeliness_charges(
    returns: Sequence[float], proved: Sequence[bool], logprobs: Sequence[float], settings: GroupSettings
) -> list[float]:
    """Return the charges of a group's proofs for being likely.

    A proof with rank q by probability, 0 for the most likely episode of the group, keeps 1 - u (G - q) / G of its
    return, with u = `unlikeliness` and G the size of the group. Episodes of equal probability share their mean rank.
    Failures and proofs without positive return keep theirs.

    Args:
        returns: Returns of the episodes.
        proved: Whether each ended with a proof.
        logprobs: Log-probability of each episode, the sum over its sampled tokens.
        settings: The algorithm's settings.

    Returns:
        Numbers of at least 0, to be subtracted from the returns.

    Source: arXiv:2506.02355, section 4; there all ranks differ.
    """
    count = len(returns)
    if settings.unlikeliness == 0.0:
        return [0.0] * count
    ranks = [
        sum(other > own for other in logprobs) + (sum(other == own for other in logprobs) - 1) / 2
        for own in logprobs
    ]
    return [
        settings.unlikeliness * (count - rank) / count * max(earned, 0.0) if success else 0.0
        for earned, success, rank in zip(returns, proved, ranks, strict=True)
    ]


def mixed_probability(solve_rate: float, group_size: int) -> float:
    """Return the probability that a group has both a proof and a failure."""
    return 1.0 - solve_rate**group_size - (1.0 - solve_rate) ** group_size


def group_size_for(solve_rate: float | None, settings: GroupSettings) -> int:
    """Return the number of episodes for a theorem.

    It is the smallest size within the bounds at which a group is mixed with probability `mixed_group_target`, or the
    largest size if there is none, as for theorems never or always solved.

    Args:
        solve_rate: Recent share of proved episodes; `None` for a theorem not tried yet.
        settings: The algorithm's settings.
    """
    if not settings.use_dynamic_groups or solve_rate is None:
        return settings.group_size
    for size in range(settings.min_group_size, settings.max_group_size):
        if mixed_probability(solve_rate, size) >= settings.mixed_group_target:
            return size
    return settings.max_group_size


def sync_windows(minibatches: int, sync_frequency: int) -> list[range]:
    """Return the ranges of mini-batches that belong to one optimiser step.

    Args:
        minibatches: Mini-batches of a pass.
        sync_frequency: Mini-batches per step.

    Returns:
        Consecutive ranges that cover all; the last may be shorter.
    """
    starts = range(0, minibatches, sync_frequency)
    return [range(start, min(start + sync_frequency, minibatches)) for start in starts]
