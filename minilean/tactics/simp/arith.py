"""`simp +arith` over `Nat`: linear arithmetic in a normal form; `arith_int` has the part over `Int`.

Source: Lean 4 `src/Lean/Meta/Tactic/LinearArith/Nat/Simp.lean` (4.34). Lean proves these steps
by reflection, here `omega` proves them.
"""

from __future__ import annotations

from minilean.kernel.expr import Const, Expr, get_app, is_app_of, mk_app, mk_apps, mk_const
from minilean.kernel.level import ONE
from minilean.kernel.traversal import alpha_eq
from minilean.meta.infer import is_prop
from minilean.meta.numerals import mk_nat_add, mk_numeral
from minilean.tactics.omega import proof as nat
from minilean.tactics.omega.instances import INT, domain
from minilean.tactics.omega.proof import NAT, Sum
from minilean.tactics.omega.tactic import Omega
from minilean.tactics.simp.arith_int import normal_form, term_key
from minilean.tactics.state import Tactics

TRUE = mk_const("True")
_RELATIONS = {("Eq", 3), ("LE.le", 4), ("LT.lt", 4), ("GE.ge", 4), ("GT.gt", 4)}


def normalize(t: Tactics, e: Expr) -> tuple[Expr, Expr] | None:
    """Return the normal form of `e`, and a proof that `e` equals it; `None` when `e` is normal or not arithmetic."""
    fn, args = get_app(e)
    if type(fn) is not Const:
        return None
    over_integers = normal_form(t.m, e)
    if over_integers is not None:
        return None if alpha_eq(over_integers, e) else (over_integers, _proved(t, e, over_integers))
    if (fn.name, len(args)) in _RELATIONS:
        return _relation(t, e, fn.name, args)
    if fn.name in ("HAdd.hAdd", "HMul.hMul") and len(args) == 6 and domain(t.m, fn.name, args) == "Nat":
        return _term(t, e)
    return None


def _term(t: Tactics, e: Expr) -> tuple[Expr, Expr] | None:
    run = Omega(t)
    new = written(run, run.terms.linear(e)[0])
    if alpha_eq(new, e):
        return None
    return new, _proof(t, mk_apps(mk_const("Eq", (ONE,)), (NAT, e, new)))


def _relation(t: Tactics, e: Expr, name: str, args: list[Expr]) -> tuple[Expr, Expr] | None:
    m = t.m
    if name == "Eq":
        if not is_app_of(m.instantiate_mvars(args[0]), "Nat", 0):
            return None
    elif domain(m, name, args) != "Nat":
        return None
    a, b = (args[-1], args[-2]) if name in ("GE.ge", "GT.gt") else (args[-2], args[-1])
    run = Omega(t)
    left, right = run.terms.linear(a)[0], run.terms.linear(b)[0]
    if name in ("LT.lt", "GT.gt"):
        left = nat.plus(left, ((), 1))
    shared = nat.common(left, right)
    left, right = nat.without(left, shared), nat.without(right, shared)
    new = _decided(name, left, right)
    if new is None:
        x, y = written(run, left), written(run, right)
        new = mk_apps(mk_const("Eq", (ONE,)), (NAT, x, y)) if name == "Eq" else nat.le(x, y)
    return None if alpha_eq(new, e) else (new, _proved(t, e, new))


def _proved(t: Tactics, e: Expr, new: Expr) -> Expr:
    """Return a proof of `e = new`."""
    if alpha_eq(new, nat.FALSE):
        return nat.lemma("eq_false", e, _proof(t, mk_app(mk_const("Not"), e)))
    if alpha_eq(new, TRUE):
        return nat.lemma("eq_true", e, _proof(t, e))
    if not is_prop(t.m, e):
        return _proof(t, mk_apps(mk_const("Eq", (ONE,)), (INT, e, new)))
    return nat.lemma("propext", e, new, _proof(t, mk_apps(mk_const("Iff"), (e, new))))


def _proof(t: Tactics, prop: Expr) -> Expr:
    """Return a proof by `omega` without hypotheses."""
    return Omega(t, hypotheses=False).prove(prop)


def _decided(name: str, left: Sum, right: Sum) -> Expr | None:
    """Return `True` or `False` where the relation does not depend on the atoms."""
    if name == "Eq":
        if left == right:
            return TRUE
        impossible = (not left[0] and left[1] < right[1]) or (not right[0] and right[1] < left[1])
        return nat.FALSE if impossible else None
    if not left[0] and left[1] <= right[1]:
        return TRUE
    return nat.FALSE if not right[0] and right[1] < left[1] else None


def written(run: Omega, total: Sum) -> Expr:
    """Return a sum as `simp +arith` writes it: no factor 1, no term 0, the number last."""
    out: Expr | None = None
    atoms = {key: run.atoms.term_of(key) for key, _ in total[0]}
    for key, c in sorted(total[0], key=lambda part: term_key(atoms[part[0]])):
        atom = atoms[key]
        product = atom if c == 1 else nat.mul(mk_numeral(c), atom)
        out = product if out is None else nat.add(out, product)
    if out is None:
        return mk_numeral(total[1])
    return mk_nat_add(out, total[1])
