"""What elaboration leaves for later, and how a handler asks for that.

Source: Lean 4 `src/Lean/Elab/Term/TermElabM.lean`, `SyntheticMVarDecl` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.kernel.expr import Expr, MVar
from minilean.meta.context import LocalContext
from minilean.meta.errors import MetaError
from minilean.syntax import ast


class PostponeError(Exception):
    """Raised by a handler that needs to know more; the term becomes a pending metavariable."""


class AutoBoundError(MetaError):
    """An unknown name in a header that may be bound automatically."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown identifier `{name}`")
        self.name = name


@dataclass(slots=True)
class Pending:
    """A metavariable waiting for its value. `kind`: `inst`, `term`, `tactic`.

    `parameter` is set where tactics stand for an argument that was left out. A term is `fresh` whose elaboration
    was put off without a first try.
    """

    kind: str
    mvar: MVar
    lctx: LocalContext
    stx: ast.Node | None = None
    parameter: str = ""
    fresh: bool = False


@dataclass(slots=True)
class HoleInfo:
    """Where an open metavariable comes from: a `_`, or an implicit argument `name` of `app`."""

    mvar: MVar
    name: str = ""
    app: Expr | None = None
