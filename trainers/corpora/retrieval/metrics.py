"""Metrics of retrieval: recall at k and mean reciprocal rank, as ReProver defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from trainers.corpora.retrieval.corpus import Corpus, Mask, Position
from trainers.corpora.retrieval.examples import Example

AT: Final = (1, 10, 32)
"""Numbers of premises at which the recall is measured."""
DEPTH: Final = 100
"""Premises of a state that are ranked; a premise beyond them counts as not found."""


class Ranker(Protocol):
    """Ranking of the premises of a corpus for states."""

    def rank(self, states: Sequence[str], masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the best premises for each state, the best one first.

        Args:
            states: The states.
            masks: Premises that are candidates, for each state.
            count: Most premises of a state.
        """


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the states of a test.

    Attributes:
        states: Number of states.
        recall: Share of the premises of a state that are among its first k, for each k of `AT`.
        mrr: Reciprocal rank of the first premise that is one of the state's; 0 for none.
    """

    states: int
    recall: tuple[float, ...]
    mrr: float

    def as_row(self) -> dict[str, float]:
        """Return the scores by name."""
        named = {f"R@{k}": value for k, value in zip(AT, self.recall, strict=True)}
        return {"states": self.states, **named, "MRR": self.mrr}


def score(ranked: Sequence[Sequence[int]], examples: Sequence[Example]) -> Scores:
    """Score rankings, one for each example.

    Raises:
        ValueError: There is no example.
    """
    if not examples:
        raise ValueError("expected one state with a premise or more, got none")
    recall = [0.0] * len(AT)
    reciprocal = 0.0
    for numbers, example in zip(ranked, examples, strict=True):
        used = set(example.used)
        hits = [number in used for number in numbers]
        for at, k in enumerate(AT):
            recall[at] += sum(hits[:k]) / len(used)
        reciprocal += 1 / (1 + hits.index(True)) if True in hits else 0.0
    count = len(examples)
    return Scores(count, tuple(total / count for total in recall), reciprocal / count)


def evaluate(ranker: Ranker, corpus: Corpus, examples: Sequence[Example], batch: int = 64) -> Scores:
    """Rank the accessible premises of each example and score the rankings.

    Raises:
        ValueError: There is no example.
    """
    ranked: list[list[int]] = []
    masks: dict[Position, Mask] = {}
    for at in range(0, len(examples), batch):
        part = examples[at : at + batch]
        for one in part:
            if one.position not in masks:
                masks[one.position] = corpus.accessible(one.position)
        ranked += ranker.rank([one.state for one in part], [masks[one.position] for one in part], DEPTH)
    return score(ranked, examples)
