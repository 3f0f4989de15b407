"""Lemmas for E-matching: universally quantified statements with the patterns of terms that instantiate them.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/EMatchTheorem.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from minilean.kernel.declaration import Declaration, Definition
from minilean.kernel.expr import (
    INST,
    PROP,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Pi,
    Sort,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_proj,
)
from minilean.kernel.instantiate import abstract
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.metavars import Meta
from minilean.tactics.grind.canonical import Canonical
from minilean.tactics.simp.lemmas import definition_rule

_LOGIC = frozenset(["Eq", "HEq", "Iff", "And", "Or", "Not", "True", "False", "Exists", "ite", "dite"])


@dataclass(frozen=True, slots=True, eq=False)
class Lemma:
    """A statement `∀ binders, p`, its proof, and patterns over the binders.

    Attributes:
        levels: The universe parameters, which each instance replaces.
        patterns: Terms in which bound variables stand for the binders; all of them have to match. A statement without
            binders has none.
    """

    levels: tuple[str, ...]
    type: Expr
    proof: Expr
    binders: int
    patterns: tuple[Expr, ...]


class Patterns:
    """Choice of patterns within one run."""

    def __init__(self, m: Meta, canonical: Canonical) -> None:
        self.m = m
        self.canonical = canonical

    def of_declaration(self, decl: Declaration, kind: str) -> list[Lemma]:
        """Return the lemmas of a theorem, or of the equations of a definition.

        Args:
            decl: A theorem, axiom, or definition.
            kind: The modifier: `=`, `=_`, `_=_`, `→`, `←`, or nothing.

        Raises:
            MetaError: No pattern covers the variables.
        """
        m = self.m
        if isinstance(decl, Definition) and not is_prop(m, decl.type):
            if kind not in ("", "="):
                raise MetaError(f"invalid `grind` modifier `{kind}` for the definition `{decl.name}`")
            return self._of_definition(decl)
        if not is_prop(m, decl.type):
            raise MetaError(f"invalid `grind` theorem, `{decl.name}` is not a theorem or definition")
        proof = mk_const(decl.name, tuple(mk_param(p) for p in decl.level_params))
        lemmas = self.of_statement(decl.level_params, decl.type, proof, kind)
        if not lemmas:
            raise MetaError(_no_pattern(decl.name, kind))
        return lemmas

    def _of_definition(self, decl: Definition) -> list[Lemma]:
        m = self.m
        names = m.env.equations.get(decl.name, ())
        if not names:
            return [
                lemma
                for r in definition_rule(m, decl)
                for lemma in self.of_statement(r.levels, r.type, r.proof, "=")
            ]
        found = []
        for name in names:
            equation = m.env.find(name)
            assert equation is not None
            proof = mk_const(name, tuple(mk_param(p) for p in equation.level_params))
            found += self.of_statement(equation.level_params, equation.type, proof, "=")
        return found

    def of_statement(self, levels: tuple[str, ...], type_: Expr, proof: Expr, kind: str) -> list[Lemma]:
        """Return the lemmas of a proof of `type_`; none where no pattern covers the variables."""
        m = self.m
        old = m.lctx
        try:
            xs, end = m.intro_binders(m.instantiate_mvars(type_))
            if not xs:
                return [Lemma(levels, end, proof, 0, ())]
            found: list[Lemma] = []
            for part, part_proof in self._conjuncts(end, mk_apps(proof, xs)):
                statement, function = m.mk_pi(xs, part), m.mk_lambda(xs, part_proof)
                for choice in self._choices(xs, part, kind):
                    patterns = self._cover(xs, choice)
                    if patterns is None:
                        continue
                    terms = tuple(abstract(p, xs) for p in patterns)
                    if all(terms != lemma.patterns or statement is not lemma.type for lemma in found):
                        found.append(Lemma(levels, statement, function, len(xs), terms))
            return found
        finally:
            m.lctx = old

    def _conjuncts(self, p: Expr, proof: Expr) -> Iterator[tuple[Expr, Expr]]:
        """Yield the parts of a conjunction, or of a negated disjunction, with their proofs."""
        fn, args = get_app(p)
        if is_app_of(p, "And", 2):
            for i, part in enumerate(args):
                yield from self._conjuncts(part, mk_proj("And", i, proof))
        elif is_app_of(p, "Not", 1) and is_app_of(args[0], "Or", 2):
            nots = [mk_app(fn, q) for q in get_app(args[0])[1]]
            both = mk_apps(mk_const("And"), nots)
            iff = mk_apps(mk_const("not_or"), get_app(args[0])[1])
            yield from self._conjuncts(both, mk_apps(mk_const("Iff.mp"), (p, both, iff, proof)))
        else:
            yield p, proof

    def _choices(self, xs: Sequence[FVar], end: Expr, kind: str) -> list[list[Expr]]:
        """Return lists of terms to take patterns from; each that covers the variables gives a lemma."""
        m = self.m
        premises = [m.local(x).type for x in xs if is_prop(m, m.local(x).type)]
        sides = get_app(end)[1][-2:] if is_app_of(end, "Eq", 3) or is_app_of(end, "Iff", 2) else []
        if kind in ("=", "=_", "_=_"):
            if not sides:
                raise MetaError(
                    "invalid `grind` equation theorem, the conclusion is not an equation or equivalence"
                )
            return [[sides[i]] for i in {"=": (0,), "=_": (1,), "_=_": (0, 1)}[kind]]
        if kind == "←":
            return [[end]]
        if kind == "→":
            if not premises:
                raise MetaError(
                    "invalid `grind` forward theorem, the theorem does not have propositional hypotheses"
                )
            return [[*premises, end]]
        if kind == "local":
            parts = sides or (get_app(end)[1] if is_app_of(end, "Or", 2) else [end])
            return [[*premises, *parts], [*reversed(parts), *reversed(premises)]]
        best = [[sides[0]], [end, *premises]] if sides else [[end, *premises]]
        return next(([c] for c in best if self._cover(xs, c) is not None), [])

    def _cover(self, xs: Sequence[FVar], sources: Iterable[Expr]) -> list[Expr] | None:
        """Return patterns from these terms, the largest first, that determine all variables; `None` if none do."""
        ids = {x.id for x in xs}
        wanted = {x.id for x in xs if self._must_be_covered(x)}
        covered: set[int] = set()
        patterns: list[Expr] = []
        for source in sources:
            for e in self._candidates(self.canonical.of(source), ids):
                new = {s.id for s in subterms(e) if type(s) is FVar and s.id in ids}
                if patterns and wanted <= covered:
                    break
                if new - covered:
                    covered |= self._with_types(new, ids)
                    patterns.append(e)
        return patterns if patterns and wanted <= covered else None

    def _must_be_covered(self, x: FVar) -> bool:
        local = self.m.local(x)
        return local.info != INST and not is_prop(self.m, local.type)

    def _with_types(self, found: set[int], ids: set[int]) -> set[int]:
        """Return variables together with those that their types mention."""
        todo, out = list(found), set(found)
        while todo:
            local = self.m.lctx.decls[todo.pop()]
            for s in subterms(local.type):
                if type(s) is FVar and s.id in ids and s.id not in out:
                    out.add(s.id)
                    todo.append(s.id)
        return out

    def _candidates(self, e: Expr, ids: set[int]) -> Iterator[Expr]:
        """Yield the subterms that may be patterns: applications of functions, the outer ones first."""
        if type(e) is Pi or type(e) is Lam or not e.has_fvar:
            return
        fn, args = get_app(e)
        good = (type(fn) is Const and fn.name not in _LOGIC) or (type(fn) is FVar and fn.id not in ids)
        covers = any(type(s) is FVar and s.id in ids for s in subterms(e))
        if type(e) is App and good and covers and self._is_term(e):
            yield e
            return
        for arg in args:
            yield from self._candidates(arg, ids)

    def _is_term(self, e: Expr) -> bool:
        """Return whether `e` is no type, instance or proof, and has no binders inside."""
        if e.loose or any(type(s) in (Lam, Pi) for s in subterms(e)):
            return False
        type_ = self.m.whnf(infer_type(self.m, e))
        return type_ is PROP or (not is_prop(self.m, type_) and type(type_) is not Sort)


def _no_pattern(name: str, kind: str) -> str:
    where = {"→": "from the hypotheses", "←": "from the conclusion"}.get(kind)
    if where is None:
        return f"invalid `grind` theorem, failed to find an usable pattern for `{name}`"
    return f"`grind {kind}` theorem, failed to find patterns {where} for `{name}`"
