"""Natural number literals: `Lit n` stands for `Nat.succ (... Nat.zero)`, and some functions compute on them.

A function computes on literals only in an environment where its defining equations hold by unfolding (checked
on free variables when the definition is admitted): there, computing gives what unfolding would have given. The
functions of `proved_equations`, which do not recurse on the structure of an argument, have proved equations instead.

Source: Lean 4 `src/kernel/type_checker.cpp` (`reduce_nat`); the equations, lean4lean's `checkPrimitive`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from minilean.kernel.declaration import Constructor, Declaration, Inductive
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    TYPE,
    App,
    Const,
    Expr,
    Lit,
    mk_app,
    mk_apps,
    mk_arrow,
    mk_const,
    mk_lit,
)
from minilean.kernel.judgements import Checker
from minilean.kernel.traversal import alpha_eq


def is_standard_nat(find: Callable[[str], Declaration | None]) -> bool:
    """Return whether `Nat` is the inductive type with `Nat.zero : Nat` and `Nat.succ : Nat -> Nat`."""
    nat, zero, succ = find("Nat"), find("Nat.zero"), find("Nat.succ")
    if type(nat) is not Inductive or nat.level_params or nat.constructors != ("Nat.zero", "Nat.succ"):
        return False
    if type(zero) is not Constructor or type(succ) is not Constructor or nat.num_params:
        return False
    nat_type = mk_const("Nat")
    return (
        alpha_eq(nat.type, TYPE)
        and alpha_eq(zero.type, nat_type)
        and alpha_eq(succ.type, mk_arrow(nat_type, nat_type))
    )


def literal_value(e: Expr) -> int | None:
    """`n` for the literal `n` and 0 for `Nat.zero`, else `None`."""
    if type(e) is Lit and type(e.value) is int:
        return e.value
    return 0 if type(e) is Const and e.name == "Nat.zero" else None


def predecessor(e: Expr) -> Expr | None:
    """`x` for `Nat.succ x` and for the literal after the literal `x`, else `None`."""
    if type(e) is Lit:
        return mk_lit(e.value - 1) if type(e.value) is int and e.value > 0 else None
    if type(e) is App and type(e.fn) is Const and e.fn.name == "Nat.succ":
        return e.arg
    return None


def literal_to_constructor(value: int) -> Expr:
    """`Nat.zero` or `Nat.succ (value - 1)`."""
    return mk_app(mk_const("Nat.succ"), mk_lit(value - 1)) if value else mk_const("Nat.zero")


def compute(name: str, args: tuple[int, ...], max_bits: int) -> Expr | None:
    """`Nat.succ` or a function that computes at `args`; `None` if over `max_bits` bits may result."""
    a, b = args[0], args[-1]
    bits, b_bits = a.bit_length(), b.bit_length()
    if name in ("Nat.add", "Nat.succ"):
        return mk_lit(a + (b if name == "Nat.add" else 1)) if max(bits, b_bits) < max_bits else None
    if name == "Nat.mul":
        return mk_lit(a * b) if bits + b_bits <= max_bits else None
    if name == "Nat.pow":
        return mk_lit(a**b) if b <= MAX_POW_EXPONENT and (a <= 1 or bits * b <= max_bits) else None
    if name == "Nat.sub":
        return mk_lit(a - b if a > b else 0)
    if name == "Nat.pred":
        return mk_lit(a - 1 if a else 0)
    if name == "Nat.shiftLeft":
        return mk_lit(a << b) if b <= max_bits and bits + b <= max_bits else None
    if name in _NEVER_LARGER:
        return mk_lit(_NEVER_LARGER[name](a, b))
    holds = a == b if name == "Nat.beq" else a <= b
    return mk_const("Bool.true" if holds else "Bool.false")


_NEVER_LARGER: Final[dict[str, Callable[[int, int], int]]] = {
    "Nat.div": lambda a, b: a // b if b else 0,
    "Nat.mod": lambda a, b: a % b if b else a,
    "Nat.gcd": math.gcd,
    "Nat.log2": lambda a, _: max(a.bit_length() - 1, 0),
    "Nat.land": lambda a, b: a & b,
    "Nat.lor": lambda a, b: a | b,
    "Nat.xor": lambda a, b: a ^ b,
    "Nat.shiftRight": lambda a, b: a >> min(b, a.bit_length()),
}
"""Functions whose value has at most as many bits as the larger argument."""


def work(name: str, args: tuple[int, ...]) -> int:
    """Return the steps that computing counts for, beside those for its value: those of a division are many."""
    if name not in ("Nat.div", "Nat.mod", "Nat.gcd"):
        return 0
    return args[0].bit_length() * args[-1].bit_length() >> 22


MAX_POW_EXPONENT: Final = 1 << 24
"""As in Lean; `FuelConfig.max_literal_bits` binds earlier unless the base is 0 or 1."""

NAT_FUNCTIONS: Final = {
    "Nat.pred": 1,
    "Nat.add": 2,
    "Nat.sub": 2,
    "Nat.mul": 2,
    "Nat.pow": 2,
    "Nat.beq": 2,
    "Nat.ble": 2,
    "Nat.shiftLeft": 2,
    "Nat.shiftRight": 2,
}
"""Functions whose equations hold by unfolding, with their number of arguments."""

_RESTS_ON: Final = {
    "Nat.sub": "Nat.pred",
    "Nat.mul": "Nat.add",
    "Nat.pow": "Nat.mul",
    "Nat.shiftLeft": "Nat.mul",
    "Nat.shiftRight": "Nat.div",
}
"""Function -> the function that its equations mention, whose own equations have to be verified first."""


def has_defining_equations(checker: Checker, name: str) -> bool:
    """Return whether the declared function `name` has its type and satisfies its equations by unfolding.

    Args:
        checker: A fresh checker for an environment that holds `name`, in which `name` does not compute yet.
        name: A key of `NAT_FUNCTIONS`.
    """
    declaration = checker.find(name)
    if declaration is None or declaration.level_params or not is_standard_nat(checker.find):
        return False
    if name in _RESTS_ON and not checker.env.computes_on_literals(_RESTS_ON[name]):
        return False
    nat = mk_const("Nat")
    result: Expr = mk_const("Bool") if name in ("Nat.beq", "Nat.ble") else nat
    for _ in range(NAT_FUNCTIONS[name]):
        result = mk_arrow(nat, result)
    x, y = checker.new_local("x", nat), checker.new_local("y", nat)
    try:
        return checker.is_def_eq(declaration.type, result) and all(
            [checker.is_def_eq(left, right) for left, right in _equations(name, x, y)]
        )
    except KernelError:
        # e.g. a name in an equation that this environment does not know
        return False


def _equations(name: str, x: Expr, y: Expr) -> list[tuple[Expr, Expr]]:
    zero, succ = mk_const("Nat.zero"), mk_const("Nat.succ")
    true, false = mk_const("Bool.true"), mk_const("Bool.false")
    x1, y1 = mk_app(succ, x), mk_app(succ, y)

    def call(function: str, *args: Expr) -> Expr:
        return mk_apps(mk_const(function), args)

    if name == "Nat.pred":
        return [(call(name, zero), zero), (call(name, x1), x)]
    if name in ("Nat.beq", "Nat.ble"):
        zero_succ = false if name == "Nat.beq" else true
        return [
            (call(name, zero, zero), true),
            (call(name, zero, y1), zero_succ),
            (call(name, x1, zero), false),
            (call(name, x1, y1), call(name, x, y)),
        ]
    one = mk_app(succ, zero)
    two = mk_app(succ, one)
    at_zero = {"Nat.mul": zero, "Nat.pow": one}
    before = call(name, x, y)
    at_succ = {
        "Nat.add": mk_app(succ, before),
        "Nat.sub": call("Nat.pred", before),
        "Nat.mul": call("Nat.add", before, x),
        "Nat.pow": call("Nat.mul", before, x),
        "Nat.shiftLeft": call(name, call("Nat.mul", two, x), y),
        "Nat.shiftRight": call("Nat.div", before, two),
    }
    return [(call(name, x, zero), at_zero.get(name, x)), (call(name, x, y1), at_succ[name])]
