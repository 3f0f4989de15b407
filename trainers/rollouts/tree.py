"""Tree rollouts: choice of the state of a group from which further episodes start.

Branching a proof state costs nothing, so part of the episodes of a theorem can start in the middle of an earlier one.
Such a branch is a separate group: new episodes from one state, compared only with each other. The state was chosen
before they were played, so their policy gradient is unbiased for that state; the episodes that led there are not
compared with them.
"""

from __future__ import annotations

from lean_gym.envs.vector import Point
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, TrajectoryGroup

Prompt = tuple[int, ...]


def branch_point(group: TrajectoryGroup) -> Point | None:
    """Choose the state at which to branch.

    1. If some episodes proved the theorem: the state, other than the start, whose episodes have the most evenly mixed
       outcomes; among equals the one that most episodes visited.
    2. If none did: the state after the most accepted tactics.

    Args:
        group: Episodes whose steps keep their points.

    Returns:
        The point of the first episode there, or `None` if every episode proved the theorem or none left the start.
    """
    if all(trajectory.proved for trajectory in group.trajectories):
        return None
    first = _first_visits(group)
    some = any(trajectory.proved for trajectory in group.trajectories)
    chosen = _most_mixed(group, first) if some else _deepest(group, first)
    return None if chosen is None else first[chosen].point


def _first_visits(group: TrajectoryGroup) -> dict[Prompt, Step[Completion]]:
    """Return the first step taken in each state other than the start."""
    first: dict[Prompt, Step[Completion]] = {}
    for trajectory in group.trajectories:
        for step in trajectory.steps:
            first.setdefault(step.choice.prompt_ids, step)
    starts = {t.steps[0].choice.prompt_ids for t in group.trajectories if t.steps}
    return {prompt: step for prompt, step in first.items() if prompt not in starts}


def _most_mixed(group: TrajectoryGroup, first: dict[Prompt, Step[Completion]]) -> Prompt | None:
    visitors: dict[Prompt, list[bool]] = {}
    for trajectory in group.trajectories:
        for prompt in {step.choice.prompt_ids for step in trajectory.steps}:
            visitors.setdefault(prompt, []).append(trajectory.proved)

    def evenness(prompt: Prompt) -> tuple[float, int]:
        share = sum(visitors[prompt]) / len(visitors[prompt])
        return share * (1.0 - share), len(visitors[prompt])

    best = max(first, key=evenness, default=None)
    return best if best is not None and evenness(best)[0] > 0.0 else None


def _deepest(group: TrajectoryGroup, first: dict[Prompt, Step[Completion]]) -> Prompt | None:
    depths: dict[Prompt, int] = {}
    for trajectory in group.trajectories:
        accepted = 0
        for step in trajectory.steps:
            depths[step.choice.prompt_ids] = max(accepted, depths.get(step.choice.prompt_ids, 0))
            accepted += not step.refused
    return max(first, key=lambda prompt: depths[prompt], default=None)
