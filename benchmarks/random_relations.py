"""Baseline without learning for the generator `relations`: steps of proofs drawn at random.

    python -m benchmarks.random_relations "generated:relations?size=150&difficulty=0.5&seed=1"
    python -m benchmarks.random_relations "generated:relations?size=150&difficulty=0.5&seed=1" --accepted

The policy knows the form of the proofs. It closes a goal of two equal terms; otherwise it draws among the uses of the
laws on either side and the comparison of arguments, those that Lean will refuse included. With `accepted` it draws only
among steps that Lean accepts, as if it had learned what these are. The estimates are those of pass@1 and pass@8 in the
tables of the trainers.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from benchmarks.chance import Policy, run
from lean_gym.datasets.generators.relations import STRUCTURES, moves
from lean_gym.datasets.generators.rewriting import parse
from lean_gym.errors import DataError
from lean_gym.types import Theorem

_OF_CONTEXT: Final = {structure.context(): structure for structure in STRUCTURES}


def random_relations(rng: random.Random, theorem: Theorem, accepted: bool = False) -> Policy:
    """Return a policy that takes steps at random until the theorem is proved.

    Args:
        rng: Source of the draws.
        theorem: The theorem.
        accepted: Whether it draws only among steps that Lean accepts.

    Raises:
        DataError: The theorem is not of the generator `relations`.
    """
    structure = _OF_CONTEXT.get(theorem.context)
    if structure is None:
        raise DataError(
            f"{theorem.name}: expected a theorem of the generator `relations`, got another context"
        )
    steps = [f"refine A.trans {text} ?_" for text, _, _ in structure.uses]
    steps += [f"refine A.trans ?_ {text}" for text, _, _ in structure.uses]
    steps += [f"apply A.{operation}_mono" for operation in structure.operations]

    def choose(goal: str, refused: bool) -> str:
        main = goal.partition("\n\n")[0]
        term = parse(main[main.rindex("⊢") + 1 :])
        assert not isinstance(term, str)
        usable = list(moves(structure, ((term[1], term[2]),)))
        closing = [move.tactic for move in usable if move.kind == "close"]
        if closing:
            return closing[0]
        if accepted and usable:
            return rng.choice(usable).tactic
        return rng.choice(steps)

    return choose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    accepted = "--accepted" in words
    return run(
        "python -m benchmarks.random_relations",
        "Take steps at random; with --accepted, only such as Lean accepts.",
        partial(random_relations, accepted=accepted),
        [word for word in words if word != "--accepted"],
    )


if __name__ == "__main__":
    sys.exit(main())
