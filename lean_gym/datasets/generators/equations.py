"""Generator of equations, each with a proof by rewriting or by induction.

    from lean_gym.datasets.generators.equations import EQUATIONS
    theorems = EQUATIONS.generate(100, difficulty=0.3, seed=0)

Three kinds of theorems are drawn:

- equations between elements of a type with operations, from laws and equations about some elements that stand among
  the hypotheses (domain `"rewriting"`);
- equations between polynomials over `Nat`, from the laws of a commutative semiring (domain `"semiring"`);
- a function on lists or numbers, and the same function with an accumulator, defined in the context; the hypothesis of
  the induction must be generalised (domain `"accumulator"`).

The first two kinds come from `lean_gym.datasets.generators.rewriting.scramble`; draws are dropped whose two sides
become equal by rewriting from left to right alone, as `simp` does it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator
from lean_gym.datasets.generators.rewriting import (
    Rule,
    Term,
    names,
    proved_by_simplification,
    rename,
    rename_text,
    scramble,
    show,
)

_ATOMS: Final = ("a", "b", "c", "d")
_OPERATIONS: Final = ("f", "g", "k")
_MAX_SIZE: Final = 11


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    kind = rng.random()
    if kind < 0.25 and 0.25 <= difficulty <= 0.7:
        return _draw_accumulator(rng)
    if kind < 0.6:
        return _draw_semiring(rng, difficulty)
    return _draw_rewriting(rng, difficulty)


@dataclass(frozen=True, slots=True)
class _Theory:
    """Operations with laws.

    Attributes:
        arities: Operation -> number of its arguments.
        laws: Equations for all values of their variables; named when they become hypotheses.
        facts: Equations between elements, some of which become hypotheses.
    """

    arities: Mapping[str, int]
    laws: tuple[Rule, ...]
    facts: tuple[Rule, ...]


def _law(left: Term, right: Term) -> Rule:
    used = {*names(left), *names(right)}
    return Rule("", tuple(name for name in "xyzw" if name in used), left, right)


def _f(left: Term, right: Term) -> Term:
    return ("f", left, right)


def _g(left: Term, right: Term) -> Term:
    return ("g", left, right)


_ASSOCIATIVE: Final = _law(_f(_f("x", "y"), "z"), _f("x", _f("y", "z")))
_COMMUTATIVE: Final = _law(_f("x", "y"), _f("y", "x"))
_COMMUTATIVE_G: Final = _law(_g("x", "y"), _g("y", "x"))
_IDEMPOTENT: Final = _law(_f("x", "x"), "x")
_MEDIAL: Final = _law(_f(_f("x", "y"), _f("z", "w")), _f(_f("x", "z"), _f("y", "w")))
_LEFT_COMMUTATIVE: Final = _law(_f("x", _f("y", "z")), _f("y", _f("x", "z")))
_DISTRIBUTIVE: Final = _law(_f("x", _g("y", "z")), _g(_f("x", "y"), _f("x", "z")))
_ABSORPTION: Final = _law(_f("x", _g("x", "y")), "x")
_HOMOMORPHISM: Final = _law(("k", _f("x", "y")), _f(("k", "x"), ("k", "y")))
_ANTIHOMOMORPHISM: Final = _law(("k", _f("x", "y")), _f(("k", "y"), ("k", "x")))
_INVOLUTION: Final = _law(("k", ("k", "x")), "x")
_PROJECTION: Final = _law(("k", ("k", "x")), ("k", "x"))

_PRODUCT_FACTS: Final = (
    _law(_f("a", "b"), "c"),
    _law(_f("a", "a"), "b"),
    _law(_f("a", "b"), _f("b", "a")),
    _law(_f("c", "b"), "a"),
    _law(_f("c", "d"), "a"),
)
_SUM_FACTS: Final = (_law(_g("a", "b"), "c"), _law(_g("b", "c"), _f("a", "a")))
_MAP_FACTS: Final = (_law(("k", "a"), "b"), _law(("k", "c"), "c"), _law(("k", "b"), _f("a", "c")))
_THEORIES: Final = (
    _Theory({"f": 2}, (_ASSOCIATIVE,), _PRODUCT_FACTS),
    _Theory({"f": 2}, (_ASSOCIATIVE, _COMMUTATIVE), _PRODUCT_FACTS),
    _Theory({"f": 2}, (_ASSOCIATIVE, _IDEMPOTENT), _PRODUCT_FACTS),
    _Theory({"f": 2}, (_MEDIAL, _IDEMPOTENT), _PRODUCT_FACTS),
    _Theory({"f": 2}, (_LEFT_COMMUTATIVE,), _PRODUCT_FACTS),
    _Theory({"f": 2, "g": 2}, (_DISTRIBUTIVE, _COMMUTATIVE_G), (*_PRODUCT_FACTS, *_SUM_FACTS)),
    _Theory({"f": 2, "g": 2}, (_ABSORPTION, _COMMUTATIVE, _COMMUTATIVE_G), (*_PRODUCT_FACTS, *_SUM_FACTS)),
    _Theory({"f": 2, "k": 1}, (_HOMOMORPHISM, _COMMUTATIVE), (*_PRODUCT_FACTS, *_MAP_FACTS)),
    _Theory({"f": 2, "k": 1}, (_ANTIHOMOMORPHISM, _INVOLUTION), (*_PRODUCT_FACTS, *_MAP_FACTS)),
    _Theory({"f": 2, "k": 1}, (_PROJECTION, _HOMOMORPHISM), (*_PRODUCT_FACTS, *_MAP_FACTS)),
)


def _draw_rewriting(rng: random.Random, difficulty: float) -> Draw | None:
    theory = rng.choice(_THEORIES)
    facts = rng.sample(theory.facts, rng.choice((1, 1, 2)))
    rules = [replace(rule, name=_hypothesis(number)) for number, rule in enumerate((*theory.laws, *facts))]
    atoms = [name for name in _ATOMS if any(name in _rule_names(fact) for fact in facts)]
    steps = max(2, round((30 * difficulty + 1) / 2) + rng.choice((-1, 0, 0)))
    start = _random_term(rng, theory.arities, atoms, rng.randint(1, 3))
    scrambled = scramble(rng, start, rules, steps, atoms, _MAX_SIZE)
    if scrambled is None:
        return None
    used = {step.removeprefix("← ").split()[0] for step in scrambled.steps}
    rules = [rule for rule in rules if rule.name in used]
    if len(rules) < 2 or proved_by_simplification(scrambled.equation, rules):
        return None
    return _hypothetical(rules, scrambled.equation, scrambled.steps)


def _hypothetical(rules: list[Rule], equation: tuple[Term, Term], steps: tuple[str, ...]) -> Draw:
    """Write the theorem with the rules as hypotheses; names are given in order of first occurrence."""
    new: dict[str, str] = {}
    free = {"atom": iter(_ATOMS), "operation": iter(_OPERATIONS)}
    arities: dict[str, int] = {}
    for side in (*(side for rule in rules for side in (rule.left, rule.right)), *equation):
        for name, arity in _signature(side):
            if name in "xyzw" or name in new:
                continue
            new[name] = next(free["operation" if arity else "atom"])
            arities[new[name]] = arity
    for number, rule in enumerate(rules):
        new[rule.name] = _hypothesis(number)
    binders = (
        "".join(f" ({name} : {'α → ' * arities[name]}α)" for name in _OPERATIONS if arities.get(name))
        + f" ({' '.join(name for name in _ATOMS if name in arities)} : α)"
    )
    for rule in rules:
        quantifier = f"∀ {' '.join(rule.variables)}, " if rule.variables else ""
        left, right = (rename_text(show(side), new) for side in (rule.left, rule.right))
        binders += f" ({new[rule.name]} : {quantifier}{left} = {right})"
    left, right = (rename_text(show(side), new) for side in equation)
    proof = "\n".join(f"rw [{rename_text(step, new)}]" for step in steps)
    return Draw(f"{{α : Type}}{binders} : {left} = {right}", proof, "rewriting")


def _signature(term: Term) -> Iterator[tuple[str, int]]:
    """Yield the names of a term with the number of their arguments."""
    if isinstance(term, str):
        yield term, 0
        return
    yield str(term[0]), len(term) - 1
    for arg in term[1:]:
        yield from _signature(arg)


def _hypothesis(number: int) -> str:
    return f"h{number or ''}"


def _rule_names(rule: Rule) -> set[str]:
    return {*names(rule.left), *names(rule.right)}


def _random_term(rng: random.Random, arities: Mapping[str, int], atoms: list[str], operations: int) -> Term:
    """Draw a term with this number of operations."""
    if operations == 0:
        return rng.choice(atoms)
    head = rng.choice(list(arities))
    shares = [0] * arities[head]
    for _ in range(operations - 1):
        shares[rng.randrange(len(shares))] += 1
    return (head, *(_random_term(rng, arities, atoms, share) for share in shares))


def _nat(name: str, variables: str, left: Term, right: Term) -> Rule:
    return Rule(f"Nat.{name}", tuple(variables), left, right)


_SEMIRING: Final = (
    _nat("add_comm", "xy", ("+", "x", "y"), ("+", "y", "x")),
    _nat("add_assoc", "xyz", ("+", ("+", "x", "y"), "z"), ("+", "x", ("+", "y", "z"))),
    _nat("add_left_comm", "xyz", ("+", "x", ("+", "y", "z")), ("+", "y", ("+", "x", "z"))),
    _nat("mul_comm", "xy", ("*", "x", "y"), ("*", "y", "x")),
    _nat("mul_assoc", "xyz", ("*", ("*", "x", "y"), "z"), ("*", "x", ("*", "y", "z"))),
    _nat("mul_add", "xyz", ("*", "x", ("+", "y", "z")), ("+", ("*", "x", "y"), ("*", "x", "z"))),
    _nat("add_mul", "xyz", ("*", ("+", "x", "y"), "z"), ("+", ("*", "x", "z"), ("*", "y", "z"))),
)


def _draw_semiring(rng: random.Random, difficulty: float) -> Draw | None:
    steps = max(1, round((30 * difficulty + 1) / 3) + rng.choice((-1, 0, 0)))
    atoms = list(_ATOMS[: rng.randint(2, 4)])
    start = _random_term(rng, {"+": 2, "*": 2}, atoms, rng.randint(2, 4))
    scrambled = scramble(rng, start, _SEMIRING, steps, atoms, 17)
    # Without a law of multiplication the equation is linear in the products.
    if scrambled is None or not any("mul" in step for step in scrambled.steps):
        return None
    occurring = dict.fromkeys(n for side in scrambled.equation for n in names(side) if n in _ATOMS)
    new = dict(zip(occurring, _ATOMS, strict=False))
    left, right = (show(rename(side, dict(new))) for side in scrambled.equation)
    proof = "\n".join(f"rw [{rename_text(step, new)}]" for step in scrambled.steps)
    return Draw(f"({' '.join(new.values())} : Nat) : {left} = {right}", proof, "semiring")


@dataclass(frozen=True, slots=True)
class _Operation:
    """An operation that values are collected with, and the names of its laws."""

    sign: str
    unit: str
    right_unit: str
    left_unit: str
    assoc: str


_COLLECTING: Final = (
    _Operation("+", "0", "Nat.add_zero", "Nat.zero_add", "Nat.add_assoc"),
    _Operation("*", "1", "Nat.mul_one", "Nat.one_mul", "Nat.mul_assoc"),
)


def _draw_accumulator(rng: random.Random) -> Draw:
    """Draw a function that collects the values of a polynomial, and a theorem about it and its accumulator."""
    operation = rng.choice(_COLLECTING)
    on_lists = rng.random() < 0.5
    x = "x" if on_lists else "n"
    value = _polynomial(rng, x)
    argument, base, step, rest = (
        ("List Nat", "[]", "x :: xs", "xs") if on_lists else ("Nat", "0", "n + 1", "n")
    )
    sign = operation.sign
    context = (
        f"def collect : {argument} → Nat\n"
        f"  | {base} => {operation.unit}\n"
        f"  | {step} => ({value}) {sign} collect {rest}\n"
        f"def collectAcc : {argument} → Nat → Nat\n"
        f"  | {base}, a => a\n"
        f"  | {step}, a => collectAcc {rest} (a {sign} ({value}))\n"
    )
    induction = f"induction {rest} generalizing a with "
    cases = "| nil | cons x xs ih" if on_lists else "| zero | succ n ih"
    binder = f"({rest} : {argument})"
    theorem = rng.randrange(4 if on_lists else 3)
    if theorem == 0:
        statement = f"{binder} (a : Nat) : collectAcc {rest} a = a {sign} collect {rest}"
        proof = [induction + cases, f"rw [collectAcc, collect, {operation.right_unit}]"]
        proof += ["rw [collectAcc, ih]", f"rw [collect, {operation.assoc}]"]
    elif theorem == 1:
        statement = f"{binder} : collectAcc {rest} {operation.unit} = collect {rest}"
        stronger = f"∀ a, collectAcc {rest} a = a {sign} collect {rest}"
        proof = [f"suffices h : {stronger} by rw [h, {operation.left_unit}]"]
        proof += [f"induction {rest} with {cases}", "intro a"]
        proof += [f"rw [collectAcc, collect, {operation.right_unit}]", "intro a"]
        proof += ["rw [collectAcc, ih]", f"rw [collect, {operation.assoc}]"]
    elif theorem == 2:
        statement = f"{binder} (a b : Nat) : collectAcc {rest} (b {sign} a) = b {sign} collectAcc {rest} a"
        proof = [induction + cases, "rfl", "rw [collectAcc, collectAcc]", f"rw [{operation.assoc}, ih]"]
    else:
        statement = "(xs ys : List Nat) (a : Nat) : collectAcc (xs ++ ys) a = collectAcc ys (collectAcc xs a)"
        proof = [induction + cases, "rfl", "rw [List.cons_append, collectAcc, ih]", "rw [collectAcc]"]
    return Draw(statement, "\n".join(proof), "accumulator", context)


def _polynomial(rng: random.Random, x: str) -> str:
    """Draw a polynomial of degree 1 or 2 with small coefficients."""
    first, constant = rng.randint(1, 9), rng.randint(0, 9)
    parts = [f"{x} * {x}"] if rng.random() < 0.5 else []
    parts.append(x if first == 1 else f"{first} * {x}")
    if constant:
        parts.append(str(constant))
    return " + ".join(parts)


EQUATIONS: Final = Generator("equations", _draw)
