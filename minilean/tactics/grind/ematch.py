"""E-matching: instances of lemmas whose patterns occur in the closure, up to the equations that it knows.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/EMatch.lean` (4.34); L. de Moura, N. Bjørner, Efficient E-matching for SMT
solvers, CADE 2007, section 2 (the meaning of a match; the search here is by plain backtracking).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from minilean.kernel.expr import INST, App, Const, Expr, FVar, MVar, Pi, get_app, get_app_fn, mk_app
from minilean.kernel.instantiate import instantiate, instantiate1, instantiate_level_params
from minilean.meta.context import Kind
from minilean.meta.extension import INSTANCES
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_nat_add, mk_numeral, nat_literal, nat_offset
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.tactics.grind.canonical import Canonical
from minilean.tactics.grind.closure import Closure
from minilean.tactics.grind.patterns import Lemma

Instance = tuple[Expr, Expr, int]
"""Statement, proof, and generation."""


class Matcher:
    """One round of E-matching on a closure."""

    def __init__(self, m: Meta, g: Closure, canonical: Canonical) -> None:
        self.m, self.g = m, g
        self.canonical = canonical

    def instances(self, lemma: Lemma) -> list[Instance]:
        """Return the instances of a lemma for the terms of the closure."""
        m = self.m
        mark = m.mctx.mark()
        with m.new_mctx_depth(), m.with_transparency(INSTANCES):
            levels = [m.new_level_mvar() for _ in lemma.levels]
            type_ = instantiate_level_params(lemma.type, lemma.levels, levels)
            proof = instantiate_level_params(lemma.proof, lemma.levels, levels)
            mvars: list[MVar] = []
            for _ in range(lemma.binders):
                assert type(type_) is Pi
                kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
                mvars.append(m.new_mvar(type_.type, kind))
                type_ = instantiate1(type_.body, mvars[-1])
            patterns = [
                instantiate(instantiate_level_params(p, lemma.levels, levels), mvars) for p in lemma.patterns
            ]
            found: list[Instance] = []
            for generation in self._all(patterns, 0):
                made = self._instance(type_, proof, mvars)
                if made is not None:
                    found.append((*made, generation + 1))
        m.mctx.rollback(mark)
        return found

    # --- matching ----------------------------------------------------------------------------------------

    def _all(self, patterns: Sequence[Expr], generation: int) -> Iterator[int]:
        """Yield once for each way to match all patterns, with the greatest generation of the terms used."""
        if not patterns:
            yield generation
            return
        pattern = patterns[0]
        fn = get_app_fn(pattern)
        for e in list(self.g.by_head.get(fn.name if type(fn) is Const else fn, ())):
            level = max(generation, self.g.generation[e])
            for _ in self._application(pattern, e, []):
                yield from self._all(patterns[1:], level)

    def _match(self, todo: list[tuple[Expr, Expr]]) -> Iterator[None]:
        """Yield once for each way to match pairs of a pattern and a term of the closure."""
        if not todo:
            yield
            return
        m, g = self.m, self.g
        m.budget.spend("grind")
        (pattern, e), rest = todo[0], todo[1:]
        pattern = m.instantiate_mvars(pattern)
        mark = m.mctx.mark()
        if not has_expr_mvar(pattern):
            if self._equal(pattern, e):
                yield from self._match(rest)
        elif type(pattern) is MVar:
            if is_def_eq(m, m.mvar_decl(pattern).type, infer_type(m, e)) and is_def_eq(m, pattern, e):
                yield from self._match(rest)
        else:
            for member in list(g.members[g.root[e]]):
                yield from self._application(pattern, member, rest)
                m.mctx.rollback(mark)
        m.mctx.rollback(mark)

    def _equal(self, pattern: Expr, e: Expr) -> bool:
        g = self.g
        known = self.canonical.of(pattern)
        if known in g.root:
            return g.same(known, e)
        return any(
            is_def_eq(self.m, pattern, x)
            for x in g.members[g.root[e]]
            if get_app_fn(x) is get_app_fn(pattern)
        )

    def _application(self, pattern: Expr, e: Expr, rest: list[tuple[Expr, Expr]]) -> Iterator[None]:
        """Match a pattern with this very term, then the rest."""
        m, g = self.m, self.g
        mark = m.mctx.mark()
        predecessor = self._predecessor(pattern, e)
        if predecessor is not None:
            if is_def_eq(m, *predecessor):
                yield from self._match(rest)
            m.mctx.rollback(mark)
            return
        (fn, ps), (head, xs) = get_app(pattern), get_app(e)
        if type(e) is not App or len(ps) != len(xs) or not _may_be_equal(fn, head) or g.is_numeral(e):
            return
        if fn is head or is_def_eq(m, fn, head):
            parts: list[tuple[Expr, Expr]] = []
            for p, x, fixed in zip(ps, xs, g.fixed(e), strict=True):
                if not fixed and x in g.root:
                    parts.append((p, x))
                elif not is_def_eq(m, p, x):
                    break
            else:
                yield from self._match([*parts, *rest])
        m.mctx.rollback(mark)

    def _predecessor(self, pattern: Expr, e: Expr) -> tuple[Expr, Expr] | None:
        """Return `p` and `e - k` where the pattern is `p + k` and `e` is a numeral or a sum, not less than `k`."""
        offset = nat_offset(self.m, pattern)
        if offset is None:
            return None
        value, total = nat_literal(self.m, e), nat_offset(self.m, e)
        if value is not None:
            return (offset[0], mk_numeral(value - offset[1])) if value >= offset[1] else None
        if total is None or total[1] < offset[1]:
            return None
        return offset[0], mk_nat_add(total[0], total[1] - offset[1])

    # --- instances ---------------------------------------------------------------------------------------

    def _instance(self, type_: Expr, proof: Expr, mvars: Sequence[MVar]) -> tuple[Expr, Expr] | None:
        """Return statement and proof of the instance that is matched; premises that are not matched stay premises."""
        m = self.m
        mark = m.mctx.mark()
        old = m.lctx
        try:
            premises: list[FVar] = []
            for mvar in mvars:
                if m.mctx.is_assigned(mvar.id):
                    continue
                wanted = m.instantiate_mvars(m.mvar_decl(mvar).type)
                if m.mvar_decl(mvar).kind is Kind.SYNTHETIC:
                    value = synth_instance(m, wanted)
                    if value is None or not is_def_eq(m, mvar, value):
                        return None
                elif is_prop(m, wanted) and not has_expr_mvar(wanted):
                    premises.append(m.push_local("h", wanted))
                    m.mctx.assign(mvar.id, premises[-1])
                else:
                    return None
            term = proof
            for mvar in mvars:
                term = mk_app(term, mvar)
            term = m.instantiate_mvars(term)
            if term.has_mvar:
                return None
            statement = m.instantiate_mvars(type_)
            return m.mk_pi(premises, statement), m.mk_lambda(premises, term)
        finally:
            m.lctx = old
            m.mctx.rollback(mark)


def _may_be_equal(fn: Expr, head: Expr) -> bool:
    if type(fn) is Const:
        return type(head) is Const and fn.name == head.name
    return fn is head
