"""Well-founded recursion of functions that call each other, compiled to one `WellFounded.fix`.

The arguments of all functions are packed into one type, `A ⊕' B ⊕' C`, where `A` holds those of the first function as
in `well_founded.py`. Function number `k` is the recursion at its own summand. Arguments that all functions pass on
unchanged are not packed.

Source: Lean 4 `src/Lean/Elab/PreDefinition/WF/PackMutual.lean`, `src/Lean/Meta/ArgsPacker.lean` (4.34), `Mutual`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from minilean.elab.display import show
from minilean.elab.recursion.mutual_arguments import (
    Function,
    open_functions,
    shared_prefix,
    with_shared_prefix,
)
from minilean.elab.recursion.packing import Packing
from minilean.elab.recursion.recursive_calls import Plan
from minilean.elab.recursion.relations import decreases
from minilean.elab.recursion.sizes import ensure_sizes
from minilean.elab.recursion.termination import NAT_RELATION, sizes, solver, written_measure
from minilean.elab.recursion.well_founded import (
    Body,
    Call,
    Measure,
    WellFoundedRewriter,
    instantiate_all,
    prove_calls,
)
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    Expr,
    FVar,
    Pi,
    get_app,
    get_app_args,
    is_app_of,
    mk_apps,
    mk_const,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.kernel.level import ONE, Level, mk_max, simplify
from minilean.kernel.level_order import is_equiv
from minilean.kernel.traversal import subterms
from minilean.meta.context import LocalContext
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast

_MAX_CHOICES = 30
"""Bound on the choices of one argument of each function whose size is tried as the measure."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Hints of the source on the termination of a function; `bound` of its arguments stand before the colon."""

    termination: ast.Termination | None
    bound: int


def compile_mutual_well_founded(
    el: Elab, functions: Sequence[tuple[str, FVar, Expr]], hints: Sequence[Hints]
) -> list[Expr]:
    """Compile functions that call each other; return their values without the variables that stand for them.

    Args:
        el: The elaborator, whose local context has these variables.
        functions: Name, variable and value `fun args => body` of each.
        hints: What the source says about each of them.

    Raises:
        MetaError: No measure is found, or a call does not decrease.
    """
    m = el.m
    old = m.lctx
    try:
        self_vars = [self_var for _, self_var, _ in functions]
        opened = open_functions(m, functions)
        fixed = min(shared_prefix(m, opened, self_vars), min(len(f.args) for f in opened) - 1)
        if fixed < 0:
            raise MetaError("well-founded recursion cannot be used: a function takes no arguments")
        bodies = [
            Body(f.self_var, f.args, f.body, list(range(fixed, len(f.args))))
            for f in with_shared_prefix(m, opened, fixed)
        ]
        current = {x.id for body in bodies for x in body.args}
        m.lctx = m.lctx.without({x.id for f in opened for x in f.args if x.id not in current})
        ensure_sizes(m.env, [m.instantiate_mvars(m.local(x).type) for body in bodies for x in body.args])
        solvers = [solver(None if h.termination is None else h.termination.decreasing) for h in hints]
        for measures in _measures(el, opened, bodies, hints):
            mark = m.mctx.mark()
            group = _Group(m, bodies, measures)
            try:
                values = group.values()
                for calls, solve in zip(group.calls, solvers, strict=True):
                    prove_calls(el, calls, solve)
            except BudgetError:
                raise
            except MetaError:
                if all(h.termination is not None and h.termination.measure is not None for h in hints):
                    raise
                m.mctx.rollback(mark)
                continue
            values = [m.instantiate_mvars(value) for value in values]
            if any(sub in self_vars for value in values for sub in subterms(value)):
                raise MetaError("unexpected occurrence of recursive application")
            return values
    finally:
        m.lctx = old
    # Lean also tries lexicographic orders
    raise UnsupportedError("a measure for the functions of this `mutual` block: please use `termination_by`")


def _measures(
    el: Elab, functions: Sequence[Function], bodies: Sequence[Body], hints: Sequence[Hints]
) -> list[list[Measure]]:
    """Return the measures to try: those that are written, or each choice of an argument's size for each function."""
    m = el.m
    written = [h.termination is not None and h.termination.measure is not None for h in hints]
    if not any(written):
        choices = []
        for body in bodies:
            found = sizes(m, body)
            choices.append(
                [Measure(body.variables, one.value, mk_const("Nat"), NAT_RELATION) for one in found]
            )
        return [list(choice) for choice in islice(product(*choices), _MAX_CHOICES)]
    if not all(written):
        missing = functions[written.index(False)].name
        raise MetaError(
            f"incomplete set of termination hints: `{missing}` needs `termination_by`, as the functions that it is "
            "mutually recursive with"
        )
    measures = []
    for f, body, h in zip(functions, bodies, hints, strict=True):
        assert h.termination is not None
        others = {x.id for other in bodies if other is not body for x in (other.self_var, *other.variables)}
        with m.with_lctx(m.lctx.without(others)):
            measures.append(written_measure(el, f.name, body, h.termination, h.bound))
    first = measures[0]
    for f, measure in zip(functions, measures, strict=True):
        if not is_def_eq(m, measure.type, first.type) or not is_def_eq(m, measure.instance, first.instance):
            raise MetaError(
                f"The termination measures of mutually recursive functions must have the same type, but that of "
                f"`{f.name}` has type\n  {show(m, measure.type, 2)}\nand that of `{functions[0].name}` has type\n"
                f"  {show(m, first.type, 2)}"
            )
    return [measures]


class _Sum:
    """The packed type of the arguments of several functions: `A ⊕' B ⊕' C`.

    Attributes:
        parts: How the arguments of each function are packed.
        type: The type.
        level: Its universe.
    """

    def __init__(self, m: Meta, parts: Sequence[Packing]) -> None:
        self._m = m
        self.parts = list(parts)
        self._types: list[tuple[Expr, Level]] = [(parts[-1].type, parts[-1].level)]
        for part in reversed(parts[:-1]):
            rest, v = self._types[0]
            type_ = mk_apps(mk_const("PSum", (part.level, v)), (part.type, rest))
            self._types.insert(0, (type_, simplify(mk_max(ONE, mk_max(part.level, v)))))
        self.type, self.level = self._types[0]

    def inject(self, k: int, e: Expr) -> Expr:
        """Return the packed arguments `e` of function `k` as an element of the sum."""
        if k < len(self.parts) - 1:
            e = self._injected("PSum.inl", k, e)
        for i in range(k - 1, -1, -1):
            e = self._injected("PSum.inr", i, e)
        return e

    def _injected(self, name: str, i: int, e: Expr) -> Expr:
        part, (rest, v) = self.parts[i], self._types[i + 1]
        return mk_apps(mk_const(name, (part.level, v)), (part.type, rest, e))

    def taken_apart(self, e: Expr) -> tuple[int, Expr] | None:
        """Return the number of the function and its packed arguments; `None` for a term of another form."""
        for k in range(len(self.parts) - 1):
            if is_app_of(e, "PSum.inl", 3):
                return k, get_app_args(e)[-1]
            if not is_app_of(e, "PSum.inr", 3):
                return None
            e = get_app_args(e)[-1]
        return len(self.parts) - 1, e

    def split(self, x: FVar, target: Callable[[Expr], Expr], leaf: Callable[[int, FVar, Expr], Expr]) -> Expr:
        """Return a term of type `target(x)` by cases on the summand.

        Args:
            x: A variable of the type.
            target: Maps an element to a type.
            leaf: Makes the term for function `k` from the variable for its packed arguments and the element.
        """
        return self._split(0, x, x, target, leaf)

    def _split(
        self,
        i: int,
        x: FVar,
        whole: Expr,
        target: Callable[[Expr], Expr],
        leaf: Callable[[int, FVar, Expr], Expr],
    ) -> Expr:
        if i == len(self.parts) - 1:
            return leaf(i, x, whole)
        m = self._m
        old = m.lctx
        try:
            part, (rest, v) = self.parts[i], self._types[i + 1]
            goal = target(whole)
            level = m.instantiate_level(sort_level(m, goal))
            motive = m.mk_lambda([x], goal)
            cases = []
            for name, type_ in (("PSum.inl", part.type), ("PSum.inr", rest)):
                m.lctx = old
                y = m.push_local(part.name if name == "PSum.inl" else "x✝", type_)
                inner = instantiate1(abstract(whole, [x]), self._injected(name, i, y))
                case = leaf(i, y, inner) if name == "PSum.inl" else self._split(i + 1, y, inner, target, leaf)
                cases.append(m.mk_lambda([y], case))
            return mk_apps(mk_const("PSum.rec", (level, part.level, v)), (part.type, rest, motive, *cases, x))
        finally:
            m.lctx = old

    def function(self, functions: Sequence[Expr], type_: Expr) -> Expr:
        """Return the function on the sum that is `functions[k]` on summand `k`; all of them have values in `type_`."""
        m = self._m
        old = m.lctx
        try:
            x = m.push_local("x", self.type)
            body = self.split(x, lambda _: type_, lambda k, y, _: beta_apply(functions[k], [y]))
            return m.mk_lambda([x], body)
        finally:
            m.lctx = old


class _Group:
    """Compiles functions whose measures are chosen.

    Attributes:
        calls: The recursive calls in each function, once the values are made.
    """

    def __init__(self, m: Meta, bodies: Sequence[Body], measures: Sequence[Measure]) -> None:
        self._m = m
        self.bodies = list(bodies)
        self.measures = list(measures)
        self.calls: list[list[Call]] = [[] for _ in bodies]
        self.sum = _Sum(m, [Packing(m, body.variables) for body in bodies])
        hidden = {x.id for body in bodies for x in (body.self_var, *body.variables)}
        self._base: LocalContext = m.lctx.without(hidden)

    def values(self) -> list[Expr]:
        """Return the values of the functions; metavariables stand for the proofs of the calls."""
        m = self._m
        packed, parts, first = self.sum, self.sum.parts, self.measures[0]
        results = [m.instantiate_mvars(infer_type(m, body.body)) for body in self.bodies]
        levels = [m.instantiate_level(sort_level(m, result)) for result in results]
        if not all(is_equiv(level, levels[0]) for level in levels):
            raise MetaError("the functions do not have results of one universe")
        families = [
            part.function(result, mk_sort(levels[0])) for part, result in zip(parts, results, strict=True)
        ]
        motive = packed.function(families, mk_sort(levels[0]))
        sizes_ = [
            part.function(one.value, first.type) for part, one in zip(parts, self.measures, strict=True)
        ]
        u, v = packed.level, sort_level(m, first.type)
        at = packed.function(sizes_, first.type)
        relation = mk_apps(mk_const("invImage", (u, v)), (packed.type, first.type, at, first.instance))
        rel = mk_apps(mk_const("WellFoundedRelation.rel", (u,)), (packed.type, relation))
        wf = mk_apps(mk_const("WellFoundedRelation.wf", (u,)), (packed.type, relation))

        def smaller(x: Expr) -> Expr:
            y = m.push_local("y", packed.type)
            return m.mk_pi([y], mk_pi("a✝", mk_apps(rel, (y, x)), beta_apply(motive, [y])))

        def target(x: Expr) -> Expr:
            return mk_pi("F", smaller(x), beta_apply(motive, [x]))

        def summand(k: int, y: FVar, whole: Expr) -> Expr:
            body = self.bodies[k]

            def element(e: Expr) -> Expr:
                return instantiate1(abstract(whole, [y]), e)

            def leaf(values: list[FVar], inner: Expr) -> Expr:
                below = m.push_local("x✝", smaller(element(inner)))
                new = [*body.args[: body.varying[0]], *values]
                moved = instantiate_all(body.body, body.variables, values)
                plan = Plan(0, 0, None, mk_const("WellFounded.fix"), [], [])  # type: ignore[arg-type]
                rewriter = _Rewriter(
                    m,
                    plan,
                    body.self_var,
                    motive,
                    new,
                    body,
                    parts[k],
                    self.measures[k],
                    self._base,
                    self.calls[k],
                    self,
                )
                return m.mk_lambda([below], rewriter.rewrite(moved, below))

            return parts[k].split(y, lambda e: target(element(e)), leaf)

        old = m.lctx
        m.lctx = old.without({x.id for body in self.bodies for x in body.variables})
        x = m.push_local("x", packed.type)
        step = m.mk_lambda([x], packed.split(x, target, summand))
        m.lctx = old
        fix = mk_apps(mk_const("WellFounded.fix", (u, levels[0])), (packed.type, motive, rel, wf, step))
        return [
            m.mk_lambda(body.args, mk_apps(fix, [packed.inject(k, parts[k].pack(body.variables))]))
            for k, body in enumerate(self.bodies)
        ]


@dataclass(slots=True)
class _Rewriter(WellFoundedRewriter):
    """Replaces the calls of all functions of the group in the body of one of them."""

    group: _Group = field(kw_only=False, default=None)  # type: ignore[assignment]

    def _calls(self, e: Expr) -> bool:
        return e.has_fvar and any(self._is_call(sub) for sub in subterms(e))

    def _is_call(self, fn: Expr) -> bool:
        return any(fn is body.self_var for body in self.group.bodies)

    def _number(self, fn: Expr) -> int:
        return next(k for k, body in enumerate(self.group.bodies) if body.self_var is fn)

    def _arity(self, fn: Expr) -> int:
        return len(self.group.bodies[self._number(fn)].args)

    def _call_of(self, fn: Expr, args: list[Expr], below: FVar) -> Expr:
        m, group = self.m, self.group
        k = self._number(fn)
        body, measure = group.bodies[k], group.measures[k]
        first = body.varying[0]
        if any(not is_def_eq(m, args[i], self.args[i]) for i in range(first)):
            raise MetaError("a parameter changes in a recursive call")
        values = args[first : len(body.args)]
        below_type = m.instantiate_mvars(m.local(below).type)
        assert type(below_type) is Pi and type(below_type.body) is Pi
        around = group.sum.taken_apart(get_app(below_type.body.type)[1][-1])
        current = None if around is None else group.sum.parts[around[0]].unpack(around[1])
        if around is None or current is None:
            raise MetaError("the arguments of the function are not known at a recursive call")
        now = group.measures[around[0]].at(current)
        proof = self.pose(
            decreases(m, measure.type, group.measures[0].instance, measure.at(values), now), values, current
        )
        packed = group.sum.inject(k, group.sum.parts[k].pack(values))
        return mk_apps(below, [packed, proof, *args[len(body.args) :]])
