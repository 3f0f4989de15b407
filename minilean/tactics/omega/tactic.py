"""`omega`: linear arithmetic over the natural numbers and the integers, with a proof that the kernel checks.

Hypotheses and the negated goal are read as linear constraints (`terms`, `int`), solved as integer constraints
(`solver`), and a contradiction is turned into a term (`proof`). Disjunctions, also those that
truncated subtraction, `min`, `max` and `if` add, are split one at a time while no contradiction is found.

Source: Lean 4 `src/Lean/Elab/Tactic/Omega/Frontend.lean`, `FalseOrByContra.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from minilean.kernel.expr import (
    Const,
    Expr,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.kernel.level import ONE
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf_reducible
from minilean.syntax import ast
from minilean.tactics.contradiction import find_assumption
from minilean.tactics.omega.atoms import Atoms
from minilean.tactics.omega.instances import domain, operation, type_name
from minilean.tactics.omega.lemmas import apply_inline
from minilean.tactics.omega.message import describe
from minilean.tactics.omega.proof import FALSE, InequalityProofs, lemma
from minilean.tactics.omega.solver import Coeffs, Contradiction, Inequality, System
from minilean.tactics.omega.terms import Linearizer
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

NOT = mk_const("Not")
_NOT_LE = {"Nat": "Nat.lt_of_not_le", "Int": "Int.lt_of_not_ge"}


@dataclass(slots=True)
class Case:
    """One case of the search: constraints, facts to be read, and disjunctions that may be split."""

    problem: System
    facts: list[tuple[Expr, Expr]] = field(default_factory=list)
    disjunctions: list[tuple[Expr, Expr, Expr]] = field(default_factory=list)
    seen: set[Expr] = field(default_factory=set)

    def copy(self) -> Case:
        """Return a copy to continue from."""
        return Case(self.problem.copy(), list(self.facts), list(self.disjunctions), set(self.seen))


class Omega:
    """One run of `omega`.

    Args:
        t: The tactic state.
        hypotheses: Use the hypotheses of the main goal.
    """

    def __init__(self, t: Tactics, hypotheses: bool = True) -> None:
        self.t, self.m = t, t.m
        self._outside = set() if hypotheses else set(t.m.lctx.decls)
        self.atoms = Atoms(self.m, self._spend)
        self.terms = Linearizer(self.atoms)
        self.prover = InequalityProofs(self.atoms.sums, self.atoms.is_difference, self._spend)

    def _spend(self) -> None:
        self.m.budget.spend("omega")

    def _difference(self, coeffs: Coeffs, const: int) -> tuple[int, Inequality, Inequality]:
        return self.terms.new_difference(coeffs, const, self.prover.sides(Inequality(coeffs, const)))

    # --- the goal ----------------------------------------------------------------------------------------

    def prove(self, target: Expr) -> Expr:
        """Prove `target`: assume its negation and refute it."""
        m = self.m
        target = whnf_reducible(m, m.instantiate_mvars(target))
        if is_app_of(target, "False", 0):
            return self.refute()
        if is_app_of(target, "Not", 1):
            return self._assuming("a✝", target.arg, lambda _: FALSE)  # type: ignore[attr-defined]
        if type(target) is Pi:
            body = target.body
            return self._assuming(target.name + "✝", target.type, lambda x: instantiate1(body, x))
        if not is_prop(m, target):
            return mk_apps(mk_const("False.elim", (sort_level(m, target),)), (target, self.refute()))
        refuted = self._assuming("a✝", mk_app(NOT, target), lambda _: FALSE)
        instance = synth_instance(m, mk_app(mk_const("Decidable"), target))
        if instance is None:
            return lemma("Classical.byContradiction", target, refuted)
        return lemma("Decidable.byContradiction", target, instance, refuted)

    def _assuming(self, name: str, type_: Expr, rest: Callable[[Expr], Expr]) -> Expr:
        """Return the function that takes `name : type_` to a proof of `rest`."""
        m = self.m
        old = m.lctx
        try:
            x = m.push_local(name, type_)
            return m.mk_lambda([x], self.prove(rest(x)))
        finally:
            m.lctx = old

    def refute(self) -> Expr:
        """Prove `False` from the local context."""
        m = self.m
        case = Case(System(self._difference, self._spend))
        for decl in m.lctx:
            type_ = m.instantiate_mvars(decl.type)
            if not decl.hidden and decl.fvar.id not in self._outside and is_prop(m, type_):
                case.facts.append((decl.fvar, type_))
        return self.search(case)

    def refute_facts(self, facts: list[tuple[Expr, Expr]]) -> Expr:
        """Prove `False` from facts: proofs with their statements.

        Raises:
            MetaError: No contradiction is found.
        """
        return self.search(Case(System(self._difference, self._spend), list(facts)))

    # --- cases -------------------------------------------------------------------------------------------

    def search(self, case: Case) -> Expr:
        """Prove `False` in a case.

        Raises:
            MetaError: No contradiction is found.
        """
        with self.m.nested("omega"):
            try:
                self.process(case)
                case.problem.copy().eliminate()
            except Contradiction as found:
                return self.prover.contradiction(found.step)
            while case.disjunctions:
                proof = self._split(case)
                if proof is not None:
                    return proof
        raise MetaError(f"omega could not prove the goal:\n{describe(self.t, self.atoms, case.problem)}")

    def _split(self, case: Case) -> Expr | None:
        """Prove `False` by cases on the first disjunction; `None` when its first half adds no constraint."""
        h, left, right = case.disjunctions.pop(0)
        view = self.atoms.view
        halves = []
        for prop in (left, right):
            self.atoms.view = view.copy()
            old = self.m.lctx
            try:
                x = self.m.push_local("h✝", prop)
                half = case.copy()
                half.facts = [(x, prop)]
                try:
                    usable = self.process(half)
                except Contradiction as found:
                    halves.append(self.m.mk_lambda([x], self.prover.contradiction(found.step)))
                    continue
                if not usable and not halves:
                    return None
                halves.append(self.m.mk_lambda([x], self.search(half)))
            finally:
                self.m.lctx = old
                self.atoms.view = view
        return lemma("Or.elim", left, right, FALSE, h, *halves)

    def process(self, case: Case) -> int:
        """Read all facts of a case; return the number of those that add constraints or disjunctions."""
        usable = 0
        while case.facts:
            h, type_ = case.facts.pop(0)
            if h in case.seen:
                continue
            case.seen.add(h)
            self._spend()
            usable += self._add(case, h, type_)
            case.facts[:0] = self.atoms.facts
            self.atoms.facts.clear()
        return usable

    # --- facts -------------------------------------------------------------------------------------------

    def _add(self, case: Case, h: Expr, type_: Expr) -> int:
        """Read one fact; return the number of facts in it that are used."""
        m = self.m
        type_ = m.instantiate_mvars(whnf_reducible(m, m.instantiate_mvars(type_)))
        if type(type_) is Pi:
            p, q = type_.type, type_.body
            if q.loose or not is_prop(m, p) or not is_prop(m, q):
                return 0
            decided = mk_app(mk_const("Classical.propDecidable"), p)
            proof = lemma("Decidable.not_or_of_imp", p, q, decided, h)
            return self._add(case, proof, mk_apps(mk_const("Or"), (mk_app(NOT, p), q)))
        fn, args = get_app(type_)
        reader = _READERS.get((fn.name, len(args))) if type(fn) is Const else None
        usable = 0 if reader is None else reader(self, case, h, args)
        values = None if usable else self._of_values(type_)
        if values is None:
            return usable
        return self._add(case, lemma("Iff.mp", type_, values[1], values[0], h), values[1])

    def _of_values(self, prop: Expr) -> tuple[Expr, Expr] | None:
        """Return `prop ↔ p` and `p`, where `prop` compares elements of a `Fin` and `p` their values."""
        m = self.m
        fn, args = get_app(prop)
        name = _ON_VALUES.get((fn.name, len(args))) if type(fn) is Const else None
        if name is None or not is_app_of(alpha := whnf_reducible(m, args[0]), "Fin", 1):
            return None
        proof = lemma(name, alpha.arg, args[-2], args[-1])  # type: ignore[attr-defined]
        _, (left, right) = get_app(infer_type(m, proof))
        return (proof, right) if m.attempt(lambda: is_def_eq(m, left, prop)) else None

    def _less(self, case: Case, kind: str, a: Expr, b: Expr, h: Expr) -> int:
        """Add the constraint of `h : a ≤ b`."""
        step = self._inequality(kind, a, b, h)
        self.terms.define_remainders(case.problem)
        case.problem.add(step)
        case.problem.solve_equalities()
        return 1

    def _inequality(self, kind: str, a: Expr, b: Expr, h: Expr) -> Inequality:
        """Return the step of `h : a ≤ b` over `Nat` or `Int`."""
        of = self.terms if kind == "Nat" else self.terms.integers
        return of.inequality(a, b, h)

    def _equal(self, case: Case, h: Expr, args: list[Expr]) -> int:
        alpha, a, b = args
        kind = type_name(self.m, whnf_reducible(self.m, alpha))
        if not kind:
            return 0
        (self.terms if kind == "Nat" else self.terms.integers).linear(a)
        turned = mk_apps(mk_const("Eq.symm", (ONE,)), (mk_const(kind), a, b, h))
        low = self._inequality(kind, a, b, lemma(f"{kind}.le_of_eq", a, b, h))
        high = self._inequality(kind, b, a, lemma(f"{kind}.le_of_eq", b, a, turned))
        self.terms.define_remainders(case.problem)
        case.problem.add(low)
        case.problem.add(high)
        case.problem.solve_equalities()
        return 1

    def _at_most(self, case: Case, h: Expr, args: list[Expr]) -> int:
        kind = domain(self.m, "LE.le", args)
        return self._less(case, kind, args[2], args[3], h) if kind else 0

    def _below(self, case: Case, h: Expr, args: list[Expr]) -> int:
        kind = domain(self.m, "LT.lt", args)
        a, b = args[2], args[3]
        if kind == "Nat":
            return self._less(
                case, kind, mk_app(mk_const("Nat.succ"), a), b, lemma("Nat.succ_le_of_lt", a, b, h)
            )
        # `a < b` is `a + 1 ≤ b` by definition
        return self._less(case, kind, self.terms.integers.successor(a), b, h) if kind else 0

    def _and(self, case: Case, h: Expr, args: list[Expr]) -> int:
        p, q = args
        left = self._add(case, lemma("And.left", p, q, h), p)
        return left + self._add(case, lemma("And.right", p, q, h), q)

    def _or(self, case: Case, h: Expr, args: list[Expr]) -> int:
        case.disjunctions.insert(0, (h, args[0], args[1]))
        return 1

    def _iff(self, case: Case, h: Expr, args: list[Expr]) -> int:
        proof, statement = apply_inline(self.m.env, "iff", *args)
        return self._add(case, mk_app(proof, h), statement.body)  # type: ignore[attr-defined]

    def _exists(self, case: Case, h: Expr, args: list[Expr]) -> int:
        m = self.m
        level = (sort_level(m, args[0]),)
        witness = mk_apps(mk_const("Exists.choose", level), (*args, h))
        proof = mk_apps(mk_const("Exists.choose_spec", level), (*args, h))
        return self._add(case, proof, beta_apply(args[1], [witness]))

    def _divides(self, case: Case, h: Expr, args: list[Expr]) -> int:
        kind = domain(self.m, "Dvd.dvd", args)
        if not kind:
            return 0
        proof = lemma(f"{kind}.{'mod' if kind == 'Nat' else 'emod'}_eq_zero_of_dvd", args[2], args[3], h)
        return self._add(case, proof, infer_type(self.m, proof))

    def _not(self, case: Case, h: Expr, args: list[Expr]) -> int:
        prop = whnf_reducible(self.m, self.m.instantiate_mvars(args[0]))
        pushed = self._push_not(h, prop)
        return 0 if pushed is None else self._add(case, *pushed)

    def _push_not(self, h: Expr, prop: Expr) -> tuple[Expr, Expr] | None:
        """Read `h : ¬prop` as an equivalent fact without the negation."""
        m = self.m
        if type(prop) is Pi:
            p, q = prop.type, prop.body
            if q.loose or not is_prop(m, p) or not is_prop(m, q):
                return None
            both = mk_apps(mk_const("And"), (p, mk_app(NOT, q)))
            return self._forward("Classical.not_imp", prop, both, h, p, q)
        fn, args = get_app(prop)
        name = fn.name if type(fn) is Const else ""
        kind = domain(m, name, args)
        if name in ("LE.le", "LT.lt") and kind:
            a, b = args[2], args[3]
            if name == "LE.le":
                return lemma(_NOT_LE[kind], a, b, h), operation("LT.lt", kind, b, a)
            return lemma(f"{kind}.le_of_not_lt", a, b, h), operation("LE.le", kind, b, a)
        if name == "Eq" and len(args) == 3:
            kind = type_name(m, whnf_reducible(m, args[0]))
            if kind:
                a, b = args[1], args[2]
                sides = operation("LT.lt", kind, a, b), operation("LT.lt", kind, b, a)
                return lemma(f"{kind}.lt_or_gt_of_ne", a, b, h), mk_apps(mk_const("Or"), sides)
        if name == "Dvd.dvd" and kind:
            proof = lemma(f"{kind}.emod_pos_of_not_dvd", args[2], args[3], h)
            return proof, infer_type(m, proof)
        values = self._of_values(prop)
        if values is not None:
            back = lemma("Iff.mpr", prop, values[1], values[0])
            return lemma("mt", values[1], prop, back, h), mk_app(NOT, values[1])
        return self._push_connective(h, prop, name, args)

    def _push_connective(self, h: Expr, prop: Expr, name: str, args: list[Expr]) -> tuple[Expr, Expr] | None:
        m = self.m
        nots = [mk_app(NOT, p) for p in args]
        if name == "Not":
            p = args[0]
            decided = mk_app(mk_const("Classical.propDecidable"), p)
            return lemma("Decidable.of_not_not", p, decided, h), p
        if name == "And":
            either = mk_apps(mk_const("Or"), nots)
            return self._forward("Classical.not_and_iff_not_or_not", prop, either, h, *args)
        if name == "Or":
            return self._forward("not_or", prop, mk_apps(mk_const("And"), nots), h, *args)
        if name == "Iff":
            proof, statement = apply_inline(m.env, "not_iff", *args)
            return mk_app(proof, h), statement.body  # type: ignore[attr-defined]
        return None

    def _forward(
        self, name: str, prop: Expr, result: Expr, h: Expr, *params: Expr
    ) -> tuple[Expr, Expr] | None:
        """Use the equivalence `name : ¬prop ↔ result`."""
        return lemma("Iff.mp", mk_app(NOT, prop), result, lemma(name, *params), h), result


_ON_VALUES = {("Eq", 3): "Fin.ext_iff", ("LE.le", 4): "Fin.le_def", ("LT.lt", 4): "Fin.lt_def"}
_READERS: dict[tuple[str, int], Callable[[Omega, Case, Expr, list[Expr]], int]] = {
    ("Eq", 3): Omega._equal,
    ("LE.le", 4): Omega._at_most,
    ("LT.lt", 4): Omega._below,
    ("And", 2): Omega._and,
    ("Or", 2): Omega._or,
    ("Iff", 2): Omega._iff,
    ("Not", 1): Omega._not,
    ("Exists", 2): Omega._exists,
    ("Dvd.dvd", 4): Omega._divides,
}


def omega(t: Tactics) -> None:
    """Close the main goal by a hypothesis, as Lean's `omega` does first, or by linear arithmetic."""
    found = find_assumption(t, t.target)
    if found is not None:
        t.close(found.fvar)
        return
    t.close(Omega(t).prove(t.target))


@runs(ast.Omega, "omega")
def tac_omega(t: Tactics, stx: ast.Omega) -> None:
    """`omega`."""
    if stx.config:
        raise UnsupportedError("`omega` with options")
    omega(t)
