"""Random statements about numbers, truth values, lists and options, each with its truth value by Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

At = dict[str, Any]
VARIABLES = {"Nat": "xy", "Bool": "bc", "List Nat": ("xs", "ys"), "Option Nat": "o", "Int": "ij"}
LITERALS: dict[str, list[tuple[str, Any]]] = {
    "Nat": [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("7", 7)],
    "Int": [("0", 0), ("(-1)", -1), ("(2 : Int)", 2), ("(-3)", -3)],
    "Bool": [("true", True), ("false", False)],
    "List Nat": [("([] : List Nat)", ()), ("[0]", (0,)), ("[2, 0, 1]", (2, 0, 1)), ("[3, 3]", (3, 3))],
    "Option Nat": [("(none : Option Nat)", None), ("(some 0)", 0), ("(some 2)", 2)],
}
VALUES: dict[str, list[Any]] = {
    "Nat": [0, 1, 2, 3, 5],
    "Int": [-4, -1, 0, 1, 3],
    "Bool": [True, False],
    "List Nat": [(), (0,), (1, 1), (2, 0, 3)],
    "Option Nat": [None, 0, 3],
}


@dataclass(frozen=True)
class Said:
    """A term or proposition: its text in Lean, and its value as a function of the values of its variables."""

    text: str
    value: Callable[[At], Any]


def _quotient(a: int, b: int) -> int:
    return a // b if b else 0


def _remainder(a: int, b: int) -> int:
    return a % b if b else a


def _int_quotient(a: int, b: int) -> int:
    # Lean's `Int./` rounds so that the remainder is not negative
    return 0 if b == 0 else (a // b if b > 0 else -(a // -b))


# name of the result type -> (text in Lean, types of the holes, function in Python)
OPERATIONS: dict[str, list[tuple[str, tuple[str, ...], Callable[..., Any]]]] = {
    "Nat": [
        ("({} + {})", ("Nat", "Nat"), lambda a, b: a + b),
        ("({} - {})", ("Nat", "Nat"), lambda a, b: max(a - b, 0)),
        ("({} * {})", ("Nat", "Nat"), lambda a, b: a * b),
        ("({} / {})", ("Nat", "Nat"), _quotient),
        ("({} % {})", ("Nat", "Nat"), _remainder),
        ("({} - {} + {})", ("Nat", "Nat", "Nat"), lambda a, b, c: max(a - b, 0) + c),
        ("({} + {} * {} ^ 2)", ("Nat", "Nat", "Nat"), lambda a, b, c: a + b * c**2),
        ("(min {} {})", ("Nat", "Nat"), min),
        ("(max {} {})", ("Nat", "Nat"), max),
        ("(Nat.succ {})", ("Nat",), lambda a: a + 1),
        ("(Nat.pred {})", ("Nat",), lambda a: max(a - 1, 0)),
        ("{}.length", ("List Nat",), len),
        ("({}.getD {})", ("Option Nat", "Nat"), lambda o, a: a if o is None else o),
        ("(if {} then {} else {})", ("Prop", "Nat", "Nat"), lambda p, a, b: a if p else b),
        ("(match {} with | 0 => {} | k + 1 => k)", ("Nat", "Nat"), lambda a, b: a - 1 if a else b),
        ("({}.foldr (fun a b => a + 2 * b) {})", ("List Nat", "Nat"),
         lambda xs, n: n if not xs else sum(a * 2**i for i, a in enumerate(xs)) + n * 2 ** len(xs)),
        ("(Int.toNat {})", ("Int",), lambda i: max(i, 0)),
        ("({}, {}).2", ("Bool", "Nat"), lambda _, a: a),
        ("(let z := {}; z + {})", ("Nat", "Nat"), lambda a, b: a + b),
    ],
    "Int": [
        ("({} + {})", ("Int", "Int"), lambda a, b: a + b),
        ("({} - {})", ("Int", "Int"), lambda a, b: a - b),
        ("({} * {})", ("Int", "Int"), lambda a, b: a * b),
        ("(- {})", ("Int",), lambda a: -a),
        ("({} / {})", ("Int", "Int"), _int_quotient),
        ("({} % {})", ("Int", "Int"), lambda a, b: a - b * _int_quotient(a, b)),
        ("(({} : Nat) : Int)", ("Nat",), lambda n: n),
        ("({} - 2 * {})", ("Int", "Int"), lambda a, b: a - 2 * b),
    ],
    "Bool": [
        ("({} && {})", ("Bool", "Bool"), lambda a, b: a and b),
        ("({} || {})", ("Bool", "Bool"), lambda a, b: a or b),
        ("(!{})", ("Bool",), lambda a: not a),
        ("(decide {})", ("Prop",), bool),
        ("({} == {})", ("Nat", "Nat"), lambda a, b: a == b),
        ("{}.isEmpty", ("List Nat",), lambda xs: not xs),
        ("{}.isSome", ("Option Nat",), lambda o: o is not None),
        ("({}.all (· < {}))", ("List Nat", "Nat"), lambda xs, n: all(x < n for x in xs)),
    ],
    "List Nat": [
        ("({} ++ {})", ("List Nat", "List Nat"), lambda a, b: a + b),
        ("({} :: {})", ("Nat", "List Nat"), lambda a, b: (a, *b)),
        ("{}.reverse", ("List Nat",), lambda a: a[::-1]),
        ("({}.map (· + {}))", ("List Nat", "Nat"), lambda a, n: tuple(x + n for x in a)),
        ("({}.filter (· ≠ {}))", ("List Nat", "Nat"), lambda a, n: tuple(x for x in a if x != n)),
        ("({}.take {})", ("List Nat", "Nat"), lambda a, n: a[:n]),
        ("({}.drop {})", ("List Nat", "Nat"), lambda a, n: a[n:]),
        ("{}.tail", ("List Nat",), lambda a: a[1:]),
        ("(List.replicate 2 {})", ("Nat",), lambda n: (n, n)),
        ("[{}, {}]", ("Nat", "Nat"), lambda a, b: (a, b)),
        ("({} :: {} ++ {})", ("Nat", "List Nat", "List Nat"), lambda a, b, c: (a, *b, *c)),
    ],
    "Option Nat": [
        ("(some {})", ("Nat",), lambda a: a),
        ("{}.head?", ("List Nat",), lambda xs: xs[0] if xs else None),
        ("{}[{}]?", ("List Nat", "Nat"), lambda xs, n: xs[n] if n < len(xs) else None),
        ("({}.map (2 * ·))", ("Option Nat",), lambda o: None if o is None else 2 * o),
        ("{}.getLast?", ("List Nat",), lambda xs: xs[-1] if xs else None),
    ],
    "Prop": [
        ("({} < {})", ("Nat", "Nat"), lambda a, b: a < b),
        ("({} ≤ {})", ("Nat", "Nat"), lambda a, b: a <= b),
        ("({} ≥ {})", ("Int", "Int"), lambda a, b: a >= b),
        ("({} = {})", ("Nat", "Nat"), lambda a, b: a == b),
        ("({} = {})", ("Int", "Int"), lambda a, b: a == b),
        ("({} = {})", ("List Nat", "List Nat"), lambda a, b: a == b),
        ("({} = {})", ("Option Nat", "Option Nat"), lambda a, b: a == b),
        ("({} = {})", ("Bool", "Bool"), lambda a, b: a == b),
        ("({} ≠ {})", ("Nat", "Nat"), lambda a, b: a != b),
        ("({} ∈ {})", ("Nat", "List Nat"), lambda a, b: a in b),
        ("({} ∣ {})", ("Nat", "Nat"), lambda a, b: b % a == 0 if a else b == 0),
        ("({} ∧ {})", ("Prop", "Prop"), lambda p, q: p and q),
        ("({} ∨ {})", ("Prop", "Prop"), lambda p, q: p or q),
        ("(¬{})", ("Prop",), lambda p: not p),
        ("({} → {})", ("Prop", "Prop"), lambda p, q: not p or q),
        ("({} ↔ {})", ("Prop", "Prop"), lambda p, q: bool(p) == bool(q)),
        ("({} ∧ {} ∨ {})", ("Prop", "Prop", "Prop"), lambda p, q, r: (p and q) or r),
        ("(∀ k, k < 3 → k + {} ≤ {})", ("Nat", "Nat"), lambda a, b: a + 2 <= b),
        ("({} = true)", ("Bool",), bool),
    ],
}  # fmt: skip


def term(random: Random, kind: str, depth: int, closed: bool) -> Said:
    """Return a random term of a type, or a proposition; a closed one is without variables."""
    if kind != "Prop" and (depth <= 0 or random.random() < 0.2):
        if not closed and random.random() < 0.7:
            name = random.choice(VARIABLES[kind])
            return Said(name, lambda at: at[name])
        text, literal = random.choice(LITERALS[kind])
        return Said(text, lambda at: literal)
    # below a proposition there is at least one layer of terms, or the recursion would not end
    pattern, holes, value = random.choice(OPERATIONS[kind] if depth > 0 else OPERATIONS["Prop"][:11])
    parts = [term(random, hole, depth - 1, closed) for hole in holes]
    text = pattern.format(*(part.text for part in parts))
    return Said(text, lambda at: value(*(part.value(at) for part in parts)))


def places(said: list[Said]) -> Iterator[At]:
    """Return assignments of values to the variables that occur in a statement."""
    text = " ".join(part.text for part in said)
    used = [(name, kind) for kind, names in VARIABLES.items() for name in names if name in text]
    for values in product(*(VALUES[kind] for _, kind in used)):
        yield {name: value for (name, _), value in zip(used, values, strict=True)}


def binders() -> str:
    """Return the variables with their types, as binders of a statement."""
    return " ".join(f"({' '.join(names)} : {kind})" for kind, names in VARIABLES.items())
