"""BM25 over premises, the baseline without a model, by the library bm25s."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import bm25s
import numpy as np

from trainers.corpora.retrieval.corpus import Mask
from trainers.policies.premises import Premise

_TOKEN: Final = re.compile(r"[^\W_]+|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Return the words of a Lean text, names divided at `.` and `_`, and its symbols, each by itself."""
    return _TOKEN.findall(text)


class Bm25:
    """BM25 with the constants k1 = 1.5 and b = 0.75."""

    def __init__(self, premises: Sequence[Premise]) -> None:
        """Index premises by their names and their code."""
        self._index = bm25s.BM25()
        # Names stand in the code without their namespace.
        documents = [tokens(f"{premise.name} {premise.code}") for premise in premises]
        self._index.index(documents, show_progress=False)
        self._known = self._index.vocab_dict

    def scores(self, state: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """Return the score of each premise, shape (premises,); 0 without a common word."""
        words = [word for word in tokens(state) if word in self._known]
        if not words:
            return np.zeros(int(self._index.scores["num_docs"]), dtype=np.float32)
        return np.asarray(self._index.get_scores(words), dtype=np.float32)

    def rank(self, states: Sequence[str], masks: Sequence[Mask], count: int) -> list[list[int]]:
        """Return the numbers of the best candidates for each state, the best one first."""
        return [best(self.scores(state), mask, count) for state, mask in zip(states, masks, strict=True)]


def best(scores: np.ndarray[tuple[int], np.dtype[np.float32]], mask: Mask, count: int) -> list[int]:
    """Return the numbers of the greatest scores among the candidates; equal ones in the order of the corpus.

    Args:
        scores: Shape (premises,).
        mask: The candidates, shape (premises,).
        count: Most numbers.
    """
    if count < len(scores):
        candidates = np.where(mask, scores, -np.inf)
        numbers = np.flatnonzero(mask & (candidates >= np.partition(candidates, -count)[-count]))
    else:
        numbers = np.flatnonzero(mask)
    order = np.argsort(-scores[numbers], kind="stable")[:count]
    return [int(number) for number in numbers[order]]
