"""What an algorithm asks of rollouts and of the learner, as functions of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

from trainers.algorithms.settings import GroupSettings

SAME_RETURN = 1e-9
"""Returns closer than this count as equal."""


def has_spread(returns: Sequence[float]) -> bool:
    """Whether the episodes of a group earned different returns, so that the group teaches anything."""
    return max(returns) - min(returns) >= SAME_RETURN


def groups_to_replace(groups: Sequence[Sequence[float]], rounds_done: int, rounds: int) -> list[int]:
    """Dynamic sampling: which groups to replace by fresh ones.

    Source: DAPO, arXiv:2503.14476, section 3.2. The paper samples until a batch is full; here the rounds are
    bounded, because early in training most groups may be flat for long.

    Args:
        groups: Returns per group.
        rounds_done: Rounds of replacement that lie behind.
        rounds: Most rounds.

    Returns:
        Indices of groups without spread; none when the rounds are used up.
    """
    if rounds_done >= rounds:
        return []
    return [index for index, returns in enumerate(groups) if not has_spread(returns)]


def overlong_charge(length: float, limit: float, settings: GroupSettings) -> float:
    """Soft overlong punishment: what an episode's length costs it.

    0 up to the last `overlong_buffer` share of the limit, from there rising linearly to `overlong_penalty` at the
    limit, and no further. Source: DAPO, arXiv:2503.14476, section 3.4.

    Args:
        length: Of the episode, in any unit.
        limit: Longest length, in the same unit.
        settings: Of the algorithm.

    Returns:
        A number of at least 0, to be subtracted from the return.
    """
    buffer = settings.overlong_buffer * limit
    if buffer <= 0.0:
        return 0.0
    excess = length - (limit - buffer)
    return settings.overlong_penalty * min(max(excess / buffer, 0.0), 1.0)


def mixed_probability(solve_rate: float, group_size: int) -> float:
    """Probability that a group holds both a proof and a failure."""
    return 1.0 - solve_rate**group_size - (1.0 - solve_rate) ** group_size


def group_size_for(solve_rate: float | None, settings: GroupSettings) -> int:
    """Episodes worth spending on a theorem.

    The smallest size within the bounds at which a group is mixed with probability `mixed_group_target`; the
    largest if none is, as for theorems never or always solved.

    Args:
        solve_rate: Recent share of proved episodes; `None` for a theorem not tried yet.
        settings: Of the algorithm.
    """
    if not settings.use_dynamic_groups or solve_rate is None:
        return settings.group_size
    for size in range(settings.min_group_size, settings.max_group_size):
        if mixed_probability(solve_rate, size) >= settings.mixed_group_target:
            return size
    return settings.max_group_size


def sync_windows(minibatches: int, sync_frequency: int) -> list[range]:
    """Which mini-batches belong to one optimiser step.

    Args:
        minibatches: Mini-batches of a pass.
        sync_frequency: Mini-batches per step.

    Returns:
        Consecutive ranges that cover all; the last may be shorter.
    """
    starts = range(0, minibatches, sync_frequency)
    return [range(start, min(start + sync_frequency, minibatches)) for start in starts]
