"""Natural numbers in terms: numerals, `e + k`, and closed arithmetic.

Source: Lean 4 `src/Lean/Meta/Offset.lean`, `src/Lean/Meta/LitValues.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    Lit,
    MVar,
    get_app,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
    mk_lit,
)
from minilean.kernel.level import ZERO
from minilean.meta.metavars import Meta

NAT = mk_const("Nat")


def nat_literal(m: Meta, e: Expr) -> int | None:
    """The value of a numeral: a literal, `OfNat.ofNat Nat n (instOfNatNat n)`, `Nat.zero`.

    With another instance, a user's, the same syntax may mean another number.
    """
    kind = type(e)
    if kind is Lit:
        return e.value if type(e.value) is int else None  # type: ignore[attr-defined]
    if kind is Const:
        return 0 if e.name == "Nat.zero" else None  # type: ignore[attr-defined]
    if kind is App:
        fn, args = get_app(e)
        if type(fn) is Const and fn.name == "OfNat.ofNat" and len(args) == 3:
            value = m.head_instantiated(args[1])
            type_ = m.head_instantiated(args[0])
            instance = get_app_fn(m.head_instantiated(args[2]))
            other = type(instance) is not MVar and not (
                type(instance) is Const and instance.name == "instOfNatNat"
            )
            if type(value) is Lit and type(type_) is Const and type_.name == "Nat" and not other:
                return value.value if type(value.value) is int else None
    return None


def nat_offset(m: Meta, e: Expr) -> tuple[Expr, int] | None:
    """Split `e + k`, `Nat.succ e` into `(e, k)` with `k > 0`; `None` for other terms, numerals included."""
    total = 0
    while True:
        fn, args = get_app(e)
        if type(fn) is not Const:
            break
        if fn.name == "Nat.succ" and len(args) == 1:
            total += 1
            e = m.head_instantiated(args[0])
            continue
        if (fn.name == "HAdd.hAdd" and len(args) == 6 and _is_nat_add(m, args)) or (
            fn.name == "Nat.add" and len(args) == 2
        ):
            k = nat_literal(m, m.head_instantiated(args[-1]))
            if k is not None:
                total += k
                e = m.head_instantiated(args[-2])
                continue
        break
    return (e, total) if total else None


def _is_nat_add(m: Meta, args: Sequence[Expr]) -> bool:
    types = [m.head_instantiated(a) for a in args[:3]]
    if any(type(t) is not Const or t.name != "Nat" for t in types):
        return False
    inst = m.instantiate_mvars(args[3])
    fn, inst_args = get_app(inst)
    return (
        type(fn) is Const
        and fn.name == "instHAdd"
        and type(inst_args[-1]) is Const
        and inst_args[-1].name == "instAddNat"
    )


def literal_to_constructor(e: Expr) -> Expr:
    """Return a `Nat` literal as `Nat.zero` or `Nat.succ literal`, and other terms unchanged."""
    if type(e) is Lit and type(e.value) is int:
        if e.value == 0:
            return mk_const("Nat.zero")
        return mk_app(mk_const("Nat.succ"), mk_lit(e.value - 1))
    return e


def mk_numeral(value: int) -> Expr:
    """The numeral `value : Nat` as Lean writes it, `OfNat.ofNat Nat value (instOfNatNat value)`."""
    lit = mk_lit(value)
    return mk_apps(mk_const("OfNat.ofNat", (ZERO,)), (NAT, lit, mk_app(mk_const("instOfNatNat"), lit)))


def mk_nat_add(e: Expr, k: int) -> Expr:
    """`e + k`; `e` itself for 0."""
    if k == 0:
        return e
    inst = mk_apps(mk_const("instHAdd", (ZERO,)), (NAT, mk_const("instAddNat")))
    return mk_apps(mk_const("HAdd.hAdd", (ZERO, ZERO, ZERO)), (NAT, NAT, NAT, inst, e, mk_numeral(k)))


_ARITHMETIC = {"HAdd.hAdd": "instAddNat", "HMul.hMul": "instMulNat", "HSub.hSub": "instSubNat"}

_BITS = 1 << 12


def eval_nat(m: Meta, e: Expr) -> int | None:
    """The value of a closed arithmetic expression over numerals, at any transparency (`Meta.evalNat`)."""
    value = nat_literal(m, e)
    if value is not None:
        return value
    fn, args = get_app(e)
    if type(fn) is not Const or len(args) != 6 or e.has_fvar:
        return None
    name = fn.name
    instance = _ARITHMETIC.get(name)
    if instance is None:
        return None
    _, inst_args = get_app(m.instantiate_mvars(args[3]))
    if not inst_args or type(inst_args[-1]) is not Const or inst_args[-1].name != instance:
        return None
    left, right = eval_nat(m, m.head_instantiated(args[4])), eval_nat(m, m.head_instantiated(args[5]))
    if left is None or right is None or left.bit_length() + right.bit_length() > _BITS:
        return None
    if name == "HAdd.hAdd":
        return left + right
    return left * right if name == "HMul.hMul" else max(left - right, 0)
