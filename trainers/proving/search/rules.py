"""Protocol of search rules: which states the policy is asked about next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from trainers.config.names import POLICY
from trainers.proving.search.tree import Edge, Node, Tree


@dataclass(frozen=True, slots=True)
class Expansion:
    """A request for tactics in a state.

    Attributes:
        node: The state.
        samples: Completions to ask the policy for.
        independent: Whether a tactic that was tried there before is paid for again, as in an episode of its own. Its
            result is known and not computed again.
        given: Tactics to try in place of completions of the policy, each different and none tried there yet.
        source: Name of the source of the tactics, see `trainers.config.names.TACTIC_SOURCES`.
    """

    node: Node
    samples: int
    independent: bool = False
    given: tuple[str, ...] = ()
    source: str = POLICY


class Rule(Protocol):
    """Search of one theorem; it may keep a state of its own."""

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        """Return the next expansions; none end the search."""

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        """Take note of the results.

        Args:
            tree: The tree.
            done: For each expansion the tactics of its completions, in order; a tactic that the budget left no room
                for has no outcome.
        """
