"""Whole proofs with repair: first attempts, then repairs of those that failed, round by round.

A state of the tree is the theorem, or an attempt that failed and may be repaired: there the policy is shown the errors
of this attempt. Breadth first: all attempts of a round are made before the first repair of one of them. When no failed
attempt is left to repair, first attempts are made again. This is the search that Goedel-Prover-V2 was measured with
(arXiv:2508.03613), with 8 first attempts, 2 repairs and 2 rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainers.proving.search.rules import Expansion
from trainers.proving.search.tree import Edge, Tree


class WholeProof:
    """Asks for first attempts, and once for repairs of each attempt that failed.

    Args:
        samples: First attempts asked for at a time.
        repairs: Repairs asked for, of each failed attempt. How often a repair is repaired again is the number of
            rounds of the environment, its option `max_repairs`.
    """

    def __init__(self, samples: int, repairs: int) -> None:
        self._samples = samples
        self._repairs = repairs

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the failed attempts that wait for their repairs; where there are none, the theorem."""
        waiting = [node for node in tree.nodes.values() if node is not tree.root and not node.expansions]
        if waiting:
            return [Expansion(node, self._repairs) for node in waiting]
        return [] if tree.root.dry else [Expansion(tree.root, self._samples)]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Take no note: the tree holds all that counts."""
