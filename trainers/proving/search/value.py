"""Values of states: a model that predicts how many tactics are left, and its part in the score of best-first search.

With the score S of the path to a state s, the predicted number N(s) of tactics left, and the weight w,

    priority(s) = (1 - w) S(s) - w N(s).

Source: LeanProgress, arXiv:2502.17925, ranks states of best-first search by a weighted sum of the predicted steps left
and the log-probability of the path. The default weight is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from trainers.proving.search.scores import Score
from trainers.proving.search.tree import Node

if TYPE_CHECKING:
    from trainers.policies.progress import ProgressModel


class TacticsLeft(Protocol):
    """Prediction of the number of tactics left, where a proof is reached."""

    def __call__(self, goal_texts: Sequence[str], /) -> Sequence[float]:
        """Return the number for each text of goals; goals of one text are separated by blank lines."""


@lru_cache(maxsize=1)  # a server asks for it with every search
def load_progress(folder: str, *, candidates: bool = False) -> ProgressModel:
    """Load a progress model, onto the GPU if there is one.

    Args:
        folder: Its folder.
        candidates: The caller can use a model that reads candidate tactics as well.

    Raises:
        PolicyError: The folder holds no such model.
    """
    # Imported here, because a search without a value needs no torch.
    import torch

    from trainers.policies.progress import ProgressModel

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return ProgressModel.load(folder, device, candidates=candidates)


class Priority:
    """Score of states in one search, mixed with the tactics left, which are predicted once for each state.

    Args:
        score: Score of a path.
        value: Predicts the tactics left; `None` takes the score alone.
        weight: Weight w of the tactics left, from 0 to 1.
    """

    def __init__(self, score: Score, value: TacticsLeft | None = None, weight: float = 0.0) -> None:
        self._score = score
        self._value = value
        self._weight = weight
        self._left: dict[int, float] = {}

    def predict(self, nodes: Sequence[Node]) -> None:
        """Predict the tactics left for states that were not met before."""
        new = [node for node in nodes if node.number not in self._left]
        if self._value is not None and new:
            left = self._value([node.text for node in new])
            self._left |= {node.number: number for node, number in zip(new, left, strict=True)}

    def __call__(self, node: Node) -> float:
        """Return the priority of a state; higher is better."""
        if self._value is None:
            return self._score(node.likelihood)
        return (1.0 - self._weight) * self._score(node.likelihood) - self._weight * self._left[node.number]
