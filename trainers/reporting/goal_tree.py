"""An episode as a tree: each goal with the tactic that was accepted on it and the goals that replaced it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from trainers.reporting.rows import EpisodeRow


@dataclass(slots=True)
class GoalNode:
    """One goal.

    Attributes:
        parent: Number of the goal that it replaced, -1 for a first one.
        goal: Its text as Lean prints it.
        tactic: The tactic that replaced or closed it, `None` while it is open.
        refused: Tactics that were refused while it was the first goal, and how often each.
        joint: The tactic also worked on an earlier goal, where the goals that came of it stand.
    """

    parent: int
    goal: str
    tactic: str | None = None
    refused: Counter[str] = field(default_factory=Counter)
    joint: bool = False


def tree_of(episode: EpisodeRow, history: bool = False) -> list[GoalNode]:
    """Return the goals of an episode; a goal stands after the one that it replaced.

    Goals are told apart by their printed text. A tactic replaces goals that are gone after it by those that are new;
    if it changed none of them, as `rotate_left` does, it counts as one on the first goal.

    Args:
        episode: Its steps hold the goals before each tactic.
        history: The goals have accepted tactics above them, as Lean comments.
    """
    nodes: list[GoalNode] = []
    shown = [_goals(step.shown, history) for step in episode.steps]
    if not shown:
        return nodes
    nodes += [GoalNode(-1, goal) for goal in shown[0]]
    opened = list(range(len(nodes)))
    for number, step in enumerate(episode.steps):
        if step.refused:
            if opened:
                nodes[opened[0]].refused[step.tactic] += 1
            continue
        if number + 1 < len(shown):
            opened = _replaced(nodes, opened, step.tactic, shown[number + 1])
        elif episode.proved:
            opened = _replaced(nodes, opened, step.tactic, [])
        elif opened:  # the last tactic, whose goals nobody saw
            nodes[opened[0]].tactic = step.tactic
    return nodes


def _replaced(nodes: list[GoalNode], opened: Sequence[int], tactic: str, after: Sequence[str]) -> list[int]:
    """Add the goals after a tactic to the tree and return the open ones, in their order."""
    if not opened:
        return []
    waiting = list(opened)
    now: list[int | None] = []
    for goal in after:
        kept = next((number for number in waiting if nodes[number].goal == goal), None)
        if kept is not None:
            waiting.remove(kept)
        now.append(kept)
    changed = waiting or [opened[0]]
    if not waiting:  # nothing is gone: the first goal goes on below the tactic
        now[now.index(opened[0])] = None
    for place, number in enumerate(changed):
        nodes[number].tactic, nodes[number].joint = tactic, place > 0
    for place, goal in enumerate(after):
        if now[place] is None:
            nodes.append(GoalNode(changed[0], goal))
            now[place] = len(nodes) - 1
    return [number for number in now if number is not None]


def _goals(shown: str, history: bool) -> list[str]:
    lines = shown.split("\n")
    while history and lines and lines[0].startswith("-- "):
        lines.pop(0)
    return [goal for goal in "\n".join(lines).split("\n\n") if goal.strip()]
