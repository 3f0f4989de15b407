"""Equation theorems of functions defined by pattern matching: `f.eq_1`, `f.eq_2`, .. and `f.eq_def`.

`f.eq_def : f x = match x with ..` states the whole body. Its proof splits variables until both sides compute.
`f.eq_i : f p = e` states one alternative, with overlap assumptions where earlier alternatives overlap with it.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Eqns.lean`, `src/Lean/Meta/Match/MatchEqs.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.elab.match.case_trees import Alternative, split_variable
from minilean.elab.match.overlaps import equation, exclusions, proved_by_exclusion, reflexivity
from minilean.elab.match.patterns import digest
from minilean.elab.recursion.unfolding import stuck_variable, unfolding_proof
from minilean.elab.term import Elab
from minilean.kernel.declaration import Definition
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Lam,
    Pi,
    get_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import (
    abstract,
    beta_apply,
    instantiate,
    instantiate1,
    instantiate_level_params,
)
from minilean.kernel.level import mk_param
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import MatcherInfo
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf_core
from minilean.syntax import ast


@dataclass(slots=True)
class _Match:
    """The application of a matcher at the top of a body, taken apart."""

    fn: Const
    info: MatcherInfo
    args: list[Expr]

    @property
    def discrs(self) -> list[Expr]:
        first = self.info.num_params + 1
        return self.args[first : first + self.info.num_discrs]

    @property
    def alts(self) -> list[Expr]:
        first = self.info.num_params + 1 + self.info.num_discrs
        return self.args[first : self.info.arity]

    @property
    def extra(self) -> list[Expr]:
        return self.args[self.info.arity :]


def _match_of(m: Meta, e: Expr) -> _Match | None:
    fn, args = get_app(e)
    info = m.env.matchers.get(fn.name) if type(fn) is Const else None
    if info is None or len(args) < info.arity:
        return None
    assert isinstance(fn, Const)
    return _Match(fn, info, args)


def add_equations(el: Elab, name: str) -> None:
    """Declare the equation theorems of a definition whose body is a `match`; none if one cannot be proved."""
    m = el.m
    env = m.env
    decl = env.find(name)
    assert isinstance(decl, Definition)
    recursion = env.recursions.get(name)
    body = decl.value if recursion is None else recursion.value
    old = m.lctx
    try:
        xs, inner = m.intro_binders(body)
        const = mk_const(name, tuple(mk_param(p) for p in decl.level_params))
        if _match_of(m, inner) is None and recursion is None:
            return
        statement = equation(m, mk_apps(const, xs), inner)
        if recursion is not None and recursion.position is None:
            proof = unfolding_proof(el, decl, mk_apps(const, xs), inner)
        else:
            proof = _by_splitting(el, statement, None if recursion is None else recursion.position)
        full = f"{name}.eq_def"
        env.kernel.add_theorem(full, decl.level_params, m.mk_pi(xs, statement), m.mk_lambda(xs, proof))
        env.unfold_equations[name] = full
        found = _match_of(m, inner)
        names = [] if found is None else _alternatives(el, name, decl, xs, found)
        if names or recursion is None or recursion.position is None:
            # the body of a structurally recursive function without cases unfolds for ever
            env.equations[name] = tuple(names) or (full,)
    except BudgetError:
        raise
    except (MetaError, KernelError):
        # equations are optional: without them, `simp` computes the function by unfolding
        return
    finally:
        m.lctx = old


def _by_splitting(el: Elab, statement: Expr, position: int | None) -> Expr:
    """Prove `f x = body`: split variables until no matcher is stuck on one, then compute.

    Args:
        el: The elaborator, in the context of the variables.
        statement: The equation.
        position: The argument on which a recursive function recurses: it computes only on a constructor there.
            `None` if the function is not recursive.
    """
    m = el.m
    _, (_, left, right) = get_app(m.instantiate_mvars(statement))
    if position is None:
        return reflexivity(statement)
    found = _match_of(m, whnf_core(m, right))
    variable = None if found is None else stuck_variable(m, found.fn, found.args)
    argument = get_app(left)[1][position]
    if variable is None and type(argument) is FVar:
        variable = argument
    if variable is None:
        return reflexivity(statement)
    return split_variable(el, variable, statement, lambda inner, t: _by_splitting(inner, t, position))


def _alternatives(el: Elab, name: str, decl: Definition, xs: list[FVar], found: _Match) -> list[str]:
    m = el.m
    env = m.env
    if any(type(d) is not FVar or d not in xs for d in found.discrs) or len(set(found.discrs)) < len(
        found.discrs
    ):
        return []
    rows = _rows(m, found)
    names: list[str] = []
    for i in range(len(rows)):
        full = f"{name}.eq_{i + 1}"
        try:
            env.kernel.add_theorem(full, decl.level_params, *_statement(el, name, decl, xs, found, rows, i))
        except (BudgetError, UnsupportedError):
            raise
        except (MetaError, KernelError):
            continue  # the overlap assumptions do not compute, as with large numbers
        names.append(full)
    return names


def _rows(m: Meta, found: _Match) -> list[Alternative]:
    """Return the alternatives of a matcher; their variables stay in the local context."""
    decl = m.env.find(found.fn.name)
    assert decl is not None
    type_ = instantiate_level_params(decl.type, decl.level_params, found.fn.levels)
    for arg in found.args[: found.info.num_params]:
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    motive = m.push_local("motive", type_.type, hidden=True)  # type: ignore[attr-defined]
    for arg in (motive, *found.discrs):
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    rows = []
    for alt, arity in zip(found.alts, found.info.alt_arities, strict=True):
        domain, lam = type_.type, alt  # type: ignore[attr-defined]
        variables: list[FVar] = []
        for _ in range(arity):
            assert type(domain) is Pi
            shown = lam.name if type(lam) is Lam else domain.name
            x = m.push_local(shown, domain.type)
            variables.append(x)
            domain = instantiate1(domain.body, x)
            lam = lam.body if type(lam) is Lam else lam
        terms = get_app(domain)[1]
        own, seen = set(variables), set()  # type: ignore[var-annotated]
        patterns = [digest(m, t, own, seen) for t in terms]
        decls = [m.local(x) for x in variables]
        rows.append(Alternative(variables, decls, terms, patterns, ast.MatchAlt((), ast.Hole())))
        type_ = type_.body  # type: ignore[attr-defined]
    return rows


def _statement(
    el: Elab, name: str, decl: Definition, xs: list[FVar], found: _Match, rows: list[Alternative], i: int
) -> tuple[Expr, Expr]:
    """Return type and proof of the equation of alternative `i`."""
    m = el.m
    old = m.lctx
    try:
        row = rows[i]
        unit = found.info.has_unit[i]
        discrs = found.discrs

        def at(e: Expr) -> Expr:
            return instantiate(abstract(e, discrs), row.terms)

        first = min(xs.index(d) for d in discrs if type(d) is FVar)
        before = xs[:first]
        variables = [] if unit else row.variables
        rest: dict[FVar, FVar] = {}
        for x in xs[first:]:
            if x not in discrs:
                type_ = at(m.local(x).type)
                for a, b in rest.items():
                    type_ = instantiate1(abstract(type_, [a]), b)
                rest[x] = m.push_local(m.local(x).name, type_)

        def close(e: Expr) -> Expr:
            e = at(e)
            for a, b in rest.items():
                e = instantiate1(abstract(e, [a]), b)
            return e

        args = [close(x) for x in xs]
        const = mk_const(name, tuple(mk_param(p) for p in decl.level_params))
        values = [mk_const("Unit.unit")] if unit else row.variables
        right = beta_apply(close(found.alts[i]), [*values, *(close(e) for e in found.extra)])

        def values_of(goal: Expr) -> Sequence[Expr]:
            now = _match_of(m, get_app(m.instantiate_mvars(goal))[1][1])
            if now is None:
                raise MetaError("the left side of the equation is no longer a `match`")
            return now.discrs

        fvars = [*before, *variables, *rest.values()]
        hypotheses = exclusions(m, rows, i)
        hs = [m.push_local("x✝", h) for h in hypotheses]
        whole = mk_apps(found.fn, [close(a) for a in found.args])
        target = equation(m, whole, right)
        proof = proved_by_exclusion(el, target, rows, row, values_of) if hs else reflexivity(target)
        left = mk_apps(const, args)
        fn, (type_, _, _) = get_app(target)
        assert isinstance(fn, Const)
        by_def = mk_apps(mk_const(f"{name}.eq_def", const.levels), args)
        chain = mk_apps(mk_const("Eq.trans", fn.levels), (type_, left, whole, right, by_def, proof))
        bound = [*fvars, *hs]
        return m.mk_pi(bound, equation(m, left, right)), m.mk_lambda(bound, chain)
    finally:
        m.lctx = old
