"""Functional induction: the principle that follows the cases and recursive calls of a function.

For `ack` it is `∀ motive, (∀ y, motive 0 y) → (∀ x, motive x 1 → motive (x + 1) 0) → .. → ∀ x y, motive x y`. Its proof
is the function's body with hypotheses instead of values; it terminates as the function does.

Source: Lean 4 `src/Lean/Meta/Tactic/FunInd.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minilean.elab.match.case_trees import Alternative
from minilean.elab.match.overlaps import equation, exclusions, reflexivity
from minilean.elab.match.splitters import rows_of, splitter
from minilean.elab.names import resolve_exact
from minilean.elab.recursion.recursion import compile_structural
from minilean.elab.recursion.recursive_calls import motive_level_position
from minilean.elab.recursion.termination import compile_well_founded
from minilean.elab.recursion.well_founded import Body, instantiate_all, open_body
from minilean.elab.term import Elab
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import (
    PROP,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Pi,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate, instantiate1, replace
from minilean.kernel.level import ZERO, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import is_prop
from minilean.meta.metavars import Meta
from minilean.syntax import ast

_WORDS = ("induct", "fun_cases")


@dataclass(frozen=True, slots=True)
class FunctionalPrinciple:
    """A principle for a function: closed statement and proof, and the positions of its fixed and varying arguments."""

    level_params: tuple[str, ...]
    type: Expr
    value: Expr
    fixed: tuple[int, ...]
    varying: tuple[int, ...]


def _no_induction(name: str) -> MetaError:
    return MetaError(f"No functional induction theorem for `{name}`, or the function is mutually recursive")


def functional_principle(el: Elab, name: str, cases_only: bool = False) -> FunctionalPrinciple:
    """Build the induction principle of a recursive function; with `cases_only` the case distinction of any function.

    Raises:
        MetaError: The function has no such principle, or it is of a form that is not supported.
    """
    m = el.m
    decl = m.env.find(name)
    if not isinstance(decl, Definition) or (not cases_only and not m.env.is_recursive(name)):
        raise MetaError(f"No functional cases theorem for `{name}`") if cases_only else _no_induction(name)
    recursion = m.env.recursions.get(name)
    if recursion is not None and len(recursion.all) > 1 and not cases_only:
        raise _no_induction(name)
    const = mk_const(name, tuple(mk_param(p) for p in decl.level_params))
    old = m.lctx
    try:
        m.lctx = m.lctx.replace_all([])
        self_var = m.push_local(name, decl.type, hidden=True)
        written = decl.value if recursion is None else recursion.value
        written = replace(written, lambda e, _depth: self_var if e is const else None)
        body = (_all_varying if cases_only else open_body)(m, name, self_var, written)
        mirror = _Mirror(el, body, cases_only)
        tree = m.mk_lambda(body.variables, mirror.tree())
        fixed = [x for i, x in enumerate(body.args) if i not in body.varying]
        bases = [m.local(x) for x in (self_var, *fixed, mirror.motive)]
        m.lctx = m.lctx.replace_all([*bases, *mirror.cases, m.local(mirror.hypothesis)])
        proof = tree if cases_only else _terminating(el, name, body, mirror, tree)
        bound = [*fixed, mirror.motive, *(d.fvar for d in mirror.cases)]

        def closed(e: Expr) -> Expr:
            return instantiate1(abstract(m.instantiate_mvars(e), [self_var]), const)

        return FunctionalPrinciple(
            decl.level_params,
            closed(m.mk_pi(bound, mirror.conclusion)),
            closed(m.mk_lambda(bound, proof)),
            tuple(i for i in range(len(body.args)) if i not in body.varying),
            tuple(body.varying),
        )
    finally:
        m.lctx = old


def principle_named(el: Elab, name: str) -> tuple[str, FunctionalPrinciple] | None:
    """Return the full name and the principle that `f.induct` or `f.fun_cases` stands for.

    Args:
        el: The elaborator.
        name: A name as it is written.

    Returns:
        `None` if the name has another form, or belongs to a constant that exists, or there is no such function.

    Raises:
        UnsupportedError: The function has a principle of a form that is not supported.
    """
    base, _, word = name.rpartition(".")
    if word not in _WORDS or not base or resolve_exact(el.m.env, el.scope, name) is not None:
        return None
    function = resolve_exact(el.m.env, el.scope, base)
    decl = None if function is None else el.m.env.find(function)
    cases_only = word == "fun_cases"
    if function is None or not isinstance(decl, Definition):
        return None
    if not cases_only and not el.m.env.is_recursive(function):
        return None
    return f"{function}.{word}", functional_principle(el, function, cases_only)


def _all_varying(m: Meta, name: str, self_var: FVar, value: Expr) -> Body:
    args: list[FVar] = []
    while type(value) is Lam:
        args.append(m.push_local(value.name, value.type, value.info))
        value = instantiate1(value.body, args[-1])
    return Body(self_var, args, value, list(range(len(args))))


def _terminating(el: Elab, name: str, body: Body, mirror: _Mirror, tree: Expr) -> Expr:
    """Compile the proof, which calls itself, by the recursion of the function."""
    recursion = el.m.env.recursions[name]
    if recursion.position is not None:
        position = body.varying.index(recursion.position)
        return compile_structural(el.m, name, mirror.hypothesis, tree, position)[0]
    hints, bound = recursion.hints or (ast.Termination(), 0)
    before = sum(1 for i in body.varying if i < bound)
    assert isinstance(hints, ast.Termination)
    return compile_well_founded(el, name, mirror.hypothesis, tree, hints, before)


@dataclass(frozen=True, slots=True)
class _Matched:
    """A `match` in the body of a function.

    Attributes:
        discrs: Its discriminants.
        variables: Those that are variables of the case.
        moved: Hypotheses about them, which each alternative introduces again.
        kept: The other variables of the case.
        equations: Number of the other discriminants, for which there are equations.
        split: Whether alternatives overlap, so that its splitter takes its place.
        statement: Maps values of the discriminants to what an alternative proves.
    """

    discrs: list[Expr]
    variables: list[FVar]
    moved: list[FVar]
    kept: list[FVar]
    equations: int
    split: bool
    statement: Callable[[Sequence[Expr]], Expr]


@dataclass(slots=True)
class _Mirror:
    """Maps the body of a function to a proof of `motive`, and collects the premises that the proof needs."""

    el: Elab
    body: Body
    cases_only: bool
    motive: FVar = field(init=False)
    conclusion: Expr = field(init=False)
    hypothesis: FVar = field(init=False)
    cases: list[LocalDecl] = field(default_factory=list)

    def __post_init__(self) -> None:
        m = self.el.m
        xs = self.body.variables
        self.motive = m.push_local("motive", m.mk_pi(xs, PROP))
        self.conclusion = m.mk_pi(xs, mk_apps(self.motive, xs))
        self.hypothesis = m.push_local("ih", self.conclusion, hidden=True)

    def tree(self) -> Expr:
        """Return the proof of `motive xs` for the arguments that vary."""
        xs = self.body.variables
        return self._mirror(self.body.body, list(xs), list(xs))

    def _goal(self, current: Sequence[Expr]) -> Expr:
        return mk_apps(self.motive, current)

    def _mirror(self, e: Expr, current: list[Expr], hyps: list[FVar]) -> Expr:
        """Return a proof of `motive current`, where `e` is the value there.

        Args:
            e: A part of the body that is in the position of a result.
            current: The arguments of the function, over the present context.
            hyps: The variables of the present case, in order.
        """
        m = self.el.m
        m.budget.spend("functional induction")
        if type(e) is Let:
            return self._binding(e.name, e.type, e.value, e.body, current, hyps)
        fn, args = get_app(e)
        if type(fn) is Lam and args:
            inner = self._binding(fn.name, fn.type, args[0], fn.body, current, hyps, args[1:])
            return inner
        if type(fn) is Const and fn.name in ("ite", "dite") and len(args) == 5:
            return self._condition(fn.name == "dite", args, current, hyps)
        info = m.env.matchers.get(fn.name) if type(fn) is Const else None
        if info is not None and len(args) >= info.arity:
            assert type(fn) is Const
            if len(args) > info.arity:
                raise UnsupportedError("functional induction over `match h : ..`")
            return self._match(fn, info, args, current, hyps)
        return self._leaf(e, current, hyps)

    def _binding(
        self,
        name: str,
        type_: Expr,
        value: Expr,
        body: Expr,
        current: list[Expr],
        hyps: list[FVar],
        extra: Sequence[Expr] = (),
    ) -> Expr:
        m = self.el.m
        if not is_prop(m, type_):
            return self._mirror(beta_apply(instantiate1(body, value), extra), current, hyps)
        old = m.lctx
        try:
            h = m.push_local(name, type_)
            inner = self._mirror(beta_apply(instantiate1(body, h), extra), current, [*hyps, h])
            return mk_app(m.mk_lambda([h], inner), value)
        finally:
            m.lctx = old

    def _condition(self, named: bool, args: list[Expr], current: list[Expr], hyps: list[FVar]) -> Expr:
        m = self.el.m
        _, prop, instance, *branches = args
        proofs = []
        for branch, fact in zip(branches, (prop, mk_app(mk_const("Not"), prop)), strict=True):
            old = m.lctx
            name = branch.name if named and type(branch) is Lam else "h✝"
            h = m.push_local(name, fact)
            value = beta_apply(branch, [h]) if named else branch
            proofs.append(m.mk_lambda([h], self._mirror(value, current, [*hyps, h])))
            m.lctx = old
        return mk_apps(mk_const("dite", (ZERO,)), (self._goal(current), prop, instance, *proofs))

    def _match(
        self, fn: Const, info: MatcherInfo, args: list[Expr], current: list[Expr], hyps: list[FVar]
    ) -> Expr:
        m = self.el.m
        params, first = args[: info.num_params], info.num_params + 1
        discrs, alts = args[first : first + info.num_discrs], args[first + info.num_discrs :]
        variables = [d for d in discrs if type(d) is FVar and d in hyps]
        # hypotheses about the discriminants are introduced again in each alternative
        moved = [h for h in hyps if h not in variables and self._depends(h, variables)]
        kept = [h for h in hyps if h not in variables and h not in moved]
        old = m.lctx
        try:
            _, xs, rows = rows_of(m, fn, info, params)
            terms = [d for d in discrs if d not in variables]
            equations = [equation(m, d, x) for d, x in zip(discrs, xs, strict=True) if d not in variables]

            def statement(values: Sequence[Expr]) -> Expr:
                """Return the goal with the discriminants replaced by values."""
                goal = m.mk_pi(moved, self._goal(current))
                for prop in reversed(equations):
                    goal = mk_pi("heq✝", prop, goal)
                pairs = [(d, v) for d, v in zip(discrs, values, strict=True) if d in variables]
                goal = instantiate_all(goal, [d for d, _ in pairs], [v for _, v in pairs])
                return instantiate(abstract(goal, xs), list(values))

            motive = m.mk_lambda(xs, statement(xs))
            overlaps = [exclusions(m, rows, i) for i in range(len(rows))]
            matched = _Matched(discrs, variables, moved, kept, len(equations), bool(any(overlaps)), statement)
            proofs = [
                self._alternative(matched, alts[i], (info.has_unit[i], info.alt_arities[i]), row, overlaps[i])
                for i, row in enumerate(rows)
            ]
        finally:
            m.lctx = old
        if any(overlaps):
            made = splitter(self.el, fn, info, params, ZERO)
            proof = beta_apply(made.value, [motive, *discrs, *proofs])
        else:
            position = motive_level_position(m, fn.name)
            levels = list(fn.levels)
            if position is not None:
                levels[position] = ZERO
            proof = mk_apps(mk_const(fn.name, tuple(levels)), [*params, motive, *discrs, *proofs])
        return mk_apps(proof, [*(reflexivity(equation(m, d, d)) for d in terms), *moved])

    def _depends(self, h: FVar, variables: Sequence[FVar]) -> bool:
        type_ = self.el.m.instantiate_mvars(self.el.m.local(h).type)
        return any(sub in variables for sub in subterms(type_))

    def _alternative(
        self,
        matched: _Matched,
        alt: Expr,
        shape: tuple[bool, int],
        row: Alternative,
        overlaps: Sequence[Expr],
    ) -> Expr:
        """Return the proof for one alternative of a `match`; `shape`: whether it takes `Unit`, and its arity."""
        m = self.el.m
        unit, arity = shape
        old = m.lctx
        try:
            names, inner = [], alt
            for _ in range(arity):
                names.append(inner.name if type(inner) is Lam else "x✝")
                inner = inner.body if type(inner) is Lam else inner
            fresh: list[FVar] = []
            for x, name in zip(row.variables, names, strict=False):
                type_ = m.local(x).type
                fresh.append(m.push_local(name, instantiate_all(type_, row.variables[: len(fresh)], fresh)))
            terms = [instantiate_all(t, row.variables, fresh) for t in row.terms]
            value = beta_apply(alt, [mk_const("Unit.unit")] if unit else fresh)
            known = [m.push_local("x✝", instantiate_all(p, row.variables, fresh)) for p in overlaps]
            goal = matched.statement(terms)
            again: list[FVar] = []
            for _ in range(matched.equations + len(matched.moved)):
                assert type(goal) is Pi
                again.append(m.push_local(goal.name, goal.type, goal.info))
                goal = instantiate1(goal.body, again[-1])
            now = list(get_app(goal)[1])
            pairs = [(d, t) for d, t in zip(matched.discrs, terms, strict=True) if d in matched.variables]
            sources = [*(d for d, _ in pairs), *matched.moved]
            targets = [*(t for _, t in pairs), *again[matched.equations :]]
            value = instantiate_all(value, sources, targets)
            proof = self._mirror(value, now, [*matched.kept, *fresh, *known, *again])
            bound: list[FVar] = [*fresh, *known, *again]
            if unit and not matched.split:
                return mk_lam("x✝", mk_const("Unit"), m.mk_lambda(bound, proof))
            return m.mk_lambda(bound, proof)
        finally:
            m.lctx = old

    # -- a result ------------------------------------------------------------------------------------------

    def _leaf(self, e: Expr, current: list[Expr], hyps: list[FVar]) -> Expr:
        m = self.el.m
        found: list[tuple[Expr, Expr]] = []
        if not self.cases_only:
            self._collect(e, [], found)
        count = len(found)
        type_ = self._goal(current)
        for i, (prop, _) in enumerate(found):
            type_ = mk_pi(f"ih{i + 1}", prop, type_)
        type_ = m.mk_pi(hyps, type_)
        old = m.lctx
        case = m.push_local(f"case{len(self.cases) + 1}", type_)
        self.cases.append(m.local(case))
        m.lctx = old
        return mk_apps(case, [*hyps, *(found[i][1] for i in reversed(range(count)))])

    def _collect(self, e: Expr, bound: list[FVar], found: list[tuple[Expr, Expr]]) -> None:
        """Add statement and proof of the hypothesis for each recursive call in `e`, the outer call first."""
        m = self.el.m
        if not any(sub is self.body.self_var for sub in subterms(e)):
            return
        if type(e) in (Lam, Pi, Let):
            self._collect(e.type, bound, found)  # type: ignore[attr-defined]
            if type(e) is Let:
                self._collect(e.value, bound, found)
                self._collect(instantiate1(e.body, e.value), bound, found)
                return
            old = m.lctx
            x = m.push_local(e.name, e.type)  # type: ignore[attr-defined]
            self._collect(instantiate1(e.body, x), [*bound, x], found)  # type: ignore[attr-defined]
            m.lctx = old
            return
        fn, args = get_app(e)
        if fn is self.body.self_var:
            if len(args) < len(self.body.args):
                raise UnsupportedError("functional induction where the function is not fully applied")
            values = [args[i] for i in self.body.varying]
            prop = m.mk_pi(bound, mk_apps(self.motive, values))
            if all(prop is not known for known, _ in found):
                found.append((prop, m.mk_lambda(bound, mk_apps(self.hypothesis, values))))
        elif type(e) is not App:
            raise UnsupportedError("functional induction over a projection of a recursive call")
        else:
            self._collect(fn, bound, found)
        for arg in args:
            self._collect(arg, bound, found)
