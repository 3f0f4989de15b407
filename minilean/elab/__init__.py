"""Syntax trees to terms and declarations: `term.Elab` is the elaborator.

The modules imported here register, with `term.elaborates`, the functions that elaborate each kind of syntax. They are
imported with the package so that `term.HANDLERS` is complete before any term is elaborated.

Tactic blocks inside terms are run through `Elab.run_tactics`, a callback that `tactics` provides.
"""

from minilean.elab import (
    app,
    binders,
    calc,
    do_notation,
    indexing,
    let_rec,
    macros,
    notation,
    structure_instances,
    user_notation,
)
from minilean.elab.match import matching, patterns

__all__ = [
    "app",
    "binders",
    "calc",
    "do_notation",
    "indexing",
    "let_rec",
    "macros",
    "matching",
    "notation",
    "patterns",
    "structure_instances",
    "user_notation",
]
