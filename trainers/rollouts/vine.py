"""Vine rollouts: independent episodes from states that earlier episodes passed through, to estimate their values.

A state is the theorem, its accepted tactics and the number of tactics tried, which decides how many are left. Episodes
from it are drawn with the same policy and step limit, so their mean return is an unbiased estimate of its value.
Provers continue from a shared state without playing the way to it again.

Source: VinePPO, arXiv:2410.01679.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lean_gym.envs.vector import Point
from trainers.config.credit import CreditConfig
from trainers.policies.base import Completion, Policy
from trainers.rollouts.player import EpisodePlayer, Step, TrajectoryGroup

State = tuple[str, tuple[str, ...], int]
"""(theorem, accepted tactics, tactics tried)."""


def state_of(step: Step[Completion]) -> State | None:
    """Return the state before a step; `None` if the player kept no points."""
    if step.point is None:
        return None
    episode = step.point.episode
    return episode.theorem.name, episode.tactics, episode.steps


def play_vines(
    player: EpisodePlayer,
    policy: Policy,
    groups: Sequence[TrajectoryGroup],
    settings: CreditConfig,
    max_steps: int,
) -> list[TrajectoryGroup]:
    """Play `vine_rollouts` episodes from each of as many states as `vine_tactics` allows.

    A step gets credit from the values of the states before and after it, so both are chosen. Groups with the most
    evenly mixed outcomes come first, and in a group the earliest steps. Refused tactics are passed over. Before
    episodes are played they are counted with all the tactics that they could try; tactics left over are used for
    further states.

    Args:
        player: Keeps points.
        policy: The policy that played the groups.
        groups: Episodes to estimate values for.
        settings: Credit settings.
        max_steps: Largest number of tactics of an episode.

    Returns:
        One group per state, together with at most `vine_tactics` tactics.
    """
    found: list[TrajectoryGroup] = []
    known: set[State] = set()
    left = settings.vine_tactics
    while wave := _next_states(groups, known, left // settings.vine_rollouts, max_steps):
        names = [name for name, _, _ in wave]
        sizes = [settings.vine_rollouts] * len(wave)
        played = player.sample_groups(names, sizes, policy, list(wave.values()))
        left -= sum(len(one.steps) for group in played for one in group.trajectories)
        known |= wave.keys()
        found += played
    return found


def _next_states(
    groups: Sequence[TrajectoryGroup], known: set[State], tactics: int, max_steps: int
) -> dict[State, Point]:
    """Return further states whose episodes try at most `tactics` tactics, one episode from each."""
    chosen: dict[State, Point] = {}
    for needed in _needed_states(groups):
        fresh = {state: point for state, point in needed.items() if state not in known}
        fresh = {state: point for state, point in fresh.items() if state not in chosen}
        cost = sum(max_steps - tried for _, _, tried in fresh)
        if cost <= tactics:
            chosen |= fresh
            tactics -= cost
    return chosen


def _needed_states(groups: Sequence[TrajectoryGroup]) -> Iterator[dict[State, Point]]:
    """Yield the states before and after each accepted step, those that teach most first."""
    for group in sorted(groups, key=lambda one: -one.solve_rate * (1.0 - one.solve_rate)):
        longest = max(len(trajectory.steps) for trajectory in group.trajectories)
        for at in range(longest):
            for trajectory in group.trajectories:
                pair = trajectory.steps[at : at + 2]
                if pair and not pair[0].refused:
                    yield {
                        state: step.point
                        for step in pair
                        if step.point is not None and (state := state_of(step)) is not None
                    }
