"""Overlap assumptions: an alternative of a `match` assumes that the earlier overlapping ones do not apply.

For `match x, y with | 0, _ => a | _, 0 => b | n, k => c` the last alternative assumes `n = 0 → False` and
`k = 0 → False`.

Source: Lean 4 `src/Lean/Meta/Match/MatchEqs.lean`, `SimpH.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.elab.match.case_trees import Alternative, cases_on, contradiction, narrow
from minilean.elab.match.patterns import literal_value
from minilean.elab.term import Elab
from minilean.kernel.declaration import Constructor, Definition
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1, instantiate_level_params
from minilean.kernel.traversal import subterms
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, is_proof, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.numerals import literal_to_constructor, mk_nat_add, nat_literal, nat_offset
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core

FALSE = mk_const("False")


def equation(m: Meta, a: Expr, b: Expr) -> Expr:
    """Return the proposition `a = b`."""
    type_ = m.instantiate_mvars(infer_type(m, a))
    return mk_apps(mk_const("Eq", (sort_level(m, type_),)), (type_, a, b))


def reflexivity(equation: Expr) -> Expr:
    """Return `Eq.refl a` for the equation `a = b`."""
    fn, (type_, left, _) = get_app(equation)
    assert isinstance(fn, Const)
    return mk_apps(mk_const("Eq.refl", fn.levels), (type_, left))


def exclusions(m: Meta, rows: Sequence[Alternative], i: int) -> list[Expr]:
    """Return the overlap assumptions of alternative `i`: each earlier overlapping alternative does not apply."""
    found = [excluding(m, rows[i].terms, rows[j]) for j in range(i)]
    return [prop for prop in found if prop is not None]


def excluding(m: Meta, terms: Sequence[Expr], earlier: Alternative) -> Expr | None:
    """Return `∀ ys, a = b → .. → False`, which says that `terms` do not match `earlier`; `None` if they never do."""
    xs = list(earlier.variables)
    todo = list(zip(terms, earlier.terms, strict=True))
    left: list[tuple[Expr, Expr]] = []
    while todo:
        a, b = todo.pop(0)
        if is_def_eq(m, a, b):
            continue
        if not is_def_eq(m, infer_type(m, a), infer_type(m, b)):
            if _fields(m, a, b) == []:
                return None
            raise UnsupportedError("overlapping alternatives over a family of types")
        if type(b) is FVar and b in xs:
            xs.remove(b)
            todo = [(p, instantiate1(abstract(q, [b]), a)) for p, q in todo]
            left = [(p, instantiate1(abstract(q, [b]), a)) for p, q in left]
            continue
        fields = _fields(m, a, b)
        if fields is None:
            left.append((a, b))
        elif fields:
            todo = [*fields[0], *todo]
        else:
            return None
    out: Expr = FALSE
    for a, b in reversed(left):
        out = mk_pi("a✝", equation(m, a, b), out)
    return m.mk_pi([x for x in xs if any(s is x for s in subterms(out))], out)


def _fields(m: Meta, a: Expr, b: Expr) -> list[list[tuple[Expr, Expr]]] | None:
    """Return a list of one item, the pairs of fields, if both terms have one constructor.

    The list is empty for different constructors; `None` if a term is not a constructor application.
    """
    values = literal_value(m, a), literal_value(m, b)
    if None not in values and values[0] != values[1]:
        return []
    left, right = _constructor(m, a), _constructor(m, b)
    if left is None or right is None:
        return None
    if left[0].name != right[0].name:
        return []
    n = left[0].num_params
    pairs = zip(left[1][n:], right[1][n:], strict=True)
    return [[(p, q) for p, q in pairs if not is_proof(m, p)]]


def _constructor(m: Meta, e: Expr) -> tuple[Constructor, list[Expr]] | None:
    offset = nat_offset(m, e)
    if offset is None or nat_literal(m, e) is not None:
        e = literal_to_constructor(whnf(m, e))
    else:
        base, count = offset
        e = mk_app(mk_const("Nat.succ"), mk_nat_add(base, count - 1) if count > 1 else base)
    fn, args = get_app(e)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    return (decl, args) if isinstance(decl, Constructor) else None


def refuted(el: Elab, prop: Expr) -> Expr:
    """Prove `∀ ys, a = b → .. → False`, in which one of the equations is false.

    Raises:
        MetaError: No proof was found.
    """
    m = el.m
    old = m.lctx
    try:
        fvars: list[FVar] = []
        names: list[str] = []
        while type(prop) is Pi:
            names.append(f"excluded{len(fvars)}_split" if is_app_of(prop.type, "Eq", 3) else prop.name)
            fvars.append(m.push_local(names[-1], prop.type))
            prop = instantiate1(prop.body, fvars[-1])
        todo = [name for name in names if name.startswith("excluded")]
        return m.mk_lambda(fvars, _clash(todo)(el, prop))
    finally:
        m.lctx = old


def _clash(names: Sequence[str]) -> Callable[[Elab, Expr], Expr]:
    """Return a step that does cases on the equations of these names until a contradiction is found."""

    def action(el: Elab, target: Expr) -> Expr:
        m = el.m
        closed = contradiction(el, target)
        if closed is not None:
            return closed
        if not names:
            raise MetaError("the equations between the alternatives are not contradictory")
        decl = m.lctx.by_name(names[0])
        rest = _clash(names[1:])
        if decl is None:
            return rest(el, target)
        mark, old = m.mctx.mark(), m.lctx
        try:
            return cases_on(el, decl.fvar, target, rest)
        except BudgetError:
            raise
        except MetaError:
            m.mctx.rollback(mark)
            m.lctx = old
            return rest(el, target)

    return action


def proved_by_exclusion(
    el: Elab,
    target: Expr,
    rows: Sequence[Alternative],
    row: Alternative,
    values_of: Callable[[Expr], Sequence[Expr]],
) -> Expr:
    """Prove `match ps with .. = e` for alternative `row` from hypotheses that exclude the earlier ones.

    Args:
        el: The elaborator, in the context of `target`.
        target: The equation.
        rows: The alternatives, in order.
        row: The alternative that applies.
        values_of: Reads `ps` off the equation, which each split refines.
    """

    def leaf(inner: Elab, goal: Expr, hit: Alternative, values: dict[FVar, Expr]) -> Expr:
        m = inner.m
        if hit is row:
            return _computed(m, goal)
        # an earlier alternative applies here: a hypothesis excludes it
        absurdity = _absurd(inner)
        if absurdity is None:
            raise MetaError("no overlap assumption excludes an earlier alternative")
        return mk_apps(mk_const("False.elim", (sort_level(m, goal),)), (goal, absurdity))

    def lacking(inner: Elab, goal: Expr, _rest: list[FVar]) -> Expr:
        return _computed(inner.m, goal)

    return narrow(el, target, values_of(target), rows, leaf, values_of, lacking)


def _computed(m: Meta, goal: Expr) -> Expr:
    """Prove `a = b` by computation; hypotheses decide each `if x = number`."""
    fn, (type_, left, right) = get_app(m.instantiate_mvars(goal))
    assert isinstance(fn, Const)
    head, args = get_app(whnf_core(m, _opened(m, left)))
    if type(head) is not Const or head.name != "dite" or len(args) != 5:
        return reflexivity(goal)
    alpha, prop, instance, yes, other = args
    made, given = get_app(whnf(m, instance))
    if type(made) is Const and made.name in ("Decidable.isTrue", "Decidable.isFalse"):
        # decided by computation, without a hypothesis
        taken = beta_apply(yes if made.name == "Decidable.isTrue" else other, [given[1]])
        return _computed(m, mk_apps(fn, (type_, taken, right)))
    negation = mk_app(mk_const("Not"), prop)
    no = next((d.fvar for d in m.lctx if m.attempt(lambda d=d: is_def_eq(m, d.type, negation))), None)  # type: ignore[misc]
    if no is None:
        return reflexivity(goal)
    step = mk_apps(mk_const("dif_neg", head.levels), (prop, instance, no, alpha, yes, other))
    taken = beta_apply(other, [no])
    rest = _computed(m, mk_apps(fn, (type_, taken, right)))
    return mk_apps(mk_const("Eq.trans", fn.levels), (type_, left, taken, right, step, rest))


def _opened(m: Meta, e: Expr) -> Expr:
    """Unfold the matcher at the head of a term."""
    head, args = get_app(e)
    decl = m.env.find(head.name) if type(head) is Const and head.name in m.env.matchers else None
    if not isinstance(decl, Definition):
        return e
    assert isinstance(head, Const)
    value = instantiate_level_params(decl.value, decl.level_params, head.levels)
    return beta_apply(value, args)


def _absurd(el: Elab) -> Expr | None:
    """Prove `False` from an exclusion whose equations hold by computation; `None` if there is none."""
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
