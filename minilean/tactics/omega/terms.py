"""Natural numbers for `omega`: each term is a sum over atoms, with facts about the atoms.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/{Frontend,OmegaM}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Const, Expr, FVar, get_app, is_app_of, mk_apps
from minilean.meta.numerals import mk_numeral, nat_literal
from minilean.meta.unify import is_def_eq
from minilean.tactics.omega import proof as nat
from minilean.tactics.omega.atoms import Atoms
from minilean.tactics.omega.ground import ground
from minilean.tactics.omega.instances import domain, operation
from minilean.tactics.omega.int import Integers, describe_natural
from minilean.tactics.omega.lemmas import apply_inline
from minilean.tactics.omega.proof import Sum
from minilean.tactics.omega.solver import Coeffs, Elimination, Inequality, Row, System

_COUNTED = 500
"""Remainders of numbers up to here are computed by counting down."""


class Linearizer:
    """Natural numbers as sums over atoms, with proofs.

    Args:
        atoms: The atoms; new ones are added.

    Attributes:
        integers: The reader of integer terms.
        remainders: For each new `x % k`, the sides of `k * (x / k) + x % k = x` and its proof.
    """

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self.m = atoms.m
        self.sums = atoms.sums
        self.integers = Integers(atoms, self.linear)
        self.remainders: list[tuple[int, Expr, Expr, Expr]] = []

    # --- sums --------------------------------------------------------------------------------------------

    def linear(self, e: Expr) -> tuple[Sum, Expr]:
        """Return `e` as a sum, and a proof that it equals the term of that sum."""
        hit = self.atoms.view.naturals.get(e)
        if hit is None:
            self.atoms.spend()
            hit = self.atoms.view.naturals[e] = self._linear(e)
        return hit

    def _linear(self, e: Expr) -> tuple[Sum, Expr]:
        value = ground(self.m, e)
        if value is not None:
            return ((), value), nat.refl(mk_numeral(value))
        if type(e) is FVar:
            local = self.m.local(e)
            return (
                self._atom(e) if local.value is None else self.linear(self.m.instantiate_mvars(local.value))
            )
        fn, args = get_app(e)
        if type(fn) is Const:
            if fn.name == "Nat.succ" and len(args) == 1:
                return self._successor(e, args[0])
            if fn.name == "Fin.val" and len(args) == 2:
                return self._fin(e, args[0], args[1])
            step = _OPERATIONS.get((fn.name, len(args)))
            if step is not None and domain(self.m, fn.name, args) == "Nat":
                return step(self, e, args)
        return self._atom(e)

    def _successor(self, e: Expr, a: Expr) -> tuple[Sum, Expr]:
        total, proof = self._add(a, mk_numeral(1))
        if e.has_fvar:
            return total, proof
        # the kernel would compare the values of closed terms instead, which may be much work
        more, same = nat.add(a, mk_numeral(1)), nat.lemma("Nat.succ_eq_add_one", a)
        return total, nat.trans(e, more, self.sums.term(total), same, proof)

    def _add(self, a: Expr, b: Expr) -> tuple[Sum, Expr]:
        (x, p), (y, q) = self.linear(a), self.linear(b)
        proof = self.sums.sum_equation((a, b), (x, y), (p, q))
        return nat.plus(x, y), proof

    def _mul(self, e: Expr, args: list[Expr]) -> tuple[Sum, Expr]:
        a, b = args[4], args[5]
        k = ground(self.m, a)
        if k is not None:
            return self._scaled(k, b)
        k = ground(self.m, b)
        if k is None:
            return self._atom(e)
        x, p = self._scaled(k, a)
        factor, end = mk_numeral(k), self.sums.term(x)
        turned = nat.lemma("Nat.mul_comm", a, factor)
        return x, nat.trans(nat.mul(a, factor), nat.mul(factor, a), end, turned, p)

    def _scaled(self, k: int, b: Expr) -> tuple[Sum, Expr]:
        x, p = self.linear(b)
        return nat.times(k, x), self.sums.multiple_equation(k, b, x, p)

    def _pow(self, e: Expr, args: list[Expr]) -> tuple[Sum, Expr]:
        """Read `b ^ (k + 1)` for a number `b` as `b ^ k * b`."""
        base, exponent = args[4], args[5]
        k = ground(self.m, base)
        _, parts = get_app(exponent)
        smaller = None
        if is_app_of(exponent, "Nat.succ", 1):
            smaller = parts[0]
        elif is_app_of(exponent, "HAdd.hAdd", 6) and nat_literal(self.m, parts[5]) == 1:
            smaller = parts[4]
        if k is None or smaller is None:
            return self._atom(e)
        rest = mk_apps(get_app(e)[0], [*args[:5], smaller])
        x, p = self._scaled(k, rest)
        end, product = self.sums.term(x), nat.mul(rest, base)
        turned = nat.lemma("Nat.mul_comm", rest, base)
        swapped = nat.trans(product, nat.mul(base, rest), end, turned, p)
        return x, nat.trans(e, product, end, nat.lemma("Nat.pow_succ", base, smaller), swapped)

    def _quotient(self, e: Expr, args: list[Expr]) -> tuple[Sum, Expr]:
        """Read `x / k` or `x % k`; both become atoms, related by facts."""
        m = self.m
        x, k = args[4], args[5]
        value = ground(m, k)
        if not value:
            return self._atom(e)
        dividend = ground(m, x)
        if dividend is not None:
            return self._divided(is_app_of(e, "HDiv.hDiv", 6), x, k, divmod(dividend, value))
        quotient, remainder = operation("HDiv.hDiv", "Nat", x, k), operation("HMod.hMod", "Nat", x, k)
        if quotient not in self.atoms.view.atoms or remainder not in self.atoms.view.atoms:
            self._new_atom(quotient)
            variable = self._new_atom(remainder)
            self.atoms.quotients[self.atoms.view.atoms[quotient]] = (x, k)
            left = nat.add(nat.mul(k, quotient), remainder)
            self.remainders.append((variable, left, x, nat.lemma("Nat.div_add_mod", x, k)))
            bound = nat.lemma("Nat.mod_lt", x, k, nat.literal_le(1, value))
            self.atoms.facts.append((bound, nat.lt(remainder, k)))
        return self._atom(e)

    def _divided(self, quotient: bool, x: Expr, k: Expr, values: tuple[int, int]) -> tuple[Sum, Expr]:
        """Return `x / k` or `x % k` for numbers by a proof: the kernel would evaluate it by counting."""
        q, r = mk_numeral(values[0]), mk_numeral(values[1])
        low, high = values[0] * (divisor := ground(self.m, k) or 1), (values[0] + 1) * divisor
        dividend = low + values[1]
        within = nat.literal_le(low, dividend), nat.literal_le(dividend + 1, high)
        proof = nat.lemma("Nat.div_eq_of_lt_le", q, k, x, *within)
        if quotient:
            return ((), values[0]), proof
        return ((), values[1]), self.sums.inline("Nat.mod", x, k, q, r, proof, nat.refl(x))

    def _fin(self, e: Expr, bound: Expr, i: Expr) -> tuple[Sum, Expr]:
        """Read an element of `Fin`: the value of a numeral below a small bound, else an atom."""
        fn, args = get_app(i)
        size = ground(self.m, bound)
        if size and size <= _COUNTED and type(fn) is Const and fn.name == "OfNat.ofNat" and len(args) == 3:
            literal = nat_literal(self.m, args[1])
            if literal is not None and literal <= _COUNTED:
                number = mk_numeral(literal % size)
                if self.m.attempt(lambda: is_def_eq(self.m, e, number)):
                    return ((), literal % size), nat.refl(number)
        return self._atom(e)

    # --- atoms -------------------------------------------------------------------------------------------

    def _atom(self, e: Expr) -> tuple[Sum, Expr]:
        variable = self.atoms.find(e)
        if variable is None:
            variable = self._new_atom(e)
            self._describe(e)
        # an atom may stand for another term that is equal by definition
        return (((2 * variable, 1),), 0), self.sums.single(2 * variable)

    def _new_atom(self, e: Expr) -> int:
        variable = self.atoms.add(e, e, None)
        self.atoms.facts.append((nat.lemma("Nat.zero_le", e), nat.le(mk_numeral(0), e)))
        return variable

    def _describe(self, e: Expr) -> None:
        """Add the facts about a new atom that its form gives."""
        describe_natural(self.atoms, e)
        fn, args = get_app(e)
        if is_app_of(e, "Fin.val", 2):
            self.atoms.facts.append((nat.lemma("Fin.isLt", *args), nat.lt(e, args[0])))
        if type(fn) is not Const or domain(self.m, fn.name, args) != "Nat":
            return
        if fn.name == "HSub.hSub" and len(args) == 6:
            self.atoms.facts.append(apply_inline(self.m.env, "sub", args[4], args[5]))
        elif fn.name in ("Min.min", "Max.max") and len(args) == 4:
            self.atoms.facts.append(apply_inline(self.m.env, fn.name[:3].lower(), args[2], args[3]))
        elif fn.name == "ite" and len(args) == 5:
            self.atoms.facts.append(apply_inline(self.m.env, "Nat.ite", *args[1:]))

    def new_difference(
        self, coeffs: Coeffs, const: int, sides: tuple[Sum, Sum]
    ) -> tuple[int, Inequality, Inequality]:
        """Return a variable for `coeffs · x + const`, which is `sides[1] - sides[0]`, and the steps that define it."""
        s = self.sums
        minus, plus = sides
        less, more = s.term(minus), s.term(plus)
        variable = len(self.atoms.terms)
        self.atoms.terms.append((more, less))
        up, down = s.single(2 * variable), s.single(2 * variable + 1)
        up_sum: Sum = (((2 * variable, 1),), 0)
        down_sum: Sum = (((2 * variable + 1, 1),), 0)
        first, second = nat.add(less, more), nat.add(more, less)

        def side(above: bool) -> nat.Side:
            """Return `x₋ + plus ≤ x₊ + minus`, or the reverse inequality."""
            one = s.sum_equation((less, more), (down_sum, plus), (down, nat.refl(more)))
            other = s.sum_equation((more, less), (up_sum, minus), (up, nat.refl(less)))
            left, right = nat.plus(down_sum, plus), nat.plus(up_sum, minus)
            if above:
                h = nat.lemma("Nat.le_of_eq", first, second, nat.lemma("Nat.add_comm", less, more))
                return s.transport(first, second, left, right, (one, other), h)
            h = nat.lemma("Nat.le_of_eq", second, first, nat.lemma("Nat.add_comm", more, less))
            return s.transport(second, first, right, left, (other, one), h)

        negated = tuple((v, -c) for v, c in coeffs)
        above = Inequality((*negated, (variable, 1)), -const, given=lambda: side(True))
        below = Inequality((*coeffs, (variable, -1)), const, given=lambda: side(False))
        return variable, above, below

    # --- steps -------------------------------------------------------------------------------------------

    def inequality(self, a: Expr, b: Expr, h: Expr) -> Inequality:
        """Return the step of `h : a ≤ b`."""
        (y, q), (x, p) = self.linear(b), self.linear(a)
        difference = {key >> 1: c for key, c in y[0]}
        for key, c in x[0]:
            difference[key >> 1] = difference.get(key >> 1, 0) - c
        coeffs = tuple(sorted((v, c) for v, c in difference.items() if c))
        return Inequality(coeffs, y[1] - x[1], given=lambda: self.sums.transport(a, b, x, y, (p, q), h))

    def define_remainders(self, problem: System) -> None:
        """Add the equations of the new remainders to the problem."""
        while self.remainders:
            variable, left, right, h = self.remainders.pop(0)
            low = self.inequality(
                right, left, nat.lemma("Nat.le_of_eq", right, left, nat.symm(left, right, h))
            )
            high = self.inequality(left, right, nat.lemma("Nat.le_of_eq", left, right, h))
            # reading `right` may have added remainders: they come first
            self.define_remainders(problem)
            for elimination in problem.eliminations:
                low, high = elimination.apply(low), elimination.apply(high)
            problem.eliminations.append(Elimination(Row(low.coeffs, low, high), variable, 1))


_OPERATIONS: dict[tuple[str, int], Callable[[Linearizer, Expr, list[Expr]], tuple[Sum, Expr]]] = {
    ("HAdd.hAdd", 6): lambda self, _, args: self._add(args[4], args[5]),
    ("HMul.hMul", 6): lambda self, e, args: self._mul(e, args),
    ("HPow.hPow", 6): lambda self, e, args: self._pow(e, args),
    ("HDiv.hDiv", 6): lambda self, e, args: self._quotient(e, args),
    ("HMod.hMod", 6): lambda self, e, args: self._quotient(e, args),
}
