"""Declarations, which an environment stores by name. `environment.py` decides which ones it accepts."""

from __future__ import annotations

from dataclasses import dataclass

from minilean.kernel.expr import Expr

OPAQUE_HEIGHT = -1
ABBREV_HEIGHT = 1 << 30


@dataclass(frozen=True, slots=True)
class Declaration:
    """Base of all declarations: a name, universe parameters and a closed type."""

    name: str
    level_params: tuple[str, ...]
    type: Expr


@dataclass(frozen=True, slots=True)
class Axiom(Declaration):
    """A constant without a value. Every theorem that uses it reports it."""


@dataclass(frozen=True, slots=True)
class Definition(Declaration):
    """A constant that unfolds to `value`. `height` steers lazy unfolding: higher ones unfold first."""

    value: Expr
    height: int

    @property
    def is_opaque(self) -> bool:
        """Return whether the definition never unfolds."""
        return self.height == OPAQUE_HEIGHT


@dataclass(frozen=True, slots=True)
class TheoremDecl(Declaration):
    """A proved statement. `value` is `None` only for one that a trusted cache holds without its proof."""

    value: Expr | None
    axioms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constructor(Declaration):
    """Constructor number `index` of `inductive`: takes `num_params` parameters, then `num_fields` fields."""

    inductive: str
    index: int
    num_params: int
    num_fields: int


@dataclass(frozen=True, slots=True)
class Inductive(Declaration):
    """An inductive type former.

    Attributes:
        num_params: Leading arguments shared by all constructors.
        num_indices: Arguments after the parameters.
        constructors: Names in declaration order.
        is_recursive: Whether some field mentions the type itself.
        large_elim: Whether the recursor eliminates into every universe.
    """

    num_params: int
    num_indices: int
    constructors: tuple[str, ...]
    is_recursive: bool
    large_elim: bool

    @property
    def is_structure_like(self) -> bool:
        """Return whether the type has eta and projections: one constructor, no indices, not recursive."""
        return len(self.constructors) == 1 and self.num_indices == 0 and not self.is_recursive


@dataclass(frozen=True, slots=True)
class RecursorRule:
    """`rec ... (constructor params fields) = rhs params motives minors fields`."""

    constructor: str
    num_fields: int
    rhs: Expr


@dataclass(frozen=True, slots=True)
class Recursor(Declaration):
    """The generated eliminator `I.rec`: arguments are params, one motive, minors, indices, major."""

    inductive: str
    num_params: int
    num_indices: int
    num_minors: int
    rules: tuple[RecursorRule, ...]
    k: bool
    """Whether the type of the major premise alone determines its constructor (Lean's `k`)."""

    @property
    def major_index(self) -> int:
        """Position of the major premise among the arguments."""
        return self.num_params + 1 + self.num_minors + self.num_indices


@dataclass(frozen=True, slots=True)
class QuotDecl(Declaration):
    """`Quot`, `Quot.mk`, `Quot.lift` or `Quot.ind`."""
