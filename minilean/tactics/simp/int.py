"""Simplification procedures for integer literals: operations are computed, relations decided.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/Int.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Const, Expr, get_app
from minilean.meta.numerals import mk_numeral, nat_literal
from minilean.meta.whnf import MAX_EXPONENT
from minilean.tactics.omega.ground import MAX_BITS
from minilean.tactics.omega.instances import INT, domain, int_literal, int_numeral
from minilean.tactics.state import Tactics

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


def reduced(t: Tactics, e: Expr, runs: Callable[[str], bool]) -> Expr | None:
    """Return the value of an operation on literals."""
    fn, args = get_app(e)
    procedure = OPERATIONS.get((fn.name, len(args))) if type(fn) is Const else None
    if procedure is None or not runs(procedure):
        return None
    assert type(fn) is Const
    if len(args) == 1:
        return _of_one(t, fn.name, args[0])
    if domain(t.m, fn.name, args) != "Int":
        return None
    if fn.name == "Neg.neg":
        # `-3` is a literal, and `-0` is left to `Int.neg_zero`
        inner = int_literal(t.m, args[2])
        return None if inner is None or inner >= 0 else int_numeral(-inner)
    a = int_literal(t.m, args[4])
    b = nat_literal(t.m, args[5]) if fn.name == "HPow.hPow" else int_literal(t.m, args[5])
    if a is None or b is None:
        return None
    return _computed(fn.name, a, b)


def _of_one(t: Tactics, name: str, arg: Expr) -> Expr | None:
    if name == "Int.negSucc":
        number = nat_literal(t.m, arg)
        return None if number is None else int_numeral(-number - 1)
    value = int_literal(t.m, arg)
    if value is None:
        return None
    return mk_numeral(abs(value) if name == "Int.natAbs" else max(value, 0))


def _computed(name: str, a: int, b: int) -> Expr | None:
    if name == "HPow.hPow" and (b > MAX_EXPONENT or a.bit_length() * b > MAX_BITS):
        return None
    if max(a.bit_length(), b.bit_length()) > MAX_BITS:
        return None
    return int_numeral(_COMPUTE[name](a, b))


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
    return a is not None and b is not None and max(a.bit_length(), b.bit_length()) <= MAX_BITS


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
