"""Interfaces between the parts of the kernel, so that none of them imports a part above it.

`Declarations` is the environment as the checker reads it; `environment.Environment` implements it. `Checker` is the
type checker as the steps in `inference`, `reduction`, `def_eq` and `literals` call it; `typechecker.TypeChecker`
implements it. There is no code here.
"""

from __future__ import annotations

from typing import Protocol

from minilean.kernel.declaration import Declaration
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import Const, Expr
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.level import Level


class Declarations(Protocol):
    """Declarations by name. `environment.Environment` documents the methods."""

    def find(self, name: str) -> Declaration | None:
        """Return the declaration of `name`, or `None`."""

    def computes_on_literals(self, name: str) -> bool:
        """Return whether the function `name` may compute on literals."""

    def instance(self, const: Const, declaration: Declaration, part: int, e: Expr) -> Expr:
        """Return `e`, a part of `declaration`, at the levels of `const`."""


class Checker(Protocol):
    """One run of the type checker. `typechecker.TypeChecker` documents the methods."""

    env: Declarations
    fuel: FuelConfig
    depth: int

    def find(self, name: str) -> Declaration | None:
        """Return the declaration of `name`, or `None`."""

    def new_local(self, name: str, type_: Expr) -> Expr:
        """Return a fresh free variable of this type."""

    def fail(self, error: KernelError) -> KernelError:
        """Return `error` with the free variables that its terms mention."""

    def tick(self) -> None:
        """Count a step."""

    def tick_many(self, steps: int) -> None:
        """Count several steps."""

    def tick_number(self, value: int) -> None:
        """Count a step that makes a number as large as `value`."""

    def enter(self) -> None:
        """Count a step one level deeper; the caller decrements `depth` afterwards."""

    def infer(self, e: Expr, only: bool) -> Expr:
        """Return the type of `e`; with `only` nothing is verified."""

    def sort_level(self, e: Expr, e_type: Expr) -> Level:
        """Return the universe of the type `e`, whose own type is `e_type`."""

    def is_prop(self, e: Expr) -> bool:
        """Return whether the well-typed `e` is a proposition."""

    def nat_is_standard(self) -> bool:
        """Return whether `Nat` is the type of the natural number literals."""

    def whnf_core(self, e: Expr, cheap: bool = False) -> Expr:
        """Return the weak head normal form without unfolding definitions."""

    def whnf(self, e: Expr) -> Expr:
        """Return the weak head normal form."""

    def is_def_eq(self, t: Expr, s: Expr) -> bool:
        """Return whether the well-typed `t` and `s` are definitionally equal."""
