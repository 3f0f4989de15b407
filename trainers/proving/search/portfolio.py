"""Search with several sources of tactics by turns: automation at the start, then the policy, a menu, and lemmas.

Each source gives as many tactics a turn, into one tree: a proof may begin with a tactic of the policy and end with a
lemma. Three of four turns are the policy's, which proves what the others do not where it was trained. A source has its
own order of the states; that of the policy is the rule below. A source that has nothing new is passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle, islice

from trainers.config.names import POLICY
from trainers.policies.premises import Retriever
from trainers.proving.search.proposals import automation_scripts, menu_of, tactics_with
from trainers.proving.search.rules import Expansion, Rule
from trainers.proving.search.tree import Edge, Node, Tree

_LEMMAS = 24
"""Lemmas that are tried in a state."""


_POLICY_TURNS = 3
"""Turns of the policy before each turn of another source."""


class Portfolio:
    """Rule that takes turns among sources of tactics.

    Args:
        policy: Rule that asks the policy; `None` for none.
        sources: Names of the others, see `trainers.config.names.TACTIC_SOURCES`.
        samples: Tactics a turn.
        scripts: Most automation scripts, which are tried first.
        retriever: Finds the lemmas.
    """

    def __init__(
        self,
        policy: Rule | None,
        sources: Sequence[str],
        samples: int,
        scripts: int,
        retriever: Retriever,
    ) -> None:
        self._policy = policy
        self._samples = samples
        self._scripts = scripts if "automation" in sources else 0
        self._retriever = retriever
        lists: dict[str, Callable[[Node], list[str]]] = {"menu": self._menu, "lemmas": self._lemmas}
        self._listed = {name: _Listed(name, make) for name, make in lists.items() if name in sources}
        names = list(self._listed)
        if policy is not None:
            names = [name for other in names or [POLICY] for name in (*[POLICY] * _POLICY_TURNS, other)]
        self._count, self._turns = len(names), cycle(names)
        self._started = False

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the automation scripts, then the expansions of the next source that has any."""
        if not self._started:
            self._started = True
            scripts = automation_scripts(tree.root.episode.theorem)[: self._scripts]
            if scripts:
                return [Expansion(tree.root, 0, given=tuple(scripts), source="automation")]
        for name in islice(self._turns, self._count):
            if found := self._next_of(name, tree):
                return found
        return ()

    def _next_of(self, name: str, tree: Tree) -> Sequence[Expansion]:
        if name in self._listed:
            return self._listed[name].choose(tree, self._samples)
        return () if self._policy is None else self._policy.choose(tree)

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Tell the rule of the policy what came of its own expansions."""
        own = [each for each in done if each[0].source == POLICY]
        if own and self._policy is not None:
            self._policy.learn(tree, own)

    def _menu(self, node: Node) -> list[str]:
        return menu_of(node.episode.goals[0], node.episode.theorem)

    def _lemmas(self, node: Node) -> list[str]:
        (found,) = self._retriever([node.goals[0]], _LEMMAS, [node.episode.theorem])
        return [tactic for each in found for tactic in tactics_with(each)]


class _Listed:
    """A source that has a list of tactics for each state: of the states tried least, the likeliest one is next."""

    def __init__(self, name: str, make: Callable[[Node], list[str]]) -> None:
        self._name = name
        self._make = make
        self._left: dict[int, list[str]] = {}
        self._turns: Counter[int] = Counter()

    def choose(self, tree: Tree, count: int) -> list[Expansion]:
        """Return an expansion with the next tactics of a state; none if no state has any."""
        open_nodes = [node for node in tree.needed_nodes() if self._left.get(node.number) != []]
        for node in sorted(open_nodes, key=self._rank):
            if node.number not in self._left:
                self._left[node.number] = self._make(node)[::-1]  # the next one last
            left = self._left[node.number]
            fresh: list[str] = []
            while left and len(fresh) < count:
                if (tactic := left.pop()) not in node.edges:
                    fresh.append(tactic)
            if fresh:
                self._turns[node.number] += 1
                return [Expansion(node, 0, given=tuple(fresh), source=self._name)]
        return []

    def _rank(self, node: Node) -> tuple[int, float, int]:
        return self._turns[node.number], -node.likelihood.total, node.number
