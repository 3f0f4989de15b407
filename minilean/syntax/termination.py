"""Hints for recursive functions: `termination_by` and `decreasing_by`.

Source: Lean 4 `src/Lean/Parser/Term.lean`, `Termination` (4.34).
"""

from __future__ import annotations

from minilean.syntax.ast import TacSeq, Term, Termination
from minilean.syntax.blocks import at_indented, block, no_tactics
from minilean.syntax.cursor import Cursor
from minilean.syntax.terms import term


def termination(p: Cursor) -> Termination | None:
    """The hints after a declaration; `None` if there are none."""
    start = p.starts[p.i]
    names: list[str] = []
    measure: Term | None = None
    structural = False
    decreasing: TacSeq | None = None
    if p.accept("termination_by"):
        if p.at_word("structural"):
            p.i += 1
            structural = True
        mark = p.mark()
        while p.at_binder_name():
            names.append(p.binder_name())
        if not names or not p.accept("=>"):
            p.reset(mark)
            names = []
        measure = term(p)
    if p.accept("decreasing_by"):
        decreasing = block(p) if at_indented(p) else no_tactics(p)
    if measure is None and decreasing is None:
        return None
    return Termination(tuple(names), measure, structural, decreasing, start=start, end=p.end())
