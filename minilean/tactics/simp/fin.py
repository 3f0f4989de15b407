"""Simplification procedures for literals of `Fin n`, and for `==` and `!=` between literals of any type.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/{Fin,Nat,Int,Char,String}.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import (
    Const,
    Expr,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lit,
)
from minilean.kernel.level import ZERO
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_numeral, nat_literal
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax.text_literals import text_value
from minilean.tactics.omega.instances import int_literal, type_name
from minilean.tactics.state import Tactics

MAX_SIZE = 1_000
"""Greatest bound `n` of `Fin n` whose literals are computed: the kernel finds remainders by counting."""

OPERATIONS = {
    "HAdd.hAdd": "Fin.reduceAdd",
    "HMul.hMul": "Fin.reduceMul",
    "HSub.hSub": "Fin.reduceSub",
    "HDiv.hDiv": "Fin.reduceDiv",
    "HMod.hMod": "Fin.reduceMod",
    "Fin.succ": "Fin.reduceSucc",
    "Fin.last": "Fin.reduceLast",
    "Fin.ofNat": "Fin.reduceOfNat",
    "Fin.rev": "Fin.reduceRev",
    "Fin.castSucc": "Fin.reduceCastSucc",
    "Fin.castLE": "Fin.reduceCastLE",
    "Fin.castAdd": "Fin.reduceCastAdd",
    "Fin.addNat": "Fin.reduceAddNat",
    "Fin.natAdd": "Fin.reduceNatAdd",
    "Fin.pred": "Fin.reducePred",
}
RELATIONS = {
    "Eq": "Fin.reduceEq",
    "Ne": "Fin.reduceNe",
    "LT.lt": "Fin.reduceLT",
    "LE.le": "Fin.reduceLE",
    "GT.gt": "Fin.reduceGT",
    "GE.ge": "Fin.reduceGE",
}
TESTS = {"BEq.beq": "reduceBEq", "bne": "reduceBNe"}
TESTED = ("Nat", "Int", "Fin", "Char", "String")
NAMES = (
    *OPERATIONS.values(),
    *RELATIONS.values(),
    *(f"{k}.{name}" for k in TESTED for name in TESTS.values()),
)


def computed(t: Tactics, e: Expr) -> Expr | None:
    """Return the literal that is the value of an operation on literals of `Fin n`; both are equal by definition."""
    m = t.m
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in OPERATIONS or e.has_fvar or e.has_mvar:
        return None
    if fn.name.startswith("H") and not is_app_of(args[0], "Fin", 1):
        return None
    size = _size(m, infer_type(m, e))
    if size is None or not all(
        _is_literal(m, arg) for arg in args if is_app_of(infer_type(m, arg), "Fin", 1)
    ):
        return None
    value = whnf(m, e)
    number = nat_literal(m, whnf(m, get_app(value)[1][1])) if is_app_of(value, "Fin.mk", 3) else None
    if number is None:
        return None
    new = _literal(m, size, number)
    return new if new is not None and is_def_eq(m, e, new) else None


def is_decided(t: Tactics, e: Expr) -> bool:
    """Return whether evaluation may decide a relation: it is between literals of one `Fin n`."""
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in RELATIONS or len(args) not in (3, 4):
        return False
    return _size(t.m, args[0]) is not None and _is_literal(t.m, args[-1]) and _is_literal(t.m, args[-2])


def tested(t: Tactics, e: Expr) -> tuple[str, Expr] | None:
    """Return the name of the procedure and the value of `==` or `!=` between two literals; `None` for other terms."""
    m = t.m
    fn, args = get_app(e)
    if type(fn) is not Const or fn.name not in TESTS or len(args) != 4:
        return None
    head = get_app_fn(m.instantiate_mvars(args[0]))
    if type(head) is not Const or head.name not in TESTED:
        return None
    if not all(_is_known(m, args[0], arg) for arg in args[-2:]):
        return None
    value = whnf(m, e)
    if not is_app_of(value, "Bool.true", 0) and not is_app_of(value, "Bool.false", 0):
        return None
    return f"{head.name}.{TESTS[fn.name]}", value


def _is_known(m: Meta, type_: Expr, e: Expr) -> bool:
    if is_app_of(type_, "Fin", 1):
        return _size(m, type_) is not None and _is_literal(m, e)
    if type_name(m, type_) == "Int":
        return int_literal(m, e) is not None
    return nat_literal(m, e) is not None or text_value(e) is not None


def _size(m: Meta, type_: Expr) -> int | None:
    type_ = m.instantiate_mvars(type_)
    if not is_app_of(type_, "Fin", 1):
        return None
    size = nat_literal(m, whnf(m, get_app(type_)[1][0]))
    return size if size is not None and 0 < size <= MAX_SIZE else None


def _is_literal(m: Meta, e: Expr) -> bool:
    """Return whether `e` is `OfNat.ofNat (Fin n) k _` with a small `k` below `n`."""
    if not is_app_of(e, "OfNat.ofNat", 3):
        return False
    number = nat_literal(m, get_app(e)[1][1])
    return number is not None and number <= MAX_SIZE


def _literal(m: Meta, size: int, number: int) -> Expr | None:
    type_ = mk_app(mk_const("Fin"), mk_numeral(size))
    literal = mk_lit(number)
    instance = synth_instance(m, mk_apps(mk_const("OfNat", (ZERO,)), (type_, literal)))
    if instance is None:
        return None
    return mk_apps(mk_const("OfNat.ofNat", (ZERO,)), (type_, literal, instance))
