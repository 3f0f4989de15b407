"""What `omega` sees in terms of type `Nat`: sums over atoms, with facts about the atoms.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/{Frontend,OmegaM}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lean_gym.minilean.elab.names import Scope
from lean_gym.minilean.elab.term import Elab
from lean_gym.minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from lean_gym.minilean.kernel.level import ZERO
from lean_gym.minilean.meta.extension import REDUCIBLE, LeanEnv
from lean_gym.minilean.meta.instances import synth_instance
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.unify import is_def_eq, mk_numeral, nat_literal
from lean_gym.minilean.syntax.parser import parse_term
from lean_gym.minilean.tactics import omega_proof as nat
from lean_gym.minilean.tactics.omega_proof import NAT, Sum, Sums
from lean_gym.minilean.tactics.omega_solver import Coeffs, Elimination, Problem, Row, Step

MAX_BITS = 4096
"""Numbers of more bits are left as atoms."""

_LEMMAS = {
    "sub": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge a b)"
        " (fun h => Or.inr (And.intro h (Nat.sub_eq_zero_of_le (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.add_sub_of_le h)))",
        "∀ a b : Nat, (b ≤ a ∧ b + (a - b) = a) ∨ (a < b ∧ a - b = 0)",
    ),
    "min": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge b a)"
        " (fun h => Or.inr (And.intro h (Nat.min_eq_right (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.min_eq_left h)))",
        "∀ a b : Nat, (a ≤ b ∧ Min.min a b = a) ∨ (b < a ∧ Min.min a b = b)",
    ),
    "max": (
        "fun (a b : Nat) => Or.elim (Nat.lt_or_ge b a)"
        " (fun h => Or.inr (And.intro h (Nat.max_eq_left (Nat.le_of_lt h))))"
        " (fun h => Or.inl (And.intro h (Nat.max_eq_right h)))",
        "∀ a b : Nat, (a ≤ b ∧ Max.max a b = b) ∨ (b < a ∧ Max.max a b = a)",
    ),
    "ite": (
        "fun (c : Prop) (i : Decidable c) (a b : Nat) => Or.elim (Classical.em c)"
        " (fun h => Or.inl (And.intro h (if_pos h))) (fun h => Or.inr (And.intro h (if_neg h)))",
        "∀ (c : Prop) (i : Decidable c) (a b : Nat),"
        " (c ∧ @ite Nat c i a b = a) ∨ (¬c ∧ @ite Nat c i a b = b)",
    ),
    "iff": (
        "fun (p q : Prop) (h : p ↔ q) => Or.elim (Classical.em p)"
        " (fun hp => Or.inl (And.intro hp (h.mp hp)))"
        " (fun hp => Or.inr (And.intro hp (fun hq => hp (h.mpr hq))))",
        "∀ p q : Prop, (p ↔ q) → (p ∧ q) ∨ (¬p ∧ ¬q)",
    ),
    "not_iff": (
        "fun (p q : Prop) (h : ¬(p ↔ q)) => Or.elim (Classical.em p)"
        " (fun hp => Or.inl (And.intro hp (fun hq => h (Iff.intro (fun _ => hq) (fun _ => hp)))))"
        " (fun hp => Or.inr (And.intro hp (Classical.byContradiction"
        " (fun hq => h (Iff.intro (fun x => absurd x hp) (fun x => absurd x hq))))))",
        "∀ p q : Prop, ¬(p ↔ q) → (p ∧ ¬q) ∨ (¬p ∧ q)",
    ),
}


def inline_lemma(env: LeanEnv, name: str) -> tuple[Expr, Expr]:
    """A statement that core Lean has no lemma for, with its proof; made once an environment."""
    hit = env.memo.get(("omega", name))
    if hit is None:
        proof, statement = _LEMMAS[name]
        m = Meta(env)
        el = Elab(m, Scope())
        type_ = el.elab_type(parse_term(statement))
        el.synthesize()
        type_ = m.instantiate_mvars(type_)
        value = el.check_no_holes(el.elab_closed(parse_term(proof), type_))
        hit = env.memo["omega", name] = (value, type_)
    return hit  # type: ignore[return-value]


def apply_inline(env: LeanEnv, name: str, *args: Expr) -> tuple[Expr, Expr]:
    """Such a lemma at these arguments: proof and statement."""
    from lean_gym.minilean.kernel.instantiate import instantiate1

    value, type_ = inline_lemma(env, name)
    for arg in args:
        type_ = instantiate1(type_.body, arg)  # type: ignore[attr-defined]
    return mk_apps(value, args), type_


@dataclass(slots=True)
class View:
    """What has been seen so far; a copy is kept while the cases of a disjunction are tried."""

    atoms: dict[Expr, int] = field(default_factory=dict)
    seen: dict[Expr, tuple[Sum, Expr]] = field(default_factory=dict)

    def copy(self) -> View:
        """A copy to add to."""
        return View(dict(self.atoms), dict(self.seen))


class Linearizer:
    """Terms as sums over atoms, with proofs.

    Attributes:
        view: The atoms in use.
        terms: What every variable stands for, also those no longer in use: one term for an atom, two for a
            variable that is their difference.
        facts: Proofs and statements about new atoms that nobody has looked at yet.
        remainders: For each new `x % k`, the sides of `k * (x / k) + x % k = x` and its proof.
    """

    def __init__(self, m: Meta, spend: Callable[[], None]) -> None:
        self.m = m
        self.view = View()
        self.terms: list[tuple[Expr, Expr | None]] = []
        self.shown: dict[int, tuple[Expr, Expr]] = {}
        self.facts: list[tuple[Expr, Expr]] = []
        self.remainders: list[tuple[int, Expr, Expr, Expr]] = []
        self.sums = Sums(self.atom_term)
        self.spend = spend

    def atom_term(self, key: int) -> Expr:
        """The term of an atom: twice a variable, and one more for the part that is subtracted."""
        first, second = self.terms[key >> 1]
        if not key & 1:
            return first
        assert second is not None
        return second

    def is_difference(self, variable: int) -> bool:
        """Whether a variable stands for a difference."""
        return self.terms[variable][1] is not None

    # --- sums --------------------------------------------------------------------------------------------

    def linear(self, e: Expr) -> tuple[Sum, Expr]:
        """`e` as a sum, and a proof that it equals that sum's term."""
        hit = self.view.seen.get(e)
        if hit is None:
            self.spend()
            hit = self.view.seen[e] = self._linear(e)
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
                return self._add(args[0], mk_numeral(1))
            step = _OPERATIONS.get((fn.name, len(args)))
            if step is not None and standard(self.m, fn.name, args):
                return step(self, e, args)
        return self._atom(e)

    def _add(self, a: Expr, b: Expr) -> tuple[Sum, Expr]:
        (x, p), (y, q) = self.linear(a), self.linear(b)
        s = self.sums
        both = nat.congr_both(nat.ADD, a, s.term(x), b, s.term(y), p, q)
        total = nat.plus(x, y)
        inner = nat.add(s.term(x), s.term(y))
        return total, nat.trans(nat.add(a, b), inner, s.term(total), both, s.merge(x, y))

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
        s, factor = self.sums, mk_numeral(k)
        inner = nat.congr_right(nat.MUL, factor, b, s.term(x), p)
        out = nat.times(k, x)
        middle = nat.mul(factor, s.term(x))
        return out, nat.trans(nat.mul(factor, b), middle, s.term(out), inner, s.scale(k, x))

    def _pow(self, e: Expr, args: list[Expr]) -> tuple[Sum, Expr]:
        """`b ^ (k + 1)` for a number `b` is `b ^ k * b`."""
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
        """`x / k` and `x % k` come together."""
        m = self.m
        x, k = args[4], args[5]
        value = ground(m, k)
        needed = ("Nat.div_add_mod", "Nat.mod_lt")
        if not value or any(m.env.find(name) is None for name in needed):
            return self._atom(e)
        quotient, remainder = division(m, "HDiv", x, k), division(m, "HMod", x, k)
        if quotient is None or remainder is None:
            return self._atom(e)
        if quotient not in self.view.atoms or remainder not in self.view.atoms:
            self._new_atom(quotient)
            variable = self._new_atom(remainder)
            self.shown[self.view.atoms[quotient]] = (x, k)
            left = nat.add(nat.mul(k, quotient), remainder)
            self.remainders.append((variable, left, x, nat.lemma("Nat.div_add_mod", x, k)))
            bound = nat.lemma("Nat.mod_lt", x, k, nat.literal_le(1, value))
            self.facts.append((bound, nat.lt(remainder, k)))
        return self._atom(e)

    # --- atoms -------------------------------------------------------------------------------------------

    def _atom(self, e: Expr) -> tuple[Sum, Expr]:
        variable = self.view.atoms.get(e)
        if variable is None:
            variable = self._known(e)
        if variable is None:
            variable = self._new_atom(e)
            self._describe(e)
        # an atom may stand for another term that is equal by definition
        return (((2 * variable, 1),), 0), self.sums.single(2 * variable)

    def _known(self, e: Expr) -> int | None:
        """The atom that `e` is another way to write."""
        m = self.m
        fn, args = get_app(e)
        for other, variable in list(self.view.atoms.items()):
            head, others = get_app(other)
            if head is not fn or len(args) != len(others) or not args:
                continue
            with m.new_mctx_depth(), m.with_transparency(REDUCIBLE):
                if m.attempt(lambda o=other: is_def_eq(m, e, o)):  # type: ignore[misc]
                    self.view.atoms[e] = variable
                    return variable
        return None

    def _new_atom(self, e: Expr) -> int:
        variable = len(self.terms)
        self.terms.append((e, None))
        self.view.atoms[e] = variable
        self.facts.append((nat.lemma("Nat.zero_le", e), nat.le(mk_numeral(0), e)))
        return variable

    def _describe(self, e: Expr) -> None:
        """Note what is known about a new atom by its form."""
        fn, args = get_app(e)
        if type(fn) is not Const or not standard(self.m, fn.name, args):
            return
        if fn.name == "HSub.hSub" and len(args) == 6:
            self.facts.append(apply_inline(self.m.env, "sub", args[4], args[5]))
        elif fn.name in ("Min.min", "Max.max") and len(args) == 4:
            self.facts.append(apply_inline(self.m.env, fn.name[:3].lower(), args[2], args[3]))
        elif fn.name == "ite" and len(args) == 5:
            self.facts.append(apply_inline(self.m.env, "ite", *args[1:]))

    def new_difference(self, coeffs: Coeffs, const: int, sides: tuple[Sum, Sum]) -> tuple[int, Step, Step]:
        """A variable for `coeffs · x + const`, which is `sides[1] - sides[0]`, and the steps that define it."""
        s = self.sums
        minus, plus = sides
        less, more = s.term(minus), s.term(plus)
        variable = len(self.terms)
        self.terms.append((more, less))
        up, down = s.single(2 * variable), s.single(2 * variable + 1)
        up_sum: Sum = (((2 * variable, 1),), 0)
        down_sum: Sum = (((2 * variable + 1, 1),), 0)
        first, second = nat.add(less, more), nat.add(more, less)

        def side(above: bool) -> nat.Side:
            """`x₋ + plus ≤ x₊ + minus`, or the other way round."""
            one = s.sum_equation((less, more), (down_sum, plus), (down, nat.refl(more)))
            other = s.sum_equation((more, less), (up_sum, minus), (up, nat.refl(less)))
            left, right = nat.plus(down_sum, plus), nat.plus(up_sum, minus)
            if above:
                h = nat.lemma("Nat.le_of_eq", first, second, nat.lemma("Nat.add_comm", less, more))
                return s.transport(first, second, left, right, (one, other), h)
            h = nat.lemma("Nat.le_of_eq", second, first, nat.lemma("Nat.add_comm", more, less))
            return s.transport(second, first, right, left, (other, one), h)

        negated = tuple((v, -c) for v, c in coeffs)
        above = Step((*negated, (variable, 1)), -const, given=lambda: side(True))
        below = Step((*coeffs, (variable, -1)), const, given=lambda: side(False))
        return variable, above, below

    # --- steps -------------------------------------------------------------------------------------------

    def inequality(self, a: Expr, b: Expr, h: Expr) -> Step:
        """The step of `h : a ≤ b`."""
        (y, q), (x, p) = self.linear(b), self.linear(a)
        difference = {key >> 1: c for key, c in y[0]}
        for key, c in x[0]:
            difference[key >> 1] = difference.get(key >> 1, 0) - c
        coeffs = tuple(sorted((v, c) for v, c in difference.items() if c))
        return Step(coeffs, y[1] - x[1], given=lambda: self.sums.transport(a, b, x, y, (p, q), h))

    def define_remainders(self, problem: Problem) -> None:
        """Tell the problem what the new remainders are."""
        while self.remainders:
            variable, left, right, h = self.remainders.pop(0)
            low = self.inequality(
                right, left, nat.lemma("Nat.le_of_eq", right, left, nat.symm(left, right, h))
            )
            high = self.inequality(left, right, nat.lemma("Nat.le_of_eq", left, right, h))
            # what `right` is made of may have brought remainders of its own: they come first
            self.define_remainders(problem)
            for elimination in problem.eliminations:
                low, high = elimination.apply(low), elimination.apply(high)
            problem.eliminations.append(Elimination(Row(low.coeffs, low, high), variable, 1))


def ground(m: Meta, e: Expr) -> int | None:
    """The value of a term made of numerals and arithmetic."""
    value = nat_literal(m, e)
    if value is not None:
        return value
    fn, args = get_app(e)
    if type(fn) is not Const or len(args) != 6 or fn.name not in _GROUND or not standard(m, fn.name, args):
        return None
    a = ground(m, args[4])
    b = None if a is None else ground(m, args[5])
    if a is None or b is None:
        return None
    if fn.name == "HPow.hPow" and a.bit_length() * b > MAX_BITS:
        return None
    result = _GROUND[fn.name](a, b)
    return result if result.bit_length() <= MAX_BITS else None


_GROUND: dict[str, Callable[[int, int], int]] = {
    "HAdd.hAdd": lambda a, b: a + b,
    "HMul.hMul": lambda a, b: a * b,
    "HSub.hSub": lambda a, b: max(a - b, 0),
    "HDiv.hDiv": lambda a, b: a // b if b else 0,
    "HMod.hMod": lambda a, b: a % b if b else a,
    "HPow.hPow": lambda a, b: int(a**b),
}

_CLASSES = {
    "HAdd.hAdd": "HAdd",
    "HMul.hMul": "HMul",
    "HSub.hSub": "HSub",
    "HDiv.hDiv": "HDiv",
    "HMod.hMod": "HMod",
    "HPow.hPow": "HPow",
}
_RELATIONS = {"LE.le": "LE", "LT.lt": "LT", "GE.ge": "LE", "GT.gt": "LT", "Min.min": "Min", "Max.max": "Max"}
_RELATIONS["Dvd.dvd"] = "Dvd"


def standard(m: Meta, name: str, args: list[Expr]) -> bool:
    """Whether an operation or relation is that on `Nat`, with the instance that everybody uses."""
    if name in _CLASSES and len(args) == 6:
        if any(not is_app_of(m.instantiate_mvars(a), "Nat", 0) for a in args[:3]):
            return False
        wanted, given = mk_apps(mk_const(_CLASSES[name], (ZERO, ZERO, ZERO)), (NAT, NAT, NAT)), args[3]
    elif name in _RELATIONS and len(args) == 4:
        if not is_app_of(m.instantiate_mvars(args[0]), "Nat", 0):
            return False
        wanted, given = mk_app(mk_const(_RELATIONS[name], (ZERO,)), NAT), args[1]
    else:
        return name == "ite" and len(args) == 5 and is_app_of(m.instantiate_mvars(args[0]), "Nat", 0)
    usual = synth_instance(m, wanted)
    if usual is None:
        return False
    if usual is given:
        return True
    with m.new_mctx_depth():
        return m.attempt(lambda: is_def_eq(m, usual, given))


def division(m: Meta, name: str, x: Expr, k: Expr) -> Expr | None:
    """`x / k` or `x % k`."""
    levels = (ZERO, ZERO, ZERO)
    instance = synth_instance(m, mk_apps(mk_const(name, levels), (NAT, NAT, NAT)))
    if instance is None:
        return None
    op = "HDiv.hDiv" if name == "HDiv" else "HMod.hMod"
    return mk_apps(mk_const(op, levels), (NAT, NAT, NAT, instance, x, k))


_OPERATIONS: dict[tuple[str, int], Callable[[Linearizer, Expr, list[Expr]], tuple[Sum, Expr]]] = {
    ("HAdd.hAdd", 6): lambda self, _, args: self._add(args[4], args[5]),
    ("HMul.hMul", 6): lambda self, e, args: self._mul(e, args),
    ("HPow.hPow", 6): lambda self, e, args: self._pow(e, args),
    ("HDiv.hDiv", 6): lambda self, e, args: self._quotient(e, args),
    ("HMod.hMod", 6): lambda self, e, args: self._quotient(e, args),
}
