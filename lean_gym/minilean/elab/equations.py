"""The equation theorems of functions defined by pattern matching: `f.eq_1`, `f.eq_2`, .. and `f.eq_def`.

`f.eq_def : f x = match x with ..` states the whole body, and is proved by splitting until both sides compute.
`f.eq_i : f p = e` states one alternative; where earlier alternatives overlap with it, it assumes that they do not
apply.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Eqns.lean`, `src/Lean/Meta/Match/MatchEqs.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_gym.minilean.elab.case_trees import Alternative, narrow, split_variable
from lean_gym.minilean.elab.patterns import digest, matching
from lean_gym.minilean.elab.term import Elab
from lean_gym.minilean.kernel.declaration import Definition, Inductive
from lean_gym.minilean.kernel.errors import KernelError
from lean_gym.minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Lam,
    Pi,
    alpha_eq,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_pi,
    subterms,
)
from lean_gym.minilean.kernel.instantiate import (
    abstract,
    beta_apply,
    instantiate,
    instantiate1,
    instantiate_level_params,
)
from lean_gym.minilean.kernel.level import mk_param
from lean_gym.minilean.meta.errors import BudgetError, MetaError
from lean_gym.minilean.meta.extension import MatcherInfo
from lean_gym.minilean.meta.infer import infer_type, sort_level
from lean_gym.minilean.meta.metavars import Meta, has_expr_mvar
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf_core
from lean_gym.minilean.syntax import ast


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
    """Declare the equation theorems of a definition whose body is a `match`; without any if they cannot be proved."""
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
        equation = _eq(m, mk_apps(const, xs), inner)
        proof = _by_splitting(el, equation, recursive=recursion is not None)
        full = f"{name}.eq_def"
        env.kernel.add_theorem(full, decl.level_params, m.mk_pi(xs, equation), m.mk_lambda(xs, proof))
        env.unfold_equations[name] = full
        found = _match_of(m, inner)
        names = [] if found is None else _alternatives(el, name, decl, xs, found)
        env.equations[name] = tuple(names) or (full,)
    except BudgetError:
        raise
    except (MetaError, KernelError):
        # the function is what it is without them
        return
    finally:
        m.lctx = old


def _eq(m: Meta, left: Expr, right: Expr) -> Expr:
    type_ = m.instantiate_mvars(infer_type(m, left))
    return mk_apps(mk_const("Eq", (sort_level(m, type_),)), (type_, left, right))


def _refl(m: Meta, equation: Expr) -> Expr:
    fn, (type_, left, _) = get_app(equation)
    assert isinstance(fn, Const)
    return mk_apps(mk_const("Eq.refl", fn.levels), (type_, left))


def _by_splitting(el: Elab, equation: Expr, recursive: bool) -> Expr:
    """A proof of `f x = body`: cases until the body is no `match` on a variable any more, then computation."""
    m = el.m
    _, (_, _, right) = get_app(m.instantiate_mvars(equation))
    found = _match_of(m, whnf_core(m, right)) if recursive else None
    if found is not None:
        for discr in found.discrs:
            value = m.instantiate_mvars(discr)
            variable = _stuck_variable(m, value)
            if variable is not None:
                return split_variable(
                    el, variable, equation, lambda inner, t: _by_splitting(inner, t, recursive)
                )
    return _refl(m, equation)


def _stuck_variable(m: Meta, e: Expr) -> FVar | None:
    """The variable that keeps a discriminant from being a constructor, or one inside it."""
    if type(e) is FVar:
        return e
    fn, args = get_app(e)
    if type(fn) is not Const:
        return None
    for arg in reversed(args):
        if type(arg) is FVar and m.local(arg).value is None:
            head = get_app(m.instantiate_mvars(m.local(arg).type))[0]
            if type(head) is Const and isinstance(m.env.find(head.name), Inductive):
                return arg
    return None


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
        except BudgetError:
            raise
        except (MetaError, KernelError):
            continue  # an alternative whose exclusions do not compute, as those of large numbers
        names.append(full)
    return names


def _rows(m: Meta, found: _Match) -> list[Alternative]:
    """The alternatives of a matcher: variables, patterns; the variables stay in the local context."""
    decl = m.env.find(found.fn.name)
    assert decl is not None
    type_ = instantiate_level_params(decl.type, dict(zip(decl.level_params, found.fn.levels, strict=True)))
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
    """Type and proof of the equation of alternative `i`."""
    m = el.m
    old = m.lctx
    try:
        row = rows[i]
        unit = found.info.has_unit[i]
        discrs = found.discrs

        def at(e: Expr) -> Expr:
            return instantiate(abstract(e, discrs), row.terms)

        first = min(xs.index(d) for d in discrs)  # type: ignore[arg-type]
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
        fvars = [*before, *variables, *rest.values()]
        hypotheses = [_exclusion(m, row, rows[j]) for j in range(i) if _overlap(m, row, rows[j])]
        hs = [m.push_local("x✝", h) for h in hypotheses]
        whole = mk_apps(found.fn, [close(a) for a in found.args])
        target = _eq(m, whole, right)
        proof = _with_exclusions(el, target, rows, row) if hs else _refl(m, target)
        left = mk_apps(const, args)
        fn, (type_, _, _) = get_app(target)
        assert isinstance(fn, Const)
        by_def = mk_apps(mk_const(f"{name}.eq_def", const.levels), args)
        chain = mk_apps(mk_const("Eq.trans", fn.levels), (type_, left, whole, right, by_def, proof))
        bound = [*fvars, *hs]
        return m.mk_pi(bound, _eq(m, left, right)), m.mk_lambda(bound, chain)
    finally:
        m.lctx = old


def _overlap(m: Meta, row: Alternative, earlier: Alternative) -> bool:
    """Whether an earlier alternative might apply where `row` does."""
    found: dict[FVar, Expr] = {}
    stuck: list[FVar] = []
    return all([matching(m, p, t, found, stuck) for p, t in zip(earlier.patterns, row.terms, strict=True)])


def _exclusion(m: Meta, row: Alternative, earlier: Alternative) -> Expr:
    """`∀ ys, p = q → .. → False`: the earlier patterns `q` are not those of `row`."""
    out: Expr = mk_const("False")
    unit = len(earlier.variables) == 1 and not any(
        type(s) is FVar and s is earlier.variables[0] for t in earlier.terms for s in subterms(t)
    )
    for mine, theirs in reversed(list(zip(row.terms, earlier.terms, strict=True))):
        if type(theirs) is not FVar and not alpha_eq(mine, theirs):
            out = mk_pi("a✝", _eq(m, mine, theirs), out)
        elif type(theirs) is FVar:
            out = instantiate1(abstract(out, [theirs]), mine)
    left = [x for x in ([] if unit else earlier.variables) if any(s is x for s in subterms(out))]
    return m.mk_pi(left, out)


def _with_exclusions(el: Elab, target: Expr, rows: Sequence[Alternative], row: Alternative) -> Expr:
    """A proof of `match p with .. = e` for alternative `row`, by splitting what earlier alternatives ask for."""

    def values_of(goal: Expr) -> Sequence[Expr]:
        found = _match_of(el.m, get_app(el.m.instantiate_mvars(goal))[1][1])
        if found is None:
            raise MetaError("an equation lost its form")
        return found.discrs

    def leaf(inner: Elab, goal: Expr, hit: Alternative | None, values: dict[FVar, Expr]) -> Expr:
        m = inner.m
        if hit is row or hit is None:
            return _refl(m, goal)
        # an earlier alternative applies: one of the hypotheses says that it does not
        absurdity = _absurd(inner)
        if absurdity is None:
            raise MetaError("an equation whose exclusions do not exclude")
        return mk_apps(mk_const("False.elim", (sort_level(m, goal),)), (goal, absurdity))

    return narrow(el, target, values_of(target), rows, leaf, values_of)


def _absurd(el: Elab) -> Expr | None:
    """A proof of `False` from an exclusion whose equations hold by computation."""
    m = el.m
    for decl in reversed(list(m.lctx)):
        type_ = m.instantiate_mvars(decl.type)
        end = type_
        while type(end) is Pi:
            end = end.body
        if type(type_) is not Pi or end is not mk_const("False"):
            continue
        mark = m.mctx.mark()
        proof: Expr = decl.fvar
        good = True
        while type(type_) is Pi:
            fn, args = get_app(type_.type)
            if type(fn) is Const and fn.name == "Eq" and type_.name == "a✝":
                if not is_def_eq(m, args[1], args[2]):
                    good = False
                    break
                value: Expr = mk_apps(mk_const("Eq.refl", fn.levels), args[:2])
            else:
                value = m.new_mvar(type_.type)
            proof = mk_app(proof, value)
            type_ = instantiate1(type_.body, value)
        proof = m.instantiate_mvars(proof)
        if good and not has_expr_mvar(proof):
            return proof
        m.mctx.rollback(mark)
    return None
