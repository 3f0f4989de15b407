"""Generators of propositional theorems: random tautologies, each with a proof.

    from lean_gym.datasets.generators.propositional_theorems import CONSTRUCTIVE, PROPOSITIONAL
    theorems = PROPOSITIONAL.generate(100, difficulty=0.3, seed=0)

A statement is drawn at random, kept if it is a tautology without idle parts (no premise can be dropped, no
connective joins two equal formulas), and proved by `lean_gym.datasets.generators.propositional`.

Theorems of `CONSTRUCTIVE` hold in intuitionistic logic, and a proof may use no axiom. `simp`, `grind` and `omega`
rewrite with `propext` or argue by contradiction, so most of what they prove does not count.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator
from lean_gym.datasets.generators.propositional import (
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

_ATOM_NAMES = ("p", "q", "r", "s", "t")
_KINDS = ("and", "or", "imp", "not", "iff")
_CUMULATIVE_WEIGHTS = (5, 10, 16, 20, 21)


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw one theorem; `None` if the formula is of no use or no proof is found."""
    drawn = _random_statement(rng, difficulty)
    if not _is_lean_statement_worth_keeping(drawn):  # in any names of its atoms
        return None
    formula = _canonical(drawn)
    proof = _proof(formula)
    if proof is None:
        return None
    return Draw(
        statement=f"({' '.join(atoms(formula))} : Prop) : {formula}",
        proof=proof,
        domain="classical" if "by_cases" in proof else "propositional",
    )


def _draw_constructive(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw one theorem with a proof that uses no axiom; `None` if a case split on an atom is needed."""
    drawn = _draw(rng, difficulty)
    if drawn is None or drawn.domain == "classical":
        return None
    return replace(drawn, domain="constructive", permitted_axioms=())


@lru_cache(maxsize=4_096)
def _proof(formula: Formula) -> str | None:
    """Return a script that proves the formula; remembered, since small formulas are drawn many times."""
    script = find_proof(formula, max_choices=4, max_nodes=4_000)
    return None if script is None else "\n".join(script)


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
    kind = rng.choices(_KINDS, cum_weights=_CUMULATIVE_WEIGHTS)[0]
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


PROPOSITIONAL: Final = Generator("propositional", _draw)
CONSTRUCTIVE: Final = Generator("constructive", _draw_constructive)
