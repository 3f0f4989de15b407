"""Retrieval in use: an index, the premises accessible to a theorem, and a memory of the last answers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final

from lean_gym.types import Theorem
from trainers.config.rollout import PromptConfig
from trainers.corpora.retrieval.corpus import Corpus, Mask
from trainers.corpora.retrieval.metrics import Ranker
from trainers.policies.premises import Premise

REMEMBERED: Final = 4096
"""Answers that are kept: episodes of a group meet the same states."""
MASKS: Final = 256
"""Theorems whose accessible premises are kept, a byte for each premise of the corpus."""


class IndexRetriever:
    """Retriever over a corpus.

    Attributes:
        corpus: The corpus.
        asked: Number of states that were ranked, those remembered left out.
    """

    def __init__(self, corpus: Corpus, ranker: Ranker) -> None:
        self.corpus = corpus
        self.asked = 0
        self._ranker = ranker
        self._lock = Lock()  # searches of a server ask from several threads
        self._known: OrderedDict[tuple[str, Theorem | None, int], tuple[Premise, ...]] = OrderedDict()
        self._masks: OrderedDict[Theorem | None, Mask] = OrderedDict()

    def __call__(
        self, goal_texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = (), /
    ) -> list[tuple[Premise, ...]]:
        """Return the best accessible premises for each text, the best one first.

        Raises:
            ValueError: There are theorems, and not one for each text.
        """
        owners = list(theorems) or [None] * len(goal_texts)
        if len(owners) != len(goal_texts):
            raise ValueError(f"theorems: expected {len(goal_texts)}, one for each text, got {len(owners)}")
        with self._lock:
            return self._answers(goal_texts, count, owners)

    def _answers(
        self, goal_texts: Sequence[str], count: int, owners: Sequence[Theorem | None]
    ) -> list[tuple[Premise, ...]]:
        keys = [(text, owner, count) for text, owner in zip(goal_texts, owners, strict=True)]
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        answers = {key: self._known[key] for key in keys if key in self._known}
        if new:
            self.asked += len(new)
            masks = [self._mask(owner) for _, owner, _ in new]
            ranked = self._ranker.rank([text for text, _, _ in new], masks, count)
            for key, numbers in zip(new, ranked, strict=True):
                answers[key] = self._known[key] = tuple(self.corpus.premises[number] for number in numbers)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return [answers[key] for key in keys]

    def _mask(self, theorem: Theorem | None) -> Mask:
        if theorem not in self._masks:
            self._masks[theorem] = self.corpus.accessible_to(theorem)
            if len(self._masks) > MASKS:
                self._masks.popitem(last=False)
        return self._masks[theorem]


@lru_cache(maxsize=2)
def load_retriever(folder: str) -> IndexRetriever:
    """Load the retriever of an index; the same folder gives the same object.

    Raises:
        ConfigError: The index cannot be used.
    """
    # Imported here: without a retriever no program needs its packages.
    from trainers.corpora.retrieval.index import read_index

    return IndexRetriever(*read_index(Path(folder).expanduser()))


def retriever_of(settings: PromptConfig) -> IndexRetriever | None:
    """Load the retriever that the settings name; `None` if they name none.

    Raises:
        ConfigError: Its index cannot be used.
    """
    return load_retriever(settings.retriever) if settings.retriever else None
