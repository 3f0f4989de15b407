"""Values of terms made of numerals and arithmetic, where evaluation by the kernel is bounded work.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/OmegaM.lean` (4.34), `groundNat?` and `groundInt?`.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Const, Expr, get_app
from minilean.meta.metavars import Meta
from minilean.meta.numerals import nat_literal
from minilean.meta.whnf import MAX_EXPONENT
from minilean.tactics.omega.instances import domain, int_literal

MAX_BITS = 4096
"""Numbers of more bits are left as atoms."""


def ground(m: Meta, e: Expr) -> int | None:
    """Return the value of a term of type `Nat` made of numerals and arithmetic."""
    value = nat_literal(m, e)
    if value is not None:
        return value
    fn, args = get_app(e)
    if type(fn) is not Const or len(args) != 6 or fn.name not in _GROUND or domain(m, fn.name, args) != "Nat":
        return None
    a = ground(m, args[4])
    b = None if a is None else ground(m, args[5])
    if a is None or b is None:
        return None
    if fn.name == "HPow.hPow" and (b > MAX_EXPONENT or a.bit_length() * b > MAX_BITS):
        return None
    result = _GROUND[fn.name](a, b)
    return result if result.bit_length() <= MAX_BITS else None


def ground_int(m: Meta, e: Expr) -> int | None:
    """Return the value of a term of type `Int` made of numerals, casts of such, and arithmetic without division."""
    value = int_literal(m, e)
    if value is not None:
        return value
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in _GROUND_INT or domain(m, fn.name, args) != "Int":
        return None
    if fn.name == "Nat.cast":
        return ground(m, args[2])
    if fn.name == "Neg.neg":
        value = ground_int(m, args[2])
        return None if value is None else -value
    a = ground_int(m, args[4])
    b = None if a is None else (ground if fn.name == "HPow.hPow" else ground_int)(m, args[5])
    if a is None or b is None:
        return None
    if fn.name == "HPow.hPow" and (b > MAX_EXPONENT or a.bit_length() * b > MAX_BITS):
        return None
    result = a - b if fn.name == "HSub.hSub" else _GROUND[fn.name](a, b)
    return result if result.bit_length() <= MAX_BITS else None


_GROUND: dict[str, Callable[[int, int], int]] = {
    "HAdd.hAdd": lambda a, b: a + b,
    "HMul.hMul": lambda a, b: a * b,
    "HSub.hSub": lambda a, b: max(a - b, 0),
    "HDiv.hDiv": lambda a, b: a // b if b else 0,
    "HMod.hMod": lambda a, b: a % b if b else a,
    "HPow.hPow": lambda a, b: int(a**b),
}
_GROUND_INT = frozenset(["Nat.cast", "Neg.neg", "HAdd.hAdd", "HMul.hMul", "HSub.hSub", "HPow.hPow"])
