"""Functions that compute on literals because their equations are proved: `div mod gcd log2 land lor xor`.

They do not recurse on the structure of an argument, so their equations do not hold by unfolding on variables. Here
each equation is a theorem with a fixed name and a fixed statement. Once the last of them is declared, all without
axioms, the value of the function at literals follows from instances of them. The axioms of a theorem are those of its
statement as well, so the function rests on none: unfolding it at these literals could give no other value.

Source: the equations are those of lean4lean's `checkPrimitive`, as propositions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from minilean.kernel.declaration import Declaration, Definition, TheoremDecl
from minilean.kernel.expr import Expr, mk_apps, mk_arrow, mk_bvar, mk_const, mk_pi
from minilean.kernel.level import ONE
from minilean.kernel.literals import is_standard_nat
from minilean.kernel.quot import is_standard_eq
from minilean.kernel.traversal import alpha_eq

_NAT = mk_const("Nat")
_ZERO = mk_const("Nat.zero")


def _call(name: str, *args: Expr) -> Expr:
    return mk_apps(mk_const(name), args)


def _succ(e: Expr) -> Expr:
    return _call("Nat.succ", e)


_TWO = _succ(_succ(_ZERO))


@dataclass(frozen=True, slots=True)
class Equations:
    """Theorems that determine a function of natural numbers.

    Attributes:
        arity: Number of arguments.
        rests_on: Functions of the statements; they have to compute already.
        statements: Name of the theorem -> its statement, in the order in which the theorems are declared.
    """

    arity: int
    rests_on: tuple[str, ...]
    statements: Mapping[str, Expr]

    @property
    def last(self) -> str:
        """The theorem with which the function starts to compute."""
        return list(self.statements)[-1]


def _for_all(count: int, left: Expr, right: Expr, premise: Expr | None = None) -> Expr:
    """`∀ x.., premise → left = right` over natural numbers; the last one is the bound variable 0."""
    body: Expr = mk_apps(mk_const("Eq", (ONE,)), (_NAT, left, right))
    if premise is not None:
        body = mk_arrow(premise, body)
    for _ in range(count):
        body = mk_pi("x", _NAT, body)
    return body


def _division(name: str, at_zero: Expr, value: Expr) -> Equations:
    """`f x 0 = at_zero`, and `f ((k + 1) * q + r) (k + 1) = value` for `r < k + 1`.

    Args:
        name: The function.
        at_zero: Under one binder, `x`.
        value: Under the binders of `k q r` and the premise.
    """
    x = mk_bvar(0)
    less = _call("Nat.ble", _succ(mk_bvar(0)), _succ(mk_bvar(2)))
    premise = mk_apps(mk_const("Eq", (ONE,)), (mk_const("Bool"), less, mk_const("Bool.true")))
    # behind the premise, which is bound as well
    k, q, r = mk_bvar(3), mk_bvar(2), mk_bvar(1)
    dividend = _call("Nat.add", _call("Nat.mul", _succ(k), q), r)
    return Equations(
        2,
        ("Nat.add", "Nat.mul", "Nat.ble"),
        {
            f"{name}.by_zero": _for_all(1, _call(name, x, _ZERO), at_zero),
            f"{name}.by_succ": _for_all(3, _call(name, dividend, _succ(k)), value, premise),
        },
    )


def _bitwise(name: str, both: bool, one: bool) -> Equations:
    """`f 0 0 = 0` and `f (2 * a + i) (2 * b + j) = 2 * f a b + k` for all bits `i j`.

    Args:
        name: The function.
        both: The bit `k` for `i = j = 1`.
        one: The bit `k` for `i ≠ j`.
    """
    a, b = mk_bvar(1), mk_bvar(0)

    def with_bit(e: Expr, bit: bool) -> Expr:
        doubled = _call("Nat.mul", _TWO, e)
        return _succ(doubled) if bit else doubled

    statements = {f"{name}.zero": _for_all(0, _call(name, _ZERO, _ZERO), _ZERO)}
    for i in (False, True):
        for j in (False, True):
            bit = both if i and j else one if i or j else False
            left = _call(name, with_bit(a, i), with_bit(b, j))
            statements[f"{name}.bits_{int(i)}{int(j)}"] = _for_all(2, left, with_bit(_call(name, a, b), bit))
    return Equations(2, ("Nat.mul",), statements)


def _gcd() -> Equations:
    x, y = mk_bvar(1), mk_bvar(0)
    step = _call("Nat.gcd", _call("Nat.mod", y, _succ(x)), _succ(x))
    return Equations(
        2,
        ("Nat.mod",),
        {
            "Nat.gcd.of_zero": _for_all(1, _call("Nat.gcd", _ZERO, y), y),
            "Nat.gcd.of_succ": _for_all(2, _call("Nat.gcd", _succ(x), y), step),
        },
    )


def _log2() -> Equations:
    large = _succ(_succ(mk_bvar(0)))
    return Equations(
        1,
        ("Nat.div",),
        {
            "Nat.log2.of_zero": _for_all(0, _call("Nat.log2", _ZERO), _ZERO),
            "Nat.log2.of_one": _for_all(0, _call("Nat.log2", _succ(_ZERO)), _ZERO),
            "Nat.log2.of_large": _for_all(
                1, _call("Nat.log2", large), _succ(_call("Nat.log2", _call("Nat.div", large, _TWO)))
            ),
        },
    )


EQUATIONS: Final[Mapping[str, Equations]] = {
    "Nat.div": _division("Nat.div", _ZERO, mk_bvar(2)),
    "Nat.mod": _division("Nat.mod", mk_bvar(0), mk_bvar(1)),
    "Nat.gcd": _gcd(),
    "Nat.log2": _log2(),
    "Nat.land": _bitwise("Nat.land", both=True, one=False),
    "Nat.lor": _bitwise("Nat.lor", both=True, one=True),
    "Nat.xor": _bitwise("Nat.xor", both=False, one=True),
}
"""Functions whose equations are proved, with these equations."""

FUNCTION_OF: Final = {equations.last: name for name, equations in EQUATIONS.items()}
"""Last theorem of a function's equations -> the function."""


def has_proved_equations(
    name: str, find: Callable[[str], Declaration | None], computes: Callable[[str], bool]
) -> bool:
    """Return whether the equations of `name` are declared as theorems without axioms.

    Args:
        name: A key of `EQUATIONS`.
        find: Looks up declarations.
        computes: Whether a function computes on literals.
    """
    equations = EQUATIONS[name]
    function = find(name)
    if type(function) is not Definition or not is_standard_nat(find) or not is_standard_eq(find):
        return False
    type_: Expr = _NAT
    for _ in range(equations.arity):
        type_ = mk_arrow(_NAT, type_)
    if function.level_params or not alpha_eq(function.type, type_):
        return False
    for theorem, statement in equations.statements.items():
        found = find(theorem)
        if type(found) is not TheoremDecl or found.level_params or found.axioms:
            return False
        if not alpha_eq(found.type, statement):
            return False
    return all(computes(below) for below in equations.rests_on)
