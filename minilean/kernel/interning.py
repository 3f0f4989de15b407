"""Size and trimming of the tables in which terms are interned.

Two terms of one structure (binder names included) are one object as long as either is referenced, so identity decides
equality outside the kernel. The kernel does not rely on it: `traversal.alpha_eq` compares structures. The `mk_*`
functions of `expr.py` fill the tables.
"""

from __future__ import annotations

from itertools import count, islice
from typing import Any, Final

from minilean.kernel.expr import APPS, CONSTS, FVARS, LAMS, LETS, LITS, MVARS, PIS, PROJS, SORTS
from minilean.kernel.level import drop_unheld

_TABLES: Final[tuple[dict[Any, Any], ...]] = (
    FVARS, MVARS, SORTS, CONSTS, APPS, LAMS, PIS, LETS, LITS, PROJS
)  # fmt: skip
_kept: Final = [0] * len(_TABLES)
_trimmed: Final = [0]
_fresh = count(1)


def fresh_id() -> int:
    """Return an id that no other free variable or metavariable of this process has."""
    return next(_fresh)


def table_size() -> int:
    """Return the number of compound terms in the interning tables."""
    return len(APPS) + len(LAMS) + len(PIS) + len(LETS) + len(PROJS)


def keep_tables() -> None:
    """Keep all present terms until the process ends: the terms of a library, which every proof uses."""
    _kept[:] = map(len, _TABLES)
    _trimmed[0] = table_size()


def trim_tables() -> None:
    """Drop the terms made since `keep_tables` that nothing outside the tables refers to.

    A term that is referenced stays in its table, so a later request for the same structure returns the same object:
    identity still decides equality. Parts of a dropped term are dropped in turn.
    """
    dropped = True
    while dropped:
        dropped = False
        for table, kept in reversed(list(zip(_TABLES, _kept, strict=True))):
            # Iteration from the newest entry costs nothing for the terms that are kept, which may be many.
            keys = list(islice(reversed(table), len(table) - kept))
            keys.reverse()
            dropped |= drop_unheld(table, keys)
    _trimmed[0] = table_size()


def growth() -> int:
    """Return the number of compound terms that the tables gained since they were last trimmed or kept."""
    return table_size() - _trimmed[0]
