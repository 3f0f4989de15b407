"""Independent episodes, as pass@k plays them: the search that others are compared with.

Each episode tries one tactic at a time from the start on; a refused one leaves it where it is. A tactic counts for the
budget in every episode that tries it, although its result is known after the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainers.proving.search.rules import Expansion
from trainers.proving.search.tree import Edge, Node, Tree


@dataclass(slots=True)
class _Walk:
    node: Node
    tries: int = 0


class Sample:
    """Plays episodes side by side; one that ends makes room for a new one.

    Args:
        samples: Episodes side by side.
        max_steps: Tactics of an episode, refused ones included.
    """

    def __init__(self, samples: int, max_steps: int) -> None:
        self._samples = samples
        self._max_steps = max_steps
        self._walks: list[_Walk] = []

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the present state of each episode."""
        self._walks = self._walks or [_Walk(tree.root) for _ in range(self._samples)]
        return [Expansion(walk.node, 1, independent=True) for walk in self._walks]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Move each episode on."""
        for walk, (_, edges) in zip(self._walks, done, strict=False):
            walk.tries += 1
            for edge in edges:
                walk.node = edge.child or walk.node
            if walk.tries >= self._max_steps:
                walk.node, walk.tries = tree.root, 0
