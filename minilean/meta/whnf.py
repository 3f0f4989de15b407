"""Weak head normal forms of terms with metavariables.

Source: Lean 4 `src/Lean/Meta/WHNF.lean` (4.34). The order of reduction is Lean's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from minilean.kernel.declaration import Constructor, Definition, Inductive, Recursor
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    MVar,
    Pi,
    Proj,
    Sort,
    get_app,
    get_app_args,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
    mk_lit,
)
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params
from minilean.meta.extension import DEFAULT_TRANSPARENCY, INSTANCES, REDUCIBLE, ProjectionInfo
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.matchers import reduce_matcher
from minilean.meta.metavars import Meta
from minilean.meta.numerals import literal_to_constructor, mk_nat_add, nat_offset
from minilean.meta.smart_unfolding import smart_unfold

_SUCC = mk_const("Nat.succ")
_STUCK_KINDS = (Sort, Pi, Lam, Lit)
MAX_LITERAL_BITS = 1 << 18
MAX_EXPONENT = 256
"""Lean's `exponentiation.threshold`: powers with a larger exponent are not evaluated at once."""


def whnf_core(m: Meta, e: Expr) -> Expr:
    """Beta, let, projections and recursors at the head; no definition is unfolded."""
    while True:
        kind = type(e)
        if kind is App:
            fn = e
            args = []
            while type(fn) is App:
                args.append(fn.arg)
                fn = fn.fn
            args.reverse()
            kind = type(fn)
            if kind is Lam:
                m.budget.spend("whnf")
                e = beta_apply(fn, args)
                continue
            if kind is Const:
                new = _reduce_recursor(m, fn, args)  # type: ignore[arg-type]
                if new is None:
                    return e
                e = new
                continue
            if kind is MVar:
                if fn.id in m.mctx.assignment or fn.id in m.mctx.delayed:  # type: ignore[attr-defined]
                    new = m.head_instantiated(e)
                    if new is not e:
                        e = new
                        continue
                return e
            if kind is FVar or kind is Proj or kind is Let:
                head = whnf_core(m, fn)
                if head is fn:
                    return e
                e = beta_apply(head, args)
                continue
            return e
        if kind is MVar:
            value = m.mctx.assignment.get(e.id)  # type: ignore[attr-defined]
            if value is None:
                return e
            e = value
        elif kind is FVar:
            decl = m.lctx.decls.get(e.id)  # type: ignore[attr-defined]
            if decl is None or decl.value is None or not m.zeta_delta:
                return e
            e = decl.value
        elif kind is Let:
            e = instantiate1(e.body, e.value)  # type: ignore[attr-defined]
        elif kind is Proj:
            new = _reduce_proj(m, e)
            if new is None:
                return e
            e = new
        else:
            return e


def _reduce_proj(m: Meta, e: Expr) -> Expr | None:
    value = whnf(m, e.expr)  # type: ignore[attr-defined]
    fn, args = get_app(value)
    if type(fn) is Const:
        decl = m.env.find(fn.name)
        if type(decl) is Constructor:
            return args[decl.num_params + e.idx]  # type: ignore[attr-defined]
    return None


def _reduce_recursor(m: Meta, fn: Const, args: list[Expr]) -> Expr | None:
    decl = m.env.find(fn.name)
    if type(decl) is not Recursor:
        info = m.env.matchers.get(fn.name)
        if info is not None:
            return reduce_matcher(m, fn, args, info)
        if decl is not None and fn.name in ("Quot.lift", "Quot.ind"):
            return _reduce_quot(m, fn, args)
        return None
    if decl.major_index >= len(args):
        return None
    m.budget.spend("whnf")
    major = args[decl.major_index]
    offset = nat_offset(m, m.head_instantiated(major)) if decl.inductive == "Nat" else None
    # `n + 2` is `Nat.succ (n + 1)`, whatever may be unfolded
    major = whnf(m, major) if offset is None else mk_app(_SUCC, mk_nat_add(offset[0], offset[1] - 1))
    if decl.k:
        major = _to_k_constructor(m, decl, fn, major) or major
    major = literal_to_constructor(major)
    ctor, ctor_args = get_app(major)
    if type(ctor) is not Const or type(m.env.find(ctor.name)) is not Constructor:
        major = _eta_struct(m, decl, major) or major
        ctor, ctor_args = get_app(major)
        if type(ctor) is not Const:
            return None
    for rule in decl.rules:
        if rule.constructor == ctor.name:
            if len(ctor_args) < rule.num_fields:
                return None
            rhs = instantiate_level_params(rule.rhs, decl.level_params, fn.levels)
            rhs = beta_apply(rhs, args[: decl.first_index] + ctor_args[len(ctor_args) - rule.num_fields :])
            return beta_apply(rhs, args[decl.major_index + 1 :]) if len(args) > decl.major_index + 1 else rhs
    return None


def _to_k_constructor(m: Meta, decl: Recursor, fn: Const, major: Expr) -> Expr | None:
    """For `Eq.rec` and its like: the constructor that `major`'s type determines, if its type agrees."""
    type_ = whnf(m, infer_type(m, major))
    head, args = get_app(type_)
    if type(head) is not Const or head.name != decl.inductive:
        return None
    if any(type(a) is MVar for a in args[decl.num_params :]):
        return None
    inductive = m.env.find(decl.inductive)
    assert isinstance(inductive, Inductive)
    new = mk_apps(mk_const(inductive.constructors[0], head.levels), args[: decl.num_params])
    with m.new_mctx_depth():
        same = m.is_def_eq(infer_type(m, new), type_)
    return new if same else None


def _eta_struct(m: Meta, decl: Recursor, major: Expr) -> Expr | None:
    inductive = m.env.find(decl.inductive)
    if not isinstance(inductive, Inductive) or not inductive.is_structure_like:
        return None
    if decl.inductive not in m.env.structures:
        return None
    type_ = whnf(m, infer_type(m, major))
    head, args = get_app(type_)
    if type(head) is not Const or head.name != decl.inductive or is_prop(m, type_):
        return None
    ctor = m.env.find(inductive.constructors[0])
    assert isinstance(ctor, Constructor)
    params = args[: inductive.num_params]
    names = m.env.structures[decl.inductive].fields
    fields = [mk_apps(mk_const(f"{decl.inductive}.{f}", head.levels), [*params, major]) for f in names]
    return mk_apps(mk_const(ctor.name, head.levels), params + fields)


def _reduce_quot(m: Meta, fn: Const, args: list[Expr]) -> Expr | None:
    position, func = (5, 3) if fn.name == "Quot.lift" else (4, 3)
    if len(args) <= position:
        return None
    major = whnf(m, args[position])
    head, mk_args = get_app(major)
    if type(head) is not Const or head.name != "Quot.mk" or len(mk_args) != 3:
        return None
    return mk_apps(mk_app(args[func], mk_args[2]), args[position + 1 :])


# These compute the same as in Lean's core library but are defined differently: they unfold on closed terms only.
_ON_LITERALS = frozenset(["Nat.gcd", "String.append", "String.ofList"])


def can_unfold(m: Meta, name: str, e: Expr) -> bool:
    """Return whether the present transparency lets the constant at the head of `e` unfold."""
    if m.env.reducibility.get(name, DEFAULT_TRANSPARENCY) <= m.transparency:
        return True
    if name not in _ON_LITERALS or m.transparency < DEFAULT_TRANSPARENCY:
        return False
    e = m.instantiate_mvars(e)
    return not (e.has_fvar or e.has_mvar or e.loose)


def unfold_definition(m: Meta, e: Expr) -> Expr | None:
    """`e` with the definition at its head unfolded once and contracted, or `None`.

    A projection function unfolds only when the structure it is applied to reduces to a constructor.
    """
    fn = get_app_fn(e)
    if type(fn) is not Const:
        return None
    projection = m.env.projections.get(fn.name)
    if projection is not None:
        return _unfold_projection(m, e, projection)
    decl = m.env.find(fn.name)
    if (
        type(decl) is not Definition
        or not can_unfold(m, fn.name, e)
        or len(fn.levels) != len(decl.level_params)
    ):
        return None
    m.budget.spend("whnf")
    if fn.name in m.env.matchers:
        return None  # `whnf_core` has tried to reduce it
    recursion = m.env.recursions.get(fn.name)
    if recursion is not None:
        return smart_unfold(m, fn, get_app_args(e), recursion)
    value = decl.value
    if fn.levels:
        value = instantiate_level_params(value, decl.level_params, fn.levels)
    return beta_apply(value, get_app_args(e))


def _unfold_projection(m: Meta, e: Expr, info: ProjectionInfo) -> Expr | None:
    args = get_app_args(e)
    if len(args) <= info.num_params:
        return None
    if not info.is_class and m.transparency < DEFAULT_TRANSPARENCY and m.transparency < REDUCIBLE:
        return None
    m.budget.spend("whnf")
    if info.is_class and m.transparency < INSTANCES:
        # Lean unfolds class projections of instances only at `instances` transparency or above
        return None
    value = whnf(m, args[info.num_params])
    fn, ctor_args = get_app(value)
    if type(fn) is not Const:
        return None
    decl = m.env.find(fn.name)
    if type(decl) is not Constructor or len(ctor_args) != decl.num_params + decl.num_fields:
        return None
    return beta_apply(ctor_args[decl.num_params + info.index], args[info.num_params + 1 :])


def whnf(m: Meta, e: Expr) -> Expr:
    """Weak head normal form, unfolding what the present transparency allows."""
    kind = type(e)
    if kind in _STUCK_KINDS:
        return e
    cacheable = not e.has_mvar and m.zeta_delta
    if cacheable:
        hit = m.whnf_cache.get((e, m.transparency))
        if hit is not None:
            return hit
    out = e
    while True:
        out = whnf_core(m, out)
        literal = reduce_nat(m, out)
        if literal is not None:
            out = literal
            break
        new = unfold_definition(m, out)
        if new is None:
            break
        out = new
    if cacheable:
        m.whnf_cache[(e, m.transparency)] = out
    return out


def _sub(a: int, b: int) -> int:
    return max(a - b, 0)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "Nat.add": operator.add,
    "Nat.sub": _sub,
    "Nat.mul": operator.mul,
    "Nat.pow": operator.pow,
    "Nat.div": lambda a, b: a // b if b else 0,
    "Nat.mod": lambda a, b: a % b if b else a,
    "Nat.gcd": math.gcd,
    "Nat.land": operator.and_,
    "Nat.lor": operator.or_,
    "Nat.xor": operator.xor,
    "Nat.shiftLeft": operator.lshift,
    "Nat.shiftRight": lambda a, b: a >> min(b, a.bit_length()),
}
_BINARY_BOOL: dict[str, Callable[[int, int], bool]] = {"Nat.beq": operator.eq, "Nat.ble": operator.le}


_UNARY = ("Nat.succ", "Nat.log2")
_ON_NUMBERS = frozenset([*_BINARY, *_BINARY_BOOL, *_UNARY])


def reduce_nat(m: Meta, e: Expr) -> Expr | None:
    """`Nat` functions applied to literals, computed. Closed terms only."""
    if e.has_fvar or type(e) is not App:
        return None
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in _ON_NUMBERS:
        return None
    if e.has_mvar:
        args = [m.instantiate_mvars(arg) for arg in args]
        if any(arg.has_mvar or arg.has_fvar for arg in args):
            return None
    if len(args) == 2 and fn.name not in _UNARY:
        left, right = _literal(m, args[0]), _literal(m, args[1])
        if left is None or right is None:
            return None
        if fn.name in _BINARY_BOOL:
            return mk_const("Bool.true" if _BINARY_BOOL[fn.name](left, right) else "Bool.false")
        if _bits(fn.name, left, right) > MAX_LITERAL_BITS:
            return None
        return mk_lit(_BINARY[fn.name](left, right))
    if len(args) == 1 and fn.name in _UNARY:
        value = _literal(m, args[0])
        if value is None:
            return None
        return mk_lit(value + 1 if fn.name == "Nat.succ" else max(value.bit_length() - 1, 0))
    return None


def _bits(name: str, left: int, right: int) -> int:
    """Return a bound on the bits of the value of `name`; over all bounds for an exponent that Lean refuses."""
    if name == "Nat.pow":
        return MAX_LITERAL_BITS + 1 if right > MAX_EXPONENT else left.bit_length() * right
    if name == "Nat.shiftLeft":
        return left.bit_length() + right
    return left.bit_length() + right.bit_length()


def _literal(m: Meta, e: Expr) -> int | None:
    value = whnf(m, e)
    if type(value) is Lit and type(value.value) is int:
        return value.value
    if type(value) is Const and value.name == "Nat.zero":
        return 0
    return None


def whnf_reducible(m: Meta, e: Expr) -> Expr:
    """`whnf` unfolding reducible definitions only."""
    old, m.transparency = m.transparency, REDUCIBLE
    try:
        return whnf(m, e)
    finally:
        m.transparency = old
