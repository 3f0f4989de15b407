"""What the printer asks of its caller, who knows types, names and notations."""

from __future__ import annotations

from typing import Protocol

from minilean.kernel.declaration import Declaration
from minilean.kernel.expr import Expr
from minilean.printer.shown_notations import Notations


class MatcherShape(Protocol):
    """How the arguments of a matcher follow each other: parameters, motive, discriminants, alternatives."""

    @property
    def num_params(self) -> int:
        """How many parameters come first."""

    @property
    def num_discrs(self) -> int:
        """How many discriminants there are."""

    @property
    def alt_arities(self) -> tuple[int, ...]:
        """How many arguments each alternative takes."""

    @property
    def has_unit(self) -> tuple[bool, ...]:
        """Which alternatives take a `Unit` for want of variables."""


class PPContext(Protocol):
    """What the printer asks of its caller.

    `infer_type` and `whnf` may raise; the printer then takes the conservative course.
    """

    @property
    def view(self) -> tuple[str, ...]:
        """What decides which names are short; terms printed under one view may print otherwise under another."""

    @property
    def notations(self) -> Notations:
        """What the user's notations show; the same object as long as they are the same."""

    def meanings(self, name: str) -> list[str]:
        """The constants that a name refers to where the term is shown."""

    def find(self, name: str) -> Declaration | None:
        """The declaration of a constant."""

    def fvar_name(self, fvar_id: int) -> str:
        """The name a local variable is shown under, daggers included."""

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
        """Whether `e : Prop`."""

    def is_proof(self, e: Expr) -> bool:
        """Whether `e : p` for some `p : Prop`."""

    def structure_fields(self, struct: str) -> tuple[str, ...] | None:
        """Field names of a structure or class, in order."""

    def parent_fields(self, struct: str) -> tuple[str, ...]:
        """Those of them that hold a parent structure."""

    def is_class(self, struct: str) -> bool:
        """Whether that structure is a class."""

    def coercion(self, name: str) -> int | None:
        """Which argument of a function stands for the application, behind `↑`; `None` for most functions."""

    def matcher(self, name: str) -> MatcherShape | None:
        """What is known of a constant that a `match` was compiled to; `None` for other constants."""
