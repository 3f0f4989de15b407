"""Congruence closure with proofs: classes of equal terms, and a proof for each pair of terms of a class.

Terms are canonical (`canonical`). Proofs are built when they are asked for: an equation keeps a function that builds
its proof, and a forest over the terms tells which equations connect two of them.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Core,Internalize,Proof}.lean` (4.34); R. Nieuwenhuis, A. Oliveras, Fast
congruence closure and extensions, Information and Computation 205 (2007), section 4 (the proof forest).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import (
    INST,
    PROP,
    App,
    Const,
    Expr,
    FVar,
    Lit,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.level import ONE, ZERO, Level
from minilean.meta.infer import infer_type, instantiate_beta, is_proof, is_prop, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.numerals import nat_literal
from minilean.meta.whnf import whnf
from minilean.tactics.omega.instances import int_literal
from minilean.tactics.simp.result import FALSE, TRUE, Result, congr

Reason: TypeAlias = "Callable[[Closure], Expr]"
"""Builds the proof of an equation from a closure that knows at least what was known when the equation was added."""

_WATCHED = {"ite": 1, "dite": 1}
"""Functions of which only the condition is a part: the position of the condition."""


class Closure:
    """Classes of equal terms on one branch of the search.

    Attributes:
        root: The representative of each term.
        members: The terms of each class, by representative.
        uses: The terms of which a member of a class is a part, by representative.
        value: A constructor application, a numeral, `True` or `False` in a class, by representative.
        generation: The number of lemma instances in a row that led to a term.
        by_head: Applications by the name, or the variable, at their head.
        pending: Equations that are not merged yet.
        changed: Terms whose parts were merged with others.
        met: Pairs of values that became equal.
        settled: Applications of a `match` whose alternative is known.
    """

    def __init__(self, m: Meta) -> None:
        self.m = m
        self.root: dict[Expr, Expr] = {}
        self.members: dict[Expr, list[Expr]] = {}
        self.uses: dict[Expr, list[Expr]] = {}
        self.value: dict[Expr, Expr] = {}
        self.generation: dict[Expr, int] = {}
        self.by_head: dict[object, list[Expr]] = {}
        self.pending: list[tuple[Expr, Expr, Reason]] = []
        self.changed: dict[Expr, None] = {}
        self.met: list[tuple[Expr, Expr]] = []
        self.settled: set[Expr] = set()
        self._edge: dict[Expr, tuple[Expr, Reason, bool]] = {}
        self._table: dict[tuple[object, ...], Expr] = {}
        self._fixed: dict[Expr, tuple[bool, ...]] = {}
        self._proofs: dict[tuple[Expr, Expr], Expr] = {}
        for constant in (TRUE, FALSE):
            self.add(constant)

    def copy(self) -> Closure:
        """Return a copy to continue from."""
        other = Closure.__new__(Closure)
        vars(other).update(vars(self))
        for name in ("root", "value", "generation", "changed", "_edge", "_table", "_fixed", "_proofs"):
            vars(other)[name] = dict(vars(self)[name])
        for name in ("members", "uses", "by_head"):
            vars(other)[name] = {key: list(found) for key, found in vars(self)[name].items()}
        other.pending, other.met, other.settled = list(self.pending), list(self.met), set(self.settled)
        return other

    # --- terms -------------------------------------------------------------------------------------------

    def add(self, e: Expr, generation: int = 0) -> None:
        """Add a canonical term with its parts."""
        if e in self.root:
            return
        m = self.m
        m.budget.spend("grind")
        with m.nested("grind"):
            parts = self.parts(e)
            for part in parts:
                self.add(part, generation)
        self.root[e], self.members[e], self.uses[e] = e, [e], []
        self.generation[e] = generation
        if self._is_value(e):
            self.value[e] = e
        for root in dict.fromkeys(self.root[part] for part in parts):
            self.uses[root].append(e)
        if type(e) is App:
            fn = get_app_fn(e)
            self.by_head.setdefault(fn.name if type(fn) is Const else fn, []).append(e)
        self._enter(e)
        self.changed[e] = None

    def parts(self, e: Expr) -> list[Expr]:
        """Return the subterms that belong to the closure when `e` does."""
        m = self.m
        if type(e) is Pi:
            if self.is_implication(e):
                return [e.type, e.body]
            return [e.type] if is_prop(m, e) and is_prop(m, e.type) else []
        if type(e) is not App or self.is_numeral(e):
            return []
        fn, args = get_app(e)
        name = fn.name if type(fn) is Const else ""
        if name in _WATCHED and len(args) > _WATCHED[name]:
            return [args[_WATCHED[name]]]
        found = [a for a, fixed in zip(args, self.fixed(e), strict=True) if not fixed]
        if name == "Decidable.decide" and args:
            found.append(args[0])
        if type(fn) is FVar:
            found.append(fn)
        return found

    def is_implication(self, e: Pi) -> bool:
        """Return whether a function type is an implication between propositions."""
        return not e.body.loose and is_prop(self.m, e.type) and is_prop(self.m, e.body)

    def fixed(self, e: Expr) -> tuple[bool, ...]:
        """Return a flag for each argument of an application: whether congruence leaves it alone.

        These are arguments that the type of others depends on, instances, and proofs; also the alternatives of a
        `match` and the branches of an `if`.
        """
        hit = self._fixed.get(e)
        if hit is not None:
            return hit
        m = self.m
        fn, args = get_app(e)
        matcher = m.env.matchers.get(fn.name) if type(fn) is Const else None
        watched = type(fn) is Const and fn.name in _WATCHED
        last = matcher.num_params + 1 + matcher.num_discrs if matcher else len(args)
        flags = []
        type_ = m.instantiate_mvars(infer_type(m, fn))
        for i, arg in enumerate(args):
            if type(type_) is not Pi:
                type_ = whnf(m, type_)
            assert type(type_) is Pi
            fixed = type_.info == INST or bool(type_.body.loose) or watched or i >= last
            flags.append(fixed or is_proof(m, arg))
            type_ = instantiate_beta(type_.body, [arg])
        hit = self._fixed[e] = tuple(flags)
        return hit

    def is_numeral(self, e: Expr) -> bool:
        """Return whether a term is a number, without looking at its parts."""
        return type(e) is Lit or nat_literal(self.m, e) is not None or int_literal(self.m, e) is not None

    def _is_value(self, e: Expr) -> bool:
        if e is TRUE or e is FALSE or self.is_numeral(e):
            return True
        fn, args = get_app(e)
        decl = self.m.env.find(fn.name) if type(fn) is Const else None
        complete = isinstance(decl, Constructor) and len(args) == decl.num_params + decl.num_fields
        return complete and not is_proof(self.m, e)

    def _key(self, e: Expr) -> tuple[object, ...] | None:
        root = self.root
        if type(e) is Pi:
            if not self.is_implication(e):
                return None
            return ("→", root[e.type], root[e.body])
        if type(e) is not App or self.is_numeral(e):
            return None
        fn, args = get_app(e)
        head = root[fn] if type(fn) is FVar else fn
        key = [
            (None if is_proof(self.m, a) else a) if fixed else root[a]
            for a, fixed in zip(args, self.fixed(e), strict=True)
        ]
        return (head, *key)

    def _enter(self, e: Expr) -> None:
        """Put a term into the table of congruences; plan the merge with a congruent one."""
        key = self._key(e)
        if key is None:
            return
        other = self._table.setdefault(key, e)
        if other is not e and self.root[other] is not self.root[e]:
            self.pending.append((e, other, lambda g: g.congruence(e, other)))

    # --- equations ---------------------------------------------------------------------------------------

    def equate(self, a: Expr, b: Expr, reason: Reason, generation: int = 0) -> None:
        """Plan the merge of two canonical terms; `reason` builds a proof of `a = b`."""
        self.add(a, generation)
        self.add(b, generation)
        if self.root[a] is not self.root[b]:
            self.pending.append((a, b, reason))

    def same(self, a: Expr, b: Expr) -> bool:
        """Return whether two terms of the closure are known to be equal."""
        return self.root[a] is self.root[b]

    def is_(self, p: Expr, value: Expr) -> bool:
        """Return whether a term is known to equal `True`, `False`, or another constant value."""
        root = self.root.get(p)
        return root is not None and self.value.get(root) is value

    def merge(self) -> bool:
        """Merge the first planned equation; return whether there was one."""
        if not self.pending:
            return False
        a, b, reason = self.pending.pop(0)
        self.m.budget.spend("grind")
        flipped = False
        if len(self.members[self.root[a]]) > len(self.members[self.root[b]]):
            a, b, flipped = b, a, True
        old, new = self.root[a], self.root[b]
        if old is new:
            return True
        self._hang(a, b, reason, flipped)
        moved = self.members.pop(old)
        for e in moved:
            self.root[e] = new
        first, second = self.value.pop(old, None), self.value.get(new)
        if first is not None and second is None:
            self.changed.update(dict.fromkeys([*self.members[new], *self.uses[new]]))
            self.value[new] = first
        elif first is not None and second is not None:
            self.met.append((first, second))
        self.changed.update(dict.fromkeys(moved))
        self.members[new] += moved
        users = self.uses.pop(old)
        for user in users:
            self._enter(user)
        self.changed.update(dict.fromkeys(users))
        known = set(self.uses[new])
        self.uses[new] += [user for user in users if user not in known]
        return True

    def _hang(self, a: Expr, b: Expr, reason: Reason, flipped: bool) -> None:
        """Add the edge from `a` to `b` to the forest, after turning the tree of `a` so that `a` is its root."""
        child, edge = a, self._edge.pop(a, None)
        while edge is not None:
            parent, why, turned = edge
            edge = self._edge.pop(parent, None)
            self._edge[parent] = (child, why, not turned)
            child = parent
        self._edge[a] = (b, reason, flipped)

    # --- proofs ------------------------------------------------------------------------------------------

    def proof(self, a: Expr, b: Expr) -> Expr:
        """Return a proof of `a = b` for two terms of one class."""
        hit = self._proofs.get((a, b))
        if hit is not None:
            return hit
        with self.m.nested("grind"):
            path = self._path(a)
            places = {e: i for i, e in enumerate(path)}
            other = self._path(b)
            meet = next(i for i, e in enumerate(other) if e in places)
            up = path[: places[other[meet]] + 1]
            down = other[: meet + 1]
            proof = self.refl(a)
            for first, second in pairwise(up):
                proof = self.trans(a, first, second, proof, self._step(first))
            for second, first in reversed(list(pairwise(down))):
                proof = self.trans(a, first, second, proof, self.symm(second, first, self._step(second)))
        self._proofs[a, b] = proof
        return proof

    def _path(self, e: Expr) -> list[Expr]:
        path = [e]
        while (edge := self._edge.get(path[-1])) is not None:
            path.append(edge[0])
        return path

    def _step(self, e: Expr) -> Expr:
        """Return a proof that `e` equals its parent in the forest."""
        parent, reason, flipped = self._edge[e]
        hit = self._proofs.get((e, parent))
        if hit is None:
            self.m.budget.spend("grind")
            hit = reason(self)
            if flipped:
                hit = self.symm(parent, e, hit)
            self._proofs[e, parent] = hit
        return hit

    def congruence(self, x: Expr, y: Expr) -> Expr:
        """Return a proof of `x = y` for applications or implications with equal parts."""
        m = self.m
        if type(x) is Pi and type(y) is Pi:
            proofs = self.proof(x.type, y.type), self.proof(x.body, y.body)
            return mk_apps(mk_const("implies_congr", (ZERO, ZERO)), (x.type, y.type, x.body, y.body, *proofs))
        (f, xs), (g, ys) = get_app(x), get_app(y)
        current = Result(g, None if f is g else self.proof(f, g))
        left = f
        for a, b, fixed in zip(xs, ys, self.fixed(x), strict=True):
            step = Result(a) if fixed or a is b else Result(b, self.proof(a, b))
            current = congr(m, left, current, a, step)
            left = mk_app(left, a)
        return self.refl(x) if current.proof is None else current.proof

    def equation(self, a: Expr, b: Expr) -> Expr:
        """Return the proposition `a = b`."""
        alpha, level = self._type(a)
        return mk_apps(mk_const("Eq", (level,)), (alpha, a, b))

    def _type(self, a: Expr) -> tuple[Expr, Level]:
        alpha = self.m.instantiate_mvars(infer_type(self.m, a))
        return alpha, ONE if alpha is PROP else sort_level(self.m, alpha)

    def refl(self, a: Expr) -> Expr:
        """Return the proof of `a = a`."""
        alpha, level = self._type(a)
        return mk_apps(mk_const("Eq.refl", (level,)), (alpha, a))

    def symm(self, a: Expr, b: Expr, proof: Expr) -> Expr:
        """Return a proof of `b = a` from one of `a = b`."""
        if is_app_of(proof, "Eq.refl", 2):
            return self.refl(b)
        alpha, level = self._type(a)
        return mk_apps(mk_const("Eq.symm", (level,)), (alpha, a, b, proof))

    def trans(self, a: Expr, b: Expr, c: Expr, first: Expr, second: Expr) -> Expr:
        """Return a proof of `a = c` from proofs of `a = b` and `b = c`."""
        if is_app_of(first, "Eq.refl", 2):
            return second
        alpha, level = self._type(a)
        return mk_apps(mk_const("Eq.trans", (level,)), (alpha, a, b, c, first, second))

    def holds(self, p: Expr) -> Expr:
        """Return a proof of a proposition that is known to be true."""
        return mk_apps(mk_const("of_eq_true"), (p, self.proof(p, TRUE)))

    def fails(self, p: Expr) -> Expr:
        """Return a proof of the negation of a proposition that is known to be false."""
        return mk_apps(mk_const("of_eq_false"), (p, self.proof(p, FALSE)))
