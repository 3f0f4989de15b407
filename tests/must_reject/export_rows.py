"""Genuine exports, made by minilean, and their rows, for tests that change them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from minilean.export.judge import judge_exports
from minilean.export.produce import NAME, Source, proof_export
from minilean.library import library

Row = dict[str, Any]
Change = Callable[[list[Row]], object]

CONTEXT = """
def two : Nat := 2
inductive Tree where
  | leaf : Tree
  | node (l r : Tree) (n : Nat) : Tree
structure Pair where
  a : Nat
  b : Nat
def Small (t : Tree) : Prop := t = Tree.leaf
theorem two_eq : two = 2 := rfl
"""
STATEMENT = "theorem t (x : Tree) (p : Pair) : (Small x → x = Tree.leaf) ∧ two + p.a = p.a + 2"
SCRIPT = ("constructor", "exact fun h => h", "rw [two_eq]", "exact Nat.add_comm 2 p.a")
PERMITTED = ("Classical.choice", "Quot.sound", "propext")


@cache
def exported(
    statement: str = STATEMENT, context: str = CONTEXT, tactics: tuple[str, ...] | None = None
) -> str:
    return proof_export(Source(statement, context, "", tactics))


def rows_of(text: str) -> list[Row]:
    return [json.loads(line) for line in text.splitlines()]


def text_of(rows: list[Row]) -> str:
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def judged(solution: str, permitted: tuple[str, ...] | None = PERMITTED) -> tuple[str, ...]:
    return judge_exports(exported(), solution, NAME, permitted, library().kernel)


def changed(change: Change) -> str:
    rows = rows_of(exported(tactics=SCRIPT))
    change(rows)
    return text_of(rows)


def name_number(rows: list[Row], name: str) -> int:
    names = {0: ""}
    for row in rows:
        if "in" in row:
            part = row["str"]
            names[row["in"]] = f"{names[part['pre']]}.{part['str']}".lstrip(".")
            if names[row["in"]] == name:
                return int(row["in"])
    raise LookupError(name)


def declaration(rows: list[Row], name: str) -> Row:
    number = name_number(rows, name)
    for row in rows:
        for kind in ("thm", "def", "axiom", "opaque"):
            if kind in row and row[kind]["name"] == number:
                return row
        if "inductive" in row and number in [type_["name"] for type_ in row["inductive"]["types"]]:
            return row
    raise LookupError(name)


class Builder:
    """Adds rows with fresh numbers in front of the last declaration of a file."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self._next = {
            tag: max([0, *(row[tag] for row in rows if tag in row)]) + 1 for tag in ("in", "il", "ie")
        }

    def part(self, tag: str, row: Row) -> int:
        number = self._next[tag]
        self._next[tag] += 1
        self.add({**row, tag: number})
        return number

    def add(self, row: Row) -> None:
        self.rows.insert(len(self.rows) - 1, row)

    def name(self, *parts: str) -> int:
        at = 0
        for part in parts:
            at = self.part("in", {"str": {"pre": at, "str": part}})
        return at

    def const(self, *parts: str) -> int:
        return self.part("ie", {"const": {"name": self.name(*parts), "us": []}})
