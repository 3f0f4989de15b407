"""Interface through which the printer gets types, names and notations from its caller."""

from __future__ import annotations

from typing import Protocol

from minilean.kernel.declaration import Declaration
from minilean.kernel.expr import Expr
from minilean.printer.shown_notations import Notations


class MatcherShape(Protocol):
    """Layout of the arguments of a matcher: parameters, motive, discriminants, alternatives."""

    @property
    def num_params(self) -> int:
        """Return the number of parameters."""

    @property
    def num_discrs(self) -> int:
        """Return the number of discriminants."""

    @property
    def alt_arities(self) -> tuple[int, ...]:
        """Return the number of arguments of each alternative."""

    @property
    def has_unit(self) -> tuple[bool, ...]:
        """Return, for each alternative, whether it takes a `Unit` because its patterns have no variables."""


class PPContext(Protocol):
    """Types, names and notations for the printer.

    `infer_type` and `whnf` may raise; the printer then uses the explicit form of the term.
    """

    @property
    def view(self) -> tuple[str, ...]:
        """Return a key of everything that decides which names are short; a term may print differently under another."""

    @property
    def notations(self) -> Notations:
        """Return the user's notations for printing; the same object as long as they do not change."""

    def meanings(self, name: str) -> list[str]:
        """The constants that a name refers to where the term is shown."""

    def find(self, name: str) -> Declaration | None:
        """The declaration of a constant."""

    def fvar_name(self, fvar_id: int) -> str:
        """The shown name of a local variable, daggers included."""

    def mvar_name(self, mvar_id: int) -> str:
        """The text after `?`: `w` or `m.5`."""

    def delayed_target(self, mvar_id: int) -> int | None:
        """The metavariable that a delayed-assigned one stands for, when applied."""

    def push_local(self, name: str, type: Expr, value: Expr | None = None) -> Expr:
        """A fresh local variable, known to the other methods."""

    def infer_type(self, e: Expr) -> Expr:
        """The type of a term without loose variables."""

    def whnf(self, e: Expr) -> Expr:
        """Its weak head normal form."""

    def is_proposition(self, e: Expr) -> bool:
        """Return whether `e : Prop`."""

    def is_proof(self, e: Expr) -> bool:
        """Return whether `e : p` for some `p : Prop`."""

    def structure_fields(self, struct: str) -> tuple[str, ...] | None:
        """Field names of a structure or class, in order."""

    def parent_fields(self, struct: str) -> tuple[str, ...]:
        """Names of the fields that hold a parent structure."""

    def is_class(self, struct: str) -> bool:
        """Return whether that structure is a class."""

    def coercion(self, name: str) -> int | None:
        """Return the position of the argument that is shown after `↑`; `None` if `name` is not a coercion."""

    def matcher(self, name: str) -> MatcherShape | None:
        """Return the shape of a constant that a `match` was compiled to; `None` for other constants."""
