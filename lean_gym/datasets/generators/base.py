"""Shared part of the generators of theorems: the difficulty of a proof, and the loop around one draw.

A generator is a module with a function that draws one theorem, and a `Generator` around this function.

A draw is kept if the difficulty of its proof lies within `TOLERANCE` of the one asked for and it was not drawn
before. The same arguments give the same theorems.

A draw may contain a renamed theorem of a set. Before training on one and measuring on the other, compare them
with `envs_data.statement_key.statement_key`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from lean_gym.types import Theorem

TOLERANCE: Final = 0.06
"""How far the measured difficulty of a generated theorem may lie from the requested one."""
MAX_FRUITLESS_DRAWS: Final = 100_000
"""Draws in a row without a new theorem after which a generator counts as exhausted."""

_COST_OF_FULL_DIFFICULTY = 30
_CHOICE_TACTICS = frozenset(
    {"left", "right", "apply", "specialize", "subst", "simp", "rw", "cases", "exists"}
)
_INVENTION_TACTICS = frozenset({"by_cases", "have", "refine", "induction", "obtain", "calc", "revert"})
_CASE_PREFIX = re.compile(r"^case [^=]*=>\s*", flags=re.MULTILINE)
_LIBRARY_NAME = re.compile(r"\b[A-Z]\w*(?:\.\w+)+|\b(?:congrArg|absurd|funext)\b")


@dataclass(frozen=True, slots=True)
class Draw:
    """One drawn theorem without its name.

    Attributes:
        statement: Binders, colon and proposition, with canonical names of variables, so that two draws are equal
            up to renaming if and only if they are equal.
        proof: A proof, one tactic a line.
        domain: Subject, as in `Theorem`.
        context: Lean commands before the statement.
        permitted_axioms: Axioms that a proof may use; `None` for all that the environment permits.
        explicit: The proof with everything named that `proof` leaves to unification, which makes a proof shorter and
            not easier: its difficulty counts. `None` if it is `proof`.
    """

    statement: str
    proof: str
    domain: str
    context: str = ""
    permitted_axioms: tuple[str, ...] | None = None
    explicit: str | None = None


DrawFunction = Callable[[random.Random, float], Draw | None]
"""Draws one theorem of about this difficulty; `None` if this draw is of no use."""


def measure_difficulty(proof: str) -> float:
    """Return how hard a reference proof is, from 0.0 to 1.0, rounded to two decimals.

    Every tactic costs 1 if the goal's shape suggests it (`intro`, `constructor`, `rcases`, `exact`, ...), 2
    if it takes a choice (`left`, `apply`, `rw`, ...), 3 if it takes an invention (`by_cases`, `refine`,
    `induction`, ...). Every library name costs 1 more, and so does every further rule of a `rw`. A total cost
    of 1 has difficulty 0.0, one of 31 or more has difficulty 1.0, linearly in between.

    Args:
        proof: A tactic script; tactics are separated by newlines or `;`, and a `case tag names =>`
            in front costs nothing.
    """
    cost = len(_LIBRARY_NAME.findall(proof))
    for tactic in re.split(r"\n|;", _CASE_PREFIX.sub("", proof)):
        words = tactic.split()
        if not words:
            continue
        head = words[0]
        cost += 3 if head in _INVENTION_TACTICS else 2 if head in _CHOICE_TACTICS else 1
        if head == "rw":
            cost += tactic.count(",")
    return round(min(1.0, max(0, cost - 1) / _COST_OF_FULL_DIFFICULTY), 2)


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator of theorems.

    Attributes:
        name: Its name; theorems are named `name_<100 * difficulty>_<seed>_<number>`.
        draw: Draws one theorem.
    """

    name: str
    draw: DrawFunction

    def iterate(self, difficulty: float = 0.3, seed: int = 0) -> Iterator[Theorem]:
        """Yield different theorems without end; no two are equal up to renaming of their variables.

        Args:
            difficulty: The wanted `measure_difficulty` of the proofs, from 0.05 to 1.0, rounded to two decimals; met
                up to `TOLERANCE`.
            seed: Seed of the draws, 0 or more; it is part of the theorems' names.

        Raises:
            ValueError: `difficulty` or `seed` is out of range; or, while iterating, the generator has no further
                theorem of this difficulty.
        """
        if not 0.05 <= difficulty <= 1.0:
            raise ValueError(f"difficulty must lie in [0.05, 1.0], got {difficulty}; try 0.3")
        if seed < 0:
            raise ValueError(f"seed must be 0 or more, got {seed}; try 0")
        return _iterate(self.name, self.draw, round(difficulty, 2), seed)

    def generate(self, count: int, difficulty: float = 0.3, seed: int = 0) -> list[Theorem]:
        """Return the first `count` theorems of `iterate(difficulty, seed)`.

        Raises:
            ValueError: An argument is out of range, or there are not so many theorems.
        """
        return take(self.iterate(difficulty, seed), count)


def take(theorems: Iterator[Theorem], count: int) -> list[Theorem]:
    """Return the first `count` theorems.

    Raises:
        ValueError: `count` is negative, or there are not so many.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, got {count}; ask for at least one theorem")
    return list(islice(theorems, count))


def _iterate(name: str, draw: DrawFunction, difficulty: float, seed: int) -> Iterator[Theorem]:
    rng = random.Random(f"{name} {difficulty} {seed}")
    seen: set[tuple[str, str]] = set()
    fruitless = 0
    while fruitless < MAX_FRUITLESS_DRAWS:
        fruitless += 1
        drawn = draw(rng, difficulty)
        if drawn is None or (drawn.context, drawn.statement) in seen:
            continue
        measured = measure_difficulty(drawn.explicit or drawn.proof)
        if abs(measured - difficulty) > TOLERANCE:
            continue
        seen.add((drawn.context, drawn.statement))
        fruitless = 0
        # Difficulty and seed are part of the name, so that different draws can be joined in one list.
        full_name = f"{name}_{round(100 * difficulty)}_{seed}_{len(seen)}"
        yield Theorem(
            name=full_name,
            statement=f"theorem {full_name} {drawn.statement}",
            context=drawn.context,
            domain=drawn.domain,
            difficulty=measured,
            proof=drawn.proof,
            permitted_axioms=drawn.permitted_axioms,
        )
    raise ValueError(
        f"{name}: no new theorem of difficulty {difficulty} in {MAX_FRUITLESS_DRAWS} draws after {len(seen)} theorems; "
        "ask for fewer, for another difficulty or for another seed"
    )
