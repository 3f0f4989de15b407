"""`simp +arith` over `Int`: `p = 0`, `p ≤ 0` and `k ∣ p` with a linear polynomial `p` in normal form.

Source: Lean 4 `src/Lean/Meta/Tactic/LinearArith/Int/{Basic,Simp}.lean` (4.34). Lean proves these
steps by reflection, here `omega` proves them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from minilean.kernel.expr import App, Const, Expr, FVar, MVar, get_app, is_app_of, mk_apps, mk_const
from minilean.kernel.level import ONE
from minilean.meta.metavars import Meta
from minilean.tactics.omega.instances import INT, domain, int_literal, int_numeral, operation
from minilean.tactics.simp.result import FALSE, TRUE

_FLIPPED = {"GE.ge": "LE.le", "GT.gt": "LT.lt"}


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of multiples of atoms, none of them 0, and a number."""

    factors: dict[Expr, int]
    const: int

    def plus(self, other: Polynomial, k: int = 1) -> Polynomial:
        """Return the sum of this polynomial and `k` times another."""
        total = dict(self.factors)
        for atom, c in other.factors.items():
            total[atom] = total.get(atom, 0) + k * c
        return Polynomial({a: c for a, c in total.items() if c}, self.const + k * other.const)

    def written(self) -> Expr:
        """Return the term: no factor 1, no term 0, the number last."""
        out: Expr | None = None
        for atom in sorted(self.factors, key=term_key):
            c = self.factors[atom]
            product = atom if c == 1 else operation("HMul.hMul", "Int", int_numeral(c), atom)
            out = product if out is None else operation("HAdd.hAdd", "Int", out, product)
        if out is None or self.const:
            number = int_numeral(self.const)
            return number if out is None else operation("HAdd.hAdd", "Int", out, number)
        return out


_RANK = {FVar: 1, MVar: 2, Const: 4, App: 5}


def term_key(e: Expr) -> tuple[object, ...]:
    """Return the sort key of a term by its structure: variables, then constants, then applications.

    Source: Lean 4 `src/kernel/expr_lt.cpp`, `is_lt` (4.34).
    """
    kind = type(e)
    rank = _RANK.get(kind, 6)
    if kind is App:
        return rank, term_key(e.fn), term_key(e.arg)  # type: ignore[attr-defined]
    if kind is Const:
        return rank, tuple(e.name.split("."))  # type: ignore[attr-defined]
    return (rank, e.id) if kind is FVar or kind is MVar else (rank, e.hash)  # type: ignore[attr-defined]


def polynomial(m: Meta, e: Expr) -> Polynomial:
    """Return `e` as a polynomial; subterms that are not linear are atoms."""
    value = int_literal(m, e)
    if value is not None:
        return Polynomial({}, value)
    fn, args = get_app(e)
    name = fn.name if type(fn) is Const and domain(m, fn.name, args) == "Int" else ""
    if name == "HAdd.hAdd" or name == "HSub.hSub":
        return polynomial(m, args[4]).plus(polynomial(m, args[5]), 1 if name == "HAdd.hAdd" else -1)
    if name == "Neg.neg":
        return Polynomial({}, 0).plus(polynomial(m, args[2]), -1)
    if name == "HMul.hMul":
        a, b = polynomial(m, args[4]), polynomial(m, args[5])
        if not a.factors or not b.factors:
            return Polynomial({}, 0).plus(*((a, b.const) if a.factors else (b, a.const)))
    return Polynomial({e: 1}, 0)


def normal_form(m: Meta, e: Expr) -> Expr | None:
    """Return the normal form of a sum, an equation, a comparison or `k ∣ p`; `None` for anything else."""
    fn, args = get_app(e)
    if type(fn) is not Const:
        return None
    if fn.name == "Eq" and len(args) == 3:
        return _equation(m, args) if is_app_of(m.instantiate_mvars(args[0]), "Int", 0) else None
    if domain(m, fn.name, args) != "Int":
        return None
    if fn.name in ("HAdd.hAdd", "HSub.hSub", "HMul.hMul"):
        return polynomial(m, e).written()
    if fn.name == "Dvd.dvd":
        return _divides(m, args)
    name, (a, b) = fn.name, args[-2:] if len(args) == 4 else (e, e)
    if name in _FLIPPED:
        name, a, b = _FLIPPED[name], b, a
    if name not in ("LE.le", "LT.lt"):
        return None
    p = polynomial(m, a).plus(polynomial(m, b), -1)
    return _at_most(p.plus(Polynomial({}, 1)) if name == "LT.lt" else p)


def _equation(m: Meta, args: list[Expr]) -> Expr | None:
    left, right = polynomial(m, args[1]), polynomial(m, args[2])
    if _is_plain(left, args[1]) and _is_plain(right, args[2]):
        return None
    p = left.plus(right, -1)
    if not p.factors:
        return FALSE if p.const else TRUE
    shared = gcd(*p.factors.values())
    if p.const % shared:
        return FALSE
    p = Polynomial({a: c // shared for a, c in p.factors.items()}, p.const // shared)
    atoms = sorted(p.factors, key=term_key)
    factors = [p.factors[atom] for atom in atoms]
    if factors == [1]:
        return _equal(atoms[0], int_numeral(-p.const))
    if factors == [1, -1] and not p.const:
        return _equal(atoms[0], atoms[1])
    return _equal(p.written(), int_numeral(0))


def _is_plain(p: Polynomial, e: Expr) -> bool:
    """Return whether a side of an equation is an atom or a number."""
    return not p.factors or p.factors == {e: 1}


def _equal(a: Expr, b: Expr) -> Expr:
    return mk_apps(mk_const("Eq", (ONE,)), (INT, a, b))


def _at_most(p: Polynomial) -> Expr:
    """Return `p ≤ 0`, divided by the greatest common divisor of its factors."""
    if not p.factors:
        return TRUE if p.const <= 0 else FALSE
    shared = gcd(*p.factors.values())
    p = Polynomial({a: c // shared for a, c in p.factors.items()}, -(-p.const // shared))
    return operation("LE.le", "Int", p.written(), int_numeral(0))


def _divides(m: Meta, args: list[Expr]) -> Expr | None:
    k, p = int_literal(m, args[2]), polynomial(m, args[3])
    if k is None or k <= 0 or not p.factors:
        return None
    shared = gcd(k, *p.factors.values())
    if p.const % shared:
        return FALSE
    p = Polynomial({a: c // shared for a, c in p.factors.items()}, p.const // shared)
    return operation("Dvd.dvd", "Int", int_numeral(k // shared), p.written())
