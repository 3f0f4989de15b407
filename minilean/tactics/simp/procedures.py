"""Procedures of `simp`: operations on literals, comparisons of literals, equations between different constructors.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/BuiltinSimprocs/{Nat,Int,String,Char,Core}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import (
    Const,
    Expr,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.level import ONE
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_numeral, nat_literal, nat_offset
from minilean.meta.whnf import MAX_EXPONENT, whnf
from minilean.syntax.text_literals import mk_string, text_value
from minilean.tactics.constructors import clash
from minilean.tactics.simp import differences as simp_differences
from minilean.tactics.simp import fin as simp_fin
from minilean.tactics.simp import int as simp_int
from minilean.tactics.simp.result import FALSE, TRUE, Result
from minilean.tactics.simp.rules import RuleSet
from minilean.tactics.state import Tactics

# The procedures of `BuiltinSimprocs` by the head of the terms that they evaluate.
_PROCEDURES = {
    "HAdd.hAdd": ("Nat.reduceAdd",),
    "HMul.hMul": ("Nat.reduceMul",),
    "HSub.hSub": ("Nat.reduceSub",),
    "HPow.hPow": ("Nat.reducePow",),
    "HDiv.hDiv": ("Nat.reduceDiv",),
    "HMod.hMod": ("Nat.reduceMod",),
    "Nat.gcd": ("Nat.reduceGcd",),
    "HAppend.hAppend": ("String.reduceAppend",),
    "Eq": ("Nat.reduceEqDiff", "String.reduceEq", "Char.reduceEq"),
    "Ne": ("Nat.reduceNeDiff", "String.reduceNe", "Char.reduceNe"),
    "LE.le": ("Nat.reduceLeDiff",),
    "LT.lt": ("Nat.reduceLT", "Nat.reduceLTLE"),
    "GT.gt": ("Nat.reduceGT",),
    "GE.ge": ("Nat.reduceGE",),
}

_OPERATIONS = ("HAdd.hAdd", "HMul.hMul", "HSub.hSub", "HPow.hPow", "HDiv.hDiv", "HMod.hMod")

_OF_TEXTS = ("Eq", "Ne", "HAppend.hAppend")

ALL_PROCEDURES = frozenset(
    [
        *("reduceCtorEq", "reduceIte", "reduceDIte", *(n for ns in _PROCEDURES.values() for n in ns)),
        *(*simp_int.OPERATIONS.values(), *simp_int.RELATIONS.values()),
        *(*simp_differences.PROCEDURES.values(), *simp_fin.NAMES),
    ]
)


def compute_naturals(t: Tactics, rules: RuleSet, e: Expr) -> Result | None:
    """Compute an operation, or decide a relation, on `Nat`, character or string literals."""
    m = t.m
    fn, args = get_app(e)
    if type(fn) is not Const or len(args) < 2:
        return None
    name = fn.name
    if not rules.runs(*_PROCEDURES.get(name, ())):
        return None
    if name == "Nat.gcd":
        return _compute_operation(m, e, args) if len(args) == 2 else None
    if not is_app_of(args[0], "Nat", 0):
        return _compute_texts(m, rules.options.definitional, name, e, args) if name in _OF_TEXTS else None
    if name in _OPERATIONS and len(args) == 6:
        return _compute_operation(m, e, args)
    if name in ("Eq", "LE.le", "LT.lt", "GE.ge", "GT.gt", "Ne"):
        if nat_literal(m, args[-1]) is None or nat_literal(m, args[-2]) is None:
            return None
        return None if rules.options.definitional else decide_literally(t.m, e)
    return None


def _compute_operation(m: Meta, e: Expr, args: Sequence[Expr]) -> Result | None:
    """Compute an operation on two literals, the last arguments; an exponent is bounded as everywhere."""
    if nat_literal(m, args[-2]) is None or nat_literal(m, args[-1]) is None:
        return None
    if is_app_of(e, "HPow.hPow", 6) and (nat_literal(m, args[-1]) or 0) > MAX_EXPONENT:
        return None
    number = nat_literal(m, whnf(m, e))
    return None if number is None else Result(mk_numeral(number))


def _compute_texts(m: Meta, definitional: bool, name: str, e: Expr, args: Sequence[Expr]) -> Result | None:
    """Compare or join two string or character literals."""
    left, right = text_value(args[-2]), text_value(args[-1])
    if left is None or right is None:
        return None
    if name == "HAppend.hAppend":
        return Result(mk_string(left + right))
    return None if definitional else decide_literally(m, e)


def compute_integers(t: Tactics, rules: RuleSet, e: Expr) -> Result | None:
    """Compute an operation, or decide a relation, on `Int` literals."""
    value = simp_int.reduced(t, e, rules.runs)
    if value is not None:
        return Result(value)
    if rules.options.definitional or not simp_int.is_decided(t, e, rules.runs):
        return None
    return decide_literally(t.m, e)


def compute_bounded(t: Tactics, rules: RuleSet, e: Expr) -> Result | None:
    """Compute an operation, or decide a relation, on literals of `Fin n`; compute `==` and `!=` between literals."""
    tested = simp_fin.tested(t, e)
    if tested is not None:
        return Result(tested[1]) if rules.runs(tested[0]) else None
    fn = get_app_fn(e)
    name = fn.name if type(fn) is Const else ""
    if name in simp_fin.OPERATIONS and rules.runs(simp_fin.OPERATIONS[name]):
        value = simp_fin.computed(t, e)
        return None if value is None else Result(value)
    if rules.options.definitional or not rules.runs(simp_fin.RELATIONS.get(name, "")):
        return None
    return decide_literally(t.m, e) if simp_fin.is_decided(t, e) else None


def without_differences(t: Tactics, rules: RuleSet, e: Expr) -> Result | None:
    """Remove the common number of both sides: `x + 3 = y + 1` becomes `x + 2 = y`."""
    name = simp_differences.procedure_of(e)
    if name is None or rules.options.definitional or not rules.runs(name):
        return None
    found = simp_differences.reduced(t, e)
    return None if found is None else Result(*found)


def decide_literally(m: Meta, prop: Expr) -> Result | None:
    """Rewrite `prop` to `True` or `False`, to which its instance of `Decidable` reduces."""
    instance = synth_instance(m, mk_app(mk_const("Decidable"), prop))
    if instance is None:
        return None
    head = get_app_fn(whnf(m, instance))
    if type(head) is not Const or head.name not in ("Decidable.isTrue", "Decidable.isFalse"):
        return None
    holds = head.name == "Decidable.isTrue"
    value = mk_const("Bool.true" if holds else "Bool.false")
    refl = mk_apps(mk_const("Eq.refl", (ONE,)), (mk_const("Bool"), value))
    lemma = "of_decide_eq_true" if holds else "of_decide_eq_false"
    proof = mk_apps(mk_const(lemma), (prop, instance, refl))
    return Result(
        TRUE if holds else FALSE, mk_apps(mk_const("eq_true" if holds else "eq_false"), (prop, proof))
    )


def clashing_constructors(t: Tactics, rules: RuleSet, e: Expr) -> Result | None:
    """Rewrite `c xs = d ys` with different constructors to `False`."""
    m = t.m
    if not is_app_of(e, "Eq", 3) or not rules.runs("reduceCtorEq", "Nat.reduceEqDiff"):
        return None
    _, (alpha, a, b) = get_app(e)
    if not (_may_clash(m, a) and _may_clash(m, b)):
        return None
    old = m.lctx
    try:
        h = m.push_local("h", e)
        proof = clash(t, h, alpha, a, b)
        if proof is None:
            return None
        refutation = m.mk_lambda([h], proof)
    finally:
        m.lctx = old
    return Result(FALSE, mk_apps(mk_const("eq_false"), (e, refutation)))


def _may_clash(m: Meta, e: Expr) -> bool:
    fn = get_app_fn(e)
    if type(fn) is not Const:
        return False
    if nat_literal(m, e) is not None or nat_offset(m, e) is not None:
        return True
    return isinstance(m.env.find(fn.name), Constructor)
