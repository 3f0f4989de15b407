"""Beam search over states: the best states of a depth are expanded, and the best of their children are kept.

Source: beam search (Lowerre 1976, the Harpy speech recognition system), here over deduplicated states, so that a
state fills one place of the beam at most.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainers.search.rules import Expansion
from trainers.search.scores import Score
from trainers.search.tree import Edge, Node, Tree, children_of


class Beam:
    """Expands all states of the beam at once; the search ends when no new state is reached.

    Args:
        score: Score of a path.
        samples: Completions asked for in each state.
        width: States kept of each depth.
    """

    def __init__(self, score: Score, samples: int, width: int) -> None:
        self._score = score
        self._samples = samples
        self._width = width
        self._beam: list[Node] | None = None

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the states of the beam."""
        beam = [tree.root] if self._beam is None else self._beam
        return [Expansion(node, self._samples) for node in beam]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Keep the best of the new states."""
        reached = children_of([edge for _, edges in done for edge in edges])
        distinct = {node.number: node for node in reached}.values()
        ranked = sorted(distinct, key=lambda node: (-self._score(node.likelihood), node.number))
        self._beam = ranked[: self._width]
