"""Recorded proofs: each tactic of a file with the goals before and after it and the constants that it used.

Tactics inside others are recorded too, those in the `by` blocks of their terms included; the tactics that a macro
stands for are not. A tactic that fails, as in an alternative that was not taken, leaves no record.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from minilean.elab.display import goal_text, start_printing
from minilean.elab.term import Elab, TacticRunner
from minilean.kernel.expr import Const, Expr, MVar
from minilean.kernel.traversal import subterms
from minilean.meta.budget import Budget
from minilean.meta.metavars import Meta
from minilean.project.mentions import Mention, Mentions
from minilean.proof import PRINT_HEARTBEATS, PRINT_SECONDS
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_tactics
from minilean.tactics.state import Tactics, run_nested

NO_GOALS = "no goals"
# Blocks, of which the tactics inside are recorded.
_TRANSPARENT = (ast.Bullet, ast.Seq1, ast.WithOption)


@dataclass(frozen=True, slots=True)
class TacticStep:
    """One tactic of a proof.

    Attributes:
        start: Offset of its first character in the file.
        end: Offset after its last one.
        before: The goals that it saw, as Lean prints them, the main goal first; blank lines separate them.
        after: The goals that it left; `no goals` for none.
        mentions: The constants that its text names, in the order of their places in the file.
        used: The constants in the terms that it gave to goals and that the goals themselves do not have, sorted.
    """

    start: int
    end: int
    before: str
    after: str
    mentions: tuple[Mention, ...]
    used: tuple[str, ...]


Again = Callable[[str], str]
"""Runs a script in the state in which a tactic was run, and returns the goals after it."""
Found = Callable[[TacticStep, Again | None], None]


def recording(source: str, found: Found, again: bool) -> TacticRunner:
    """Return a runner of `by` blocks that passes each tactic to `found`, an inner tactic before those around it.

    Args:
        source: The text of the file.
        found: Gets the record of a tactic.
        again: Pass a function that runs scripts where the tactic was run; it holds a copy of the proof state.
    """

    def stands_here(t: Tactics, tactic: ast.Tactic) -> bool:
        """Return whether the tactic is written at its place, and is not one that another tactic or term stands for."""
        if t.source != source:
            return False
        try:
            written = parse_tactics(_in_place(source, tactic.start, tactic.end), t.scope.grammar)
        except ParseError:
            return False
        return written.tactics == (tactic,)

    class Recording(Tactics):
        def elab(self) -> Elab:
            return Elab(self.m, self.scope, run, source=self.source)

        def run(self, tactic: ast.Tactic) -> None:
            if isinstance(tactic, _TRANSPARENT) or not stands_here(self, tactic):
                super().run(tactic)
                return
            self.prune()
            goals = list(self.goals)
            before = _goals_text(self.m, goals)
            lctx = self.m.mvar_decl(goals[0]).lctx if goals else self.m.lctx
            mentions = Mentions(tactic, source, self.m.env, self.scope, lctx)
            repeat = _again(self, goals) if again else None
            super().run(tactic)
            self.prune()
            used = self._used(goals)
            after = _goals_text(self.m, self.goals)
            found(TacticStep(tactic.start, tactic.end, before, after, mentions.settled(used), used), repeat)

        def _used(self, goals: list[MVar]) -> tuple[str, ...]:
            """Return the constants in the values of the goals that their statements do not have."""
            known: set[str] = set()
            new: set[str] = set()
            for goal in goals:
                value = self.m.mctx.assignment.get(goal.id)
                if value is None:
                    continue
                decl = self.m.mvar_decl(goal)
                new |= _constants(self.m.instantiate_mvars(value))
                known |= _constants(self.m.instantiate_mvars(decl.type))
                for local in decl.lctx:
                    known |= _constants(local.type)
            return tuple(sorted(new - known))

    run: TacticRunner = partial(run_nested, make=Recording)
    return run


def block_text(text: str, start: int, end: int, insertions: Sequence[tuple[int, str]] = ()) -> str:
    """Return a piece of a file moved to the first column, with texts inserted at offsets of the file."""
    column = start - text.rfind("\n", 0, start) - 1
    parts, at = [], start
    for offset, insertion in insertions:
        parts += [text[at:offset], insertion]
        at = offset
    parts.append(text[at:end])
    return re.sub(rf"\n {{0,{column}}}", "\n", "".join(parts))


def _in_place(text: str, start: int, end: int) -> str:
    """Return a piece of a file at its offset and column, with white space in place of all before it."""
    line = text.rfind("\n", 0, start) + 1
    before = " " * (line - 1) + "\n" if line else ""
    return before + " " * (start - line) + text[start:end]


def _goals_text(m: Meta, goals: Sequence[MVar]) -> str:
    """Return the goals as Lean prints them, separated by blank lines; `no goals` for none."""
    mark, budget = m.mctx.mark(), m.budget
    m.budget = Budget(PRINT_HEARTBEATS, PRINT_SECONDS)  # a tactic pays for its own work only
    start_printing(m)
    try:
        return "\n\n".join(goal_text(m, goal) for goal in goals) or NO_GOALS
    finally:
        m.budget = budget
        m.mctx.rollback(mark)


def _again(t: Tactics, goals: Sequence[MVar]) -> Again:
    """Return a function that runs scripts in the present state, and does not change it."""
    meta, mctx, lctx, scope = t.m, t.m.mctx.copy(), t.m.lctx, t.scope
    hygienic = t.hygienic

    def run(script: str) -> str:
        m = copy.copy(meta)
        m.env, m.mctx, m.lctx, m.budget = meta.env.child(), mctx.copy(), lctx, Budget()
        m.log, m.infer_cache, m.whnf_cache = [], {}, {}
        tactics = Tactics(m, goals, scope, script)
        tactics.hygienic = hygienic
        tactics.run_block(parse_tactics(script, scope.grammar))
        tactics.prune()
        return _goals_text(m, tactics.goals)

    return run


def _constants(e: Expr) -> set[str]:
    return {part.name for part in subterms(e) if type(part) is Const}
