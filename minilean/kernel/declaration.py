"""Declarations, which an environment stores by name. `environment.py` decides which ones it accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
        is_recursive: Whether some field of the group mentions a type of the group.
        large_elim: Whether the recursor eliminates into every universe.
        all: The types declared together, this one included.
        num_nested: Number of recursors for types such as `List Tree` in which types of the group are nested.
    """

    num_params: int
    num_indices: int
    constructors: tuple[str, ...]
    is_recursive: bool
    large_elim: bool
    all: tuple[str, ...]
    num_nested: int

    @property
    def is_structure_like(self) -> bool:
        """Return whether the type has eta and projections: one constructor, no indices, not recursive."""
        return len(self.constructors) == 1 and self.num_indices == 0 and not self.is_recursive

    @property
    def recursors(self) -> tuple[str, ...]:
        """Names of the recursors of the group: one a type, then those of the nested types."""
        nested = (f"{self.all[0]}.rec_{i + 1}" for i in range(self.num_nested))
        return (*(f"{name}.rec" for name in self.all), *nested)


class InductiveType(NamedTuple):
    """A type to be declared: its name, its closed type, and name and full type of each constructor."""

    name: str
    type: Expr
    constructors: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True)
class RecursorRule:
    """`rec ... (constructor params fields) = rhs params motives minors fields`."""

    constructor: str
    num_fields: int
    rhs: Expr


@dataclass(frozen=True, slots=True)
class Recursor(Declaration):
    """A generated eliminator such as `I.rec`: arguments are params, motives, minors, indices, major.

    Attributes:
        inductive: The type of the major premise; for `Tree.rec_1` that may be `List`.
        all: The types declared together for which this recursor was generated.
        num_params: Parameters of the group; for `Tree.rec_1` not those of `List`.
        num_motives: One motive a type of the group, and one a nested type.
        num_minors: One minor premise a constructor of these types.
        k: Whether the type of the major premise alone determines its constructor (Lean's `k`).
    """

    inductive: str
    all: tuple[str, ...]
    num_params: int
    num_indices: int
    num_motives: int
    num_minors: int
    rules: tuple[RecursorRule, ...]
    k: bool

    @property
    def first_minor(self) -> int:
        """Position of the first minor premise among the arguments."""
        return self.num_params + self.num_motives

    @property
    def first_index(self) -> int:
        """Position of the first index among the arguments, after the minor premises."""
        return self.first_minor + self.num_minors

    @property
    def major_index(self) -> int:
        """Position of the major premise among the arguments."""
        return self.first_index + self.num_indices


@dataclass(frozen=True, slots=True)
class QuotDecl(Declaration):
    """`Quot`, `Quot.mk`, `Quot.lift` or `Quot.ind`."""
