"""The tactic state and its basic operations.

Source: Lean 4 `src/Lean/Elab/Tactic/Basic.lean`, `ElabTerm.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from minilean.elab.display import show, show_goal, start_printing
from minilean.elab.holes import check_no_holes, hole_error, open_holes
from minilean.elab.names import Scope
from minilean.elab.term import Elab
from minilean.kernel.errors import UnknownConstant
from minilean.kernel.expr import Const, Expr, FVar, MVar, get_app_fn, mk_mvar
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind, LocalContext, LocalDecl, MVarDecl
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError, together
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars, occurs_mvar
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.tactics.registry import Handler, find_tactic

NO_GOALS = "No goals to be solved"
# Tactics that may run without a goal; in a block it depends on the tactics of the block.
_WITHOUT_GOAL = (
    ast.AndThen, ast.Block, ast.CaseTac, ast.Expansion, ast.Fail, ast.First, ast.MacroUse, ast.Refused, ast.Seq1,
    ast.Simple, ast.WithOption,
)  # fmt: skip


class Tactics:
    """Goals, the `Meta` they live in, and the run of a tactic block.

    Attributes:
        goals: Open goals, the main one first.
        source: The text that the syntax was parsed from, for messages that quote it.
        hygienic: Whether names that tactics choose are inaccessible, as they are outside `unhygienic`.
        failures: Errors of bullets and cases of the block that runs; the tactics after them are still tried.
    """

    def __init__(self, m: Meta, goals: Sequence[MVar], scope: Scope, source: str = "") -> None:
        self.m = m
        self.goals = list(goals)
        self.scope = scope
        self.source = source
        self.failures: list[MetaError] = []
        self.hygienic = True
        if scope.classical:
            m.classical = True

    # --- running -----------------------------------------------------------------------------------------

    def run_block(self, block: ast.TacSeq) -> None:
        """Run the tactics of a block one after another.

        After a bullet or a case that fails the others are still tried; then the block fails.
        Source: Lean 4 `src/Lean/Elab/Tactic/Basic.lean` (`closeUsingOrAdmit`) (4.34).
        """
        outer, self.failures = self.failures, []
        try:
            for tactic in block.tactics:
                self.run(tactic)
        except BudgetError:
            raise
        except MetaError as error:
            if not self.failures:
                raise
            raise together([*self.failures, error]) from None
        else:
            if self.failures:
                raise together(self.failures)
        finally:
            self.failures = outer

    def run(self, tactic: ast.Tactic) -> None:
        """Run one tactic.

        Raises:
            MetaError: The tactic failed; its assignments are not undone, the caller rolls back.
        """
        self.m.budget.spend("tactic")
        start_printing(self.m)
        with self.m.nested("tactic"):
            function = self.function_of(tactic)
            try:
                if self.goals:
                    with self.m.with_lctx(self.m.mvar_decl(self.goals[0]).lctx):
                        function(self, tactic)
                elif isinstance(tactic, _WITHOUT_GOAL):
                    function(self, tactic)
                else:
                    raise MetaError(NO_GOALS)
                if not self.hygienic:
                    self.goals = [accessible(self, goal) for goal in self.goals]
            except UnknownConstant as unknown:
                error = MetaError(str(unknown))
                error.locate(tactic.start, tactic.end)
                raise error from None
            except MetaError as error:
                error.locate(tactic.start, tactic.end)
                raise

    def function_of(self, tactic: ast.Tactic) -> Handler[Any]:
        """Return the function that runs this tactic.

        Raises:
            UnsupportedError: There is none.
        """
        function = find_tactic(tactic)
        if function is None:
            words = self.quote(tactic).split(maxsplit=1) or [type(tactic).__name__]
            raise UnsupportedError(f"the tactic `{words[0]}`")
        return function

    def attempt(self, action: Callable[[], None]) -> MetaError | None:
        """Run `action`; when it fails restore everything and return the error."""
        mark = self.m.mctx.mark()
        goals, lctx = list(self.goals), self.m.lctx
        notes = len(self.m.log)
        try:
            action()
        except BudgetError:
            raise
        except MetaError as error:
            self.m.mctx.rollback(mark)
            self.goals, self.m.lctx = goals, lctx
            del self.m.log[notes:]
            return error
        return None

    def focus(self, action: Callable[[], None]) -> None:
        """Run `action` with the main goal alone; goals that it leaves are put in front of the others."""
        main = self.main
        rest = self.goals[1:]
        self.goals = [main]
        action()
        self.prune()
        self.goals += rest

    def close_focused(self, action: Callable[[], None]) -> None:
        """Run `action` with the main goal alone, which it has to close."""
        rest = self.goals[1:]
        self.goals = [self.main]
        action()
        self.prune()
        if self.goals:
            raise self.unsolved()
        self.goals = rest

    def unsolved(self) -> MetaError:
        """Return Lean's `unsolved goals` message for the present goals."""
        return MetaError("unsolved goals" + ("" if self.m.quiet else "\n" + self.show_goals()))

    def show_goals(self) -> str:
        """All goals, separated by blank lines."""
        return "\n\n".join(show_goal(self.m, goal) for goal in self.goals)

    def say(self, text: str, stx: ast.Node, severity: str = "info") -> None:
        """Report a message; it is dropped if the tactic is rolled back."""
        self.m.log.append((severity, text, stx.start))

    # --- goals -------------------------------------------------------------------------------------------

    @property
    def main(self) -> MVar:
        """The main goal."""
        self.prune()
        if not self.goals:
            raise MetaError(NO_GOALS)
        return self.goals[0]

    def prune(self) -> None:
        """Remove goals that are assigned."""
        assigned = self.m.mctx.is_assigned
        self.goals = [goal for goal in self.goals if not assigned(goal.id)]

    @property
    def target(self) -> Expr:
        """The main goal's statement, instantiated."""
        return self.m.instantiate_mvars(self.m.mvar_decl(self.main).type)

    @property
    def tag(self) -> str:
        """The main goal's case tag."""
        return self.m.mvar_decl(self.main).tag

    def sub_tag(self, suffix: str) -> str:
        """Return the tag of a subgoal: `T.suffix` under tag `T`."""
        return join_tags(self.tag, suffix)

    def new_goal(self, target: Expr, tag: str = "", lctx: LocalContext | None = None) -> MVar:
        """Return a new goal; it is not added to `goals`."""
        return self.m.new_mvar(target, Kind.OPAQUE, tag, lctx)

    def assign(self, goal: MVar, value: Expr) -> None:
        """Close a goal with a term of its type.

        Raises:
            MetaError: The goal occurs in the term, by `?x` for instance; or the term has a constant that this prefix
                of the library does not declare.
        """
        if value.has_mvar and occurs_mvar(self.m.mctx, goal, value):
            raise MetaError("the goal occurs in the term that is to close it")
        if self.m.env.is_prefix:
            # tactics name lemmas that the library declares, but maybe later
            for e in subterms(value):
                if type(e) is Const and self.m.env.find(e.name) is None:
                    raise MetaError(str(UnknownConstant(e.name)))
        self.m.mctx.assign(goal.id, value)

    def replace_main(self, goals: Sequence[MVar]) -> None:
        """Replace the main goal by new goals."""
        self.goals[:1] = list(goals)

    def close(self, value: Expr) -> None:
        """Close the main goal with `value`."""
        self.assign(self.main, value)
        self.goals.pop(0)

    def set_target(self, target: Expr) -> None:
        """Change the main goal to a definitionally equal statement."""
        new = self.new_goal(target, self.tag, self.m.mvar_decl(self.main).lctx)
        self.assign(self.main, new)
        self.replace_main([new])

    def failed(self, name: str, what: str = "", hint: str = "") -> MetaError:
        """Return Lean's ``Tactic `x` failed`` message with the main goal."""
        text = f"Tactic `{name}` failed" + (f": {what}" if what else "")
        return MetaError(text if self.m.quiet else f"{text}{hint}\n\n{show_goal(self.m, self.main)}")

    # --- hypotheses --------------------------------------------------------------------------------------

    def hypothesis(self, name: str) -> LocalDecl:
        """Return the visible hypothesis with this name."""
        decl = self.m.lctx.by_name(name)
        if decl is None or (decl.name.endswith("✝") and not name.endswith("✝")):
            raise MetaError(f"Unknown identifier `{name}`")
        return decl

    def dependents(self, fvars: Sequence[Expr]) -> list[LocalDecl]:
        """Return the hypotheses after `fvars` whose type or value mentions one of them, in order, transitively."""
        ids = {x.id for x in fvars}  # type: ignore[attr-defined]
        out = []
        for decl in self.m.lctx:
            if decl.fvar.id in ids or decl.hidden:
                continue
            if self.mentions(decl.type, ids) or (decl.value is not None and self.mentions(decl.value, ids)):
                ids.add(decl.fvar.id)
                out.append(decl)
        return out

    def mentions(self, e: Expr, ids: set[int]) -> bool:
        """Return whether one of these free variables occurs in `e`."""
        e = self.m.instantiate_mvars(e)
        return e.has_fvar and any(type(s) is FVar and s.id in ids for s in subterms(e))

    # --- terms -------------------------------------------------------------------------------------------

    def elab(self) -> Elab:
        """Return an elaborator for terms of the main goal."""
        return Elab(self.m, self.scope, run_nested, source=self.source)

    def term(self, stx: ast.Term, expected: Expr | None = None) -> Expr:
        """Elaborate a complete term: no hole may stay open."""
        el = self.elab()
        e = el.elab_closed(stx, expected)
        if open_holes(el):
            raise hole_error(el, open_holes(el))
        return check_no_holes(el, e)

    def term_with_holes(
        self, stx: ast.Term, expected: Expr | None, natural_ok: bool = False
    ) -> tuple[Expr, list[MVar]]:
        """Elaborate a term whose `?_` (and, if `natural_ok`, `_`) become goals, in order of occurrence."""
        el = self.elab()
        before = set(self.m.mctx.decls)
        e = el.elab_closed(stx, expected)
        if not natural_ok:
            e = check_no_holes(el, e)
        new = []
        for mvar in collect_mvars(e):
            real = self.resolve_delayed(mvar)
            if real.id not in before and real not in new:
                new.append(real)
        # Holes that do not occur in the term any more but are still open are goals as well.
        new += [hole for hole in open_holes(el) if hole not in new]
        order = {hole.id: i for i, hole in enumerate(el.holes)}
        holes = sorted((x for x in new if x.id in order), key=lambda x: order[x.id])
        return e, [*(x for x in new if x.id not in order), *holes]

    def resolve_delayed(self, mvar: MVar) -> MVar:
        """Return the goal that a delayed-assigned metavariable stands for."""
        while mvar.id in self.m.mctx.delayed:
            mvar = mk_mvar(self.m.mctx.delayed[mvar.id][1])
        return mvar

    def whnf_head(self, e: Expr) -> tuple[Expr, str | None]:
        """Return `e` in weak head normal form and the name of its head constant."""
        reduced = whnf(self.m, self.m.instantiate_mvars(e))
        fn = get_app_fn(reduced)
        return reduced, fn.name if type(fn) is Const else None

    def infer(self, e: Expr) -> Expr:
        """Return the instantiated type of `e`."""
        return self.m.instantiate_mvars(infer_type(self.m, e))

    def show(self, e: Expr, indent: int = 2) -> str:
        """Return the text of a term in the present context."""
        return show(self.m, e, indent)

    def quote(self, node: ast.Node) -> str:
        """Return the source text of a node."""
        return self.source[node.start : node.end].strip()


def run_nested(
    el: Elab,
    mvar: MVar,
    block: ast.TacSeq,
    others: Sequence[MVar] = (),
    make: Callable[[Meta, Sequence[MVar], Scope, str], Tactics] = Tactics,
) -> None:
    """Run a `by` block inside a term: the callback that the elaborator uses; `make` makes its tactic state."""
    tactics = make(el.m, [mvar, *others], el.scope, el.source)
    old = el.m.lctx
    try:
        tactics.run_block(block)
    finally:
        el.m.lctx = old
    tactics.prune()
    if tactics.goals:
        raise tactics.unsolved()


def join_tags(tag: str, suffix: str) -> str:
    """Return `tag.suffix`; a machine-made suffix loses its dagger below a tag."""
    return f"{tag}.{suffix.rstrip('✝')}" if tag and suffix else tag or suffix


def retag(t: Tactics, goal: MVar, tag: str) -> MVar:
    """Give an open goal another case tag."""
    decl = t.m.mvar_decl(goal)
    if decl.tag != tag:
        t.m.mctx.declare(type(decl)(decl.id, tag, decl.lctx, decl.type, decl.kind, decl.depth, decl.index))
    return goal


def accessible(t: Tactics, goal: MVar) -> MVar:
    """Give the hypotheses of a goal whose names are inaccessible the next free names `a`, `a_1`, `a_2`, .."""
    decl = t.m.mvar_decl(goal)
    taken = {x.name for x in decl.lctx}
    renamed = []
    for x in decl.lctx:
        if not x.hidden and x.name.endswith("✝"):
            base = name = x.name.rstrip("✝")
            count = 0
            while name in taken:
                count += 1
                name = f"{base}_{count}"
            taken.add(name)
            x = replace(x, name=name)
        renamed.append(x)
    t.m.mctx.declare(replace(decl, lctx=decl.lctx.replace_all(renamed)))
    return goal


def settled_goal(m: Meta, goal: MVar) -> MVarDecl:
    """Return the declaration of a goal with target and hypotheses instantiated, once for all later steps."""
    decl = m.mvar_decl(goal)
    locals_ = decl.lctx.decls
    fresh = {
        x.fvar.id: replace(
            x,
            type=m.instantiate_mvars(x.type),
            value=None if x.value is None else m.instantiate_mvars(x.value),
        )
        for x in decl.lctx
        if x.type.has_mvar or (x.value is not None and x.value.has_mvar)
    }
    type_ = m.instantiate_mvars(decl.type)
    if not fresh and type_ is decl.type:
        return decl
    lctx = LocalContext({**locals_, **fresh}) if fresh else decl.lctx
    return replace(decl, lctx=lctx, type=type_)
