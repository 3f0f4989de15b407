"""States of a search tree with the tactics left, its false branches included: targets for a progress model.

For each tactic that was tried in a state, `left` is the number of tactics of the shortest proof in the tree that begins
with it, `None` where the tactic was refused, or leads to states that were searched in vain:

    left(tactic) = 1 + sum of left(state) over the states that it leads to,    left(state) = min of left(tactic)

The sum is over goals that are searched apart, otherwise there is one state or none. A tactic that leads to a state in
which nothing was tried says nothing and has no row.
"""

from __future__ import annotations

from collections.abc import Iterator

from lean_gym.types import Outcome
from trainers.proving.search.tree import Edge, Node, Tree
from trainers.rollouts.step_rows import LabelledState

_REFUSED = (Outcome.TACTIC_ERROR, Outcome.REJECTED)


def states_of_tree(theorem: str, tree: Tree) -> list[LabelledState]:
    """Return a labelled state for each tactic of a tree whose result is known.

    Args:
        theorem: Name of the theorem.
        tree: The tree of a search by tactics.
    """
    left = _tactics_left(tree)
    return [
        LabelledState(theorem, node.goals, _left(edge, left), prefix, edge.tactic)
        for node in tree.nodes.values()
        for prefix in (_path(node),)
        for edge in node.edges.values()
        if _left(edge, left) is not None or _is_false(edge, left)
    ]


def _tactics_left(tree: Tree) -> dict[int, int]:
    """Return the tactics left in the solved states by number."""
    found: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for node in tree.nodes.values():
            known = [count for edge in node.edges.values() if (count := _left(edge, found)) is not None]
            if known and min(known) < found.get(node.number, min(known) + 1):
                found[node.number] = min(known)
                changed = True
    return found


def _left(edge: Edge, left: dict[int, int]) -> int | None:
    """Return the tactics left from a tactic on, itself included; `None` where no proof is known."""
    if edge.proof:
        return 1
    solved = edge.outcome is Outcome.RUNNING and not edge.refuted
    if not solved or not all(child.number in left for child in edge.children):
        return None
    return 1 + sum(left[child.number] for child in edge.children)


def _is_false(edge: Edge, left: dict[int, int]) -> bool:
    """Return whether a tactic, from which no proof is known, was refused or searched in vain."""
    if edge.outcome in _REFUSED or edge.refuted:
        return True
    return edge.outcome is Outcome.RUNNING and any(
        child.expansions and child.number not in left for child in edge.children
    )


def _path(node: Node) -> tuple[str, ...]:
    """Return the tactics that lead to a state."""
    return tuple(reversed(list(_back(node))))


def _back(node: Node) -> Iterator[str]:
    while node.parent is not None:
        parent = node.parent
        yield next(edge.tactic for before, edge in node.reached_by if before is parent)
        node = parent
