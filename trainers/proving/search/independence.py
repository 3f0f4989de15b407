"""Goals of a state that can be proved apart from each other.

Goals depend on each other if they share a metavariable: a tactic on one may assign it, and so change or close the
other. A backend shows goals as text, and Lean prints metavariables as `?m.7`, `?w` and, in a type, `?u.3`. The test is
on the safe side: one metavariable anywhere, shared or not, and the goals count as dependent; so does `⋯`, which stands
for a term that Lean does not print.

A metavariable that Lean hides, as one of a universe in an implicit argument, is not seen. That may cost a proof and
cannot make one: the scripts of the goals are put together, and the environment verifies the joined script.

Source: goals without shared metavariables as separate problems: Aesop (Limperg and From 2023), HyperTree Proof Search
(arXiv:2205.11491), AlphaProof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_UNKNOWN: Final = re.compile(r"\?[^\W\d]|\?_|\?«|⋯")


def are_independent(goals: Sequence[str]) -> bool:
    """Return whether no goal shows a metavariable.

    Args:
        goals: The goals as Lean prints them.
    """
    return not any(_UNKNOWN.search(goal) for goal in goals)
