"""Make the set `algebra` from the generator of that name.

    python -m envs_data.algebra            write envs_data/algebra.jsonl
    python -m envs_data.algebra --check    compare it with what would be written; exit status 1 if they differ

A proof may use no axiom, as rewriting with laws needs none. A candidate for the test part is dropped if laws drawn at
random prove it in one of eight attempts, or if a script of `envs_data.automation` without `grind` proves it, whatever
axioms that proof uses; `grind` argues by contradiction, which uses all three axioms of Lean. A training theorem is
dropped if a test theorem is an instance of it: the same equation with other terms for its variables, or its two sides
exchanged. The results of the scripts come from their cache where they are known; without it they take about half an
hour on one core.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from envs_data.automation import measure
from envs_data.making import run
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.datasets.generators.algebra import ALGEBRA, laws
from lean_gym.datasets.generators.rewriting import Equation, match_term, parse, proved_by_chance
from lean_gym.types import Theorem

PATH: Final = Path(__file__).with_name("algebra.jsonl")
_SPLIT_SEED: Final = 1
_SECONDS: Final = 5.0
_VARIABLES: Final = frozenset("abcd")
_ATTEMPTS: Final = 8
_STEPS: Final = 12


@dataclass(frozen=True, slots=True)
class Part:
    """Theorems of one difficulty and seed.

    Attributes:
        difficulty: Asked of the generator.
        seed: Asked of the generator.
        train: Number of theorems for training.
        test: Number of candidates for the test part.
        easy: Whether theorems that chance proves are drawn too; they are for training only.
    """

    difficulty: float
    seed: int
    train: int
    test: int
    easy: bool = True


PARTS: Final = (
    Part(0.07, 51, 400, 40),
    Part(0.12, 51, 500, 40),
    Part(0.17, 51, 600, 40),
    Part(0.22, 51, 600, 40),
    Part(0.27, 51, 600, 40),
    *(Part(difficulty, 52, 0, 25) for difficulty in (0.12, 0.17, 0.22, 0.27)),
    *(Part(difficulty, 53, 500, 40, easy=False) for difficulty in (0.12, 0.17, 0.22, 0.27)),
)


def drawn() -> tuple[list[Theorem], list[Theorem]]:
    """Return the training theorems and the candidates for the test part, no two of them renamings."""
    parts: tuple[list[Theorem], list[Theorem]] = [], []
    seen: set[tuple[str, str]] = set()
    for part in PARTS:
        found: list[Theorem] = []
        theorems = ALGEBRA.iterate(part.difficulty, part.seed)
        while len(found) < part.train + part.test:
            theorem = next(theorems)
            content = theorem.context, theorem.statement.split(maxsplit=2)[2]
            if content not in seen and (part.easy or not is_proved_by_chance(theorem)):
                seen.add(content)
                found.append(theorem)
        random.Random(_SPLIT_SEED).shuffle(found)
        parts[0].extend(found[: part.train])
        parts[1].extend(theorem for theorem in found[part.train :] if not is_proved_by_chance(theorem))
    return parts


@cache
def is_proved_by_chance(theorem: Theorem) -> bool:
    """Return whether one of eight attempts of twelve laws drawn at random proves the theorem.

    The draws are seeded with the theorem's name, so the answer is always the same.
    """
    rng = random.Random(theorem.name)
    return proved_by_chance(rng, equation_of(theorem), laws(theorem.domain), _ATTEMPTS, _STEPS)


@cache
def equation_of(theorem: Theorem) -> Equation:
    """Return the two sides of a theorem of the generator."""
    conclusion = theorem.statement[theorem.statement.index(") : ") + 4 :]
    left, right = (parse(side) for side in conclusion.split(" = "))
    return left, right


def is_instance(special: Theorem, general: Theorem) -> bool:
    """Return whether the special equation is the general one with terms for its variables, sides in any order."""
    if special.context != general.context:
        return False
    (left, right), (first, second) = equation_of(special), equation_of(general)
    return any(
        match_term(("=", first, second), ("=", *sides), _VARIABLES, {})
        for sides in ((left, right), (right, left))
    )


def rows() -> list[dict[str, Any]]:
    """Return the rows of the set."""
    train, candidates = drawn()
    measured = measure([replace(each, permitted_axioms=None) for each in candidates], seconds=_SECONDS)
    simple = frozenset().union(*(names for script, names in measured.proved.items() if "grind" not in script))
    test = [theorem for theorem in candidates if theorem.name not in simple]
    train = [each for each in train if not any(is_instance(special, each) for special in test)]
    proved = measure(test, seconds=_SECONDS).proved_by_any
    return [
        *(row_from_theorem(replace(theorem, split="train")) for theorem in train),
        *(
            row_from_theorem(replace(theorem, split="test", automation=theorem.name in proved))
            for theorem in test
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(PATH, rows, arguments)


if __name__ == "__main__":
    sys.exit(main())
