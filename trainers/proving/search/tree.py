"""Search tree of one theorem: each state once, with the tactics tried in it.

Two states are equal if Lean prints the same goals for them. Printed goals do not determine the terms that they stand
for, so merging may lose a proof. It cannot make one: a proof is the script of one path, and counts by the verdict of
the environment on exactly this script.

Where a tactic is a whole proof, a state is an attempt that failed and may be repaired; attempts are never merged.

With `split`, the goals that a tactic leaves are states of their own where they are independent: the tactic leads to
all of them, and is part of a proof once each is solved. Such a state holds a part of the goals of its point, the others
are its rest. Its tactics run behind `rotate_left`, which makes its first goal the main one, and must leave the rest as
it is. Goals that differ in their tag alone (`case left`) are one. The scripts of the solved goals are put together, and
the joined script is what the environment verifies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from lean_gym.backends.statement import flush_left
from lean_gym.envs.episode import Episode
from lean_gym.envs.vector import Point
from lean_gym.types import Outcome
from trainers.config.names import POLICY
from trainers.proving.search.independence import are_independent
from trainers.proving.search.scores import PathLikelihood

_TAG: Final = re.compile(r"\Acase [^\n]*\n")

Key = tuple[str, ...]
"""Open goals as Lean prints them; of a failed attempt, with a mark behind them that no other state has."""


@dataclass(slots=True, eq=False)
class Node:
    """One proof state: all goals of its point, or those of them that are searched apart from the rest.

    Attributes:
        number: Its place in the order of discovery, 0 for the start.
        text: Its goals as they are shown to the policy.
        goals: Its goals.
        point: Where episodes continue from this state.
        offset: Number of goals of the point before its own.
        rest: The other goals of the point, in their order once its own come first.
        likelihood: Log-probabilities of the tactics that lead to it.
        parent: The state before the last of them; `None` for the start.
        edges: The tactics tried here, by their text; whole proofs by their script, whatever else the answer says.
        reached_by: The tactics that lead here, each with its state.
        expansions: How often the policy was asked about the state.
        fruitless: How often in a row it gave no tactic that was not tried before.
        dry: Whether it did so until the patience of the budget was over.
        proof: The tactic that begins a proof of its goals, if one is known.
    """

    number: int
    text: str
    goals: Key
    point: Point
    offset: int = 0
    rest: Key = ()
    likelihood: PathLikelihood = field(default_factory=PathLikelihood)
    parent: Node | None = None
    edges: dict[str, Edge] = field(default_factory=dict)
    reached_by: list[tuple[Node, Edge]] = field(default_factory=list)
    expansions: int = 0
    fruitless: int = 0
    dry: bool = False
    proof: Edge | None = None

    @property
    def episode(self) -> Episode:
        """Return the episode at this point, with the goals of this state only."""
        episode = self.point.episode
        if not self.rest:
            return episode
        return replace(episode, goals=episode.goals[self.offset : self.offset + len(self.goals)])

    def worded(self, tactic: str) -> str:
        """Return a tactic as it is played from the point."""
        return f"rotate_left {self.offset}\n{flush_left(tactic)}" if self.offset else tactic


@dataclass(slots=True, eq=False)
class Edge:
    """One tactic tried in a state.

    Attributes:
        tactic: Its text.
        logprobs: Log-probabilities of its tokens.
        source: Name of the source that it comes from.
        outcome: What came of it; `None` before it was tried, and where the budget left no room for it.
        error: The message about a refused tactic or a rejected proof.
        children: The states that it leads to, all of which are to be solved; none where it leaves no goal. Of a whole
            proof that failed, the state in which it can be repaired.
        proof: Whether the environment verified the script that ends with it.
        refuted: Whether a joined script with it was refused.
    """

    tactic: str
    logprobs: tuple[float, ...]
    source: str = POLICY
    outcome: Outcome | None = None
    error: str | None = None
    children: tuple[Node, ...] = ()
    proof: bool = False
    refuted: bool = False

    @property
    def child(self) -> Node | None:
        """Return the state after it; `None` where there is none, the first of several."""
        return self.children[0] if self.children else None

    @property
    def solves(self) -> bool:
        """Return whether all that it leaves is solved."""
        accepted = self.outcome is Outcome.RUNNING and not self.refuted
        return accepted and all(child.proof is not None for child in self.children)


@dataclass(frozen=True, slots=True)
class Proof:
    """A script that the environment verified.

    Attributes:
        tactics: The script.
        axioms: The axioms of the proof.
        verification: The level of the verification.
        sources: The sources that the tactics came from, each once, in their order.
    """

    tactics: tuple[str, ...]
    axioms: tuple[str, ...]
    verification: str
    sources: tuple[str, ...] = ()


@dataclass(slots=True)
class Tree:
    """All states met in the search of one theorem.

    Attributes:
        root: The start.
        split: Whether independent goals are states of their own.
        nodes: All states by their goals, in the order of discovery.
        proof: The first proof found.
        merged: Tactics that led to a state that was known already.
        repeated: Completions of the policy that had been tried in their state already.
        refused: Tactics that made no state: refused, rejected as a proof, or out of limits.
    """

    root: Node
    split: bool = False
    nodes: dict[Key, Node] = field(default_factory=dict)
    proof: Proof | None = None
    merged: int = 0
    repeated: int = 0
    refused: int = 0

    @classmethod
    def start(cls, text: str, point: Point, split: bool = False, alone: bool = False) -> Tree:
        """Return the tree that holds the start of a theorem only.

        Args:
            text: The goals as shown.
            point: The start.
            split: Whether independent goals are states of their own.
            alone: Whether the first goal is to be solved and the others are to be left.
        """
        goals = _goals(point)
        own, rest = (goals[:1], goals[1:]) if alone else (goals, ())
        root = Node(0, own[0] if rest else text, own, point, rest=rest)
        return cls(root, split, {_key(own, split): root})

    def reach(self, node: Node, edge: Edge, text: str, point: Point) -> None:
        """Add the states that an accepted tactic led to, or merge them with equal ones.

        An equal state that was not expanded yet is reached by the likelier of both paths from then on. A tactic that
        changes the rest of its state counts as refused.

        Args:
            node: The state before.
            edge: The tactic.
            text: The goals after it, as shown.
            point: The point after it.
        """
        goals = _goals(point)
        count = len(goals) - len(node.rest)
        if count < 0 or goals[count:] != node.rest:
            edge.outcome, edge.error = Outcome.TACTIC_ERROR, "it changes goals that are searched apart"
            self.refused += 1
            return
        likelihood = node.likelihood.then(edge.logprobs)
        apart = self.split and count > 1 and are_independent(goals[:count])
        size = 1 if apart else count
        reached = []
        for offset in range(0, count, size or 1):
            own = goals[offset : offset + size]
            rest = goals[offset + size :] + goals[:offset]
            shown = "\n\n".join(own) if rest else text
            child = Node(len(self.nodes), shown, own, point, offset, rest, likelihood, node)
            reached.append(self._met(child))
            reached[-1].reached_by.append((node, edge))
        edge.children = tuple(reached)
        self._solve(node, edge)

    def fail(self, node: Node, edge: Edge, text: str, point: Point) -> None:
        """Add the state after a whole proof that failed, in which it can be repaired.

        Args:
            node: The state before.
            edge: The proof.
            text: The attempt and its errors, as shown.
            point: The point after it.
        """
        number = len(self.nodes)
        likelihood = node.likelihood.then(edge.logprobs)
        child = Node(number, text, node.goals, point, likelihood=likelihood, parent=node)
        child.reached_by.append((node, edge))
        self.nodes[*node.goals, f"attempt {number}"] = child
        edge.children = (child,)

    def _met(self, new: Node) -> Node:
        """Return the state of the tree with the goals of a new one, which is added if there is none."""
        known = self.nodes.setdefault(_key(new.goals, self.split), new)
        if known is new:
            return new
        self.merged += 1
        if (
            known.parent is not None
            and not known.expansions
            and new.likelihood.total > known.likelihood.total
        ):
            known.point, known.likelihood, known.parent = new.point, new.likelihood, new.parent
            known.offset, known.rest = new.offset, new.rest
        return known

    def _solve(self, node: Node, edge: Edge) -> None:
        """Note that a state is solved if a tactic solves it, and so those that lead to it."""
        waiting = [(node, edge)]
        while waiting:
            node, edge = waiting.pop()
            if node.proof is None and edge.solves:
                node.proof = edge
                waiting += node.reached_by

    def joined(self) -> list[Edge]:
        """Return the tactics of a proof of the start, put together from the proofs of its goals."""
        script: list[Edge] = []
        waiting = [self.root]
        while waiting:
            edge = waiting.pop().proof
            if edge is None:
                raise ValueError("the start is not solved; expected a state whose goals all have a proof")
            script.append(edge)
            waiting += reversed(edge.children)
        return script

    def refute(self, edge: Edge) -> None:
        """Take a tactic out of all proofs, after a joined script with it was refused."""
        edge.refuted = True
        for node in self.nodes.values():
            node.proof = None
        for node in self.nodes.values():
            for each in node.edges.values():
                self._solve(node, each)

    def path_to(self, node: Node) -> list[Edge]:
        """Return the tactics that lead from the start to a state."""
        path: list[Edge] = []
        while node.parent is not None:
            ways = [edge for parent, edge in node.reached_by if parent is node.parent]
            played = node.point.episode.tactics[-1:]
            path.append(next((edge for edge in ways if (edge.tactic,) == played), ways[0]))
            node = node.parent
        return path[::-1]

    def open_nodes(self) -> Iterator[Node]:
        """Yield the states, in their order, that a proof may need and in which the policy may have something new."""
        return (node for node in self.needed_nodes() if not node.dry)

    def needed_nodes(self) -> Iterator[Node]:
        """Yield the states, in their order, that a proof may need."""
        needed: dict[int, Node] = {}
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.proof is None and node.number not in needed:
                needed[node.number] = node
                waiting += [child for edge in node.edges.values() for child in edge.children]
        return (node for _, node in sorted(needed.items()))


def _goals(point: Point) -> Key:
    return tuple(goal.text for goal in point.episode.goals)


def _key(goals: Key, split: bool) -> Key:
    """Return goals without their tags, where they are searched apart."""
    return tuple(_TAG.sub("", goal) for goal in goals) if split else goals
