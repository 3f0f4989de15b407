"""Case splits of `grind`: which term to split, the hypotheses of the cases, and the proof that the cases cover all.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Split,Cases}.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minilean.kernel.declaration import Inductive, Recursor
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_arrow,
    mk_const,
)
from minilean.kernel.instantiate import beta_apply, head_beta, instantiate1
from minilean.kernel.level import ZERO
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import occurs_fvar
from minilean.meta.whnf import whnf_reducible
from minilean.tactics.grind.closure import Closure
from minilean.tactics.grind.lemmas import rule
from minilean.tactics.omega.instances import domain, type_name
from minilean.tactics.simp.result import FALSE, TRUE

NOT = mk_const("Not")


@dataclass(frozen=True, slots=True)
class Split:
    """A term to split; `cases` is the number of cases."""

    term: Expr
    cases: int


def next_split(m: Meta, g: Closure) -> Split | None:
    """Return the best split: the one with fewest cases, then the least generation, then the oldest."""
    best: tuple[int, int, Split] | None = None
    for e in g.generation:
        cases = _cases(m, g, e)
        if cases and (best is None or (cases, g.generation[e]) < best[:2]):
            best = cases, g.generation[e], Split(e, cases)
    return None if best is None else best[2]


def unopened(g: Closure, opened: set[Expr]) -> Expr | None:
    """Return an existential statement that holds and whose witness is not introduced yet."""
    found = (e for e in g.by_head.get("Exists", ()) if g.is_(e, TRUE) and e not in opened)
    return next(found, None)


def _open(g: Closure, p: Expr) -> bool:
    return not g.is_(p, TRUE) and not g.is_(p, FALSE)


def _cases(m: Meta, g: Closure, e: Expr) -> int:
    """Return the number of cases of a term, 0 where it is not to be split."""
    if type(e) is Pi:
        split = g.is_(e, TRUE) and _is_comparison(m, e.type) and e.type in g.root and _open(g, e.type)
        return 2 if split else 0
    fn, args = get_app(e)
    if type(fn) is not Const:
        return 0
    if fn.name in ("And", "Or") and len(args) == 2:
        return (
            2
            if g.is_(e, TRUE if fn.name == "Or" else FALSE) and _open(g, args[0]) and _open(g, args[1])
            else 0
        )
    if fn.name == "Iff" and len(args) == 2:
        return 2 if not _open(g, e) and _open(g, args[0]) and _open(g, args[1]) else 0
    if fn.name in ("ite", "dite") and len(args) == 5:
        return 2 if _open(g, args[1]) else 0
    major = _major(m, g, e)
    return 0 if major is None else max(1, len(major[1].constructors))


def _is_comparison(m: Meta, p: Expr) -> bool:
    fn, args = get_app(p)
    if type(fn) is not Const:
        return False
    if fn.name == "Not" and len(args) == 1:
        return _is_comparison(m, args[0])
    if fn.name == "Eq" and len(args) == 3:
        return bool(type_name(m, args[0]))
    return fn.name in ("LE.le", "LT.lt", "Dvd.dvd") and bool(domain(m, fn.name, args))


def _major(m: Meta, g: Closure, e: Expr) -> tuple[Expr, Inductive] | None:
    """Return the first discriminant of a `match` whose constructor is not known, and its type."""
    fn, args = get_app(e)
    info = m.env.matchers.get(fn.name) if type(fn) is Const else None
    if info is None or len(args) < info.arity or e in g.settled:
        return None
    for arg in args[info.num_params + 1 :][: info.num_discrs]:
        if arg not in g.root or _has_value(g, arg):
            continue
        type_ = whnf_reducible(m, m.instantiate_mvars(infer_type(m, arg)))
        head, params = get_app(type_)
        decl = m.env.find(head.name) if type(head) is Const else None
        if (
            isinstance(decl, Inductive)
            and len(params) == decl.num_params
            and f"{decl.name}.rec" not in m.env.hidden
        ):
            return arg, decl
    return None


def _has_value(g: Closure, e: Expr) -> bool:
    root = g.root[e]
    return root in g.value or any(is_app_of(x, "HAdd.hAdd", 6) for x in g.members[root])


class Splitter:
    """The proof terms of case splits.

    Args:
        m: The metavariable context.
        refute: Returns a proof of `False` in the case with the hypothesis `x` of the type `prop`, `x` being in the
            local context; takes `x`, `prop` and the number of the case.
    """

    def __init__(self, m: Meta, refute: Callable[[FVar, Expr, int], Expr]) -> None:
        self.m = m
        self._refute = refute

    def prove(self, g: Closure, split: Split) -> Expr:
        """Return a proof of `False` by cases."""
        e = split.term
        if type(e) is Pi:
            return self._decided(e.type)
        fn, args = get_app(e)
        assert isinstance(fn, Const)
        env = self.m.env
        if fn.name == "Or":
            return self._either(args[0], args[1], lambda: g.holds(e))
        if fn.name == "And":
            p, q = args
            proof = lambda: rule(env, "not_or_not", p, q, g.proof(e, FALSE))  # noqa: E731
            return self._either(mk_app(NOT, p), mk_app(NOT, q), proof)
        if fn.name == "Iff":
            return self._decided(args[0])
        if fn.name in ("ite", "dite"):
            return self._decided(args[1])
        found = _major(self.m, g, e)
        assert found is not None
        return self._constructors(*found)

    def opened(self, g: Closure, e: Expr) -> Expr:
        """Return a proof of `False` from an existential statement that holds."""
        m = self.m
        _, (alpha, predicate) = get_app(e)
        old = m.lctx
        try:
            w = m.push_local("w✝", alpha)
            statement = beta_apply(predicate, [w])
            h = m.push_local("h✝", statement)
            proof = self._refute(h, statement, 0)
            body = m.mk_lambda([w, h], proof)
        finally:
            m.lctx = old
        if not _mentions(proof, (w, h)):
            return proof
        level = sort_level(m, alpha)
        return mk_apps(mk_const("Exists.elim", (level,)), (alpha, predicate, FALSE, g.holds(e), body))

    def _decided(self, p: Expr) -> Expr:
        return self._either(p, mk_app(NOT, p), lambda: mk_app(mk_const("Classical.em"), p))

    def _either(self, p: Expr, q: Expr, either: Callable[[], Expr]) -> Expr:
        m = self.m
        parts = []
        for number, prop in enumerate((p, q), 1):
            old = m.lctx
            try:
                x = m.push_local("h✝", prop)
                proof = self._refute(x, prop, number)
                if not _mentions(proof, (x,)):
                    return proof
                parts.append(m.mk_lambda([x], proof))
            finally:
                m.lctx = old
        return mk_apps(mk_const("Or.elim"), (p, q, FALSE, either(), *parts))

    def _constructors(self, e: Expr, decl: Inductive) -> Expr:
        """Split by the constructors `c` of the type of `e`, with the hypotheses `e = c ..`."""
        m = self.m
        alpha = m.instantiate_mvars(infer_type(m, e))
        fn, params = get_app(whnf_reducible(m, alpha))
        assert isinstance(fn, Const)
        rec = m.env.find(f"{decl.name}.rec")
        assert isinstance(rec, Recursor)
        level = sort_level(m, alpha)
        equals = mk_app(mk_app(mk_const("Eq", (level,)), alpha), e)
        old = m.lctx
        y = m.push_local("y", alpha)
        motive = m.mk_lambda([y], mk_arrow(mk_app(equals, y), FALSE))
        m.lctx = old
        levels = (ZERO, *fn.levels) if decl.large_elim else fn.levels
        head = mk_apps(mk_const(rec.name, levels), [*params, motive])
        type_ = infer_type(m, head)
        minors = []
        for number, _ in enumerate(decl.constructors, 1):
            assert type(type_) is Pi
            minor, alone = self._minor(type_.type, number)
            if alone:
                return minor
            minors.append(minor)
            type_ = type_.body
        refl = mk_apps(mk_const("Eq.refl", (level,)), (alpha, e))
        return mk_app(mk_apps(head, [*minors, e]), refl)

    def _minor(self, minor: Expr, number: int) -> tuple[Expr, bool]:
        """Return the proof for a constructor, and whether it is a proof of `False` that does not use the case."""
        m = self.m
        old = m.lctx
        try:
            binders: list[FVar] = []
            minor = head_beta(minor)
            while type(minor) is Pi:
                type_ = head_beta(minor.type)
                binders.append(m.push_local(minor.name + "✝", type_, hidden=type(type_) is Pi))
                minor = head_beta(instantiate1(minor.body, binders[-1]))
            h = binders[-1]
            proof = self._refute(h, m.local(h).type, number)
            alone = not _mentions(proof, binders)
            return (proof if alone else m.mk_lambda(binders, proof)), alone
        finally:
            m.lctx = old


def _mentions(proof: Expr, fvars: Sequence[FVar]) -> bool:
    return any(occurs_fvar(proof, x) for x in fvars)
