"""The search of `grind`: a branch is saturated, then split, until every branch is contradictory.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Main,Solve,Types}.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Let,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.level import ZERO
from minilean.meta.errors import MetaError
from minilean.meta.infer import is_prop, sort_level
from minilean.meta.whnf import whnf_reducible
from minilean.tactics.grind.arithmetic import Arithmetic
from minilean.tactics.grind.canonical import Canonical
from minilean.tactics.grind.closure import Closure
from minilean.tactics.grind.ematch import Matcher
from minilean.tactics.grind.patterns import Lemma, Patterns
from minilean.tactics.grind.rules import Rules
from minilean.tactics.grind.splits import Splitter, next_split, unopened
from minilean.tactics.grind.values import Values
from minilean.tactics.simp.result import FALSE, TRUE
from minilean.tactics.state import Tactics


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run.

    Attributes:
        splits: Case splits in a row on one branch.
        ematch: Rounds of E-matching in a row between two case splits.
        gen: Generation of the terms that lemmas are instantiated with.
        instances: Instances of lemmas on one branch.
    """

    splits: int = 9
    ematch: int = 5
    gen: int = 8
    instances: int = 1000


class Unproved(MetaError):
    """A branch that is saturated and not contradictory."""


@dataclass(slots=True)
class Branch:
    """One branch of the search.

    Attributes:
        closure: What is known.
        path: The numbers of the cases that led here.
        splits: The number of case splits that led here.
        rounds: The rounds of E-matching since the last case split.
        opened: Existential statements whose witness is introduced.
        lemmas: The lemmas that E-matching instantiates.
        read: Universally quantified statements that hold and are among the lemmas.
        instances: The statements of the instances so far.
    """

    closure: Closure
    path: tuple[int, ...] = ()
    splits: int = 0
    rounds: int = 0
    opened: set[Expr] = field(default_factory=set)
    lemmas: list[Lemma] = field(default_factory=list)
    read: set[Expr] = field(default_factory=set)
    instances: set[Expr] = field(default_factory=set)

    def copy(self) -> Branch:
        """Return a copy to continue from."""
        return replace(
            self,
            closure=self.closure.copy(),
            rounds=0,
            opened=set(self.opened),
            lemmas=list(self.lemmas),
            read=set(self.read),
            instances=set(self.instances),
        )


class GrindRun:
    """One run of `grind`.

    Args:
        t: The tactic state; its local context is that of the goal.
        limits: The limits of the run.

    Attributes:
        branch: The branch that is worked on; after a failure, the one that stayed open.
        open_context: The local context of that branch.
    """

    def __init__(self, t: Tactics, limits: Limits) -> None:
        self.t, self.m = t, t.m
        self.limits = limits
        self.canonical = Canonical(self.m)
        self.rules = Rules(self.m, self.canonical)
        self.values = Values(t, self.canonical)
        self.arithmetic = Arithmetic(t)
        self.patterns = Patterns(self.m, self.canonical)
        self.branch = Branch(Closure(self.m))
        self.open_context = self.m.lctx

    # --- the start ---------------------------------------------------------------------------------------

    def from_context(self) -> Expr:
        """Prove `False` from the local context.

        Raises:
            Unproved: A branch stays open.
        """
        m, g = self.m, self.branch.closure
        for decl in m.lctx:
            type_ = m.instantiate_mvars(decl.type)
            if decl.hidden or type_.has_mvar:
                continue
            if is_prop(m, type_):
                self.rules.assume(g, type_, decl.fvar)
            elif decl.value is not None:
                self._define(decl.fvar, type_, m.instantiate_mvars(decl.value))
            else:
                absurd = self._empty(decl.fvar, type_)
                if absurd is not None:
                    return absurd
        return self.refute()

    def _define(self, x: FVar, type_: Expr, value: Expr) -> None:
        level = (sort_level(self.m, type_),)
        equation = mk_apps(mk_const("Eq", level), (type_, x, value))
        self.rules.assume(self.branch.closure, equation, mk_apps(mk_const("Eq.refl", level), (type_, x)))

    def _empty(self, x: FVar, type_: Expr) -> Expr | None:
        """Return a proof of `False` from an element of a type without constructors."""
        fn, params = get_app(whnf_reducible(self.m, type_))
        decl = self.m.env.find(fn.name) if type(fn) is Const else None
        if not isinstance(decl, Inductive) or decl.constructors or len(params) != decl.num_params:
            return None
        rec = mk_const(f"{decl.name}.rec", (ZERO, *fn.levels))  # type: ignore[attr-defined]
        return mk_apps(rec, [*params, mk_lam("x", type_, FALSE), x])

    # --- one branch --------------------------------------------------------------------------------------

    def refute(self) -> Expr:
        """Prove `False` on the present branch."""
        m = self.m
        with m.nested("grind"):
            while True:
                branch = self.branch
                g = branch.closure
                proof = self._saturate(g)
                if proof is not None:
                    return proof
                exists = unopened(g, branch.opened)
                if exists is not None:
                    branch.opened.add(exists)
                    return Splitter(m, self._with).opened(g, exists)
                proof = self.arithmetic.refute(g)
                if proof is not None:
                    return proof
                if self._instantiate(branch) or self.arithmetic.equations(g):
                    continue
                return self._split(branch)

    def _saturate(self, g: Closure) -> Expr | None:
        """Apply the rules until nothing changes; return a proof of `False` if there is a contradiction."""
        while True:
            if g.met:
                proof = self.values.meet(g, *g.met.pop(0))
                if proof is not None:
                    return proof
            elif not g.merge():
                if not g.changed:
                    return None
                self.m.budget.spend("grind")
                e = next(iter(g.changed))
                del g.changed[e]
                self.rules.apply(g, e)
                self.values.apply(g, e)

    def _instantiate(self, branch: Branch) -> bool:
        """Add the new instances of the lemmas; return whether there are any."""
        m, g = self.m, branch.closure
        if branch.rounds >= self.limits.ematch:
            return False
        branch.rounds += 1
        for p in g.members[g.root[TRUE]]:
            if type(p) is Pi and p not in branch.read and (p.body not in g.root):
                branch.read.add(p)
                branch.lemmas += self.patterns.of_statement((), p, g.holds(p), "local")
        matcher = Matcher(m, g, self.canonical)
        found = [made for lemma in branch.lemmas for made in matcher.instances(lemma)]
        new = False
        for statement, proof, generation in found:
            statement = self.canonical.of(statement)
            fresh = statement not in branch.instances and generation <= self.limits.gen
            if fresh and len(branch.instances) < self.limits.instances:
                branch.instances.add(statement)
                self.rules.assume(g, statement, proof, generation)
                new = True
        return new

    def _split(self, branch: Branch) -> Expr:
        split = next_split(self.m, branch.closure) if branch.splits < self.limits.splits else None
        if split is None:
            self.open_context = self.m.lctx
            raise Unproved("a branch stays open")
        branch.splits += 1
        return Splitter(self.m, self._case).prove(branch.closure, split)

    def _with(self, h: Expr, prop: Expr, _number: int) -> Expr:
        """Prove `False` on the present branch with one more fact."""
        self.rules.assume(self.branch.closure, prop, h)
        return self.refute()

    def _case(self, h: Expr, prop: Expr, number: int) -> Expr:
        """Prove `False` in a case of the present branch."""
        outer = self.branch
        self.branch = outer.copy()
        self.branch.path = (*outer.path, number)
        self.rules.assume(self.branch.closure, prop, h)
        proof = self.refute()
        self.branch = outer
        return proof


def prove(search: GrindRun, target: Expr) -> Expr:
    """Prove `target`: introduce its binders, assume its negation, and refute the context.

    Raises:
        Unproved: A branch stays open.
    """
    m = search.m
    target = whnf_reducible(m, m.instantiate_mvars(target))
    if is_app_of(target, "False", 0):
        return search.from_context()
    if is_app_of(target, "Not", 1):
        return _assuming(search, "h✝", target.arg, FALSE)  # type: ignore[attr-defined]
    if isinstance(target, Pi):
        return _assuming(search, target.name, target.type, target.body)
    if isinstance(target, Let):
        return prove(search, instantiate1(target.body, target.value))
    if not is_prop(m, target):
        refuted = prove(search, FALSE)
        return mk_apps(mk_const("False.elim", (sort_level(m, target),)), (target, refuted))
    negated = _assuming(search, "h✝", mk_app(mk_const("Not"), target), FALSE)
    return mk_apps(mk_const("Classical.byContradiction"), (target, negated))


def _assuming(search: GrindRun, name: str, type_: Expr, body: Expr) -> Expr:
    """Return the function that takes `name : type_` to a proof of `body`."""
    m = search.m
    old = m.lctx
    try:
        x = m.push_local(name, type_)
        return m.mk_lambda([x], prove(search, instantiate1(body, x)))
    finally:
        m.lctx = old
