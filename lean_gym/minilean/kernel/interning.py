"""The tables in which terms are interned: what they hold, and forgetting what proofs have left there.

Interning is a matter of speed alone: the tables may be emptied, after which `traversal.alpha_eq` still decides
equality. The `mk_*` functions of `expr.py` fill them.
"""

from __future__ import annotations

from itertools import count, islice
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Final

from lean_gym.minilean.kernel.level import UNHELD, Level

if TYPE_CHECKING:
    from lean_gym.minilean.kernel.expr import (
        App,
        BVar,
        Const,
        Expr,
        FVar,
        Lam,
        Let,
        Lit,
        MVar,
        Pi,
        Proj,
        Sort,
    )

BVARS: Final[dict[int, BVar]] = {}
FVARS: Final[dict[int, FVar]] = {}
MVARS: Final[dict[int, MVar]] = {}
SORTS: Final[dict[Level, Sort]] = {}
CONSTS: Final[dict[tuple[str, tuple[Level, ...]], Const]] = {}
APPS: Final[dict[tuple[Expr, Expr], App]] = {}
LAMS: Final[dict[tuple[str, Expr, Expr, int], Lam]] = {}
PIS: Final[dict[tuple[str, Expr, Expr, int], Pi]] = {}
LETS: Final[dict[tuple[str, Expr, Expr, Expr, bool], Let]] = {}
LITS: Final[dict[tuple[type, int | str], Lit]] = {}
PROJS: Final[dict[tuple[str, int, Expr], Proj]] = {}

_TABLES: Final[tuple[dict[Any, Any], ...]] = (
    FVARS, MVARS, SORTS, CONSTS, APPS, LAMS, PIS, LETS, LITS, PROJS
)  # fmt: skip
_kept: Final = [0] * len(_TABLES)
_fresh = count(1)


def fresh_id() -> int:
    """A number no other free variable or metavariable of this process has."""
    return next(_fresh)


def table_size() -> int:
    """How many compound terms the interning tables hold."""
    return len(APPS) + len(LAMS) + len(PIS) + len(LETS) + len(PROJS)


def keep_tables() -> None:
    """Keep what the tables hold now for good: the terms of a library, which every proof uses."""
    _kept[:] = map(len, _TABLES)


def trim_tables() -> None:
    """Drop the terms made since `keep_tables`. Those still held stay valid; only sharing is lost.

    A variable, metavariable or constant that anybody holds stays: it is told from others by identity, and must be
    the same object when it is next asked for by its number or name.
    """
    for table, kept in reversed(list(zip(_TABLES, _kept, strict=True))):
        leaves = table is FVARS or table is MVARS or table is CONSTS
        for key in list(islice(table, kept, None)):
            if not leaves or getrefcount(table[key]) == UNHELD:
                del table[key]
