"""Baseline without learning for the set `algebra`: rewriting with laws drawn at random.

    python -m benchmarks.random_laws algebra:test
    python -m benchmarks.random_laws algebra:test --attempts 64 --steps 12

Each tactic of an episode is `rw [law]` or `rw [← law]`, drawn uniformly among the laws of the structure in the context,
with arguments left to unification; a theorem without laws is never proved. The estimates are those of pass@1 and pass@8
in the tables of the trainers.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from benchmarks.chance import Policy, run
from envs_data.automation.scripts import definitions
from lean_gym.types import Theorem


def menu(theorem: Theorem) -> list[str]:
    """Return the tactics to draw from: each law of the context in both directions."""
    return [f"rw [{arrow}{law}]" for law in definitions(theorem.context) for arrow in ("", "← ")]


def random_laws(rng: random.Random, theorem: Theorem) -> Policy:
    """Return a policy that draws from the menu of the theorem."""
    tactics = menu(theorem) or ["done"]
    return lambda goal, refused: rng.choice(tactics)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(
        "python -m benchmarks.random_laws", "Rewrite with laws drawn at random.", random_laws, arguments
    )


if __name__ == "__main__":
    sys.exit(main())
