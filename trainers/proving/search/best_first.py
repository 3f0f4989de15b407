"""Best-first search: the state of the highest score is expanded next.

States that were never expanded come before the others. When all were, each may be expanded again, those with the fewest
expansions first, as sampling may give new tactics. A state in which it gave none is left alone.

A model of the tactics left can have a part in the score, see `trainers.proving.search.value`.

Source: Polu and Sutskever 2020, arXiv:2009.03393, section 3.2; the repeated expansion is an addition, which uses the
budget that is left when a search with a few samples a state runs out of states.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainers.proving.search.rules import Expansion
from trainers.proving.search.scores import Score
from trainers.proving.search.tree import Edge, Node, Tree
from trainers.proving.search.value import Priority, TacticsLeft


class BestFirst:
    """Expands one state at a time.

    Args:
        score: Score of a path.
        samples: Completions asked for in an expansion.
        value: Predicts the tactics left; `None` for none.
        weight: Weight of the tactics left against the score.
    """

    def __init__(
        self, score: Score, samples: int, value: TacticsLeft | None = None, weight: float = 0.0
    ) -> None:
        self._priority = Priority(score, value, weight)
        self._samples = samples

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the best open state."""
        states = list(tree.open_nodes())
        self._priority.predict(states)
        best = min(states, key=self._rank, default=None)
        return [] if best is None else [Expansion(best, self._samples)]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Need nothing beyond the tree."""

    def _rank(self, node: Node) -> tuple[int, float, int]:
        return node.expansions, -self._priority(node), node.number
