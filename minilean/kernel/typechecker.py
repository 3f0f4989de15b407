"""The type checker. `check` verifies every step; `infer_type`, `whnf` and `is_def_eq` trust their input.

Preconditions: terms have no loose bound variables and no metavariables, free variables come from `new_local`,
and everything but the argument of `check` is well typed. `environment.py` ensures that with `validate.py`.

The class holds the caches and the bounds; the steps are in `inference`, `reduction` and `def_eq`.

Source: Lean 4 `src/kernel/type_checker.cpp`, whose names and order of attempts are kept.
"""

from __future__ import annotations

import time

from minilean.kernel.declaration import Declaration
from minilean.kernel.def_eq import is_def_eq_core, quick_is_def_eq
from minilean.kernel.errors import (
    DeadlineExceeded,
    DeepRecursion,
    DeterministicTimeout,
    FreeVariable,
    KernelError,
    LooseBoundVariable,
    Metavariable,
    SortExpected,
    TermTooLarge,
)
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    Pi,
    Proj,
    Sort,
    get_app,
    mk_apps,
    mk_fvar,
    mk_sort,
)
from minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig
from minilean.kernel.inference import (
    infer_app,
    infer_const,
    infer_lambda,
    infer_let,
    infer_lit,
    infer_pi,
    infer_proj,
)
from minilean.kernel.instantiate import beta_apply
from minilean.kernel.interning import table_size
from minilean.kernel.judgements import Declarations
from minilean.kernel.level import Level, is_zero, mk_succ
from minilean.kernel.literals import is_standard_nat
from minilean.kernel.reduction import reduce_const, reduce_nat, reduce_proj, unfold, zeta


class TypeChecker:
    """Type checker over one environment, with caches; a new one is made for each declaration.

    Attributes:
        locals: Name and type of each free variable made so far, by id.
    """

    def __init__(self, env: Declarations, fuel: FuelConfig = DEFAULT_FUEL) -> None:
        self.env = env
        self.locals: dict[int, tuple[str, Expr]] = {}
        self.fuel = fuel
        self._steps = 0
        self.depth = 0
        self._nodes_before = table_size()
        self._decls: dict[str, Declaration | None] = {}
        self._standard_nat: bool | None = None
        # facts found so far; keys are compared by identity
        self._checked: dict[Expr, Expr] = {}
        self._inferred: dict[Expr, Expr] = {}
        self._whnf: dict[Expr, Expr] = {}
        self._core: dict[Expr, Expr] = {}
        self._core_cheap: dict[Expr, Expr] = {}
        self._equal: dict[tuple[Expr, Expr], bool] = {}

    def check(self, e: Expr) -> Expr:
        """The type of `e`, every step verified.

        Raises:
            TermError: `e` does not type-check.
            ResourceLimit: A bound of the fuel was reached.
        """
        return self.infer(e, False)

    def check_type(self, e: Expr) -> Level:
        """The universe of the type `e`, every step verified; `SortExpected` if `e` is not a type."""
        return self.sort_level(e, self.infer(e, False))

    def infer_type(self, e: Expr) -> Expr:
        """The type of the well-typed `e`, found without verifying arguments."""
        return self.infer(e, True)

    def infer_sort(self, e: Expr) -> Level:
        """The universe of the well-typed type `e`."""
        return self.sort_level(e, self.infer(e, True))

    def is_prop(self, e: Expr) -> bool:
        """Return whether the well-typed `e` is a proposition: its type is `Prop`."""
        sort = self.whnf(self.infer(e, True))
        return type(sort) is Sort and is_zero(sort.level)

    def new_local(self, name: str, type_: Expr) -> Expr:
        """A free variable that this checker has not used yet.

        Ids are negative and start at -1 in each checker, which they never leave, so that checking a term again
        builds terms that are interned already.
        """
        fvar_id = -1 - len(self.locals)
        self.locals[fvar_id] = (name, type_)
        return mk_fvar(fvar_id)

    def find(self, name: str) -> Declaration | None:
        """The declaration of `name`."""
        decls = self._decls
        if name in decls:
            return decls[name]
        found = decls[name] = self.env.find(name)
        return found

    def fail(self, error: KernelError) -> KernelError:
        """Return the error with the free variables that its terms mention."""
        error.locals = self.locals
        return error

    def tick(self) -> None:
        """Count a step."""
        self._steps += 1
        if not self._steps & 0x7F:
            self._check_bounds()

    def tick_many(self, steps: int) -> None:
        """Count several steps."""
        self._steps += steps
        self._check_bounds()

    def tick_number(self, value: int) -> None:
        """Count a step that makes a number as large as `value`."""
        self._steps += 1 + (value.bit_length() >> 8)
        self._check_bounds()

    def _check_bounds(self) -> None:
        if self._steps > self.fuel.max_steps:
            raise DeterministicTimeout
        if table_size() - self._nodes_before > self.fuel.max_new_nodes:
            raise TermTooLarge(f"more than {self.fuel.max_new_nodes} terms made by checking")
        if self.fuel.deadline is not None and time.monotonic() > self.fuel.deadline:
            raise DeadlineExceeded

    def enter(self) -> None:
        """Count a step one level deeper; the caller decrements `depth` afterwards."""
        self.depth += 1
        if self.depth > self.fuel.max_depth:
            raise DeepRecursion
        self.tick()

    def infer(self, e: Expr, only: bool) -> Expr:
        """The type of `e`; with `only` nothing is verified."""
        kind = type(e)
        if kind is FVar:
            local = self.locals.get(e.id)  # type: ignore[attr-defined]
            if local is None:
                raise FreeVariable(e)
            return local[1]
        if kind is Const:
            return infer_const(self, e)  # type: ignore[arg-type]
        if kind is Sort:
            return mk_sort(mk_succ(e.level))  # type: ignore[attr-defined]
        hit = self._checked.get(e)
        if hit is None and only:
            hit = self._inferred.get(e)
        if hit is not None:
            return hit
        if e.loose:
            raise self.fail(LooseBoundVariable(e))
        self.enter()
        if type(e) is App:
            out = infer_app(self, e, only)
        elif type(e) is Lam:
            out = infer_lambda(self, e, only)
        elif type(e) is Pi:
            out = infer_pi(self, e, only)
        elif type(e) is Let:
            out = infer_let(self, e, only)
        elif type(e) is Proj:
            out = infer_proj(self, e, only)
        elif type(e) is Lit:
            out = infer_lit(self, e)
        else:
            raise self.fail(Metavariable(e))
        self.depth -= 1
        (self._inferred if only else self._checked)[e] = out
        return out

    def sort_level(self, e: Expr, e_type: Expr) -> Level:
        """The universe of `e`, whose type is `e_type`."""
        if type(e_type) is not Sort:
            e_type = self.whnf(e_type)
            if type(e_type) is not Sort:
                raise self.fail(SortExpected(e, e_type))
        return e_type.level

    def whnf_core(self, e: Expr, cheap: bool = False) -> Expr:
        """Weak head normal form without unfolding; with `cheap` the structure of a projection is not unfolded."""
        kind = type(e)
        if kind is not App and kind is not Proj and kind is not Let:
            return e
        cache = self._core_cheap if cheap else self._core
        start = e
        hit = cache.get(e)
        if hit is not None:
            return hit
        while True:
            self.tick()
            reduced: Expr | None = None
            if type(e) is App:
                fn, args = get_app(e)
                if type(fn) is Lam:
                    reduced = beta_apply(fn, args)
                elif type(fn) is Const:
                    reduced = reduce_const(self, fn, args)
                elif type(fn) is Proj or type(fn) is Let:
                    head = self.whnf_core(fn, cheap)
                    reduced = None if head is fn else mk_apps(head, args)
            elif type(e) is Proj:
                reduced = reduce_proj(self, e, cheap)
            elif type(e) is Let:
                reduced = zeta(e)
            if reduced is None:
                break
            e = reduced
        cache[start] = e
        return e

    def whnf(self, e: Expr) -> Expr:
        """Weak head normal form."""
        kind = type(e)
        if kind is not App and kind is not Const and kind is not Proj and kind is not Let:
            return e
        hit = self._whnf.get(e)
        if hit is not None:
            return hit
        self.enter()
        start = e
        while True:
            self.tick()
            e = self.whnf_core(e)
            reduced = reduce_nat(self, e)
            if reduced is None:
                reduced = unfold(self, e)
                if reduced is None:
                    break
            e = reduced
        self.depth -= 1
        self._whnf[start] = e
        return e

    def nat_is_standard(self) -> bool:
        """Return whether `Nat` is the type of the natural number literals."""
        if self._standard_nat is None:
            self._standard_nat = is_standard_nat(self.find)
        return self._standard_nat

    def is_def_eq(self, t: Expr, s: Expr) -> bool:
        """Return whether the well-typed `t` and `s` are definitionally equal, as far as Lean's algorithm decides."""
        if t is s:
            return True
        key = (t, s)
        known = self._equal.get(key)
        if known is not None:
            return known
        self.enter()
        result = quick_is_def_eq(self, t, s)
        if result is None:
            result = is_def_eq_core(self, t, s)
        self.depth -= 1
        self._equal[key] = result
        return result
