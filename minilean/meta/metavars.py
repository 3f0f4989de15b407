"""`Meta`: one piece of elaboration work, with its metavariables, local context, transparency and budget.

Also operations on metavariables: `instantiate_mvars`, abstraction over local variables (`mk_lambda`, `mk_pi`), and
the creation of fresh ones. The reducer, the unifier and the instance search are functions over a `Meta` in
`whnf.py`, `infer.py`, `unify.py`, `instances.py`. Those that a module below their own calls are declared here, as in
Lean's `Meta/Basic.lean`, and defined by `meta_m.MetaM`.

Source: Lean 4 `src/Lean/MetavarContext.lean` (instantiateMVars, elimMVarDeps), `src/Lean/Meta/Basic.lean` (4.34).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from minilean.kernel.expr import (
    DEFAULT,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    MVar,
    Pi,
    Sort,
    get_app_args,
    mk_apps,
    mk_const,
    mk_lam,
    mk_let,
    mk_mvar,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate, map_children
from minilean.kernel.interning import fresh_id
from minilean.kernel.level import (
    IMax,
    Level,
    LMVar,
    Max,
    Succ,
    mk_level_mvar,
    mk_succ,
    reduced_imax,
    simplify_max,
)
from minilean.kernel.traversal import subterms
from minilean.meta.budget import MAX_DEPTH, Budget
from minilean.meta.context import Kind, LocalContext, LocalDecl, MetavarContext, MVarDecl
from minilean.meta.errors import RECURSION, BudgetError, MetaError
from minilean.meta.extension import DEFAULT_TRANSPARENCY, LeanEnv
from minilean.meta.occurrences import has_expr_mvar


class Meta(ABC):
    """The state of one elaboration or tactic run. Not shared between threads. Instantiate `meta_m.MetaM`."""

    def __init__(
        self,
        env: LeanEnv,
        mctx: MetavarContext | None = None,
        lctx: LocalContext | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.env = env
        self.mctx = MetavarContext() if mctx is None else mctx
        self.lctx = LocalContext() if lctx is None else lctx
        self.budget = Budget() if budget is None else budget
        self.transparency = DEFAULT_TRANSPARENCY
        self.depth = 0
        self.zeta_delta = True
        self.infer_cache: dict[Expr, Expr] = {}
        self.whnf_cache: dict[tuple[Expr, int], Expr] = {}
        self.different: set[tuple[Expr, Expr, int]] = set()
        self.auxiliary_prefix: str | None = None
        self.matcher_word = "match"
        """First part of a matcher's name below `auxiliary_prefix`, before its number."""
        self.quiet = False
        """Whether nobody reads the messages of errors, so that they need no goals."""
        self.log: list[tuple[str, str, int]] = []
        """Messages of tactics: severity, text, offset in the source."""
        self.scope: object = None
        """Namespaces and notations that are open where terms are printed; owned by `elab`."""
        self.classical = False
        """Whether every proposition is decidable, as under `open Classical` and the tactic `classical`."""

    @abstractmethod
    def whnf(self, e: Expr) -> Expr:
        """Return the weak head normal form of `e`; see `whnf.whnf`."""

    @abstractmethod
    def is_def_eq(self, t: Expr, s: Expr) -> bool:
        """Unify `t` and `s`; see `unify.is_def_eq`."""

    @abstractmethod
    def equate(self, t: Expr, s: Expr) -> bool:
        """Unify without undoing what a failure assigned; see `unify.equate`."""

    # --- scopes ------------------------------------------------------------------------------------------

    @contextmanager
    def with_lctx(self, lctx: LocalContext) -> Iterator[None]:
        """Work in another local context."""
        old = self.lctx
        self.lctx = lctx
        try:
            yield
        finally:
            self.lctx = old

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Leave goals out of the messages of errors, which nobody reads."""
        old, self.quiet = self.quiet, True
        try:
            yield
        finally:
            self.quiet = old

    @contextmanager
    def with_transparency(self, level: int) -> Iterator[None]:
        """Unfold only what `level` allows."""
        old = self.transparency
        self.transparency = level
        try:
            yield
        finally:
            self.transparency = old

    @contextmanager
    def new_mctx_depth(self) -> Iterator[None]:
        """Work with every present metavariable frozen: only those made inside can be assigned."""
        self.mctx.depth += 1
        try:
            yield
        finally:
            self.mctx.depth -= 1

    @contextmanager
    def nested(self, what: str) -> Iterator[None]:
        """One level of recursion of the elaborator; too many are an error, not a crash."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.depth -= 1
            raise MetaError(RECURSION)
        try:
            yield
        finally:
            self.depth -= 1

    def attempt(self, action: Callable[[], Any]) -> bool:
        """Run `action`; on a false result or an error undo its assignments and return False."""
        mark = self.mctx.mark()
        try:
            if action():
                return True
        except BudgetError:
            raise
        except MetaError:
            pass
        self.mctx.rollback(mark)
        return False

    # --- making variables --------------------------------------------------------------------------------

    def push_local(
        self, name: str, type_: Expr, info: int = DEFAULT, value: Expr | None = None, hidden: bool = False
    ) -> FVar:
        """Add a fresh local variable at the end of the present context."""
        fvar, self.lctx = self.lctx.push(name, type_, info, value, hidden)
        return fvar

    def new_mvar(
        self, type_: Expr, kind: Kind = Kind.NATURAL, tag: str = "", lctx: LocalContext | None = None
    ) -> MVar:
        """A fresh metavariable of this type, in the present context unless another is given."""
        mvar_id = fresh_id()
        scope = self.lctx if lctx is None else lctx
        mctx = self.mctx
        mctx.declare(MVarDecl(mvar_id, tag, scope, type_, kind, mctx.depth, len(mctx.decls) + 1))
        return mk_mvar(mvar_id)

    def new_level_mvar(self) -> Level:
        """A fresh universe metavariable."""
        level_id = fresh_id()
        self.mctx.declare_level(level_id)
        return mk_level_mvar(level_id)

    def new_sort_mvar(self) -> Expr:
        """`Sort ?u`."""
        return mk_sort(self.new_level_mvar())

    def new_type_mvar(self) -> Expr:
        """`?α : Sort ?u`."""
        return self.new_mvar(self.new_sort_mvar())

    def const(self, name: str) -> Expr:
        """The constant `name` with fresh universe metavariables."""
        self.env.require_named(name)
        decl = self.env.find(name)
        if decl is None:
            raise MetaError(f"Unknown constant `{name}`")
        return mk_const(name, tuple(self.new_level_mvar() for _ in decl.level_params))

    # --- reading variables -------------------------------------------------------------------------------

    def mvar_decl(self, e: Expr) -> MVarDecl:
        """The declaration of a metavariable."""
        return self.mctx.decls[e.id]  # type: ignore[attr-defined]

    def local(self, fvar: Expr) -> LocalDecl:
        """The declaration of a free variable of the present context."""
        decl = self.lctx.decls.get(fvar.id)  # type: ignore[attr-defined]
        if decl is None:
            raise MetaError("internal: a free variable left its scope")
        return decl

    def is_assignable(self, e: Expr) -> bool:
        """Return whether the unifier may assign this metavariable now."""
        mctx = self.mctx
        decl = mctx.decls[e.id]  # type: ignore[attr-defined]
        return decl.depth == mctx.depth and decl.kind is not Kind.OPAQUE and e.id not in mctx.delayed  # type: ignore[attr-defined]

    # --- instantiation -----------------------------------------------------------------------------------

    def instantiate_level(self, level: Level) -> Level:
        """Replace assigned universe metavariables."""
        if not level.has_mvar:
            return level
        kind = type(level)
        if kind is LMVar:
            value = self.mctx.level_assignment.get(level.id)  # type: ignore[attr-defined]
            return level if value is None else self.instantiate_level(value)
        if kind is Succ:
            return mk_succ(self.instantiate_level(level.of))  # type: ignore[attr-defined]
        if kind is Max:
            return simplify_max(self.instantiate_level(level.left), self.instantiate_level(level.right))  # type: ignore[attr-defined]
        assert kind is IMax
        return reduced_imax(self.instantiate_level(level.left), self.instantiate_level(level.right))  # type: ignore[attr-defined]

    def instantiate_mvars(self, e: Expr) -> Expr:
        """Replace assigned metavariables everywhere, contracting the beta redexes that arise at their heads."""
        return self._instantiate(e, {}) if e.has_mvar else e

    def _instantiate(self, t: Expr, cache: dict[Expr, Expr]) -> Expr:
        """`instantiate_mvars` on a term with metavariables; a nested function would leave a reference cycle."""
        out = cache.get(t)
        if out is not None:
            return out
        self.budget.spend("instantiate_mvars")
        kind = type(t)
        if kind is App:
            out = self._instantiate_app(t, cache)
        elif kind is MVar:
            value = self.mctx.assignment.get(t.id)  # type: ignore[attr-defined]
            out = t if value is None else self._instantiate(value, cache) if value.has_mvar else value
        elif kind is Const:
            out = mk_const(t.name, tuple([self.instantiate_level(level) for level in t.levels]))  # type: ignore[attr-defined]
        elif kind is Sort:
            out = mk_sort(self.instantiate_level(t.level))  # type: ignore[attr-defined]
        else:
            out = map_children(t, 0, lambda c, _: self._instantiate(c, cache) if c.has_mvar else c)
        cache[t] = out
        return out

    def _instantiate_app(self, t: Expr, cache: dict[Expr, Expr]) -> Expr:
        args = []
        fn = t
        while type(fn) is App:
            arg = fn.arg
            args.append(self._instantiate(arg, cache) if arg.has_mvar else arg)
            fn = fn.fn
        args.reverse()
        if type(fn) is MVar:
            delayed = self.mctx.delayed.get(fn.id)
            if delayed is not None:
                fvars, target = delayed
                value = self._instantiate(mk_mvar(target), cache)
                if len(args) >= len(fvars) and not has_expr_mvar(value):
                    body = instantiate(abstract(value, fvars), args[: len(fvars)])
                    return mk_apps(body, args[len(fvars) :])
            elif fn.id in self.mctx.assignment:
                return beta_apply(self._instantiate(fn, cache), args)
        elif fn.has_mvar:
            fn = self._instantiate(fn, cache)
        return mk_apps(fn, args)

    def head_instantiated(self, e: Expr) -> Expr:
        """`e` with an assigned metavariable at its head replaced; arguments are not changed."""
        while e.has_mvar:
            fn = e
            while type(fn) is App:
                fn = fn.fn
            if type(fn) is not MVar:
                return e
            if fn.id in self.mctx.assignment:
                e = beta_apply(self.mctx.assignment[fn.id], get_app_args(e))
                continue
            new = self.instantiate_mvars(e) if fn.id in self.mctx.delayed else e
            if new is e:
                return e
            e = new
        return e

    # --- abstraction -------------------------------------------------------------------------------------

    def mk_lambda(self, fvars: Sequence[Expr], body: Expr) -> Expr:
        """`fun fvars => body`; `let` variables become `let`. Fvars are of the present context, in order."""
        return self._mk_binding(fvars, body, mk_lam)

    def mk_pi(self, fvars: Sequence[Expr], body: Expr) -> Expr:
        """`∀ fvars, body`."""
        return self._mk_binding(fvars, body, mk_pi)

    def _mk_binding(self, fvars: Sequence[Expr], body: Expr, make: Callable[..., Expr]) -> Expr:
        if not fvars:
            return body
        body = self.abstract_mvars_over(self.instantiate_mvars(body), fvars)
        out = abstract(body, fvars)
        for i in range(len(fvars) - 1, -1, -1):
            decl = self.local(fvars[i])
            before = fvars[:i]
            type_ = abstract(self.abstract_mvars_over(self.instantiate_mvars(decl.type), before), before)
            if decl.value is not None:
                value = abstract(self.abstract_mvars_over(self.instantiate_mvars(decl.value), before), before)
                out = mk_let(decl.name, type_, value, out)
            else:
                out = make(decl.name, type_, out, decl.info)
        return out

    def abstract_mvars_over(self, e: Expr, fvars: Sequence[Expr]) -> Expr:
        """Make every unassigned metavariable whose context has some of `fvars` a function of those.

        A natural `?m` becomes `?n x..` with a new `?n` outside their scope; an opaque one is delayed-assigned.
        """
        if not e.has_mvar or not fvars:
            return e
        return self._abstract_mvars(e, {v.id for v in fvars}, {})  # type: ignore[attr-defined]

    def _abstract_mvars(self, t: Expr, ids: set[int], cache: dict[Expr, Expr]) -> Expr:
        if not t.has_mvar:
            return t
        out = cache.get(t)
        if out is None:
            if type(t) is MVar:
                assigned = self.mctx.assignment.get(t.id)
                if assigned is None:
                    out = self._elim_mvar(t, ids)
                else:
                    out = self._abstract_mvars(self.instantiate_mvars(assigned), ids, cache)
            else:
                out = map_children(t, 0, lambda c, _: self._abstract_mvars(c, ids, cache))
            cache[t] = out
        return out

    def _elim_mvar(self, mvar: MVar, ids: set[int]) -> Expr:
        decl = self.mvar_decl(mvar)
        found = [d for d in decl.lctx if d.fvar.id in ids]
        if not found:
            return mvar
        # variables that depend on a dropped variable have to be abstracted too
        dropped = {d.fvar.id for d in found}
        for d in decl.lctx:
            if d.fvar.id not in dropped and any(
                type(s) is FVar and s.id in dropped
                for part in (d.type, d.value)
                if part is not None
                for s in subterms(self.instantiate_mvars(part))
            ):
                dropped.add(d.fvar.id)
                found.append(d)
        order = {fvar_id: i for i, fvar_id in enumerate(decl.lctx.decls)}
        found.sort(key=lambda d: order[d.fvar.id])
        xs = [d.fvar for d in found]
        outer = decl.lctx.without(dropped)
        if decl.kind is Kind.OPAQUE:
            # `let` variables are arguments as well: the value assigned later may mention them
            plain = [replace(d, value=None) if d.fvar.id in dropped else d for d in decl.lctx]
            with self.with_lctx(decl.lctx.replace_all(plain)):
                new_type = self.mk_pi(xs, decl.type)
            new = self.new_mvar(new_type, Kind.OPAQUE, decl.tag, outer)
            inner, target = self.mctx.delayed.get(mvar.id, ((), mvar.id))
            self.mctx.assign_delayed(new.id, (*xs, *inner), target)
            return mk_apps(new, xs)
        with self.with_lctx(decl.lctx):
            new_type = self.mk_pi(xs, decl.type)
        args = [d.fvar for d in found if d.value is None]
        new = self.new_mvar(new_type, decl.kind, decl.tag, outer)
        self.mctx.declare(MVarDecl(new.id, decl.tag, outer, new_type, decl.kind, decl.depth, decl.index))
        value = mk_apps(new, args)
        self.mctx.assign(mvar.id, value)
        return value

    def intro_binders(self, e: Expr, count: int | None = None) -> tuple[list[FVar], Expr]:
        """Open leading binders (`fun`, `∀`, `let`) of `e` into the present context; all of them by default."""
        fvars: list[FVar] = []
        while (count is None or len(fvars) < count) and type(e) in (Pi, Lam, Let):
            type_ = instantiate(e.type, fvars)  # type: ignore[attr-defined]
            if type(e) is Let:
                fvars.append(self.push_local(e.name, type_, DEFAULT, instantiate(e.value, fvars)))
            else:
                fvars.append(self.push_local(e.name, type_, e.info))  # type: ignore[attr-defined]
            e = e.body  # type: ignore[attr-defined]
        return fvars, instantiate(e, fvars)
