"""Scores of a path of tactics; a score is part of a search method, and scores of different rules do not compare.

With l_t the sum of the log-probabilities of the tokens of tactic t, n_t their number, and L tactics in the path:

    sum            l_1 + ... + l_L
    mean           l_1/n_1 + ... + l_L/n_L
    length_scaled  (l_1/n_1 + ... + l_L/n_L) / L^alpha

Source: `sum` is the cumulative log-probability of GPT-f (Polu and Sutskever 2020, arXiv:2009.03393) and ReProver
(prover/proof_search.py). `mean` is the score of llmstep (python/benchmarking/proofsearch/proofsearch.py), where each
tactic counts by its mean log-probability a token. `length_scaled` is that of BFS-Prover (arXiv:2502.03438); the
exponent 2 and the means a token are those of the scripts of BFS-Prover-V2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

ScoreName = Literal["sum", "mean", "length_scaled"]

LENGTH_EXPONENT: Final = 2.0
"""The exponent alpha of `length_scaled`."""


@dataclass(frozen=True, slots=True)
class PathLikelihood:
    """Log-probabilities along a path.

    Attributes:
        tactics: Number of tactics, L.
        total: Sum of l_t.
        token_means: Sum of l_t / n_t.
    """

    tactics: int = 0
    total: float = 0.0
    token_means: float = 0.0

    def then(self, logprobs: Sequence[float]) -> PathLikelihood:
        """Return the path that goes on with a tactic.

        Args:
            logprobs: Log-probabilities of its tokens, empty where they are not known.
        """
        total = sum(logprobs)
        return PathLikelihood(
            self.tactics + 1, self.total + total, self.token_means + total / max(1, len(logprobs))
        )


Score = Callable[[PathLikelihood], float]


def create_score(name: ScoreName, exponent: float = LENGTH_EXPONENT) -> Score:
    """Return a score by its name; higher is better.

    Args:
        name: `"sum"`, `"mean"` or `"length_scaled"`.
        exponent: The exponent of `length_scaled`; 0 makes it `mean`.

    Raises:
        ValueError: There is no such score.
    """
    scores: dict[str, Score] = {
        "sum": lambda path: path.total,
        "mean": lambda path: path.token_means,
        "length_scaled": lambda path: path.token_means / max(1, path.tactics) ** exponent,
    }
    if name not in scores:
        raise ValueError(f"score: got {name!r}, expected {', '.join(scores)}")
    return scores[name]
