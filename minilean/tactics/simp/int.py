"""Simplification procedures for integer literals: operations are computed, relations decided.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/Int.lean` (4.34). Quotients of large numbers, which the
kernel would find by counting, are proved by `omega`.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Const, Expr, get_app, is_app_of, mk_apps, mk_const
from minilean.kernel.level import ONE
from minilean.meta.numerals import mk_numeral, nat_literal
from minilean.tactics.omega.ground import MAX_BITS, MAX_DIVIDEND
from minilean.tactics.omega.instances import INT, domain, int_literal, int_numeral, operation
from minilean.tactics.omega.tactic import Omega
from minilean.tactics.state import Tactics

MAX_EXPONENT = 256
"""Lean's `exponentiation.threshold`."""

OPERATIONS: dict[tuple[str, int], str] = {
    ("HAdd.hAdd", 6): "Int.reduceAdd",
    ("HSub.hSub", 6): "Int.reduceSub",
    ("HMul.hMul", 6): "Int.reduceMul",
    ("HDiv.hDiv", 6): "Int.reduceDiv",
    ("HMod.hMod", 6): "Int.reduceMod",
    ("HPow.hPow", 6): "Int.reducePow",
    ("Neg.neg", 3): "Int.reduceNeg",
    ("Int.natAbs", 1): "Int.reduceAbs",
    ("Int.toNat", 1): "Int.reduceToNat",
    ("Int.negSucc", 1): "Int.reduceNegSucc",
}
RELATIONS: dict[tuple[str, int], str] = {
    ("Eq", 3): "Int.reduceEq",
    ("Ne", 3): "Int.reduceNe",
    ("LT.lt", 4): "Int.reduceLT",
    ("LE.le", 4): "Int.reduceLE",
    ("GT.gt", 4): "Int.reduceGT",
    ("GE.ge", 4): "Int.reduceGE",
    ("Dvd.dvd", 4): "Int.reduceDvd",
}


def reduced(t: Tactics, e: Expr, runs: Callable[[str], bool]) -> tuple[Expr, Expr | None] | None:
    """Return the value of an operation on literals and a proof of the equality, `None` if it holds by definition."""
    fn, args = get_app(e)
    procedure = OPERATIONS.get((fn.name, len(args))) if type(fn) is Const else None
    if procedure is None or not runs(procedure):
        return None
    assert type(fn) is Const
    if len(args) == 1:
        value = _of_one(t, fn.name, args[0])
        return None if value is None else (value, None)
    if domain(t.m, fn.name, args) != "Int":
        return None
    if fn.name == "Neg.neg":
        # `-3` is a literal, and `-0` is left to `Int.neg_zero`
        inner = int_literal(t.m, args[2])
        return None if inner is None or inner >= 0 else (int_numeral(-inner), None)
    a = int_literal(t.m, args[4])
    b = nat_literal(t.m, args[5]) if fn.name == "HPow.hPow" else int_literal(t.m, args[5])
    if a is None or b is None:
        return None
    return _computed(t, e, fn.name, a, b)


def _of_one(t: Tactics, name: str, arg: Expr) -> Expr | None:
    if name == "Int.negSucc":
        number = nat_literal(t.m, arg)
        return None if number is None else int_numeral(-number - 1)
    value = int_literal(t.m, arg)
    if value is None:
        return None
    return mk_numeral(abs(value) if name == "Int.natAbs" else max(value, 0))


def _computed(t: Tactics, e: Expr, name: str, a: int, b: int) -> tuple[Expr, Expr | None] | None:
    if name == "HPow.hPow" and (b > MAX_EXPONENT or a.bit_length() * b > MAX_BITS):
        return None
    if max(a.bit_length(), b.bit_length()) > MAX_BITS:
        return None
    value = int_numeral(_COMPUTE[name](a, b))
    if name in ("HDiv.hDiv", "HMod.hMod") and abs(a) > MAX_DIVIDEND and b:
        return value, _by_omega(t, name, e, value)
    return value, None


def _by_omega(t: Tactics, name: str, e: Expr, value: Expr) -> Expr:
    """Prove `e = value` by `omega`; a remainder by `-k` is first rewritten to the one by `k`."""
    _, (*_, a, b) = get_app(e)
    if name == "HDiv.hDiv" or not is_app_of(b, "Neg.neg", 3):
        return Omega(t, hypotheses=False).prove(mk_apps(mk_const("Eq", (ONE,)), (INT, e, value)))
    k = get_app(b)[1][2]
    positive = operation("HMod.hMod", "Int", a, k)
    rest = _by_omega(t, name, positive, value)
    turned = mk_apps(mk_const("Int.emod_neg"), (a, k))
    return mk_apps(mk_const("Eq.trans", (ONE,)), (INT, e, positive, value, turned, rest))


def is_decided(t: Tactics, e: Expr, runs: Callable[[str], bool]) -> bool:
    """Return whether evaluation may decide the relation: it is between literals, and the work is bounded."""
    fn, args = get_app(e)
    procedure = RELATIONS.get((fn.name, len(args))) if type(fn) is Const else None
    if procedure is None or not runs(procedure):
        return False
    assert type(fn) is Const
    if args[0] is not INT if len(args) == 3 else domain(t.m, fn.name, args) != "Int":
        return False
    a, b = int_literal(t.m, args[-2]), int_literal(t.m, args[-1])
    if a is None or b is None or max(a.bit_length(), b.bit_length()) > MAX_BITS:
        return False
    return fn.name != "Dvd.dvd" or abs(b) <= MAX_DIVIDEND


def _quotient(a: int, b: int) -> int:
    """Return the quotient, rounded so that the remainder is not negative."""
    if not b:
        return 0
    return (a - a % abs(b)) // b


_COMPUTE: dict[str, Callable[[int, int], int]] = {
    "HAdd.hAdd": lambda a, b: a + b,
    "HSub.hSub": lambda a, b: a - b,
    "HMul.hMul": lambda a, b: a * b,
    "HDiv.hDiv": _quotient,
    "HMod.hMod": lambda a, b: a - b * _quotient(a, b),
    "HPow.hPow": lambda a, b: int(a**b),
}
