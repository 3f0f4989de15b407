"""Monte Carlo tree search: visits that walk down by PUCT to a state, expand it, and pass its value back up.

The value of a state is minus the number of tactics left: as a model predicts it, or from a rollout of the policy, which
plays at most a given number of tactics and counts them if it solves the state, or else the greatest number. Without
goals searched apart a rollout that solves its state ends the search, so rollouts only tell states apart that are parts
of others; priors and numbers of visits do the rest.

Where a tactic leaves goals that are searched apart, a visit goes on with the one of the lowest value, and the minimum
over those that are not solved is passed up. A proof needs all of them, so the hardest decides.

Source: see `trainers.proving.search.puct`; the minimum over goals is that of AlphaProof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainers.proving.search.puct import Puct
from trainers.proving.search.rules import Expansion
from trainers.proving.search.tree import Edge, Node, Tree
from trainers.proving.search.value import TacticsLeft

_Path = list[tuple[Node, Edge]]


@dataclass(slots=True)
class Visits:
    """Visits of a state: their number, the sum of their values, and how often the policy was asked there."""

    count: int = 0
    total: float = 0.0
    asked: int = 0

    def add(self, value: float) -> None:
        """Note a visit."""
        self.count += 1
        self.total += value

    @property
    def mean(self) -> float | None:
        """Return the mean value; `None` without a visit."""
        return self.total / self.count if self.count else None


@dataclass(slots=True)
class _Rollout:
    """Rollout from the last expanded state: the states still to solve, the next one last, and the tactics played."""

    waiting: list[Node]
    played: int = 0


class Mcts:
    """Makes one visit a round, and the tactics of its rollout one a round.

    Args:
        puct: The rule for the tactic of a visit.
        samples: Completions asked for in an expansion.
        value: Predicts the tactics left; `None` plays rollouts.
        rollout_tactics: Most tactics of a rollout.

    Attributes:
        visits: Visits of states by their number.
        taken: Number of visits that took a tactic.
    """

    def __init__(
        self, puct: Puct, samples: int, value: TacticsLeft | None = None, rollout_tactics: int = 8
    ) -> None:
        self.visits: dict[int, Visits] = {}
        self.taken: dict[Edge, int] = {}
        self._puct = puct
        self._samples = samples
        self._value = value
        self._rollout_tactics = rollout_tactics
        self._path: _Path = []
        self._leaf: Node | None = None
        self._rollout: _Rollout | None = None

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the state that a visit ends in, or the next one of its rollout."""
        if self._rollout is not None:
            return [Expansion(self._rollout.waiting[-1], 1, independent=True)]
        self._path = []
        self._leaf = self._descend(tree.root, set())
        return [] if self._leaf is None else [Expansion(self._leaf, self._samples)]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Go on with the rollout, or value the state that was expanded and pass the value up."""
        for expansion, edges in done:
            if self._rollout is not None:
                self._play(self._rollout, edges)
                continue
            leaf = expansion.node
            self._of(leaf).asked += 1
            if leaf.proof is not None:
                self._back_up(-1.0)
            elif self._value is not None:
                self._back_up(-self._value([leaf.text])[0])
            else:
                self._rollout = _Rollout([leaf])

    def _play(self, rollout: _Rollout, edges: Sequence[Edge]) -> None:
        """Note the tactic of a rollout, and its value once it ends."""
        rollout.played += 1
        for edge in edges:
            if edge.children or edge.solves:
                rollout.waiting.pop()
                rollout.waiting += reversed(edge.children)
        rollout.waiting = [node for node in rollout.waiting if node.proof is None]
        if not rollout.waiting or rollout.played >= self._rollout_tactics:
            self._rollout = None
            self._back_up(-float(self._rollout_tactics if rollout.waiting else rollout.played))

    def _of(self, node: Node) -> Visits:
        return self.visits.setdefault(node.number, Visits())

    def _descend(self, node: Node, met: set[int]) -> Node | None:
        """Walk down to a state to expand, and note the path; `None` where nothing is left below.

        Args:
            node: A state that is not solved.
            met: Numbers of the states that this visit met; none is met twice.
        """
        met.add(node.number)
        visits = self._of(node)
        edges = [edge for edge in node.edges.values() if edge.children and not edge.refuted]
        if not visits.asked or (
            not node.dry and (not edges or self._puct.asks_again(visits.asked, visits.count))
        ):
            return node
        for edge in self._ranked(edges, visits.count):
            for child in sorted(edge.children, key=self._ease):
                if child.proof is None and child.number not in met:
                    self._path.append((node, edge))
                    leaf = self._descend(child, met)
                    if leaf is not None:
                        return leaf
                    self._path.pop()
        return None

    def _ranked(self, edges: Sequence[Edge], total: int) -> list[Edge]:
        """Return the tactics of a state of `total` visits, the one of the highest score first."""
        if not edges:
            return []
        priors = self._puct.priors([sum(edge.logprobs) for edge in edges])
        scores = {
            edge: self._puct.score(prior, self._worth(edge), self.taken.get(edge, 0), total)
            for edge, prior in zip(edges, priors, strict=True)
        }
        return sorted(edges, key=lambda edge: -scores[edge])

    def _ease(self, child: Node) -> tuple[float, int]:
        """Return the order of the goals that a tactic leaves: the hardest first, those without a visit before all."""
        visits = self._of(child)
        return self._puct.worth(visits.mean), visits.count

    def _worth(self, edge: Edge) -> float | None:
        """Return V of a tactic: that of the hardest goal that it leaves, and one tactic more."""
        left = [self._of(child).mean for child in edge.children if child.proof is None]
        known = [value for value in left if value is not None]
        return min(known) - 1.0 if known else None

    def _back_up(self, value: float) -> None:
        """Note the value of a visit in the state where it ended and in those of its path."""
        if self._leaf is not None:
            self._of(self._leaf).add(value)
        for node, edge in reversed(self._path):
            self.taken[edge] = self.taken.get(edge, 0) + 1
            value = (self._worth(edge) or -1.0) if len(edge.children) > 1 else value - 1.0
            self._of(node).add(value)
