"""Postponed problems: metavariables to be synthesized later, and the exception that postpones a term.

Source: Lean 4 `src/Lean/Elab/Term/TermElabM.lean`, `SyntheticMVarDecl` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.kernel.expr import Expr, MVar
from minilean.meta.context import LocalContext
from minilean.meta.errors import MetaError
from minilean.syntax import ast


class PostponeError(Exception):
    """Raised by a handler that needs more type information; the term becomes a pending metavariable."""


class AutoBoundError(MetaError):
    """An unknown name in a header that may be bound automatically."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown identifier `{name}`")
        self.name = name


@dataclass(slots=True)
class Pending:
    """A metavariable waiting for its value. `kind`: `inst`, `term`, `tactic`.

    `parameter` is the name of the parameter whose default tactics these are, or empty. `fresh` marks a term that was
    postponed before any attempt. `stuck` is the class of an instance problem when it was last undecided: the search for
    the same class would be undecided again.
    """

    kind: str
    mvar: MVar
    lctx: LocalContext
    stx: ast.Node | None = None
    parameter: str = ""
    fresh: bool = False
    stuck: Expr | None = None


@dataclass(slots=True)
class HoleInfo:
    """Origin of a metavariable: a `_`, or the implicit argument `name` of `app`."""

    mvar: MVar
    name: str = ""
    app: Expr | None = None
