"""The term elaborator's core: dispatch, expected types, postponement, synthetic metavariables.

Elaboration is bidirectional. A problem that cannot be decided yet (an instance, a `⟨..⟩` of unknown type, a `by`
block) is kept in `Elab.pending` and retried by `synthesize`; tactic blocks run last, default instances just before.

Source: Lean 4 `src/Lean/Elab/Term/`, `src/Lean/Elab/SyntheticMVars.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from minilean.elab.coercions import coercion, coercion_to_type
from minilean.elab.display import application_mismatch, clash, show
from minilean.elab.implicit_lambda import implicit_lambda
from minilean.elab.instance_problems import (
    apply_defaults,
    is_posed,
    no_instance,
    report_stuck,
    settle_instance,
)
from minilean.elab.names import Scope, is_short, overloads
from minilean.elab.pending import HoleInfo, Pending, PostponeError
from minilean.kernel.expr import (
    PROP,
    Const,
    Expr,
    MVar,
    Sort,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
    mk_sort,
)
from minilean.kernel.level import ONE, ZERO, Level, mk_imax, mk_max, mk_offset, mk_param, mk_succ
from minilean.meta.context import Kind
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.instances import synth_instance
from minilean.meta.level_unify import process_postponed
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast
from minilean.syntax.handlers import Handlers

Stx = TypeVar("Stx", bound=ast.Term)

Handler = Callable[["Elab", Stx, "Expr | None"], Expr]
"""Elaborates one kind of syntax with the expected type as a hint."""


class TacticRunner(Protocol):
    """Runs a tactic block on a goal, and on `others` after it; all of them have to be closed."""

    def __call__(self, el: Elab, mvar: MVar, block: ast.TacSeq, others: Sequence[MVar] = ()) -> None:
        """Run the block.

        Raises:
            MetaError: A tactic failed, or a goal is left.
        """


HANDLERS: Handlers[type, Handler[Any]] = Handlers("terms")
"""The function for each kind of syntax; filled when the package is imported."""


def elaborates(*kinds: type[Stx]) -> Callable[[Handler[Stx]], Handler[Stx]]:
    """Register the decorated function in `HANDLERS` for these kinds of syntax.

    Raises:
        ValueError: One of them has a handler already.
    """

    def register(handler: Handler[Stx]) -> Handler[Stx]:
        HANDLERS.add(handler, *kinds)
        return handler

    return register


class Elab:
    """One elaboration: a `Meta`, a scope, and the metavariables still to be synthesized.

    Attributes:
        holes: Metavariables of `?_` and `?name`, in order of appearance; they become goals.
        source: The text from which the syntax was parsed, if known, for the messages of tactic blocks.
        unbound: Errors about unknown names of a header, which the caller raises; `None` raises each where it is found.
    """

    def __init__(
        self,
        m: Meta,
        scope: Scope,
        run_tactics: TacticRunner | None = None,
        level_names: tuple[str, ...] = (),
        auto_bound: bool = False,
        source: str = "",
    ) -> None:
        self.m = m
        self.scope = scope
        self.run_tactics = run_tactics
        self.level_names = level_names
        self.auto_bound = auto_bound
        self.source = source
        self.pending: list[Pending] = []
        self.holes: list[MVar] = []
        self.named_holes: dict[str, MVar] = {}
        self.hole_infos: dict[int, HoleInfo] = {}
        self.first_index = len(m.mctx.decls)
        self.may_postpone = True
        self.unbound: list[MetaError] | None = None
        self.named_patterns: dict[str, Expr] | None = None
        if scope.classical:
            m.classical = True

    def elab(self, stx: ast.Term, expected: Expr | None = None) -> Expr:
        """Elaborate `stx`, using `expected` as a hint; the result's type need not agree with it."""
        m = self.m
        with m.nested("elab"):
            m.budget.spend("elaborator")
            if expected is not None:
                expected = m.instantiate_mvars(expected)
                implicit = implicit_lambda(m, stx, expected, self.elab_ensuring)
                if implicit is not None:
                    return implicit
            handler = HANDLERS.get(type(stx))
            if handler is None:
                raise UnsupportedError(f"this kind of term ({type(stx).__name__})")
            mark = m.mctx.mark()
            pending = list(self.pending)
            try:
                return handler(self, stx, expected)
            except PostponeError:
                if not self.may_postpone:
                    raise
                m.mctx.rollback(mark)
                self.pending = pending
                return self._postpone(stx, expected)
            except MetaError as error:
                error.locate(stx.start, stx.end)
                raise

    def _postpone(self, stx: ast.Term, expected: Expr | None) -> Expr:
        mvar = self.m.new_mvar(self.m.new_type_mvar() if expected is None else expected, Kind.OPAQUE)
        self.pending.append(Pending("term", mvar, self.m.lctx, stx))
        return mvar

    def elab_ensuring(self, stx: ast.Term, expected: Expr) -> Expr:
        """Elaborate `stx` and require, or coerce to, the type `expected`."""
        return self.ensure_has_type(self.elab(stx, expected), expected)

    def elab_closed(self, stx: ast.Term, expected: Expr | None = None) -> Expr:
        """Elaborate completely: no problem stays pending."""
        e = self.elab(stx, expected) if expected is None else self.elab_ensuring(stx, expected)
        self.synthesize()
        return self.m.instantiate_mvars(e)

    def elab_type(self, stx: ast.Term) -> Expr:
        """Elaborate a type (a term whose type is a sort)."""
        chosen_by_type = isinstance(stx, ast.Ident) and overloads(self.m, self.scope, stx)
        e = self.elab(stx, self.m.new_sort_mvar() if chosen_by_type else None)
        return self.ensure_type(e)

    def ensure_type(self, e: Expr) -> Expr:
        """Require that `e` is a type; a `Bool` becomes the proposition `e = true`."""
        m = self.m
        sort = whnf(m, m.instantiate_mvars(infer_type(m, e)))
        if type(sort) is Sort:
            return e
        if type(get_app_fn(sort)) is MVar:
            if is_def_eq(m, sort, m.new_sort_mvar()):
                return e
            self.synthesize(postpone=True)
            sort = whnf(m, m.instantiate_mvars(sort))
            if type(sort) is Sort:
                return e
        coerced = self.coerce(e, sort, PROP)
        if coerced is None:
            coerced = coercion_to_type(m, e, sort)
        if coerced is not None:
            return coerced
        raise MetaError(f"type expected, got\n  ({show(m, e)} : {show(m, sort)})")

    def elab_operand(self, fn: Expr, stx: ast.Term) -> Expr:
        """Elaborate a proposition that is an argument of a connective, and apply that to it."""
        return mk_app(fn, self.ensure_has_type(self.elab(stx, PROP), PROP, fn))

    def ensure_has_type(self, e: Expr, expected: Expr, fn: Expr | None = None) -> Expr:
        """Return `e` if its type is definitionally `expected`, else a coercion of it.

        Raises:
            MetaError: There is no coercion: Lean's mismatch error, for an argument of `fn` if that is given.
        """
        type_ = infer_type(self.m, e)
        if self.agree(e, type_, expected):
            return e
        coerced = self.coerce(e, type_, expected)
        if coerced is not None:
            return coerced
        if fn is not None:
            raise application_mismatch(self.m, fn, e, type_, expected)
        raise self.mismatch(e, type_, expected)

    def agree(self, e: Expr, type_: Expr, expected: Expr) -> bool:
        """Return whether `e : type_` has the type `expected`; pending problems are solved where that is needed."""
        m = self.m
        if is_def_eq(m, type_, expected):
            return True
        if not self.pending or not self.may_postpone:
            return False
        self.synthesize(postpone=True)
        while not is_def_eq(m, infer_type(m, e), expected):
            # The type may depend on a default instance, as in `fun x y => x + y`.
            if not has_expr_mvar(m.instantiate_mvars(type_)) or not apply_defaults(self.m, self.pending):
                return False
            self.synthesize(postpone=True)
        return True

    def mismatch(self, e: Expr, type_: Expr, expected: Expr) -> MetaError:
        """Return Lean's `Type mismatch` error."""
        m = self.m
        return MetaError(f"Type mismatch\n  {show(m, e, 2)}\n{clash(m, type_, expected)[0]}")

    def coerce(self, e: Expr, type_: Expr, expected: Expr) -> Expr | None:
        """Coerce `e : type_` to `expected`: between `Bool` and `Prop`, or by a class; `None` if impossible."""
        m = self.m
        type_ = whnf(m, m.instantiate_mvars(type_))
        expected = m.instantiate_mvars(expected)
        if type(type_) is Const and type_.name == "Bool" and whnf_core(m, expected) is PROP:
            return mk_apps(mk_const("Eq", (ONE,)), (type_, e, mk_const("Bool.true")))
        if type_ is PROP and type(expected) is Const and expected.name == "Bool":
            instance = self.instance(mk_app(mk_const("Decidable"), e))
            return mk_apps(mk_const("Decidable.decide"), (e, instance))
        return coercion(m, e, type_, expected)

    def require_known(self, type_: Expr | None) -> Expr:
        """Return `type_` in weak head normal form; postpone while it is missing or an unassigned metavariable."""
        if type_ is None:
            self.postpone_or_fail()
            raise MetaError("the expected type is not known")
        reduced = whnf(self.m, self.m.instantiate_mvars(type_))
        if type(get_app_fn(reduced)) is MVar:
            self.postpone_or_fail()
        return reduced

    def postpone_or_fail(self) -> None:
        """Postpone the current term if that is still allowed."""
        if self.may_postpone:
            raise PostponeError

    def instance(self, class_type: Expr) -> Expr:
        """Return an instance of `class_type`, or a pending metavariable if the search cannot decide yet."""
        m = self.m
        class_type = m.instantiate_mvars(class_type)
        value = synth_instance(m, class_type)
        if value is not None:
            return value
        if is_posed(m, class_type):
            raise no_instance(m, class_type)
        mvar = m.new_mvar(class_type, Kind.SYNTHETIC)
        self.pending.append(Pending("inst", mvar, m.lctx))
        return mvar

    def tactic_block(self, stx: ast.By, type_: Expr) -> Expr:
        """A metavariable of this type that the tactics will fill."""
        mvar = self.m.new_mvar(type_, Kind.OPAQUE)
        self.pending.append(Pending("tactic", mvar, self.m.lctx, stx))
        return mvar

    def synthesize(self, postpone: bool = False) -> None:
        """Solve the pending problems; with `postpone` only those that need neither default instances nor tactics."""
        tried_all = False
        while self.pending:
            if self._pass(lambda p: p.kind != "tactic"):
                continue
            if postpone:
                return
            if apply_defaults(self.m, self.pending):
                continue
            old, self.may_postpone = self.may_postpone, False
            try:
                if self._pass(lambda p: p.kind == "term"):
                    continue
            finally:
                self.may_postpone = old
            if self._pass(lambda p: p.kind == "tactic", one=True):
                continue
            if not tried_all:
                tried_all = True
                for problem in self.pending:
                    problem.stuck = None
                continue
            report_stuck(self.m, self.pending[0])
        if not postpone:
            process_postponed(self.m)

    def _pass(self, want: Callable[[Pending], bool], one: bool = False) -> bool:
        """Try every pending problem that `want` accepts; return whether one was solved."""
        progress = False
        todo, self.pending = self.pending, []
        done = 0
        try:
            for problem in todo:
                done += 1
                if not (one and progress) and want(problem) and self._settle(problem):
                    progress = True
                else:
                    self.pending.append(problem)
        finally:
            self.pending.extend(todo[done:])
        return progress

    def _settle(self, problem: Pending) -> bool:
        m = self.m
        mvar = problem.mvar
        with m.with_lctx(problem.lctx):
            if problem.kind == "inst":
                class_type = m.instantiate_mvars(m.mvar_decl(mvar).type)
                if class_type is problem.stuck:
                    return False
                if settle_instance(m, mvar):
                    return True
                problem.stuck = None if m.mctx.is_assigned(mvar.id) else class_type
                return False
            if problem.kind == "tactic":
                assert isinstance(problem.stx, ast.By | ast.TacSeq)
                block = problem.stx.tactics if isinstance(problem.stx, ast.By) else problem.stx
                if self.run_tactics is None:
                    raise UnsupportedError("a tactic block here")
                if m.mctx.is_assigned(mvar.id):
                    return True
                try:
                    self.run_tactics(self, mvar, block)
                except MetaError as error:
                    if problem.parameter and not isinstance(error, UnsupportedError | BudgetError):
                        # the tactics were written in another declaration: their message would mislead
                        raise MetaError(
                            f"could not synthesize default value for parameter '{problem.parameter}' using tactics"
                        ) from error
                    error.locate(problem.stx.start, problem.stx.end)
                    raise
                return True
            expected = m.instantiate_mvars(m.mvar_decl(mvar).type)
            mark = m.mctx.mark()
            before = list(self.pending)
            handler = HANDLERS[type(problem.stx)]
            try:
                assert isinstance(problem.stx, ast.Term)
                implicit = (
                    implicit_lambda(m, problem.stx, expected, self.elab_ensuring) if problem.fresh else None
                )
                value = handler(self, problem.stx, expected) if implicit is None else implicit
            except PostponeError:
                m.mctx.rollback(mark)
                self.pending = before
                return False
            value = self.ensure_has_type(value, expected)
            m.mctx.assign(mvar.id, value)
            return True

    def level(self, stx: ast.LevelStx) -> Level:
        """Elaborate a universe expression."""
        if stx.op == "num":
            return mk_offset(ZERO, stx.value)
        if stx.op == "hole":
            return self.m.new_level_mvar()
        if stx.op == "name":
            if stx.name not in self.level_names and stx.name not in self.scope.levels:
                relaxed = self.scope.option("relaxedAutoImplicit", "true") == "true"
                named = relaxed or ("a" <= stx.name[0] <= "z" and is_short(stx.name))
                if self.auto_bound and named and self.scope.option("autoImplicit", "true") == "true":
                    self.level_names = (*self.level_names, stx.name)
                else:
                    raise MetaError(f"unknown universe level `{stx.name}`")
            return mk_param(stx.name)
        args = [self.level(arg) for arg in stx.args]
        if stx.op == "succ":
            return mk_offset(args[0], stx.value)
        out = args[-1]
        for arg in reversed(args[:-1]):
            out = mk_max(arg, out) if stx.op == "max" else mk_imax(arg, out)
        return out

    def sort(self, stx: ast.SortStx) -> Expr:
        """`Prop`, `Type`, `Type u`, `Sort u`."""
        if stx.kind == "Prop":
            return PROP
        if stx.level is None:
            return mk_sort(ONE if stx.kind == "Type" else ZERO)
        level = self.level(stx.level)
        return mk_sort(mk_succ(level) if stx.kind == "Type" else level)

    def is_prop(self, e: Expr) -> bool:
        """Return whether `e` is a proposition."""
        return is_prop(self.m, self.m.instantiate_mvars(e))
