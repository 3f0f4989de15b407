"""Beam search over states: the best states of a depth are expanded, and the best of their children are kept.

When a depth has no new state, the search begins again at the start with a beam of twice the width: states that were cut
off get their turn, and the policy is asked again. It ends after a pass in which no state was cut off and no tactic was
new.

Source: beam search (Lowerre 1976, the Harpy speech recognition system), here over deduplicated states, so that a
state fills one place of the beam at most. The further passes are an addition, which uses the budget that is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainers.proving.search.rules import Expansion
from trainers.proving.search.scores import Score
from trainers.proving.search.tree import Edge, Node, Tree


class Beam:
    """Expands all states of the beam at once.

    Args:
        score: Score of a path.
        samples: Completions asked for in each state.
        width: States kept of each depth in the first pass.
    """

    def __init__(self, score: Score, samples: int, width: int) -> None:
        self._score = score
        self._samples = samples
        self._width = width
        self._beam: list[Node] = []
        self._met: set[int] = set()
        self._passes = 0
        self._promising = True

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the states of the beam."""
        if not self._beam and self._promising:
            self._width *= 2 if self._passes else 1
            self._passes += 1
            self._promising = False
            self._beam, self._met = [tree.root], {tree.root.number}
        return [Expansion(node, self._samples) for node in self._beam]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Keep the best of the states that this pass has not met before."""
        nodes = [expansion.node for expansion, _ in done]
        reached = [edge.child for node in nodes for edge in node.edges.values() if edge.child is not None]
        distinct = {node.number: node for node in reached if node.number not in self._met}
        self._met |= set(distinct)
        ranked = sorted(distinct.values(), key=lambda node: (-self._score(node.likelihood), node.number))
        self._beam = ranked[: self._width]
        self._promising |= len(ranked) > self._width or not all(node.dry for node in nodes)
