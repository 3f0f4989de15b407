"""Generator of theorems that apply an operation to both sides of an equation, each with a proof.

    from lean_gym.datasets.generators.cancellation import CANCELLATION
    theorems = CANCELLATION.generate(100, difficulty=0.4, seed=0)

The context defines a structure whose operations can be undone. A hypothesis says that two terms are equal which have
the same operations around different parts, and the theorem that the parts are equal:

    quasigroup  `mul` with two divisions
    coding      `enc` with `dec`, `neg` that undoes itself, `pair` with its projections
    loop        `mul` with two divisions, and `inv` that undoes itself

A step of the proof applies an operation to both sides of the hypothesis with `congrArg`, and simplifies. Which
operation and which argument must be invented: the operation does not stand in the goal, so nothing that instantiates
laws with terms of the goal, as `simp` and `grind` do, finds a law to use. Difficult theorems have more operations
around the parts, a chain of two hypotheses, or two goals.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator
from lean_gym.datasets.generators.rewriting import (
    Equation,
    Term,
    match_term,
    names,
    of_instance,
    parse,
    rename,
    show,
    size,
    subterms,
)

_VARIABLES: Final = ("a", "b", "c", "d", "e", "f", "g")
_MAX_SIZE: Final = 16
_LAYERS_OF_FULL_DIFFICULTY: Final = 5


@dataclass(frozen=True, slots=True)
class _Layer:
    """An operation around one of its arguments, and how it is undone.

    Attributes:
        operation: Its name.
        place: Number of the argument inside, from 0.
        arity: Number of arguments.
        undo: The operation that undoes it.
        law: The law that says so.
        same: Whether the other argument is the same on both sides; `undo` then takes it first.
    """

    operation: str
    place: int
    arity: int
    undo: str
    law: str
    same: bool = True


_MUL: Final = (_Layer("mul", 1, 2, "ldiv", "ldiv_mul"), _Layer("mul", 0, 2, "rdiv", "rdiv_mul"))
_LDIV: Final = (_Layer("ldiv", 1, 2, "mul", "mul_ldiv"),)
_INV: Final = (_Layer("inv", 0, 1, "inv", "inv_inv"),)
_NEG: Final = (_Layer("neg", 0, 1, "neg", "neg_neg"),)
_ENC: Final = (_Layer("enc", 0, 1, "dec", "dec_enc"),)
_PAIR: Final = (
    _Layer("pair", 0, 2, "fst", "fst_pair", same=False),
    _Layer("pair", 1, 2, "snd", "snd_pair", same=False),
)
_LAWS: Final = {
    "ldiv_mul": "∀ x y, ldiv x (mul x y) = y",
    "mul_ldiv": "∀ x y, mul x (ldiv x y) = y",
    "rdiv_mul": "∀ x y, rdiv y (mul x y) = x",
    "inv_inv": "∀ x, inv (inv x) = x",
    "neg_neg": "∀ x, neg (neg x) = x",
    "dec_enc": "∀ x, dec (enc x) = x",
    "fst_pair": "∀ x y, fst (pair x y) = x",
    "snd_pair": "∀ x y, snd (pair x y) = y",
}
_LEFT_SIDES: Final = tuple(
    of_instance(parse(law.partition(", ")[2].partition(" = ")[0])) for law in _LAWS.values()
)


@dataclass(frozen=True, slots=True)
class _Structure:
    """A structure: its name in Lean, its operations with their numbers of arguments, and its layers."""

    lean_name: str
    operations: dict[str, int]
    layers: tuple[_Layer, ...]

    def context(self) -> str:
        """Return the Lean definition."""
        lines = [f"structure {self.lean_name} (α : Type) where"]
        lines += [f"  {name} : {'α → ' * arity}α" for name, arity in self.operations.items()]
        laws = dict.fromkeys(layer.law for layer in self.layers)
        return "\n".join([*lines, *(f"  {law} : {_LAWS[law]}" for law in laws)])


_STRUCTURES: Final = (
    _Structure("Quasigroup", {"mul": 2, "ldiv": 2, "rdiv": 2}, _MUL + _LDIV),
    _Structure("Coding", {"enc": 1, "dec": 1, "neg": 1, "pair": 2, "fst": 1, "snd": 1}, _ENC + _NEG + _PAIR),
    _Structure("Loop", {"mul": 2, "ldiv": 2, "rdiv": 2, "inv": 1}, _MUL + _INV),
)


@dataclass(frozen=True, slots=True)
class _Wrapped:
    """A hypothesis: both sides of an equation, and the steps that lead from it to its parts."""

    sides: Equation
    undone: tuple[tuple[_Layer, Term | None], ...]


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw a theorem with about as many layers as the difficulty asks for; `None` if a term is too large."""
    structure = rng.choice(_STRUCTURES)
    layers = int(_LAYERS_OF_FULL_DIFFICULTY * difficulty + rng.random())
    form = rng.choice(("one", "one", "chain", "both"))
    first = layers if form == "one" else rng.randint(0, layers)
    parts = [_part(rng, structure) for _ in range(4)]
    pairs = {
        "one": [(parts[0], parts[1], first)],
        "chain": [(parts[0], parts[1], first), (parts[1], parts[2], layers - first)],
        "both": [(parts[0], parts[1], first), (parts[2], parts[3], layers - first)],
    }[form]
    if any(left == right for left, right, _ in pairs):
        return None
    wrapped = [_wrap(rng, structure, (left, right), count) for left, right, count in pairs]
    sides = [side for each in wrapped for side in each.sides]
    if max(map(size, sides)) > _MAX_SIZE or any(map(_can_be_simplified, sides)):
        return None
    goals = [(parts[0], parts[2])] if form == "chain" else [(left, right) for left, right, _ in pairs]
    if any(left == right for left, right in goals):
        return None
    return _written(structure, wrapped, goals, form)


def _part(rng: random.Random, structure: _Structure) -> Term:
    """Draw a term to be found: a variable, or an operation on variables."""
    if rng.random() < 0.7:
        return rng.choice(_VARIABLES)
    layer = rng.choice(structure.layers)
    return (f"A.{layer.operation}", *(rng.choice(_VARIABLES) for _ in range(layer.arity)))


def _wrap(rng: random.Random, structure: _Structure, sides: Equation, count: int) -> _Wrapped:
    undone: list[tuple[_Layer, Term | None]] = []
    for _ in range(count):
        layer = rng.choice(structure.layers)
        others = [_part(rng, structure)] * 2 if layer.same else [_part(rng, structure) for _ in range(2)]
        sides = (_around(layer, sides[0], others[0]), _around(layer, sides[1], others[1]))
        undone.append((layer, others[0] if layer.same and layer.arity == 2 else None))
    return _Wrapped(sides, tuple(reversed(undone)))


def _can_be_simplified(term: Term) -> bool:
    """Return whether a law fits somewhere; `simp only` would then change more than what a step adds."""
    parts = [part for _, part in subterms(term)]
    return any(match_term(law, part, frozenset("xy"), {}) for law in _LEFT_SIDES for part in parts)


def _around(layer: _Layer, term: Term, other: Term) -> Term:
    arguments = [term] if layer.arity == 1 else [other, other]
    arguments[layer.place] = term
    return (f"A.{layer.operation}", *arguments)


def _written(
    structure: _Structure, wrapped: Sequence[_Wrapped], goals: Sequence[Equation], form: str
) -> Draw:
    """Write statement and proof, with variables renamed in the order of their first occurrence."""
    sides = [side for each in wrapped for side in each.sides]
    heads = {f"A.{name}" for name in structure.operations}
    found = dict.fromkeys(name for side in sides for name in names(side) if name not in heads)
    new: dict[str, Term] = dict(zip(found, _VARIABLES, strict=False))

    def text(term: Term, level: int = 0) -> str:
        return show(rename(term, new), level)

    def equation(equal: Equation) -> str:
        return f"{text(equal[0])} = {text(equal[1])}"

    def lines(name: str, hypothesis: _Wrapped) -> Iterator[str]:
        for layer, other in hypothesis.undone:
            undo = f"A.{layer.undo}" if other is None else f"(A.{layer.undo} {text(other, 1024)})"
            # One step: without progress of `simp only` it is refused, and the hypothesis stays what it was.
            yield f"replace {name} := congrArg {undo} {name}; simp only [A.{layer.law}] at {name}"

    hypotheses = dict(zip(("h", "h1"), wrapped, strict=False))
    proof = ["constructor"] * (form == "both")
    for name, hypothesis in hypotheses.items():
        proof += lines(name, hypothesis)
        proof += [f"exact {name}"] * (form != "chain")
    proof += ["exact h.trans h1"] * (form == "chain")
    binders = "".join(f" ({name} : {equation(each.sides)})" for name, each in hypotheses.items())
    conclusion = " ∧ ".join(map(equation, goals))
    variables = " ".join(str(name) for name in new.values())
    return Draw(
        statement=f"{{α : Type}} (A : {structure.lean_name} α) ({variables} : α){binders} : {conclusion}",
        proof="\n".join(proof),
        domain=structure.lean_name.lower(),
        context=structure.context(),
    )


CANCELLATION: Final = Generator("cancellation", _draw)
