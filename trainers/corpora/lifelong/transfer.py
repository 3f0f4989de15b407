"""Measures of a course over repositories: what each one teaches, and what later ones destroy.

R[t][j] is the solve rate on the held-out theorems of repository j after the first t repositories were learned; R[0] is
that of the policy at the start. T is the number of repositories learned so far.

    plasticity          mean over j <= T of R[j][j] - R[j-1][j]
    forward transfer    mean over 2 <= j <= T of R[j-1][j] - R[0][j]
    backward transfer   mean over j < T of R[T][j] - R[j][j]; negative where something was forgotten
    forgetting          mean over j < T of max over t < T of R[t][j], less R[T][j]

Repositories without held-out theorems are left out of the means.

Source: Lopez-Paz and Ranzato 2017, arXiv:1706.08840, section 2 (both transfers); Chaudhry et al. 2018,
arXiv:1801.10112, section 3 (forgetting).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Rates = Sequence[Sequence[float | None]]
"""A row for each t from 0, a column for each repository in the order of the course; `None` without theorems."""


def measures(rates: Rates) -> dict[str, float | None]:
    """Return the measures after the last row; `None` where there is nothing to take a mean of.

    Args:
        rates: At least one row.
    """
    last = len(rates) - 1
    columns = [j for j in range(len(rates[0])) if rates[0][j] is not None]

    def rate(t: int, j: int) -> float:
        return rates[t][j] or 0.0

    seen = [j for j in columns if j < last]
    earlier = [j for j in columns if j < last - 1]
    return {
        "average": _mean(rate(last, j) for j in seen),
        "plasticity": _mean(rate(j + 1, j) - rate(j, j) for j in seen),
        "forward_transfer": _mean(rate(j, j) - rate(0, j) for j in seen if j > 0),
        "backward_transfer": _mean(rate(last, j) - rate(j + 1, j) for j in earlier),
        "forgetting": _mean(max(rate(t, j) for t in range(last)) - rate(last, j) for j in earlier),
    }


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None
