"""Unlimited propositional theorems of a chosen difficulty, each with a proof.

    from lean_gym.datasets.generators import generate_propositional
    theorems = generate_propositional(100, difficulty=0.3, seed=0)

A statement is drawn at random, kept if it is a tautology without idle parts (no premise can be
dropped, no connective joins two equal formulas), proved by `lean_gym.datasets.propositional`, and kept if the
difficulty of that proof lies within `TOLERANCE` of the one asked for. The same arguments give the same
theorems.

A draw may contain a renamed theorem of a set. Before training on one and measuring on the other, compare them
with `envs_data.statement_key.statement_key`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import islice

from lean_gym.datasets.propositional import (
    FALSE,
    Formula,
    atom,
    atoms,
    conj,
    disj,
    find_proof,
    iff,
    implies,
    is_tautology,
    neg,
    premises,
)
from lean_gym.types import Theorem

TOLERANCE = 0.06
"""How far the measured difficulty of a generated theorem may lie from the requested one."""

_COST_OF_FULL_DIFFICULTY = 30
_CHOICE_TACTICS = frozenset(
    {"left", "right", "apply", "specialize", "subst", "simp", "rw", "cases", "exists"}
)
_INVENTION_TACTICS = frozenset({"by_cases", "have", "refine", "induction", "obtain", "calc", "revert"})
_CASE_PREFIX = re.compile(r"^case [^=]*=>\s*", flags=re.MULTILINE)
_LIBRARY_NAME = re.compile(r"\b[A-Z]\w*(?:\.\w+)+|\b(?:congrArg|absurd|funext)\b")
_ATOM_NAMES = ("p", "q", "r", "s", "t")


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


def generate_propositional(count: int, difficulty: float = 0.3, seed: int = 0) -> list[Theorem]:
    """Return `count` different propositional theorems, each with a proof.

    Args:
        count: How many theorems, 0 or more.
        difficulty: The wanted `measure_difficulty` of their proofs, from 0.05 to 1.0; met up to `TOLERANCE`.
        seed: Seed of the draw, 0 or more; it is part of the theorems' names.

    Returns:
        The first `count` theorems of `iterate_propositional(difficulty, seed)`.

    Raises:
        ValueError: An argument is out of range.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, got {count}; ask for at least one theorem")
    return list(islice(iterate_propositional(difficulty, seed), count))


def iterate_propositional(difficulty: float = 0.3, seed: int = 0) -> Iterator[Theorem]:
    """Yield different propositional theorems without end; no two are equal up to renaming of their variables.

    Args:
        difficulty: The wanted `measure_difficulty` of the proofs, from 0.05 to 1.0; met up to `TOLERANCE`.
        seed: Seed of the draw, 0 or more; it is part of the theorems' names.

    Raises:
        ValueError: `difficulty` or `seed` is out of range.
    """
    if not 0.05 <= difficulty <= 1.0:
        raise ValueError(f"difficulty must lie in [0.05, 1.0], got {difficulty}; try 0.3")
    if seed < 0:
        raise ValueError(f"seed must be 0 or more, got {seed}; try 0")
    return _iterate(difficulty, seed)


def _iterate(difficulty: float, seed: int) -> Iterator[Theorem]:
    rng = random.Random(f"propositional {difficulty} {seed}")
    seen: set[Formula] = set()
    while True:
        formula = _canonical(_random_statement(rng, difficulty))
        if formula in seen or not _is_lean_statement_worth_keeping(formula):
            continue
        seen.add(formula)
        script = find_proof(formula, max_choices=4, max_nodes=4_000)
        if script is None:
            continue
        proof = "\n".join(script)
        measured = measure_difficulty(proof)
        if abs(measured - difficulty) > TOLERANCE:
            continue
        # Difficulty and seed are part of the name, so that different draws can be joined in one list.
        name = f"generated_{round(100 * difficulty)}_{seed}_{len(seen)}"
        yield Theorem(
            name=name,
            statement=f"theorem {name} ({' '.join(atoms(formula))} : Prop) : {formula}",
            domain="classical" if "by_cases" in proof else "propositional",
            difficulty=measured,
            proof=proof,
        )


def _canonical(formula: Formula) -> Formula:
    """Rename the atoms to p, q, r, ... in order of first occurrence."""
    names = dict(zip(atoms(formula), _ATOM_NAMES, strict=False))

    def rename(part: Formula) -> Formula:
        if part.op == "atom":
            return atom(names[part.name])
        return Formula(part.op, tuple(rename(arg) for arg in part.args))

    return rename(formula)


def _random_statement(rng: random.Random, difficulty: float) -> Formula:
    """Draw `A₁ → … → Aₙ → C`, larger on average when more difficulty is asked for."""
    size = 1.5 + 9.0 * difficulty
    names = _ATOM_NAMES[: rng.randint(2, 3 if difficulty < 0.5 else 4)]
    statement = _random_formula(rng, names, round(rng.uniform(1, size)))
    for _ in range(rng.randint(0, 3)):
        statement = implies(_random_formula(rng, names, round(rng.uniform(0, size / 2))), statement)
    return statement


def _random_formula(rng: random.Random, names: tuple[str, ...], size: int) -> Formula:
    """Draw a formula with `size` connectives."""
    if size <= 0:
        return FALSE if rng.random() < 0.03 else atom(rng.choice(names))
    kind = rng.choices(("and", "or", "imp", "not", "iff"), weights=(5, 5, 6, 4, 1))[0]
    if kind == "not":
        return neg(_random_formula(rng, names, size - 1))
    left_size = rng.randint(0, size - 1)
    left = _random_formula(rng, names, left_size)
    right = _random_formula(rng, names, size - 1 - left_size)
    return {"and": conj, "or": disj, "imp": implies, "iff": iff}[kind](left, right)


def _is_lean_statement_worth_keeping(formula: Formula) -> bool:
    return _has_no_idle_part(formula) and is_tautology(formula) and _needs_every_premise(formula)


def _has_no_idle_part(formula: Formula) -> bool:
    if formula.op not in ("atom", "false", "true", "not") and formula.args[0] == formula.args[1]:
        return False
    if (FALSE in formula.args and formula.op != "imp") or formula.args[:1] == (FALSE,):
        return False
    return all(map(_has_no_idle_part, formula.args))


def _needs_every_premise(formula: Formula) -> bool:
    found, conclusion = premises(formula)
    for skipped in range(len(found)):
        weaker = conclusion
        for premise in reversed(found[:skipped] + found[skipped + 1 :]):
            weaker = implies(premise, weaker)
        if is_tautology(weaker):
            return False
    return True
