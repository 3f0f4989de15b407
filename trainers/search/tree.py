"""Search tree of one theorem: each state once, with the tactics tried in it.

Two states are equal if Lean prints the same goals for them. Printed goals do not determine the terms that they stand
for, so merging may lose a proof. It cannot make one: a proof is the script of one path, and counts by the verdict of
the environment on exactly this script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lean_gym.envs.vector import Point
from lean_gym.types import Outcome
from trainers.search.scores import PathLikelihood

Key = tuple[str, ...]
"""The open goals as Lean prints them."""


@dataclass(slots=True, eq=False)
class Node:
    """One proof state.

    Attributes:
        number: Its place in the order of discovery, 0 for the start.
        text: The goals as the environment shows them.
        point: Where episodes continue from this state.
        likelihood: Log-probabilities of the tactics that lead to it.
        parent: The state before the last of them; `None` for the start.
        edges: The tactics tried here, by their text.
        expansions: How often the policy was asked about the state.
        dry: Whether the last time it gave no tactic that was not tried before.
    """

    number: int
    text: str
    point: Point
    likelihood: PathLikelihood = field(default_factory=PathLikelihood)
    parent: Node | None = None
    edges: dict[str, Edge] = field(default_factory=dict)
    expansions: int = 0
    dry: bool = False

    @property
    def tactics(self) -> tuple[str, ...]:
        """The script that leads here from the start."""
        return self.point.episode.tactics


@dataclass(slots=True, eq=False)
class Edge:
    """One tactic tried in a state.

    Attributes:
        tactic: Its text.
        logprobs: Log-probabilities of its tokens.
        outcome: What came of it; `None` before it was tried, and where the budget left no room for it.
        error: The message about a refused tactic or a rejected proof.
        child: The state after it, if goals are left there.
        merged: Whether that state had been reached on another path before.
        proof: Whether the environment verified the script that ends with it.
    """

    tactic: str
    logprobs: tuple[float, ...]
    outcome: Outcome | None = None
    error: str | None = None
    child: Node | None = None
    merged: bool = False
    proof: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """A script that the environment verified, with the axioms of the proof and the level of the verification."""

    tactics: tuple[str, ...]
    axioms: tuple[str, ...]
    verification: str


@dataclass(slots=True)
class Tree:
    """All states met in the search of one theorem.

    Attributes:
        root: The start.
        nodes: All states by their goals, in the order of discovery.
        proof: The first proof found.
        merged: Tactics that led to a state that was known already.
        repeated: Completions of the policy that had been tried in their state already.
        refused: Tactics that made no state: refused, rejected as a proof, or out of limits.
    """

    root: Node
    nodes: dict[Key, Node] = field(default_factory=dict)
    proof: Proof | None = None
    merged: int = 0
    repeated: int = 0
    refused: int = 0

    @classmethod
    def start(cls, text: str, point: Point) -> Tree:
        """Return the tree that holds the start of a theorem only."""
        root = Node(0, text, point)
        return cls(root, {_key(point): root})

    def reach(self, node: Node, edge: Edge, text: str, point: Point) -> None:
        """Add the state that an accepted tactic led to, or merge it with an equal one.

        An equal state that was not expanded yet is reached by the likelier of both paths from then on.

        Args:
            node: The state before.
            edge: The tactic.
            text: The goals after it, as shown.
            point: The point after it.
        """
        likelihood = node.likelihood.then(edge.logprobs)
        known = self.nodes.get(_key(point))
        if known is None:
            edge.child = Node(len(self.nodes), text, point, likelihood, node)
            self.nodes[_key(point)] = edge.child
            return
        self.merged += 1
        edge.child, edge.merged = known, True
        if known.parent is not None and not known.expansions and likelihood.total > known.likelihood.total:
            known.point, known.likelihood, known.parent = point, likelihood, node

    def open_nodes(self) -> Iterator[Node]:
        """Yield the states in which the policy may still have something new."""
        return (node for node in self.nodes.values() if not node.dry)


def children_of(edges: Sequence[Edge]) -> list[Node]:
    """Return the states that tactics lead to, each once, those reached before on other paths left out."""
    return [edge.child for edge in edges if edge.child is not None and not edge.merged]


def _key(point: Point) -> Key:
    return tuple(goal.text for goal in point.episode.goals)
