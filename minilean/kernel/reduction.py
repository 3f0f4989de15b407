"""Steps of reduction: recursors, quotients, projections, definitions, and numbers.

Source: Lean 4 `src/kernel/type_checker.cpp`, `inductive.h` (`inductive_reduce_rec`).
"""

from __future__ import annotations

from typing import Final

from minilean.kernel.declaration import (
    OPAQUE_HEIGHT,
    Constructor,
    Definition,
    Inductive,
    QuotDecl,
    Recursor,
)
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    Let,
    Lit,
    Proj,
    get_app,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_proj,
)
from minilean.kernel.instantiate import beta_apply, instantiate
from minilean.kernel.judgements import Checker
from minilean.kernel.literals import NAT_FUNCTIONS, compute, literal_to_constructor, literal_value, work
from minilean.kernel.proved_equations import EQUATIONS
from minilean.kernel.quot import reduce_quot


def delta(tc: Checker, e: Expr) -> Definition | None:
    """The definition at the head of `e`, if it may be unfolded. Theorems are never unfolded."""
    head = get_app_fn(e)
    if type(head) is not Const:
        return None
    declaration = tc.find(head.name)
    if type(declaration) is not Definition or declaration.height == OPAQUE_HEIGHT:
        return None
    return declaration if len(head.levels) == len(declaration.level_params) else None


def unfold(tc: Checker, e: Expr) -> Expr | None:
    """`e` with the definition at its head unfolded."""
    declaration = delta(tc, e)
    return None if declaration is None else unfold_to(tc, e, declaration)


def unfold_to(tc: Checker, e: Expr, declaration: Definition) -> Expr:
    """`e` with the definition at its head, which is the one given, unfolded."""
    head, args = get_app(e)
    value = declaration.value
    if declaration.level_params:
        value = tc.env.instance(head, declaration, 1, value)  # type: ignore[arg-type]
    return beta_apply(value, args)


def reduce_const(tc: Checker, head: Const, args: list[Expr]) -> Expr | None:
    """Reduce an application of a recursor or of a function on quotients."""
    declaration = tc.find(head.name)
    if type(declaration) is Recursor:
        return _reduce_recursor(tc, head, declaration, args)
    if type(declaration) is QuotDecl:
        return reduce_quot(head.name, args, tc.whnf, tc.find)
    return None


def _reduce_recursor(tc: Checker, head: Const, recursor: Recursor, args: list[Expr]) -> Expr | None:
    major_index = recursor.major_index
    if len(args) <= major_index or len(head.levels) != len(recursor.level_params):
        return None
    major = args[major_index]
    if recursor.k:
        major = _to_constructor_when_k(tc, recursor, major) or major
    major = tc.whnf(major)
    if type(major) is Lit and type(major.value) is int:
        tc.tick_number(major.value)
        major = literal_to_constructor(major.value)
    else:
        major = _to_constructor_when_structure(tc, recursor, major)
    constructor, major_args = get_app(major)
    if type(constructor) is not Const:
        return None
    built = tc.find(constructor.name)
    if type(built) is not Constructor or built.inductive != recursor.inductive:
        return None
    rule = recursor.rules[built.index]
    # the parameters of a nested type, as of `List Tree`, are not those of the recursor
    if len(major_args) != built.num_params + rule.num_fields:
        return None
    rhs = rule.rhs
    if recursor.level_params:
        rhs = tc.env.instance(head, recursor, 2 + built.index, rhs)
    fields = major_args[built.num_params :]
    return beta_apply(rhs, args[: recursor.first_index] + fields + args[major_index + 1 :])


def _to_constructor_when_k(tc: Checker, recursor: Recursor, major: Expr) -> Expr | None:
    """The only constructor, if the type of `major` is the type it builds."""
    major_type = tc.whnf(tc.infer(major, True))
    head, args = get_app(major_type)
    if type(head) is not Const or head.name != recursor.inductive:
        return None
    constructor = mk_const(recursor.rules[0].constructor, head.levels)
    built = mk_apps(constructor, args[: recursor.num_params])
    return built if tc.is_def_eq(major_type, tc.infer(built, True)) else None


def _to_constructor_when_structure(tc: Checker, recursor: Recursor, major: Expr) -> Expr:
    """`mk major.1 ... major.n` for a major premise of a structure outside `Prop`, else `major` itself."""
    inductive = tc.find(recursor.inductive)
    if type(inductive) is not Inductive or not inductive.is_structure_like:
        return major
    if _constructor_of(tc, major) is not None:
        return major
    major_type = tc.whnf(tc.infer(major, True))
    head, args = get_app(major_type)
    if type(head) is not Const or head.name != recursor.inductive or tc.is_prop(major_type):
        return major
    rule = recursor.rules[0]
    fields: list[Expr] = [mk_proj(inductive.name, i, major) for i in range(rule.num_fields)]
    return mk_apps(mk_const(rule.constructor, head.levels), args[: inductive.num_params] + fields)


def _constructor_of(tc: Checker, e: Expr) -> Constructor | None:
    head = get_app_fn(e)
    declaration = tc.find(head.name) if type(head) is Const else None
    return declaration if type(declaration) is Constructor else None


def reduce_proj(tc: Checker, e: Proj, cheap: bool) -> Expr | None:
    """The field itself, if the structure comes down to its constructor."""
    tc.enter()
    struct = tc.whnf_core(e.expr, True) if cheap else tc.whnf(e.expr)
    tc.depth -= 1
    head, args = get_app(struct)
    declaration = tc.find(head.name) if type(head) is Const else None
    if type(declaration) is not Constructor or declaration.inductive != e.struct:
        return None
    index = declaration.num_params + e.idx
    return args[index] if index < len(args) else None


def reduce_nat(tc: Checker, e: Expr) -> Expr | None:
    """Compute a function whose equations are verified, or `Nat.succ`, on literals."""
    if type(e) is not App or e.has_fvar:
        return None
    head, args = get_app(e)
    if type(head) is not Const or head.levels:
        return None
    if _ARITY.get(head.name) != len(args) or not _computes(tc, head.name):
        return None
    values: list[int] = []
    for arg in args:
        value = literal_value(tc.whnf(arg))
        if value is None:
            return None
        values.append(value)
    tc.tick_many(work(head.name, tuple(values)))
    result = compute(head.name, tuple(values), tc.fuel.max_literal_bits)
    if type(result) is Lit and type(result.value) is int:
        tc.tick_number(result.value)
    return result


_ARITY: Final = {
    "Nat.succ": 1,
    **NAT_FUNCTIONS,
    **{name: equations.arity for name, equations in EQUATIONS.items()},
}
"""Functions that may compute on literals, with their number of arguments."""


def _computes(tc: Checker, name: str) -> bool:
    if name == "Nat.succ":
        return tc.nat_is_standard()
    return tc.env.computes_on_literals(name)


def zeta(e: Let) -> Expr:
    """The body of `e` (and of the `let`s right below) with the values put in."""
    values: list[Expr] = []
    body: Expr = e
    while type(body) is Let:
        values.append(instantiate(body.value, values))
        body = body.body
    return instantiate(body, values)
