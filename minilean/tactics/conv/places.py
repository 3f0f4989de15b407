"""Places in a term, for `conv`, and the composition of their results.

A `Focus` has the term there, its rewritten form and, after a move below it, the places below with a function that
combines their results. At the end of the block the results are combined bottom up.

Source: Lean 4 `src/Lean/Elab/Tactic/Conv/*.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from minilean.elab.display import show_goal, start_printing
from minilean.kernel.expr import Expr, MVar
from minilean.meta.context import LocalContext
from minilean.meta.errors import BudgetError, MetaError
from minilean.syntax.conv import ConvStep
from minilean.syntax.conv import Sequence as Steps
from minilean.tactics.simp.result import Result, trans
from minilean.tactics.state import Tactics


@dataclass(slots=True, eq=False)
class Focus:
    """A place in a term, in its local context.

    Attributes:
        lctx: The local context, with the variables bound above the place.
        start: The term that was there.
        result: Its rewritten form.
        below: Places below, after a move there.
        join: Combines the results of `below` to one for `result.expr`.
        goal: A premise of a rule, to be proved by `tactic => ..`, in place of a term.
    """

    lctx: LocalContext
    start: Expr
    result: Result
    below: list[Focus] = field(default_factory=list)
    join: Callable[[list[Result]], Result] | None = None
    goal: MVar | None = None


class Converter:
    """The run of a conv block.

    Attributes:
        open: The places that are not finished, the main one first.
        premises: Premises of the rules used, as goals.
        dispatch: Runs one conv tactic.
    """

    def __init__(self, t: Tactics, e: Expr, dispatch: Callable[[Converter, ConvStep], None]) -> None:
        self.t, self.m = t, t.m
        self.dispatch = dispatch
        self.open = [self.place(e)]
        self.premises: list[MVar] = []

    def place(self, e: Expr) -> Focus:
        """Return a place for a term in the present context."""
        e = self.m.instantiate_mvars(e)
        return Focus(self.m.lctx, e, Result(e))

    @property
    def main(self) -> Focus:
        """The main place."""
        if not self.open:
            raise MetaError("No goals to be solved")
        return self.open[0]

    @property
    def here(self) -> Expr:
        """The term at the main place."""
        if self.main.goal is not None:
            raise MetaError("the conv tactic needs a term, but a premise of a rule is to be proved here")
        return self.m.instantiate_mvars(self.main.result.expr)

    def finish(self, place: Focus) -> Result:
        """Return the final result of a place."""
        if place.join is None:
            return place.result
        below = place.join([self.finish(child) for child in place.below])
        with self.m.with_lctx(place.lctx):
            return trans(self.m, place.start, place.result, below)

    def go_below(self, places: list[Focus], join: Callable[[list[Result]], Result]) -> None:
        """Replace the main place by places below it."""
        top = self.main
        top.below, top.join = places, join
        self.open[:1] = places

    def update(self, new: Result) -> None:
        """Rewrite the term at the main place to `new`."""
        place = self.main
        place.result = trans(self.m, place.start, place.result, new)

    # --- running -----------------------------------------------------------------------------------------

    def run(self, steps: Steps) -> None:
        """Run a block."""
        for step in steps.steps:
            self.m.budget.spend("conv")
            with self.m.nested("conv"):
                if self.open:
                    with self.m.with_lctx(self.main.lctx):
                        start_printing(self.m)
                        self._step_at(step)
                else:
                    self.step(step)

    def _step_at(self, step: ConvStep) -> None:
        """Run one conv tactic; an error message shows the place instead of the goal."""
        place, old = self.main, show_goal(self.m, self.t.main)
        try:
            self.step(step)
        except BudgetError:
            raise
        except MetaError as error:
            text = str(error)
            if not text.endswith(old) or place.goal is not None:
                raise
            goal = self.t.new_goal(place.result.expr, self.t.tag, place.lctx)
            before, _, after = show_goal(self.m, goal).rpartition("⊢ ")
            raise MetaError(f"{text.removesuffix(old)}{before}| {after}") from None

    def step(self, step: ConvStep) -> None:
        """Run one conv tactic at the main place."""
        self.dispatch(self, step)

    def attempt(self, action: Callable[[], None]) -> MetaError | None:
        """Run `action`; when it fails restore everything and return the error."""
        mark, saved = self.m.mctx.mark(), list(self.open)
        states = [(p, p.result, p.below, p.join) for p in self.open]
        premises = list(self.premises)
        try:
            action()
        except BudgetError:
            raise
        except MetaError as error:
            self.m.mctx.rollback(mark)
            self.open, self.premises = saved, premises
            for place, *state in states:
                place.result, place.below, place.join = state  # type: ignore[assignment]
            return error
        return None

    def focused(self, steps: Steps) -> None:
        """Run a block at the main place alone and finish the place."""
        top, rest = self.main, self.open[1:]
        self.open = [top]
        self.run(steps)
        self.open = rest

    def failed(self, what: str) -> MetaError:
        """Return an error message with the term at the main place."""
        return MetaError(f"{what}\n  {self.t.show(self.here)}")
