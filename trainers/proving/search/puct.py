"""PUCT: the tactic that a visit of Monte Carlo tree search takes in a state.

In a state of N visits, the tactic a with prior P(a), n(a) visits and the value V(a), minus the number of tactics that
are left with it, itself included, has the score

    Q(a) + c(N) P(a) sqrt(N) / (1 + n(a)),
    Q(a) = discount ^ (-1 - V(a)), 0 without a visit,
    c(N) = c_init + log((1 + N + c_base) / c_base),
    P(a) proportional to exp(log-probability of a / prior_temperature), over the tactics that lead to states.

The last tactic of a proof has V = -1 and Q = 1. A state of N visits in which the policy was asked no more than
`resample_factor` N ^ `resample_exponent` times is asked about again.

Source: AlphaZero (Silver et al. 2018) for the rule and c(N); AlphaProof (Hubert et al. 2025) for values in tactics
left, priors with a temperature and progressive sampling; the constants are those of REAL-Prover, arXiv:2505.20613.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trainers.config.search import SearchConfig


@dataclass(frozen=True, slots=True)
class Puct:
    """The constants of the rule, by the names of the settings."""

    c_base: float = 3200.0
    c_init: float = 0.001
    discount: float = 0.99
    prior_temperature: float = 50.0
    resample_factor: float = 0.01
    resample_exponent: float = 0.6

    @classmethod
    def of(cls, search: SearchConfig) -> Puct:
        """Return the constants that settings name."""
        return cls(
            search.c_base,
            search.c_init,
            search.discount,
            search.prior_temperature,
            search.resample_factor,
            search.resample_exponent,
        )

    def priors(self, log_probabilities: Sequence[float]) -> list[float]:
        """Return the priors of tactics with these log-probabilities; they add up to 1."""
        most = max(log_probabilities)
        weights = [math.exp((each - most) / self.prior_temperature) for each in log_probabilities]
        return [weight / sum(weights) for weight in weights]

    def worth(self, value: float | None) -> float:
        """Return Q of a value V; 0 for `None`, where there was no visit."""
        return 0.0 if value is None else float(self.discount ** (-1.0 - value))

    def score(self, prior: float, value: float | None, visits: int, total: int) -> float:
        """Return the score of a tactic.

        Args:
            prior: P(a).
            value: V(a); `None` without a visit.
            visits: n(a).
            total: N, the visits of its state.
        """
        exploration = self.c_init + math.log((1 + total + self.c_base) / self.c_base)
        return self.worth(value) + exploration * prior * math.sqrt(total) / (1 + visits)

    def asks_again(self, asked: int, visits: int) -> bool:
        """Return whether the policy is asked again in a state where it was asked before."""
        return asked <= self.resample_factor * math.pow(visits, self.resample_exponent)
