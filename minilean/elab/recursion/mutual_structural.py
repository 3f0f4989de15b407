"""Structural recursion of several functions that call each other, over one type or over types declared together.

Each type of the group gets a motive that holds the results of all functions that recurse on it; the functions that
recurse on none of a type's values leave `PUnit` there. One step for each type computes the results, and each function
is a projection of the `brecOn` of its type.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/` (4.34), `Basic.lean`, `BRecOn.lean`, `FindRecArg.lean`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from minilean.elab.display import show
from minilean.elab.recursion.brec_on import auxiliary_name
from minilean.elab.recursion.mutual_arguments import (
    Chosen,
    Function,
    choose,
    open_functions,
    shared_prefix,
    with_shared_prefix,
)
from minilean.elab.recursion.preprocess import StructuralError
from minilean.elab.recursion.recursive_calls import NoDecrease, Rewriter, calls_of, mentions
from minilean.kernel.declaration import Recursor
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import Expr, FVar, Pi, mk_apps, mk_const, mk_proj
from minilean.kernel.instantiate import abstract, instantiate
from minilean.kernel.level import is_zero
from minilean.kernel.level_order import is_equiv
from minilean.kernel.traversal import subterms
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq

_MAX_CHOICES = 100
"""Bound on the choices of a recursive argument for each function."""


def compile_mutual(
    m: Meta, functions: Sequence[tuple[str, FVar, Expr]], only: Mapping[str, int]
) -> tuple[list[Expr], list[int]]:
    """Compile functions that call each other; return their values and the positions of the recursive arguments.

    Args:
        m: The state whose local context has the variables that stand for the functions.
        functions: Name, variable and value `fun args => body` of each.
        only: The argument to recurse on, for the functions that say it.

    Raises:
        StructuralError: The functions do not recurse structurally together.
    """
    self_vars = [self_var for _, self_var, _ in functions]
    old = m.lctx
    errors: list[str] = []
    try:
        opened = open_functions(m, functions)
        fixed = shared_prefix(m, opened, self_vars)
        opened = with_shared_prefix(m, opened, fixed)
        choices = [range(len(f.args)) if f.name not in only else (only[f.name],) for f in opened]
        for positions in islice(product(*choices), _MAX_CHOICES):
            mark, context = m.mctx.mark(), m.lctx
            try:
                chosen = choose(m, opened, positions, fixed)
                return _Compiler(m, chosen, self_vars).values(), list(positions)
            except BudgetError:
                raise
            except (MetaError, KernelError) as error:
                if len(functions) == 1 and only:
                    raise  # the caller tries the arguments one by one
                if isinstance(error, NoDecrease):
                    errors.append(f"Cannot use parameters {_named(m, opened, positions)}:\n  {error}")
                m.mctx.rollback(mark)
                m.lctx = context
    finally:
        m.lctx = old
    raise StructuralError("\n".join(errors) or "Skipping arguments of type that is not an inductive type.")


def _named(m: Meta, functions: Sequence[Function], positions: Sequence[int]) -> str:
    parts = []
    for function, position in zip(functions, positions, strict=True):
        name = m.local(function.args[position]).name
        parts.append(f"{'#' + str(position + 1) if name.endswith('✝') else name} of {function.name}")
    return ", ".join(parts)


class _Compiler:
    """Compiles functions whose recursive arguments are chosen."""

    def __init__(self, m: Meta, chosen: Sequence[Chosen], self_vars: Sequence[FVar]) -> None:
        self._m = m
        self._chosen = list(chosen)
        self._self_vars = list(self_vars)
        plan = chosen[0].plan
        self._plan = plan
        self._count = len(plan.info.recursors)
        self._rests = [m.mk_pi(c.others, m.instantiate_mvars(infer_type(m, c.function.body))) for c in chosen]
        levels = [m.instantiate_level(sort_level(m, rest)) for rest in self._rests]
        self._level = levels[0]
        if not all(is_equiv(level, self._level) for level in levels):
            raise MetaError("the functions do not have results of one universe")
        self._on = [[k for k, c in enumerate(chosen) if c.motive == t] for t in range(self._count)]
        self._motives = [self._motive(t) for t in range(self._count)]
        self._named = [
            m.push_local(f"C_{t + 1}", infer_type(m, motive), value=motive)
            for t, motive in enumerate(self._motives)
        ]
        self._levels = (self._level, *plan.fn.levels)

    def values(self) -> list[Expr]:
        """Return the values of the functions, which do not mention the variables that stand for them."""
        m = self._m
        made = [self._step(c) for c in self._chosen]
        steps = [self._joined(t, made) for t in range(self._count)]
        found = []
        for k, c in enumerate(self._chosen):
            name = auxiliary_name(self._plan.info.recursors[c.motive], "brecOn")
            head = [*self._plan.params, *self._named, *c.own, *steps]
            value = self._projected(mk_apps(mk_const(name, self._levels), head), c.motive, k)
            value = instantiate(abstract(value, self._named), self._motives)
            found.append(m.mk_lambda(c.function.args, mk_apps(value, c.others)))
        return found

    def _domain(self, t: int) -> list[FVar]:
        """Introduce variables for the indices and the value of type number `t`."""
        m = self._m
        rec = m.env.find(self._plan.info.recursors[t])
        assert isinstance(rec, Recursor)
        type_ = infer_type(
            m, mk_apps(mk_const(rec.name, (self._level, *self._plan.fn.levels)), self._plan.params)
        )
        for _ in range(t):
            assert type(type_) is Pi
            type_ = type_.body
        assert type(type_) is Pi
        return m.intro_binders(type_.type)[0]

    def _motive(self, t: int) -> Expr:
        m = self._m
        old = m.lctx
        try:
            xs = self._domain(t)
            parts = [self._moved(self._rests[k], k, xs) for k in self._on[t]]
            return m.mk_lambda(xs, self._product(parts))
        finally:
            m.lctx = old

    def _moved(self, e: Expr, k: int, xs: Sequence[Expr]) -> Expr:
        """Return `e` with the indices and the recursive argument of function `k` replaced."""
        return instantiate(abstract(e, self._chosen[k].own), xs)

    # -- several values as one: nothing, one, or pairs -----------------------------------------------------

    def _product(self, parts: Sequence[Expr]) -> Expr:
        if not parts:
            return mk_const("True") if is_zero(self._level) else mk_const("PUnit", (self._level,))
        out = parts[-1]
        for part in reversed(parts[:-1]):
            out = mk_apps(self._constant("And", "PProd"), (part, out))
        return out

    def _tuple(self, values: Sequence[Expr], types: Sequence[Expr]) -> Expr:
        if not values:
            return mk_const("True.intro") if is_zero(self._level) else mk_const("PUnit.unit", (self._level,))
        out = values[-1]
        for i in range(len(values) - 2, -1, -1):
            rest = self._product(types[i + 1 :])
            out = mk_apps(self._constant("And.intro", "PProd.mk"), (types[i], rest, values[i], out))
        return out

    def _projected(self, e: Expr, t: int, k: int) -> Expr:
        """Return the part for function `k` of the results at type number `t`."""
        structure = "And" if is_zero(self._level) else "PProd"
        place, count = self._on[t].index(k), len(self._on[t])
        for _ in range(place):
            e = mk_proj(structure, 1, e)
        return e if place == count - 1 else mk_proj(structure, 0, e)

    def _constant(self, proof: str, data: str) -> Expr:
        return mk_const(proof) if is_zero(self._level) else mk_const(data, (self._level, self._level))

    # -- the steps -----------------------------------------------------------------------------------------

    def _below(self, t: int, xs: Sequence[Expr]) -> Expr:
        name = auxiliary_name(self._plan.info.recursors[t], "below")
        return mk_apps(mk_const(name, self._levels), [*self._plan.params, *self._named, *xs])

    def _step(self, c: Chosen) -> Expr:
        """Return `fun indices major below others => body` with the calls replaced."""
        m = self._m
        old = m.lctx
        try:
            below = m.push_local("below", self._below(c.motive, c.own))
            rewriter = _Rewriter(
                m, c.plan, c.function.self_var, self._named[c.motive], c.function.args, self, self._chosen
            )
            body = rewriter.rewrite(c.function.body, below)
            if any(mentions(body, self_var) for self_var in self._self_vars):
                raise MetaError("unexpected occurrence of recursive application")
            return m.mk_lambda([*c.own, below, *c.others], body)
        finally:
            m.lctx = old

    def _joined(self, t: int, steps: Sequence[Expr]) -> Expr:
        m = self._m
        if len(self._on[t]) == 1:
            return steps[self._on[t][0]]
        old = m.lctx
        try:
            xs = self._domain(t)
            below = m.push_local("below", self._below(t, xs))
            values = [mk_apps(steps[k], [*xs, below]) for k in self._on[t]]
            types = [self._moved(self._rests[k], k, xs) for k in self._on[t]]
            return m.mk_lambda([*xs, below], self._tuple(values, types))
        finally:
            m.lctx = old

    def found(self, e: Expr, k: int) -> Expr:
        """Return the result of function `k` from the results of all functions on its type."""
        return self._projected(e, self._chosen[k].motive, k)

    def motive_of(self, k: int) -> FVar:
        """Return the motive of the type on which function `k` recurses."""
        return self._named[self._chosen[k].motive]


@dataclass(slots=True)
class _Rewriter(Rewriter):
    """Replaces the calls of all functions of the group in the body of one of them."""

    compiler: _Compiler
    chosen: list[Chosen]
    self_vars: frozenset[FVar] = field(init=False)

    def __post_init__(self) -> None:
        self.self_vars = frozenset(c.function.self_var for c in self.chosen)

    def _calls(self, e: Expr) -> bool:
        return e.has_fvar and any(sub in self.self_vars for sub in subterms(e))

    def _is_call(self, fn: Expr) -> bool:
        return fn in self.self_vars

    def _recurses_on_part(self, e: Expr) -> bool:
        return any(
            len(call) > c.plan.position and bool(call[c.plan.position].loose)
            for c in self.chosen
            for call in calls_of(e, c.function.self_var)
        )

    def _call_of(self, fn: Expr, args: list[Expr], below: FVar) -> Expr:
        m = self.m
        k = next(i for i, c in enumerate(self.chosen) if c.function.self_var is fn)
        plan = self.chosen[k].plan
        if len(args) <= plan.position:
            raise NoDecrease(f"insufficient number of parameters in\n    {show(m, mk_apps(fn, args), 4)}")
        if any(not is_def_eq(m, args[i], self.args[i]) for i in range(plan.fixed)):
            raise MetaError("a parameter changes in a recursive call")
        wanted = [*(args[i] for i in plan.index_positions), args[plan.position]]
        own, self.motive = self.motive, self.compiler.motive_of(k)
        m.zeta_delta = False
        try:
            found = self._search(below, m.local(below).type, wanted, 0)
        finally:
            m.zeta_delta = True
            self.motive = own
        if found is None:
            call = show(m, mk_apps(fn, args), 4)
            raise NoDecrease(f"failed to eliminate recursive application\n    {call}")
        used = {*plan.index_positions, plan.position}
        rest = [args[i] for i in range(plan.fixed, len(args)) if i not in used]
        return mk_apps(self.compiler.found(found, k), rest)
