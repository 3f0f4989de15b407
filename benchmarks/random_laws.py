"""Baseline without learning for the set `algebra`: rewriting with laws drawn at random.

    python -m benchmarks.random_laws algebra:test
    python -m benchmarks.random_laws algebra:test --attempts 64 --steps 12
    python -m benchmarks.random_laws algebra:test --remember

Each tactic of an episode is `rw [law]` or `rw [← law]`, drawn uniformly among the laws of the structure in the context,
with arguments left to unification; a theorem without laws is never proved. With `remember` a tactic that was refused on
a goal is not drawn again there, as if the policy had learned this much. The estimates are those of pass@1 and pass@8 in
the tables of the trainers.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from functools import partial

from benchmarks.chance import Policy, run
from envs_data.automation.scripts import definitions
from lean_gym.types import Theorem


def menu(theorem: Theorem) -> list[str]:
    """Return the tactics to draw from: each law of the context in both directions."""
    return [f"rw [{arrow}{law}]" for law in definitions(theorem.context) for arrow in ("", "← ")]


def random_laws(rng: random.Random, theorem: Theorem, remember: bool = False) -> Policy:
    """Return a policy that draws from the menu of the theorem.

    Args:
        rng: Source of the draws.
        theorem: The theorem.
        remember: Whether tactics that were refused on a goal are left out there.
    """
    tactics = menu(theorem) or ["done"]
    refused_on: dict[str, set[str]] = {}
    last = ""

    def choose(goal: str, refused: bool) -> str:
        nonlocal last
        known = refused_on.setdefault(goal, set())
        if refused and remember:
            known.add(last)
        last = rng.choice([tactic for tactic in tactics if tactic not in known] or tactics)
        return last

    return choose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    remember = "--remember" in words
    return run(
        "python -m benchmarks.random_laws [--remember]",
        "Rewrite with laws drawn at random.",
        partial(random_laws, remember=remember),
        [word for word in words if word != "--remember"],
    )


if __name__ == "__main__":
    sys.exit(main())
