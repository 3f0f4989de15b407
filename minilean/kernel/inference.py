"""The type of a term by its outermost node; with `only` nothing is verified.

Source: Lean 4 `src/kernel/type_checker.cpp`, `infer_type_core` and what it calls.
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.errors import (
    ArgumentMismatch,
    FunctionExpected,
    InvalidProjection,
    LetMismatch,
    UnknownConstant,
    Unsupported,
    WrongLevelCount,
)
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    Lam,
    Let,
    Lit,
    Pi,
    Proj,
    get_app,
    mk_const,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, instantiate, instantiate1
from minilean.kernel.judgements import Checker
from minilean.kernel.level import Level, simplify, simplify_imax


def infer_const(tc: Checker, e: Const) -> Expr:
    """The type of a constant at its universe arguments."""
    declaration = tc.find(e.name)
    if declaration is None:
        raise UnknownConstant(e.name)
    if not e.levels and not declaration.level_params:
        return declaration.type
    if len(e.levels) != len(declaration.level_params):
        raise WrongLevelCount(e.name, len(declaration.level_params), len(e.levels))
    return tc.env.instance(e, declaration, 0, declaration.type)


def infer_lit(tc: Checker, e: Lit) -> Expr:
    """The type of a literal: `Nat`, provided that it is Lean's type."""
    if type(e.value) is not int:
        raise Unsupported("string literals")
    if not tc.nat_is_standard():
        raise UnknownConstant("Nat")
    return mk_const("Nat")


def infer_app(tc: Checker, e: App, only: bool) -> Expr:
    """The type of `f a1 .. an`, all arguments at once."""
    fn, args = get_app(e)
    fn_type = tc.infer(fn, only)
    start = 0  # fn_type still has to be instantiated with args[start:i]
    for i, arg in enumerate(args):
        if type(fn_type) is not Pi:
            fn_type = tc.whnf(instantiate(fn_type, args[start:i]))
            start = i
            if type(fn_type) is not Pi:
                raise tc.fail(FunctionExpected(e, fn_type))
        if not only:
            expected = fn_type.type
            if expected.loose:
                expected = instantiate(expected, args[start:i])
            got = tc.infer(arg, False)
            if got is not expected and not tc.is_def_eq(got, expected):
                raise tc.fail(ArgumentMismatch(e, arg, expected, got))
        fn_type = fn_type.body
    return instantiate(fn_type, args[start:])


def infer_lambda(tc: Checker, e: Lam, only: bool) -> Expr:
    """The type of `fun x1 .. xn => b`, all binders at once."""
    binders: list[Lam] = []
    fvars: list[Expr] = []
    body: Expr = e
    while type(body) is Lam:
        domain = instantiate(body.type, fvars)
        if not only:
            tc.sort_level(domain, tc.infer(domain, False))
        binders.append(body)
        fvars.append(tc.new_local(body.name, domain))
        body = body.body
    result = abstract(tc.infer(instantiate(body, fvars), only), fvars)
    for binder in reversed(binders):
        result = mk_pi(binder.name, binder.type, result, binder.info)
    return result


def infer_pi(tc: Checker, e: Pi, only: bool) -> Expr:
    """The universe of a function type: `imax` of those of its parts."""
    levels: list[Level] = []
    fvars: list[Expr] = []
    body: Expr = e
    while type(body) is Pi:
        domain = instantiate(body.type, fvars)
        levels.append(tc.sort_level(domain, tc.infer(domain, only)))
        fvars.append(tc.new_local(body.name, domain))
        body = body.body
    body = instantiate(body, fvars)
    level = simplify(tc.sort_level(body, tc.infer(body, only)))
    for domain_level in reversed(levels):
        level = simplify_imax(simplify(domain_level), level)
    return mk_sort(level)


def infer_let(tc: Checker, e: Let, only: bool) -> Expr:
    """The type of the body with the values put in."""
    values: list[Expr] = []
    body: Expr = e
    while type(body) is Let:
        value = instantiate(body.value, values)
        if not only:
            expected = instantiate(body.type, values)
            tc.sort_level(expected, tc.infer(expected, False))
            got = tc.infer(value, False)
            if not tc.is_def_eq(got, expected):
                raise tc.fail(LetMismatch(value, expected, got))
        values.append(value)
        body = body.body
    return tc.infer(instantiate(body, values), only)


def infer_proj(tc: Checker, e: Proj, only: bool) -> Expr:
    """The type of a field; data cannot be taken out of a proof."""
    struct_type = tc.whnf(tc.infer(e.expr, only))
    head, args = get_app(struct_type)
    if type(head) is not Const or head.name != e.struct:
        raise tc.fail(InvalidProjection(e, f"the term is not of the structure '{e.struct}'"))
    inductive = tc.find(head.name)
    if type(inductive) is not Inductive or len(inductive.constructors) != 1:
        raise tc.fail(InvalidProjection(e, f"'{e.struct}' is not a structure"))
    constructor = tc.find(inductive.constructors[0])
    if type(constructor) is not Constructor or len(args) != inductive.num_params + inductive.num_indices:
        raise tc.fail(InvalidProjection(e, f"'{e.struct}' is not a structure"))
    if e.idx >= constructor.num_fields:
        raise tc.fail(InvalidProjection(e, f"'{e.struct}' has no field #{e.idx}"))
    field = infer_const(tc, mk_const(constructor.name, head.levels))
    field = _instantiate_pis(tc, e, field, args[: inductive.num_params])
    is_proof = not only and tc.is_prop(struct_type)
    for i in range(e.idx):
        field = _ensure_pi(tc, e, field)
        if is_proof and field.body.loose and not tc.is_prop(field.type):
            raise tc.fail(InvalidProjection(e, "the field depends on data inside a proof"))
        field = instantiate1(field.body, mk_proj(e.struct, i, e.expr))
    result = _ensure_pi(tc, e, field).type
    if is_proof and not tc.is_prop(result):
        raise tc.fail(InvalidProjection(e, "a proof has no data to take out"))
    return result


def _instantiate_pis(tc: Checker, where: Expr, e: Expr, args: list[Expr]) -> Expr:
    for arg in args:
        e = instantiate1(_ensure_pi(tc, where, e).body, arg)
    return e


def _ensure_pi(tc: Checker, where: Expr, e: Expr) -> Pi:
    if type(e) is not Pi:
        e = tc.whnf(e)
        if type(e) is not Pi:
            raise tc.fail(FunctionExpected(where, e))
    return e
