"""Arguments of an application before they are elaborated or matched with parameters.

Source: Lean 4 `src/Lean/Elab/Arg.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minilean.kernel.expr import Expr
from minilean.syntax import ast


@dataclass(slots=True)
class Given:
    """An argument that is already a term (`value`) or still syntax (`stx`)."""

    stx: ast.Term | None = None
    value: Expr | None = None


@dataclass(slots=True)
class Arguments:
    """Arguments of an application, as written."""

    positional: list[Given] = field(default_factory=list)
    named: dict[str, Given] = field(default_factory=dict)
    explicit: bool = False
    ellipsis: bool = False
    fields: bool = False
    """True when the arguments are the fields of a structure instance."""
