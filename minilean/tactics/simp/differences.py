"""Simplification procedures for `x + k` over `Nat`: a number common to both sides of a relation or of `-` is removed.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/Nat.lean` (4.34). Lean has a lemma for each case,
here `omega` proves the equality or equivalence.
"""

from __future__ import annotations

from minilean.kernel.expr import Const, Expr, get_app, is_app_of, mk_app, mk_apps, mk_const
from minilean.kernel.level import ONE, ZERO
from minilean.meta.metavars import Meta
from minilean.meta.numerals import NAT, mk_nat_add, mk_numeral, nat_literal, nat_offset
from minilean.tactics.omega.instances import domain, operation
from minilean.tactics.omega.tactic import Omega
from minilean.tactics.simp.result import FALSE, TRUE
from minilean.tactics.state import Tactics

PROCEDURES = {
    ("Eq", 3): "Nat.reduceEqDiff",
    ("LE.le", 4): "Nat.reduceLeDiff",
    ("HSub.hSub", 6): "Nat.reduceSubDiff",
    ("BEq.beq", 4): "Nat.reduceBeqDiff",
    ("bne", 4): "Nat.reduceBneDiff",
}
Side = tuple[Expr | None, int]


def procedure_of(e: Expr) -> str | None:
    """Return the name of the procedure for terms like `e`, or `None`."""
    fn, args = get_app(e)
    return PROCEDURES.get((fn.name, len(args))) if type(fn) is Const else None


def reduced(t: Tactics, e: Expr) -> tuple[Expr, Expr] | None:
    """Remove the common number of two sides `x + k` or `k`, not both numerals; return `new` and a proof of `e = new`.

    Returns:
        `None` when there is nothing to remove.
    """
    m = t.m
    fn, args = get_app(e)
    assert type(fn) is Const
    if fn.name in ("LE.le", "HSub.hSub"):
        if domain(m, fn.name, args) != "Nat":
            return None
    elif not is_app_of(m.instantiate_mvars(args[0]), "Nat", 0):
        return None
    left, right = _side(m, args[-2]), _side(m, args[-1])
    if left is None or right is None or left[0] is right[0] is None:
        return None
    if fn.name == "HSub.hSub":
        new = _difference(left, right)
        return new, _proved(t, _equation(e, new))
    if fn.name == "LE.le":
        new = _at_most(left, right)
        return new, _equivalence(t, e, new)
    equation = _equation(args[-2], args[-1])
    new = _equal(left, right)
    proof = _equivalence(t, equation, new)
    return (new, proof) if fn.name == "Eq" else _test(fn.name, args, new, proof)


def _side(m: Meta, e: Expr) -> Side | None:
    number = nat_literal(m, e)
    return (None, number) if number is not None else nat_offset(m, e)


def _sum(side: Side) -> Expr:
    base, k = side
    return mk_numeral(k) if base is None else mk_nat_add(base, k)


def _less(left: Side, right: Side) -> tuple[Expr, Expr]:
    """Return both sides without the smaller number."""
    shared = min(left[1], right[1])
    return _sum((left[0], left[1] - shared)), _sum((right[0], right[1] - shared))


def _equation(a: Expr, b: Expr) -> Expr:
    return mk_apps(mk_const("Eq", (ONE,)), (NAT, a, b))


def _difference(left: Side, right: Side) -> Expr:
    a, b = _less(left, right)
    if nat_value(a) == 0:
        return mk_numeral(0)
    return a if nat_value(b) == 0 else operation("HSub.hSub", "Nat", a, b)


def nat_value(e: Expr) -> int | None:
    """Return the value of a numeral that this module made."""
    literal = get_app(e)[1][1] if is_app_of(e, "OfNat.ofNat", 3) else None
    return getattr(literal, "value", None)


def _at_most(left: Side, right: Side) -> Expr:
    if left[0] is None and left[1] <= right[1]:
        return TRUE
    return (
        FALSE if right[0] is None and right[1] < left[1] else operation("LE.le", "Nat", *_less(left, right))
    )


def _equal(left: Side, right: Side) -> Expr:
    if left[0] is None:
        left, right = right, left
    if right[0] is None and right[1] < left[1]:
        return FALSE
    return _equation(*_less(left, right))


def _proved(t: Tactics, prop: Expr) -> Expr:
    return Omega(t, hypotheses=False).prove(prop)


def _equivalence(t: Tactics, old: Expr, new: Expr) -> Expr:
    """Return a proof of `old = new`."""
    if new is TRUE:
        return mk_apps(mk_const("eq_true"), (old, _proved(t, old)))
    if new is FALSE:
        return mk_apps(mk_const("eq_false"), (old, _proved(t, mk_app(mk_const("Not"), old))))
    return mk_apps(mk_const("propext"), (old, new, _proved(t, mk_apps(mk_const("Iff"), (old, new)))))


def _test(name: str, args: list[Expr], new: Expr, proof: Expr) -> tuple[Expr, Expr] | None:
    """Return the new form of `==` or `!=` where the equation becomes `new`, with a proof."""
    usual = mk_apps(mk_const("instBEqOfDecidableEq", (ZERO,)), (NAT, mk_const("instDecidableEqNat")))
    if args[1] is not usual:
        return None
    a, b = args[-2:]
    word = "beq" if name == "BEq.beq" else "bne"
    if new is FALSE:
        value, lemma = ("false", "FalseOfEqFalse") if word == "beq" else ("true", "TrueOfEqFalse")
        return mk_const(f"Bool.{value}"), mk_apps(mk_const(f"Nat.Simproc.{word}{lemma}"), (a, b, proof))
    _, (_, c, d) = get_app(new)
    changed = mk_apps(mk_const(name, (ZERO,)), (NAT, args[1], c, d))
    return changed, mk_apps(mk_const(f"Nat.Simproc.{word}EqOfEqEq"), (a, b, c, d, proof))
