"""Lean's kernel against minilean's: reference proofs, odd inductive types, damaged and hostile exports."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from lean_gym.datasets import load_theorems, proof_steps
from minilean.check_command import check_text
from minilean.export.command import script_text
from minilean.export.format import export_ndjson
from minilean.export.reader import ReadError, read_export
from minilean.export.replay import ReplayError, replay
from minilean.kernel.errors import KernelError
from minilean.kernel.fuel import deep_stack
from minilean.meta.extension import LeanEnv

Judge = Callable[[str], dict[str, Any]]
Row = dict[str, Any]


def declared(library: LeanEnv, text: str) -> str:
    """Return the export of what a file declares, without the library."""
    env = library.child()
    errors = [message.text for message in check_text(text, env) if message.severity == "error"]
    assert errors == []
    names = [name for name in env.kernel if library.find(name) is None]
    assert names
    with deep_stack():
        return export_ndjson(env.kernel, names, library.kernel)


def accepted_by_minilean(library: LeanEnv, text: str) -> bool:
    env = library.kernel.child()
    try:
        with deep_stack():
            for group in read_export(text).groups:
                replay(env, group)
    except (ReadError, ReplayError, KernelError):
        return False
    return True


@pytest.mark.parametrize("name", ["logic", "nat"])
def test_every_reference_proof_is_accepted(judge: Judge, known: LeanEnv, name: str) -> None:
    theorems = load_theorems(name)
    text = "\n".join(script_text(each.statement, proof_steps(each.proof)) for each in theorems)
    answer = judge(declared(known, text))
    assert answer["accepted"], answer
    assert answer["declarations"] >= len(theorems)


INDUCTIVES = [
    "inductive A (α : outParam Type) | mk (x : α) : A α",
    "inductive A (α : semiOutParam Type) | mk (x : α) : A α",
    "inductive A (n : optParam Nat 3) | mk (x : Nat) : A n",
    "inductive A : outParam Nat → Type | mk (x : outParam (outParam Nat)) : A x",
    "inductive A | mk (f : outParam Nat → A) : A",
    "inductive A | mk (f : outParam (Nat → A)) : A",
    "inductive A (α : outParam Type) | mk (f : List (A α)) : A α",
    "inductive A | mk (f : List (outParam A)) : A",
    "inductive A | mk (f : outParam (List A)) : A",
    "structure A where (n : Nat) (h : n = n := by rfl) (m : Nat := n)",
    "class C (α : outParam Type) (β : Type) where (f : outParam α → β)",
    "mutual\ninductive A (α : outParam Type) | mk (x : α) (y : B α) | nil\n"
    "inductive B (α : outParam Type) | mk (x : outParam α) (y : outParam (A α))\nend",
    "def H : Type 1 := Nat → Type\ninductive A : H | z : A 0 | s (n : Nat) (t : A n) : A (n + 1)",
    "def H : Type 1 := (a : Nat) → Type\ninductive A (α : Type) : Nat → H | z (x : α) : A α 0 0",
    "def H : Type 1 := (n : outParam Nat) → Type\ninductive A : H | z : A 0",
    "def H : Type 2 := Type 1\ninductive A : H | z (x : Type) : A",
    "inductive A : Nat → Prop",
    "inductive A : Type u → Type (u + 1) | mk (α : Type u) (x : α) : A α",
    "inductive A (α : Sort u) : Sort (max 1 u) | mk (x : α)",
    "structure F (α : Type) where (f : Nat → α)\ninductive A | a | mk (x : F A)",
    "inductive A | a | mk (x : List (Nat → A))",
    "inductive A | a | mk (f : Nat → A) (x : Option A)",
    "inductive A | a | mk (f : Nat → Nat) (x : Option A)",
    "def G (α : Type) := Nat → α\ninductive A | a | mk (x : G A)",
    "inductive A | leaf | node (f : Nat → List (Option A)) (g : Array A)",
    "inductive A : Prop | mk (h : Nat → A) | or (a b : A)",
    "inductive A (n : Nat) : Nat → Prop | r : A n n | s (m : Nat) : A n m → A n (m + 1)",
    "structure S (α β : Type) extends Prod α β where (n : Nat := 0)",
]


@pytest.mark.parametrize("text", INDUCTIVES)
def test_inductive_types_and_their_recursors_are_the_same(judge: Judge, known: LeanEnv, text: str) -> None:
    answer = judge(declared(known, text))
    assert answer["accepted"], answer


BASE = """
inductive Tree (α : Type u) where
  | leaf : Tree α
  | node (l r : Tree α) (x : α) : Tree α
def Tree.size {α : Type u} : Tree α → Nat
  | .leaf => 0
  | .node l r _ => l.size + r.size + 1
theorem Tree.size_node {α : Type u} (l r : Tree α) (x : α) : (Tree.node l r x).size = r.size + l.size + 1 := by
  simp only [Tree.size, Nat.add_comm]
structure Point where
  x : Nat
  y : Nat
theorem eta (p : Point) : Point.mk p.x p.y = p := rfl
theorem big : 2 ^ 64 = 18446744073709551616 := by decide
theorem irrelevant (p : Prop) (a b : p) : a = b := rfl
theorem em_like (p : Prop) : p ∨ ¬p := Classical.em p
"""


def damaged(rows: list[Row], random_: random.Random) -> None:
    """Change one thing: a reference, a number, a flag, a kind, or the place of a row."""
    at = random_.randrange(1, len(rows))
    kind = random_.randrange(4)
    if kind == 0:
        other = random_.randrange(1, len(rows))
        rows[at], rows[other] = rows[other], rows[at]
    elif kind == 1:
        del rows[at]
    else:
        places = list(_leaves(rows[at]))
        holder, key, value = random_.choice(places)
        if type(value) is bool:
            holder[key] = not value
        elif type(value) is int:
            holder[key] = max(0, value + random_.choice((-2, -1, 1, 2)))
        else:
            holder[key] = random_.choice(("default", "implicit", "u", "Nat", "rec", "3", ""))


def _leaves(value: Any) -> Any:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        if isinstance(inner, dict | list):
            yield from _leaves(inner)
        else:
            yield value, key, inner


# Rows that nothing refers to, or facts that decide nothing, are read differently.
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 16))])
def test_damaged_exports_get_the_same_verdict(judge: Judge, known: LeanEnv, seed: int) -> None:
    whole = [json.loads(line) for line in declared(known, BASE).splitlines()]
    random_ = random.Random(seed)
    refused = 0
    for _ in range(125):
        rows = json.loads(json.dumps(whole))
        for _ in range(random_.choice((1, 1, 2))):
            damaged(rows, random_)
        text = "\n".join(map(json.dumps, rows)) + "\n"
        ours, answer = accepted_by_minilean(known, text), judge(text)
        refused += not ours
        assert answer["accepted"] is ours, (answer, text if len(text) < 3000 else "")
    assert refused > 50


META = '{"meta":{"exporter":{"name":"x","version":"3.1.0"},"format":{"version":"3.1.0"}}}\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "an empty file, expected the object `meta`"),
        ("{}\n", "line 1: expected the object `meta`"),
        (META.replace("3.1.0", "2.0.0"), "line 1: got version '2.0.0', expected 3.1"),
        (META + "[1]\n", "line 2: no row of the format"),
        (META + "not json\n", "line 2: no row of the format"),
        (META + '{"in":1,"str":{"pre":0,"str":"\\ud800"}}\n', "line 2: expected a text: surrogates not allowed"),
        (META + '{"in":1,"str":{"pre":0,"str":"\ud800"}}\n', "line 2: expected a text: surrogates not allowed"),
        (META + '{"in":1,"str":{"pre":5,"str":"a"}}\n', "line 2: unknown number 5"),
        (META + '{"in":0,"str":{"pre":0,"str":"a"}}\n', "line 2: number 0 of `in` is given twice"),
        (META + '{"ie":0,"bvar":1048576}\n', "line 2: got 1048576, expected a number from 0 to 1048574"),
        (META + '{"ie":0,"bvar":-1}\n', "line 2: got -1, expected a number from 0"),
        (META + '{"ie":0,"natVal":"1e5"}\n', "line 2: got '1e5', expected a numeral"),
        (META + '{"ie":0,"natVal":"' + "9" * 80_001 + '"}\n', "expected a numeral of at most 80000 digits"),
        (META + '{"ie":0,"frob":1}\n', "line 2: unknown kind of term 'frob'"),
        (META + "[" * 200_000 + "\n", "line 2: no row of the format (RecursionError"),
        (META + '{"in":1,"str":{"pre":0,"str":"a"}}\n{"ie":0,"sort":0}\n{"axiom":{"name":1,"levelParams":[],"type":0,'
         '"isUnsafe":true}}\n', "line 4: a is unsafe"),
    ],
)  # fmt: skip
def test_what_is_no_export_is_one_line_and_loses_nothing(judge: Judge, text: str, reason: str) -> None:
    answer = judge(text)
    assert not answer["accepted"]
    assert reason in answer["reason"]
    assert "\n" not in answer["reason"]
    named = '{"in":1,"str":{"pre":0,"str":"fresh"}}\n{"ie":0,"sort":0}\n'
    assert judge(META + named + '{"axiom":{"name":1,"levelParams":[],"type":0,"isUnsafe":false}}\n')[
        "accepted"
    ]


def test_a_name_with_nul_and_a_term_nested_deep(judge: Judge) -> None:
    rows = [
        '{"in":1,"str":{"pre":0,"str":"a\\u0000b"}}',
        '{"ie":0,"sort":0}',
        '{"in":2,"str":{"pre":0,"str":"n"}}',
    ]
    depth = 100_000
    for number in range(depth):
        part = {"name": 2, "type": 0, "body": number, "binderInfo": "default"}
        rows.append(json.dumps({"ie": number + 1, "forallE": part}))
    rows.append(json.dumps({"axiom": {"name": 1, "levelParams": [], "type": depth, "isUnsafe": False}}))
    answer = judge(META + "\n".join(rows) + "\n")
    assert answer["accepted"] or "deep recursion" in answer["reason"]
