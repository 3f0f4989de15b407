"""Tactic invocations: each tactic of a file with the goals before and after it.

Source: Pantograph `Pantograph/Frontend/Distil.lean` (`collectTacticsFromCompilationStep`), 0.3.15.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from minilean.elab.display import show_goal
from minilean.elab.names import Scope
from minilean.elab.term import TacticRunner
from minilean.kernel.expr import Const, MVar
from minilean.kernel.traversal import subterms
from minilean.meta.metavars import Meta
from minilean.repl.wire import Json
from minilean.syntax import ast
from minilean.tactics.state import Tactics, run_nested

# Blocks and separators are not listed, only the tactics in them.
_NOT_SUBSTANTIVE = (ast.AndThen, ast.Bullet, ast.CaseTac, ast.Expansion, ast.Seq1, ast.WithOption)


@dataclass(slots=True)
class Invocation:
    """One tactic: its text, the goals it saw, the goals it left, the constants in what it assigned."""

    tactic: str
    before: str
    after: str = ""
    constants: tuple[str, ...] = ()

    def as_json(self) -> Json:
        """The entry in the file of invocations."""
        return {
            "goalBefore": self.before,
            "goalAfter": self.after,
            "tactic": self.tactic,
            "usedConstants": list(self.constants),
        }


def recording(source: str, found: Callable[[Invocation], None]) -> TacticRunner:
    """Return a runner of `by` blocks that passes each invocation to `found`, an outer tactic before those inside it.

    Tactics that fail, as in alternatives that were not taken, are passed as well, without an outcome.
    """

    class Recording(Tactics):
        def run(self, tactic: ast.Tactic) -> None:
            if isinstance(tactic, _NOT_SUBSTANTIVE):
                super().run(tactic)
                return
            self.prune()
            before = list(self.goals)
            invocation = Invocation(self.quote(tactic), self._text())
            found(invocation)
            super().run(tactic)
            self.prune()
            invocation.after = self._text()
            invocation.constants = self._constants(before)

        def _text(self) -> str:
            return "\n".join(show_goal(self.m, goal) for goal in self.goals)

        def _constants(self, goals: list[MVar]) -> tuple[str, ...]:
            values = [self.m.mctx.assignment.get(goal.id) for goal in goals]
            terms = [self.m.instantiate_mvars(value) for value in values if value is not None]
            return tuple(sorted({e.name for t in terms for e in subterms(t) if type(e) is Const}))

    def make(m: Meta, goals: Sequence[MVar], scope: Scope, text: str) -> Tactics:
        return Recording(m, goals, scope, text or source)

    return partial(run_nested, make=make)
