"""The type checker. `check` verifies every step; `infer_type`, `whnf` and `is_def_eq` trust their input.

Preconditions: terms have no loose bound variables and no metavariables, free variables come from `new_local`,
and everything but the argument of `check` is well typed. `environment.py` sees to that with `validate.py`.

Source: Lean 4 `src/kernel/type_checker.cpp`, whose names and order of attempts are kept.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lean_gym.minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    OPAQUE_HEIGHT,
    Constructor,
    Declaration,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
)
from lean_gym.minilean.kernel.errors import (
    ArgumentMismatch,
    DeadlineExceeded,
    DeepRecursion,
    DeterministicTimeout,
    FreeVariable,
    FunctionExpected,
    InvalidProjection,
    KernelError,
    LetMismatch,
    LooseBoundVariable,
    Metavariable,
    SortExpected,
    TermTooLarge,
    UnknownConstant,
    Unsupported,
    WrongLevelCount,
)
from lean_gym.minilean.kernel.expr import (
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
    alpha_eq,
    get_app,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_fvar,
    mk_lam,
    mk_pi,
    mk_proj,
    mk_sort,
    table_size,
)
from lean_gym.minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig
from lean_gym.minilean.kernel.instantiate import abstract, beta_apply, instantiate, instantiate1
from lean_gym.minilean.kernel.level import (
    Level,
    all_equiv,
    is_equiv,
    is_zero,
    mk_succ,
    simplify,
    simplify_imax,
)
from lean_gym.minilean.kernel.literals import (
    NAT_FUNCTIONS,
    compute,
    is_standard_nat,
    literal_to_constructor,
    literal_value,
    predecessor,
)
from lean_gym.minilean.kernel.quot import reduce_quot

if TYPE_CHECKING:
    from lean_gym.minilean.kernel.environment import Environment


class TypeChecker:
    """Checks terms over one environment; made anew for each declaration, whose caches it holds.

    Attributes:
        locals: Name and type of each free variable made so far, by id.
    """

    def __init__(self, env: Environment, fuel: FuelConfig = DEFAULT_FUEL) -> None:
        self.env = env
        self.locals: dict[int, tuple[str, Expr]] = {}
        self._fuel = fuel
        self._steps = 0
        self._depth = 0
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

    # -- entry points --------------------------------------------------------------------------------------

    def check(self, e: Expr) -> Expr:
        """The type of `e`, every step verified.

        Raises:
            TermError: `e` does not type-check.
            ResourceLimit: A bound of the fuel was reached.
        """
        return self._infer(e, False)

    def check_type(self, e: Expr) -> Level:
        """The universe of the type `e`, every step verified; `SortExpected` if `e` is no type."""
        return self._sort_level(e, self._infer(e, False))

    def infer_type(self, e: Expr) -> Expr:
        """The type of the well-typed `e`, found without verifying arguments."""
        return self._infer(e, True)

    def infer_sort(self, e: Expr) -> Level:
        """The universe of the well-typed type `e`."""
        return self._sort_level(e, self._infer(e, True))

    def is_prop(self, e: Expr) -> bool:
        """Whether the well-typed `e` is a proposition: its type is `Prop`."""
        sort = self.whnf(self._infer(e, True))
        return type(sort) is Sort and is_zero(sort.level)

    def new_local(self, name: str, type_: Expr) -> Expr:
        """A free variable that this checker has not used yet.

        Ids are negative and start anew in each checker (they never leave it), so that checking a term again
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

    # -- bookkeeping ---------------------------------------------------------------------------------------

    def _fail(self, error: KernelError) -> KernelError:
        error.locals = self.locals
        return error

    def _tick(self) -> None:
        self._steps += 1
        if not self._steps & 0x7F:
            self._check_bounds()

    def _tick_number(self, value: int) -> None:
        """A step that makes a number as large as `value`."""
        self._steps += 1 + (value.bit_length() >> 8)
        self._check_bounds()

    def _check_bounds(self) -> None:
        if self._steps > self._fuel.max_steps:
            raise DeterministicTimeout
        if table_size() - self._nodes_before > self._fuel.max_new_nodes:
            raise TermTooLarge(f"more than {self._fuel.max_new_nodes} terms made by checking")
        if self._fuel.deadline is not None and time.monotonic() > self._fuel.deadline:
            raise DeadlineExceeded

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > self._fuel.max_depth:
            raise DeepRecursion
        self._tick()

    # -- infer_type ----------------------------------------------------------------------------------------

    def _infer(self, e: Expr, only: bool) -> Expr:
        """The type of `e`; with `only` nothing is verified."""
        kind = type(e)
        if kind is FVar:
            local = self.locals.get(e.id)  # type: ignore[attr-defined]
            if local is None:
                raise FreeVariable(e)
            return local[1]
        if kind is Const:
            return self._infer_const(e)  # type: ignore[arg-type]
        if kind is Sort:
            return mk_sort(mk_succ(e.level))  # type: ignore[attr-defined]
        hit = self._checked.get(e)
        if hit is None and only:
            hit = self._inferred.get(e)
        if hit is not None:
            return hit
        if e.loose:
            raise self._fail(LooseBoundVariable(e))
        self._enter()
        if type(e) is App:
            out = self._infer_app(e, only)
        elif type(e) is Lam:
            out = self._infer_lambda(e, only)
        elif type(e) is Pi:
            out = self._infer_pi(e, only)
        elif type(e) is Let:
            out = self._infer_let(e, only)
        elif type(e) is Proj:
            out = self._infer_proj(e, only)
        elif type(e) is Lit:
            out = self._infer_lit(e)
        else:
            raise self._fail(Metavariable(e))
        self._depth -= 1
        (self._inferred if only else self._checked)[e] = out
        return out

    def _sort_level(self, e: Expr, e_type: Expr) -> Level:
        if type(e_type) is not Sort:
            e_type = self.whnf(e_type)
            if type(e_type) is not Sort:
                raise self._fail(SortExpected(e, e_type))
        return e_type.level

    def _infer_const(self, e: Const) -> Expr:
        declaration = self.find(e.name)
        if declaration is None:
            raise UnknownConstant(e.name)
        if not e.levels and not declaration.level_params:
            return declaration.type
        if len(e.levels) != len(declaration.level_params):
            raise WrongLevelCount(e.name, len(declaration.level_params), len(e.levels))
        return self.env.instance(e, declaration, 0, declaration.type)

    def _infer_lit(self, e: Lit) -> Expr:
        if type(e.value) is not int:
            raise Unsupported("string literals")
        if not self._nat_is_standard():
            raise UnknownConstant("Nat")
        return mk_const("Nat")

    def _infer_app(self, e: App, only: bool) -> Expr:
        fn, args = get_app(e)
        fn_type = self._infer(fn, only)
        start = 0  # fn_type still has to be instantiated with args[start:i]
        for i, arg in enumerate(args):
            if type(fn_type) is not Pi:
                fn_type = self.whnf(instantiate(fn_type, args[start:i]))
                start = i
                if type(fn_type) is not Pi:
                    raise self._fail(FunctionExpected(e, fn_type))
            if not only:
                expected = instantiate(fn_type.type, args[start:i])
                got = self._infer(arg, False)
                if got is not expected and not self.is_def_eq(got, expected):
                    raise self._fail(ArgumentMismatch(e, arg, expected, got))
            fn_type = fn_type.body
        return instantiate(fn_type, args[start:])

    def _infer_lambda(self, e: Lam, only: bool) -> Expr:
        binders: list[Lam] = []
        fvars: list[Expr] = []
        body: Expr = e
        while type(body) is Lam:
            domain = instantiate(body.type, fvars)
            if not only:
                self._sort_level(domain, self._infer(domain, False))
            binders.append(body)
            fvars.append(self.new_local(body.name, domain))
            body = body.body
        result = abstract(self._infer(instantiate(body, fvars), only), fvars)
        for binder in reversed(binders):
            result = mk_pi(binder.name, binder.type, result, binder.info)
        return result

    def _infer_pi(self, e: Pi, only: bool) -> Expr:
        levels: list[Level] = []
        fvars: list[Expr] = []
        body: Expr = e
        while type(body) is Pi:
            domain = instantiate(body.type, fvars)
            levels.append(self._sort_level(domain, self._infer(domain, only)))
            fvars.append(self.new_local(body.name, domain))
            body = body.body
        body = instantiate(body, fvars)
        level = simplify(self._sort_level(body, self._infer(body, only)))
        for domain_level in reversed(levels):
            level = simplify_imax(simplify(domain_level), level)
        return mk_sort(level)

    def _infer_let(self, e: Let, only: bool) -> Expr:
        values: list[Expr] = []
        body: Expr = e
        while type(body) is Let:
            value = instantiate(body.value, values)
            if not only:
                expected = instantiate(body.type, values)
                self._sort_level(expected, self._infer(expected, False))
                got = self._infer(value, False)
                if not self.is_def_eq(got, expected):
                    raise self._fail(LetMismatch(value, expected, got))
            values.append(value)
            body = body.body
        return self._infer(instantiate(body, values), only)

    def _infer_proj(self, e: Proj, only: bool) -> Expr:
        struct_type = self.whnf(self._infer(e.expr, only))
        head, args = get_app(struct_type)
        if type(head) is not Const or head.name != e.struct:
            raise self._fail(InvalidProjection(e, f"the term is no '{e.struct}'"))
        inductive = self.find(head.name)
        if type(inductive) is not Inductive or len(inductive.constructors) != 1:
            raise self._fail(InvalidProjection(e, f"'{e.struct}' is no structure"))
        constructor = self.find(inductive.constructors[0])
        if type(constructor) is not Constructor or len(args) != inductive.num_params + inductive.num_indices:
            raise self._fail(InvalidProjection(e, f"'{e.struct}' is no structure"))
        if e.idx >= constructor.num_fields:
            raise self._fail(InvalidProjection(e, f"'{e.struct}' has no field #{e.idx}"))
        field = self._infer_const(mk_const(constructor.name, head.levels))
        field = self._instantiate_pis(e, field, args[: inductive.num_params])
        is_proof = not only and self.is_prop(struct_type)
        for i in range(e.idx):
            field = self._ensure_pi(e, field)
            if is_proof and field.body.loose and not self.is_prop(field.type):
                raise self._fail(InvalidProjection(e, "the field depends on data inside a proof"))
            field = instantiate1(field.body, mk_proj(e.struct, i, e.expr))
        result = self._ensure_pi(e, field).type
        if is_proof and not self.is_prop(result):
            raise self._fail(InvalidProjection(e, "a proof has no data to take out"))
        return result

    def _instantiate_pis(self, where: Expr, e: Expr, args: list[Expr]) -> Expr:
        for arg in args:
            e = instantiate1(self._ensure_pi(where, e).body, arg)
        return e

    def _ensure_pi(self, where: Expr, e: Expr) -> Pi:
        if type(e) is not Pi:
            e = self.whnf(e)
            if type(e) is not Pi:
                raise self._fail(FunctionExpected(where, e))
        return e

    # -- whnf ----------------------------------------------------------------------------------------------

    def whnf_core(self, e: Expr, cheap: bool = False) -> Expr:
        """Weak head normal form without unfolding; `cheap`: not even for the sake of a projection."""
        kind = type(e)
        if kind is not App and kind is not Proj and kind is not Let:
            return e
        cache = self._core_cheap if cheap else self._core
        start = e
        hit = cache.get(e)
        if hit is not None:
            return hit
        while True:
            self._tick()
            reduced: Expr | None = None
            if type(e) is App:
                fn, args = get_app(e)
                if type(fn) is Lam:
                    reduced = beta_apply(fn, args)
                elif type(fn) is Const:
                    reduced = self._reduce_const(fn, args)
                elif type(fn) is Proj or type(fn) is Let:
                    head = self.whnf_core(fn, cheap)
                    reduced = None if head is fn else mk_apps(head, args)
            elif type(e) is Proj:
                reduced = self._reduce_proj(e, cheap)
            elif type(e) is Let:
                reduced = _zeta(e)
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
        self._enter()
        start = e
        while True:
            self._tick()
            e = self.whnf_core(e)
            reduced = self._reduce_nat(e)
            if reduced is None:
                reduced = self._unfold(e)
                if reduced is None:
                    break
            e = reduced
        self._depth -= 1
        self._whnf[start] = e
        return e

    def _delta(self, e: Expr) -> Definition | None:
        """The definition at the head of `e`, if it may be unfolded. Theorems are never unfolded."""
        head = get_app_fn(e)
        if type(head) is not Const:
            return None
        declaration = self.find(head.name)
        if type(declaration) is not Definition or declaration.height == OPAQUE_HEIGHT:
            return None
        return declaration if len(head.levels) == len(declaration.level_params) else None

    def _unfold(self, e: Expr) -> Expr | None:
        """`e` with the definition at its head unfolded."""
        declaration = self._delta(e)
        return None if declaration is None else self._unfold_to(e, declaration)

    def _unfold_to(self, e: Expr, declaration: Definition) -> Expr:
        head, args = get_app(e)
        value = declaration.value
        if declaration.level_params:
            value = self.env.instance(head, declaration, 1, value)  # type: ignore[arg-type]
        return beta_apply(value, args)

    def _reduce_const(self, head: Const, args: list[Expr]) -> Expr | None:
        """Reduce an application of a recursor or of a function on quotients."""
        declaration = self.find(head.name)
        if type(declaration) is Recursor:
            return self._reduce_recursor(head, declaration, args)
        if type(declaration) is QuotDecl:
            return reduce_quot(head.name, args, self.whnf, self.find)
        return None

    def _reduce_recursor(self, head: Const, recursor: Recursor, args: list[Expr]) -> Expr | None:
        major_index = recursor.major_index
        if len(args) <= major_index or len(head.levels) != len(recursor.level_params):
            return None
        major = args[major_index]
        if recursor.k:
            major = self._to_constructor_when_k(recursor, major) or major
        major = self.whnf(major)
        if type(major) is Lit and type(major.value) is int:
            self._tick_number(major.value)
            major = literal_to_constructor(major.value)
        else:
            major = self._to_constructor_when_structure(recursor, major)
        constructor, major_args = get_app(major)
        if type(constructor) is not Const:
            return None
        built = self.find(constructor.name)
        if type(built) is not Constructor or built.inductive != recursor.inductive:
            return None
        rule = recursor.rules[built.index]
        if len(major_args) != recursor.num_params + rule.num_fields:
            return None
        rhs = rule.rhs
        if recursor.level_params:
            rhs = self.env.instance(head, recursor, 2 + built.index, rhs)
        first = recursor.num_params + 1 + recursor.num_minors
        return beta_apply(rhs, args[:first] + major_args[recursor.num_params :] + args[major_index + 1 :])

    def _to_constructor_when_k(self, recursor: Recursor, major: Expr) -> Expr | None:
        """The only constructor, if the type of `major` is the type it builds."""
        major_type = self.whnf(self._infer(major, True))
        head, args = get_app(major_type)
        if type(head) is not Const or head.name != recursor.inductive:
            return None
        constructor = mk_const(recursor.rules[0].constructor, head.levels)
        built = mk_apps(constructor, args[: recursor.num_params])
        return built if self.is_def_eq(major_type, self._infer(built, True)) else None

    def _to_constructor_when_structure(self, recursor: Recursor, major: Expr) -> Expr:
        """`mk major.1 ... major.n` for a major premise of a structure outside `Prop`, else `major` itself."""
        inductive = self.find(recursor.inductive)
        if type(inductive) is not Inductive or not inductive.is_structure_like:
            return major
        if self._constructor_of(major) is not None:
            return major
        major_type = self.whnf(self._infer(major, True))
        head, args = get_app(major_type)
        if type(head) is not Const or head.name != recursor.inductive or self.is_prop(major_type):
            return major
        rule = recursor.rules[0]
        fields: list[Expr] = [mk_proj(inductive.name, i, major) for i in range(rule.num_fields)]
        return mk_apps(mk_const(rule.constructor, head.levels), args[: recursor.num_params] + fields)

    def _constructor_of(self, e: Expr) -> Constructor | None:
        head = get_app_fn(e)
        declaration = self.find(head.name) if type(head) is Const else None
        return declaration if type(declaration) is Constructor else None

    def _reduce_proj(self, e: Proj, cheap: bool) -> Expr | None:
        self._enter()
        struct = self.whnf_core(e.expr, True) if cheap else self.whnf(e.expr)
        self._depth -= 1
        head, args = get_app(struct)
        declaration = self.find(head.name) if type(head) is Const else None
        if type(declaration) is not Constructor or declaration.inductive != e.struct:
            return None
        index = declaration.num_params + e.idx
        return args[index] if index < len(args) else None

    # -- natural numbers -----------------------------------------------------------------------------------

    def _nat_is_standard(self) -> bool:
        if self._standard_nat is None:
            self._standard_nat = is_standard_nat(self.find)
        return self._standard_nat

    def _reduce_nat(self, e: Expr) -> Expr | None:
        """Compute a function of `NAT_FUNCTIONS`, or `Nat.succ`, on literals."""
        if type(e) is not App or e.has_fvar:
            return None
        head, args = get_app(e)
        if type(head) is not Const or head.levels:
            return None
        arity = 1 if head.name == "Nat.succ" else NAT_FUNCTIONS.get(head.name)
        if arity != len(args) or not self._computes(head.name):
            return None
        values: list[int] = []
        for arg in args:
            value = literal_value(self.whnf(arg))
            if value is None:
                return None
            values.append(value)
        result = compute(head.name, tuple(values), self._fuel.max_literal_bits)
        if type(result) is Lit and type(result.value) is int:
            self._tick_number(result.value)
        return result

    def _computes(self, name: str) -> bool:
        if name == "Nat.succ":
            return self._nat_is_standard()
        return self.env.computes_on_literals(name)

    def _is_def_eq_offset_nat(self, t: Expr, s: Expr) -> bool | None:
        """Compare literals and successors by value; `None` if that decides nothing."""
        t_value, s_value = literal_value(t), literal_value(s)
        if (t_value is None and predecessor(t) is None) or (s_value is None and predecessor(s) is None):
            return None
        if not self._nat_is_standard():
            return None
        while True:
            self._tick_number(t_value or s_value or 0)
            if t_value is not None and s_value is not None:
                return t_value == s_value
            t_pred, s_pred = predecessor(t), predecessor(s)
            if t_pred is None or s_pred is None:
                break
            t, s = t_pred, s_pred
            if t is s:
                return True
            t_value, s_value = literal_value(t), literal_value(s)
        # Different constructors, or at least one side that no longer shows its own
        if (t_value == 0 and s_pred is not None) or (s_value == 0 and t_pred is not None):
            return False
        return self.is_def_eq(t, s)

    # -- is_def_eq -----------------------------------------------------------------------------------------

    def is_def_eq(self, t: Expr, s: Expr) -> bool:
        """Whether the well-typed `t` and `s` are definitionally equal, as far as Lean's algorithm sees."""
        if t is s:
            return True
        key = (t, s)
        known = self._equal.get(key)
        if known is not None:
            return known
        self._enter()
        result = self._quick_is_def_eq(t, s)
        if result is None:
            result = self._is_def_eq_core(t, s)
        self._depth -= 1
        self._equal[key] = result
        return result

    def _quick_is_def_eq(self, t: Expr, s: Expr) -> bool | None:
        """Decide by the outermost node if that is possible."""
        kind = type(t)
        if kind is type(s):
            if kind is Lam or kind is Pi:
                return self._is_def_eq_binding(t, s)
            if kind is Sort:
                return is_equiv(t.level, s.level)  # type: ignore[attr-defined]
            if kind is Lit:
                return bool(t.value == s.value)  # type: ignore[attr-defined]
            if t.hash == s.hash and alpha_eq(t, s):
                return True
        return None

    def _is_def_eq_binding(self, t: Expr, s: Expr) -> bool:
        kind = type(t)
        fvars: list[Expr] = []
        while type(t) is kind and type(s) is kind:
            t_type, s_type = t.type, s.type  # type: ignore[attr-defined]
            domain = instantiate(t_type, fvars)
            if t_type is not s_type and not self.is_def_eq(domain, instantiate(s_type, fvars)):
                return False
            fvars.append(self.new_local(t.name, domain))  # type: ignore[attr-defined]
            t, s = t.body, s.body  # type: ignore[attr-defined]
        return self.is_def_eq(instantiate(t, fvars), instantiate(s, fvars))

    def _is_def_eq_core(self, t: Expr, s: Expr) -> bool:
        if type(s) is Const and s.name == "Bool.true" and not t.has_fvar:
            # what `decide` leaves: evaluate instead of unfolding side by side
            value = self.whnf(t)
            if type(value) is Const and value.name == s.name and value.levels == s.levels:
                return True
        t_core, s_core = self.whnf_core(t, True), self.whnf_core(s, True)
        if t_core is not t or s_core is not s:
            if t_core is s_core:
                return True
            quick = self._quick_is_def_eq(t_core, s_core)
            if quick is not None:
                return quick
        t, s = t_core, s_core
        irrelevant = self._is_def_eq_proof_irrel(t, s)
        if irrelevant is not None:
            return irrelevant
        result, t, s = self._lazy_delta_reduction(t, s)
        if result is not None:
            return result
        if type(t) is Const and type(s) is Const and t.name == s.name and _same_levels(t, s):
            return True
        if type(t) is Proj and type(s) is Proj and self._is_def_eq_proj(t, s):
            return True
        t_core, s_core = self.whnf_core(t), self.whnf_core(s)
        if t_core is not t or s_core is not s:
            return self.is_def_eq(t_core, s_core)
        return (
            self._is_def_eq_app(t, s)
            or self._try_eta(t, s)
            or self._try_eta(s, t)
            or self._try_eta_struct(t, s)
            or self._try_eta_struct(s, t)
            or self._is_def_eq_unit_like(t, s)
        )

    def _is_def_eq_proof_irrel(self, t: Expr, s: Expr) -> bool | None:
        """Proofs of equal propositions are equal; `None` if `t` is no proof."""
        kind = type(t)
        if kind is Sort or kind is Pi or kind is Lit:
            return None
        t_type = self._infer(t, True)
        if not self.is_prop(t_type):
            return None
        return self.is_def_eq(t_type, self._infer(s, True))

    def _lazy_delta_reduction(self, t: Expr, s: Expr) -> tuple[bool | None, Expr, Expr]:
        """Unfold the higher definition first; ends with a decision, or with both sides stuck."""
        while True:
            self._tick()
            decided = self._is_def_eq_offset_nat(t, s)
            if decided is not None:
                return decided, t, s
            value = self._reduce_nat(t)
            if value is not None:
                return self.is_def_eq(value, s), t, s
            value = self._reduce_nat(s)
            if value is not None:
                return self.is_def_eq(t, value), t, s
            t_def, s_def = self._delta(t), self._delta(s)
            if t_def is None and s_def is None:
                return None, t, s
            if t_def is not None and t_def is s_def and self._same_head(t_def, t, s):
                return True, t, s
            t, s = self._lazy_delta_step(t, t_def, s, s_def)
            if t is s:
                return True, t, s
            decided = self._quick_is_def_eq(t, s)
            if decided is not None:
                return decided, t, s

    def _lazy_delta_step(
        self, t: Expr, t_def: Definition | None, s: Expr, s_def: Definition | None
    ) -> tuple[Expr, Expr]:
        """Unfold one side, or both if they are equally high."""
        t_height = -1 if t_def is None else t_def.height
        s_height = -1 if s_def is None else s_def.height
        if s_def is None or t_def is None:
            # a stuck projection on the other side may come loose first
            other = s if s_def is None else t
            loosened = self.whnf_core(other) if type(get_app_fn(other)) is Proj else other
            if loosened is not other:
                return (t, loosened) if s_def is None else (loosened, s)
        if t_def is not None and t_height >= s_height:
            t = self.whnf_core(self._unfold_to(t, t_def), True)
        if s_def is not None and s_height >= t_height:
            s = self.whnf_core(self._unfold_to(s, s_def), True)
        return t, s

    def _same_head(self, definition: Definition, t: Expr, s: Expr) -> bool:
        """Whether two applications of one definition are equal argument by argument."""
        if definition.height == ABBREV_HEIGHT or type(t) is not App or type(s) is not App:
            return False
        return _same_levels(get_app_fn(t), get_app_fn(s)) and self._is_def_eq_args(t, s)

    def _is_def_eq_args(self, t: Expr, s: Expr) -> bool:
        t_args, s_args = get_app(t)[1], get_app(s)[1]
        if len(t_args) != len(s_args):
            return False
        for a, b in zip(t_args, s_args, strict=True):  # noqa: SIM110 - `all` would recurse on the C stack
            if a is not b and not self.is_def_eq(a, b):
                return False
        return True

    def _is_def_eq_proj(self, t: Proj, s: Proj) -> bool:
        return t.idx == s.idx and t.struct == s.struct and self.is_def_eq(t.expr, s.expr)

    def _is_def_eq_app(self, t: Expr, s: Expr) -> bool:
        if type(t) is not App or type(s) is not App:
            return False
        return self.is_def_eq(get_app_fn(t), get_app_fn(s)) and self._is_def_eq_args(t, s)

    def _try_eta(self, t: Expr, s: Expr) -> bool:
        """`fun x => b` against `s`: compare with `fun x => s x`."""
        if type(t) is not Lam or type(s) is Lam:
            return False
        s_type = self.whnf(self._infer(s, True))
        if type(s_type) is not Pi:
            return False
        return self.is_def_eq(t, mk_lam(s_type.name, s_type.type, mk_app(s, mk_bvar(0)), s_type.info))

    def _try_eta_struct(self, t: Expr, s: Expr) -> bool:
        """`t` against `mk a1 ... an` of a structure: compare each `t.i` with `ai`."""
        head, args = get_app(s)
        constructor = self.find(head.name) if type(head) is Const else None
        if (
            type(constructor) is not Constructor
            or len(args) != constructor.num_params + constructor.num_fields
        ):
            return False
        inductive = self.find(constructor.inductive)
        if type(inductive) is not Inductive or not inductive.is_structure_like:
            return False
        if not self.is_def_eq(self._infer(t, True), self._infer(s, True)):
            return False
        for i, field in enumerate(args[constructor.num_params :]):
            if not self.is_def_eq(mk_proj(inductive.name, i, t), field):
                return False
        return True

    def _is_def_eq_unit_like(self, t: Expr, s: Expr) -> bool:
        """Terms of a structure without fields are equal."""
        t_type = self.whnf(self._infer(t, True))
        head = get_app_fn(t_type)
        inductive = self.find(head.name) if type(head) is Const else None
        if type(inductive) is not Inductive or not inductive.is_structure_like:
            return False
        constructor = self.find(inductive.constructors[0])
        if type(constructor) is not Constructor or constructor.num_fields:
            return False
        return self.is_def_eq(t_type, self._infer(s, True))


def _zeta(e: Let) -> Expr:
    """The body of `e` (and of the `let`s right below) with the values put in."""
    values: list[Expr] = []
    body: Expr = e
    while type(body) is Let:
        values.append(instantiate(body.value, values))
        body = body.body
    return instantiate(body, values)


def _same_levels(t: Expr, s: Expr) -> bool:
    """Whether two constants have equal universe arguments."""
    if type(t) is not Const or type(s) is not Const or len(t.levels) != len(s.levels):
        return False
    return t.levels == s.levels or all_equiv(t.levels, s.levels)
