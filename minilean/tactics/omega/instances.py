"""Operations and relations of `Nat` and `Int` that `omega` interprets, with the library's instances.

An instance that a user declares may define any operation, so the instance in a term is compared with the library's
instance and not with the result of instance search.
"""

from __future__ import annotations

from minilean.kernel.expr import Const, Expr, Lit, get_app, mk_app, mk_apps, mk_const, mk_lit
from minilean.kernel.level import ZERO
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq

NAT = mk_const("Nat")
INT = mk_const("Int")
_NAMES = {"Nat": NAT, "Int": INT}

# The position of the instance among the arguments, and the instance by type.
_KNOWN: dict[tuple[str, int], tuple[int, dict[str, Expr]]] = {}


def _operation(name: str, lift: str, nat: str, integer: str) -> None:
    instances = {
        kind: mk_apps(mk_const(lift, (ZERO,)), (_NAMES[kind], mk_const(instance)))
        for kind, instance in (("Nat", nat), ("Int", integer))
    }
    _KNOWN[name, 6] = 3, instances


def _power() -> None:
    instances = {}
    for kind, instance in (("Nat", "instNatPowNat"), ("Int", "Int.instNatPowInt")):
        power = mk_apps(mk_const("instPowNat", (ZERO,)), (_NAMES[kind], mk_const(instance)))
        instances[kind] = mk_apps(mk_const("instHPow", (ZERO, ZERO)), (_NAMES[kind], NAT, power))
    _KNOWN["HPow.hPow", 6] = 3, instances


_operation("HAdd.hAdd", "instHAdd", "instAddNat", "Int.instAddInt")
_operation("HSub.hSub", "instHSub", "instSubNat", "Int.instSubInt")
_operation("HMul.hMul", "instHMul", "instMulNat", "Int.instMulInt")
_operation("HDiv.hDiv", "instHDiv", "Nat.instDivNat", "Int.instDivInt")
_operation("HMod.hMod", "instHMod", "Nat.instModNat", "Int.instModInt")
_power()
for _name, _nat, _int in (
    ("LE.le", "instLENat", "Int.instLEInt"),
    ("GE.ge", "instLENat", "Int.instLEInt"),
    ("LT.lt", "instLTNat", "Int.instLTInt"),
    ("GT.gt", "instLTNat", "Int.instLTInt"),
    ("Min.min", "instMinNat", "Int.instMinInt"),
    ("Max.max", "Nat.instMax", "Int.instMaxInt"),
    ("Dvd.dvd", "Nat.instDvdNat", "Int.instDvdInt"),
):
    _KNOWN[_name, 4] = 1, {"Nat": mk_const(_nat), "Int": mk_const(_int)}
_KNOWN["Neg.neg", 3] = 1, {"Int": mk_const("Int.instNegInt")}
_KNOWN["Nat.cast", 3] = 1, {"Int": mk_const("instNatCastInt")}


def type_name(m: Meta, e: Expr) -> str:
    """Return `Nat`, `Int`, or the empty string for any other type."""
    e = m.instantiate_mvars(e)
    return e.name if type(e) is Const and e.name in _NAMES else ""


def domain(m: Meta, name: str, args: list[Expr]) -> str:
    """Return the type of an operation or relation as `type_name`; empty if its instance is not the library's."""
    if not args:
        return ""
    kind = type_name(m, args[0])
    if not kind or (name == "ite" and len(args) == 5):
        return kind
    place, instances = _KNOWN.get((name, len(args)), (0, {}))
    usual = instances.get(kind)
    if usual is None:
        return ""
    if len(args) == 6:
        others = ("Nat", kind) if name == "HPow.hPow" else (kind, kind)
        if (type_name(m, args[1]), type_name(m, args[2])) != others:
            return ""
    if args[place] is usual:
        return kind
    with m.new_mctx_depth():
        return kind if m.attempt(lambda: is_def_eq(m, usual, args[place])) else ""


def int_literal(m: Meta, e: Expr) -> int | None:
    """Return the value of an integer numeral, `n` or `-n`."""
    fn, args = get_app(e)
    if type(fn) is not Const or len(args) != 3:
        return None
    if fn.name == "Neg.neg":
        value = int_literal(m, args[2]) if domain(m, fn.name, args) == "Int" else None
        return None if value is None or value < 0 else -value
    if fn.name != "OfNat.ofNat" or type_name(m, args[0]) != "Int":
        return None
    number, instance = m.instantiate_mvars(args[1]), m.instantiate_mvars(args[2])
    if type(number) is not Lit or type(number.value) is not int:
        return None
    usual = mk_app(mk_const("instOfNat"), number)
    return number.value if instance is usual or m.attempt(lambda: is_def_eq(m, instance, usual)) else None


def int_numeral(value: int) -> Expr:
    """Return the numeral `value : Int` as Lean writes it, `-3` as the negation of `3`."""
    lit = mk_lit(abs(value))
    numeral = mk_apps(mk_const("OfNat.ofNat", (ZERO,)), (INT, lit, mk_app(mk_const("instOfNat"), lit)))
    return operation("Neg.neg", "Int", numeral) if value < 0 else numeral


def operation(name: str, kind: str, *operands: Expr) -> Expr:
    """Return an operation or relation with the library's instance at `Nat` or `Int`."""
    of = _NAMES[kind]
    for arity in (6, 4, 3):
        if (name, arity) in _KNOWN:
            instance = _KNOWN[name, arity][1][kind]
            types = (of, NAT if name == "HPow.hPow" else of, of) if arity == 6 else (of,)
            levels = (ZERO,) * (3 if arity == 6 else 1)
            return mk_apps(mk_const(name, levels), (*types, instance, *operands))
    raise ValueError(f"no operation `{name}`")
