"""Generator of theorems about a relation that `rw` does not know, each with a proof.

    from lean_gym.datasets.generators.relations import RELATIONS
    theorems = RELATIONS.generate(100, difficulty=0.5, seed=0)

The context defines a structure with a relation `rel` and two operations. The relation is reflexive and transitive, the
operations respect it, and laws relate terms. The theorem relates two terms:

    semiring    symmetric: commutative and associative operations, one distributive law
    lattice     an order: meet is below its arguments, join above, with one law of modularity
    concurrent  an order: parallel and sequential composition with the law of exchange

A step of the proof replaces one of the two terms as a whole by a law (`A.trans`), or compares the arguments of the
operation that both begin with, which gives two goals (`A.add_mono`). Under an order a step can lose too much, and leave
a goal that does not hold. Automation instantiates the laws where they match a side of the goal, and not the
transitivity between them. From a difficulty of 0.35 on, draws are dropped that one law at each place proves, or that
steps in a fixed order of preference prove.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from lean_gym.datasets.generators.base import Draw, Generator
from lean_gym.datasets.generators.rewriting import (
    Equation,
    Term,
    bound_variables,
    match_term,
    names,
    of_instance,
    parse,
    random_term,
    rename,
    show,
    size,
)

_VARIABLES: Final = ("a", "b", "c", "d", "e", "f")
_BOUND: Final = frozenset("xyzw")
_MAX_SIZE: Final = 15
_SHARE_OF_OPERATIONS: Final = 0.4
_ATTEMPTS: Final = 20
_FIRST_WITH_A_CHOICE: Final = 0.35
_CLOSE: Final = "exact A.refl _"

Kind = Literal["close", "split", "shrink", "keep", "grow"]
_PREFERENCES: Final[tuple[tuple[Kind, ...], ...]] = (
    ("close", "shrink", "split", "keep"),
    ("close", "split", "shrink", "keep"),
    ("close", "keep", "shrink", "split"),
    ("close", "shrink", "keep", "split"),
)


@dataclass(frozen=True)
class Structure:
    """A structure with a relation.

    Attributes:
        lean_name: Its name in Lean.
        operations: Names of its operations, each with two arguments.
        laws: Name -> what is related, `left < right`; `x`, `y`, `z`, `w` stand for any elements.
        symmetric: Whether the relation is symmetric.
    """

    lean_name: str
    operations: tuple[str, str]
    laws: dict[str, str]
    symmetric: bool = False

    def context(self) -> str:
        """Return the Lean definition."""
        lines = [f"structure {self.lean_name} (α : Type) where"]
        lines += [f"  {name} : α → α → α" for name in self.operations]
        lines += ["  rel : α → α → Prop", "  refl : ∀ x, rel x x"]
        lines += ["  symm : ∀ {x y}, rel x y → rel y x"] * self.symmetric
        lines += ["  trans : ∀ {x y z}, rel x y → rel y z → rel x z"]
        lines += [
            f"  {name}_mono : ∀ {{x y z w}}, rel x y → rel z w → rel ({name} x z) ({name} y w)"
            for name in self.operations
        ]
        for name, law in self.laws.items():
            left, right = map(parse, law.split(" < "))
            variables = " ".join(bound_variables(left, right))
            lines.append(f"  {name} : ∀ {variables}, rel {show(left, 1024)} {show(right, 1024)}")
        return "\n".join(lines)

    @cached_property
    def uses(self) -> tuple[tuple[str, Term, Term], ...]:
        """For each use of a law its term in a proof, and the two terms that it relates."""
        found: list[tuple[str, Term, Term]] = []
        for name, law in self.laws.items():
            left, right = (of_instance(parse(side)) for side in law.split(" < "))
            text = " ".join([f"A.{name}", *("_" for _ in bound_variables(left, right))])
            found.append((f"({text})", left, right))
            if self.symmetric:
                found.append((f"(A.symm ({text}))", right, left))
        return tuple(found)


STRUCTURES: Final = (
    Structure(
        "Semiring",
        ("add", "mul"),
        {
            "add_comm": "add x y < add y x",
            "add_assoc": "add (add x y) z < add x (add y z)",
            "mul_comm": "mul x y < mul y x",
            "mul_assoc": "mul (mul x y) z < mul x (mul y z)",
            "mul_add": "mul x (add y z) < add (mul x y) (mul x z)",
        },
        symmetric=True,
    ),
    Structure(
        "Lattice",
        ("meet", "join"),
        {
            "meet_left": "meet x y < x",
            "meet_right": "meet x y < y",
            "meet_self": "x < meet x x",
            "join_left": "x < join x y",
            "join_right": "y < join x y",
            "join_self": "join x x < x",
            "meet_join": "meet x (join y z) < join (meet x y) z",
        },
    ),
    Structure(
        "Concurrent",
        ("par", "seq"),
        {
            "par_comm": "par x y < par y x",
            "par_assoc": "par (par x y) z < par x (par y z)",
            "seq_assoc": "seq (seq x y) z < seq x (seq y z)",
            "assoc_seq": "seq x (seq y z) < seq (seq x y) z",
            "seq_par": "seq x y < par x y",
            "exchange": "seq (par x y) (par z w) < par (seq x z) (seq y w)",
        },
    ),
)


class Move(NamedTuple):
    """A tactic that Lean accepts, the goals after it, and what it does to the first goal."""

    tactic: str
    goals: tuple[Equation, ...]
    kind: Kind


def moves(structure: Structure, goals: tuple[Equation, ...]) -> Iterator[Move]:
    """Yield the steps of proofs that apply to the first of the goals, each with its two terms.

    Args:
        structure: The structure of the context.
        goals: At least one.
    """
    (left, right), rest = goals[0], goals[1:]
    if left == right:
        yield Move(_CLOSE, rest, "close")
    if not isinstance(left, str) and not isinstance(right, str) and left[0] == right[0]:
        yield Move(f"apply {left[0]}_mono", (*zip(left[1:], right[1:], strict=True), *rest), "split")
    for text, below, above in structure.uses:
        changed = _replaced(below, above, left)
        if changed is not None:
            yield Move(f"refine A.trans {text} ?_", ((changed, right), *rest), _kind(left, changed))
        changed = _replaced(above, below, right)
        if changed is not None:
            yield Move(f"refine A.trans ?_ {text}", ((left, changed), *rest), _kind(right, changed))


def _replaced(pattern: Term, by: Term, term: Term) -> Term | None:
    """Return the instance of `by` that fits to the term as an instance of the pattern, if all of it is known."""
    binding: dict[str, Term] = {}
    if not match_term(pattern, term, _BOUND, binding) or not _BOUND.intersection(names(by)) <= set(binding):
        return None
    return rename(by, binding)


def _kind(old: Term, new: Term) -> Kind:
    change = size(new) - size(old)
    return "shrink" if change < 0 else "grow" if change > 0 else "keep"


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw a theorem with about as many steps as the difficulty asks for; `None` if it is too large or mechanical."""
    structure = rng.choice(STRUCTURES)
    related = _related(rng, structure, max(0, round(6.5 * difficulty - 0.7 + rng.random())))
    if related is None:
        return None
    equation, proof = related
    if max(map(size, equation)) > _MAX_SIZE:
        return None
    if difficulty >= _FIRST_WITH_A_CHOICE and _is_mechanical(structure, equation):
        return None
    # Proofs with either tactic differ in difficulty, which has gaps at 0.1, 0.3 and 0.45 with one of them alone.
    closing = rng.choice((_CLOSE, "apply A.refl"))
    proof = [closing if tactic == _CLOSE else tactic for tactic in proof]
    found = dict.fromkeys(name for side in equation for name in names(side) if name in _VARIABLES)
    new: dict[str, Term] = dict(zip(found, _VARIABLES, strict=False))
    sides = " ".join(show(rename(side, new), 1024) for side in equation)
    variables = " ".join(str(name) for name in new.values())
    return Draw(
        statement=f"{{α : Type}} (A : {structure.lean_name} α) ({variables} : α) : A.rel {sides}",
        proof="\n".join(proof),
        domain=structure.lean_name.lower(),
        context=structure.context(),
    )


def _related(rng: random.Random, structure: Structure, steps: int) -> tuple[Equation, list[str]] | None:
    """Draw two related terms and a proof with this number of steps beside those that close a goal."""
    if steps <= 0:
        term = random_term(rng, structure.operations, _VARIABLES, 0, 3)
        return (term, term), [_CLOSE]
    if rng.random() < _SHARE_OF_OPERATIONS:
        first = rng.randint(0, steps - 1)
        parts = [_related(rng, structure, each) for each in (first, steps - 1 - first)]
        return _below_operation(rng.choice(structure.operations), parts)
    inner = _related(rng, structure, steps - 1)
    if inner is None:
        return None
    goal, proof = inner
    for _ in range(_ATTEMPTS):
        before = _before(rng, structure, goal)
        if before is None or before[0] == before[1]:
            continue
        tactic = next((m.tactic for m in moves(structure, (before,)) if m.goals == (goal,)), None)
        if tactic is not None:
            return before, [tactic, *proof]
    return None


def _below_operation(
    operation: str, parts: Sequence[tuple[Equation, list[str]] | None]
) -> tuple[Equation, list[str]] | None:
    sides: list[Equation] = []
    proof = [f"apply A.{operation}_mono"]
    for part in parts:
        if part is None:
            return None
        equation, steps = part
        sides.append(equation)
        proof += [_CLOSE] if equation[0] == equation[1] else steps
    left, right = zip(*sides, strict=True)
    return ((f"A.{operation}", *left), (f"A.{operation}", *right)), proof


def _before(rng: random.Random, structure: Structure, goal: Equation) -> Equation | None:
    """Use a random law backwards on one side of the goal; `None` if it does not fit."""
    _, below, above = rng.choice(structure.uses)
    place = rng.randrange(2)
    old, new = (above, below) if place == 0 else (below, above)
    binding: dict[str, Term] = {}
    if not match_term(old, goal[place], _BOUND, binding):
        return None
    for name in sorted(_BOUND.intersection(names(new)) - set(binding)):
        binding[name] = random_term(rng, structure.operations, _VARIABLES, 0, 1)
    changed = rename(new, binding)
    return (changed, goal[1]) if place == 0 else (goal[0], changed)


def _is_mechanical(structure: Structure, equation: Equation) -> bool:
    """Return whether no choice is needed."""
    return _one_law_each(structure, equation) or any(
        proved_by_preference(structure, equation, order, last)
        for order in _PREFERENCES
        for last in (False, True)
    )


def _one_law_each(structure: Structure, equation: Equation) -> bool:
    """Return whether one law at each place proves it, below the operations that both sides share."""
    left, right = equation
    both: Term = ("rel", left, right)
    if left == right or any(
        match_term(("rel", below, above), both, _BOUND, {}) for _, below, above in structure.uses
    ):
        return True
    if isinstance(left, str) or isinstance(right, str) or left[0] != right[0]:
        return False
    return all(_one_law_each(structure, pair) for pair in zip(left[1:], right[1:], strict=True))


def proved_by_preference(structure: Structure, equation: Equation, order: Sequence[Kind], last: bool) -> bool:
    """Return whether the preferred step, again and again, proves it; what leads back to earlier goals ends it.

    Args:
        structure: The structure of the context.
        equation: The two terms.
        order: Kinds of steps, the preferred one first; others are not used.
        last: Whether the last instead of the first step of the preferred kind is taken.
    """
    goals: tuple[Equation, ...] = (equation,)
    seen: set[tuple[Equation, ...]] = set()
    while goals and goals not in seen:
        seen.add(goals)
        usable = [move for move in moves(structure, goals) if move.kind in order]
        if not usable:
            return False
        goals = min(usable[::-1] if last else usable, key=lambda move: order.index(move.kind)).goals
    return not goals


RELATIONS: Final = Generator("relations", _draw)
