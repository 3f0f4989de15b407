"""Generator of equations in algebraic structures, each with a proof by rewriting.

    from lean_gym.datasets.generators.algebra import ALGEBRA
    theorems = ALGEBRA.generate(100, difficulty=0.2, seed=0)

The context defines a structure: operations on a type, and laws. The theorem is an equation that holds in every such
structure, and its proof rewrites with the laws, which have names but do not stand in the goal. A step names the
arguments of its law only as far as `rw` would otherwise rewrite at another place:

    semiring    addition and multiplication, commutative and associative, with one distributive law
    lattice     meet and join, commutative and associative, with absorption
    medial      one operation, idempotent and medial

Core Lean's automation knows nothing of these operations, and the laws are no complete set of rewriting rules. Draws
are dropped whose two sides become equal by rewriting in a fixed order of preference, as `simp` or `repeat` does it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator
from lean_gym.datasets.generators.rewriting import (
    Equation,
    Rule,
    Term,
    bound_variables,
    fewest_arguments,
    names,
    of_instance,
    proved_by_repetition,
    proved_by_simplification,
    random_term,
    rename_text,
    scramble,
    show,
    size,
)

_VARIABLES: Final = ("a", "b", "c", "d")
_COST_OF_STEP: Final = 3
_MAX_SIZE: Final = 15


@dataclass(frozen=True, slots=True)
class _Structure:
    """A structure with laws.

    Attributes:
        name: Domain of its theorems; in Lean it is capitalised.
        operations: Names of its operations, each with two arguments.
        laws: Name -> the two sides; `x`, `y`, `z`, `w` stand for any elements, other names for operations.
    """

    name: str
    operations: tuple[str, ...]
    laws: dict[str, tuple[Term, Term]]

    @property
    def lean_name(self) -> str:
        """Return the name of the structure in Lean."""
        return self.name.capitalize()

    def context(self) -> str:
        """Return the Lean definition."""
        lines = [f"structure {self.lean_name} (α : Type) where"]
        lines += [f"  {name} : α → α → α" for name in self.operations]
        lines += [
            f"  {name} : ∀ {' '.join(bound_variables(left, right))}, {show(left)} = {show(right)}"
            for name, (left, right) in self.laws.items()
        ]
        return "\n".join(lines)

    def rules(self) -> list[Rule]:
        """Return the laws of an instance `A`."""
        return [
            Rule(f"A.{name}", bound_variables(*law), *map(of_instance, law))
            for name, law in self.laws.items()
        ]


def _commutative(f: str) -> dict[str, tuple[Term, Term]]:
    return {f"{f}_comm": ((f, "x", "y"), (f, "y", "x"))}


def _associative(f: str) -> dict[str, tuple[Term, Term]]:
    return {f"{f}_assoc": ((f, (f, "x", "y"), "z"), (f, "x", (f, "y", "z")))}


_STRUCTURES: Final = (
    _Structure(
        "semiring",
        ("add", "mul"),
        {
            **_commutative("add"),
            **_associative("add"),
            **_commutative("mul"),
            **_associative("mul"),
            "mul_add": (("mul", "x", ("add", "y", "z")), ("add", ("mul", "x", "y"), ("mul", "x", "z"))),
        },
    ),
    _Structure(
        "lattice",
        ("meet", "join"),
        {
            **_commutative("meet"),
            **_associative("meet"),
            **_commutative("join"),
            **_associative("join"),
            "meet_join": (("meet", "x", ("join", "x", "y")), "x"),
            "join_meet": (("join", "x", ("meet", "x", "y")), "x"),
        },
    ),
    _Structure(
        "medial",
        ("op",),
        {
            "op_self": (("op", "x", "x"), "x"),
            "op_medial": (
                ("op", ("op", "x", "y"), ("op", "z", "w")),
                ("op", ("op", "x", "z"), ("op", "y", "w")),
            ),
        },
    ),
)


def laws(domain: str) -> list[Rule]:
    """Return the laws of an instance `A` of the structure of this domain, e.g. `A.add_comm` of `semiring`.

    Raises:
        KeyError: No structure has this name.
    """
    return {structure.name: structure for structure in _STRUCTURES}[domain].rules()


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw one equation with its proof; `None` if there is no chain, or if `simp` would find one."""
    structure = rng.choice(_STRUCTURES)
    rules = structure.rules()
    variables = list(_VARIABLES[: rng.randint(2, 4)])
    steps = max(1, round((30 * difficulty + 1) / _COST_OF_STEP) + rng.choice((-1, 0, 0)))
    start = random_term(rng, structure.operations, variables, 1, 4)
    scrambled = scramble(rng, start, rules, steps, variables, _MAX_SIZE)
    if scrambled is None or _is_mechanical(scrambled.equation, rules):
        return None
    occurring = dict.fromkeys(
        name for side in scrambled.equation for name in names(side) if name in variables
    )
    new = dict(zip(occurring, _VARIABLES, strict=False))
    left, right = (rename_text(show(side), new) for side in scrambled.equation)
    # A variable that a step brings in and the next one takes away does not occur in the statement.
    new.update({name: _VARIABLES[0] for name in variables if name not in new})
    binders = f"{{α : Type}} (A : {structure.lean_name} α) ({' '.join(dict.fromkeys(new.values()))} : α)"
    brief, explicit = (
        "\n".join(f"rw [{rename_text(step, new)}]" for step in steps)
        for steps in (fewest_arguments(scrambled.equation, scrambled.steps, rules), scrambled.steps)
    )
    return Draw(
        statement=f"{binders} : {left} = {right}",
        proof=brief,
        domain=structure.name,
        context=structure.context(),
        permitted_axioms=(),
        explicit=explicit,
    )


def _is_mechanical(equation: Equation, rules: list[Rule]) -> bool:
    """Return whether the laws prove the equation in a fixed order of preference, without any choice."""
    shrinking = sorted(rules, key=lambda rule: size(rule.right) - size(rule.left))
    return proved_by_simplification(equation, rules) or any(
        proved_by_repetition(equation, order) for order in (rules, rules[::-1], shrinking)
    )


ALGEBRA: Final = Generator("algebra", _draw)
