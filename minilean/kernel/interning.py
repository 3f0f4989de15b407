"""Size and trimming of the tables in which terms are interned.

Two terms of one structure (binder names included) are one object as long as either is referenced, so identity decides
equality outside the kernel. The kernel does not rely on it: `traversal.alpha_eq` compares structures. The `mk_*`
functions of `expr.py` fill the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, islice
from sys import getrefcount
from typing import Any, Final

from minilean.kernel.expr import (
    APPS,
    CONSTS,
    FVARS,
    LAMS,
    LETS,
    LITS,
    MVARS,
    PIS,
    PROJS,
    SORTS,
    App,
    Expr,
    Lam,
    Let,
    Pi,
    Proj,
)  # fmt: skip
from minilean.kernel.level import UNHELD, drop_unheld

_COMPOUND: Final[dict[type[Expr], tuple[dict[Any, Any], Callable[[Any], tuple[Any, ...]]]]] = {
    Proj: (PROJS, lambda node: (node.struct, node.idx, node.expr)),
    Let: (LETS, lambda node: (node.name, node.type, node.value, node.body, node.nondep)),
    Pi: (PIS, lambda node: (node.name, node.type, node.body, node.info)),
    Lam: (LAMS, lambda node: (node.name, node.type, node.body, node.info)),
    App: (APPS, lambda node: (node.fn, node.arg)),
}
"""Table of each kind of compound term, and the key of a term in it."""
_LEAVES: Final[tuple[dict[Any, Any], ...]] = (LITS, CONSTS, SORTS, MVARS, FVARS)
_kept: Final[dict[int, int]] = {}
"""Number of entries to keep of each table, by its identity."""
_kept_terms: Final[set[int]] = set()
"""Identities of the compound terms to keep."""
_trimmed: Final = [0]
_fresh = count(1)


def fresh_id() -> int:
    """Return an id that no other free variable or metavariable of this process has."""
    return next(_fresh)


def table_size() -> int:
    """Return the number of compound terms in the interning tables."""
    return sum(len(table) for table, _ in _COMPOUND.values())


def keep_tables() -> None:
    """Keep all present terms until the process ends: the terms of a library, which every proof uses."""
    for table in (*(table for table, _ in _COMPOUND.values()), *_LEAVES):
        _kept[id(table)] = len(table)
    _kept_terms.update(id(node) for table, _ in _COMPOUND.values() for node in table.values())
    _trimmed[0] = table_size()


def trim_tables() -> None:
    """Drop the terms made since `keep_tables` that nothing outside the tables refers to.

    A term that is referenced stays in its table, so a later request for the same structure returns the same object:
    identity still decides equality. Parts of a dropped term are dropped in turn.
    """
    parts: list[Expr] = []
    for kind, (table, _) in _COMPOUND.items():
        keys = _new_keys(table)
        while keys:
            key = keys.pop()
            if getrefcount(table[key]) == UNHELD:
                del table[key]
                # Parts of the same kind are older, so this loop still comes to them.
                parts += [part for part in key if type(part) is not kind and type(part) in _COMPOUND]
    while parts:
        node = parts.pop()
        if getrefcount(node) == UNHELD + 1 and id(node) not in _kept_terms:  # `node` refers to it as well
            table, key_of = _COMPOUND[type(node)]
            key = key_of(node)
            del table[key]
            parts += [part for part in key if type(part) in _COMPOUND]
            del key  # it refers to the parts
    for table in _LEAVES:
        drop_unheld(table, _new_keys(table))
    _trimmed[0] = table_size()


def _new_keys(table: dict[Any, Any]) -> list[Any]:
    """Return the keys since `keep_tables`, the oldest first."""
    # Iteration from the newest entry costs nothing for the terms that are kept, which may be many.
    keys = list(islice(reversed(table), len(table) - _kept.get(id(table), 0)))
    keys.reverse()
    return keys


def growth() -> int:
    """Return the number of compound terms that the tables gained since they were last trimmed or kept."""
    return table_size() - _trimmed[0]
