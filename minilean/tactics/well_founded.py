"""Tactics for goals of well-founded recursion: `decreasing_tactic`, `decreasing_trivial`, `decreasing_with`, `simp_wf`.

Source: Lean 4 `src/Init/WFTactics.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.recursion.decreasing import DECREASING, SIMP_WF, TRIVIAL, WITH
from minilean.syntax import ast
from minilean.syntax.parser import parse_tactics
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

_TEXTS = {
    "decreasing_tactic": DECREASING,
    "decreasing_trivial": TRIVIAL,
    "simp_wf": SIMP_WF,
    "clean_wf": SIMP_WF,
}


@runs(ast.Simple, *_TEXTS)
def tac_generated(t: Tactics, stx: ast.Simple) -> None:
    """Run the script that the tactic stands for."""
    t.run_block(parse_tactics(_TEXTS[stx.name]))
    t.prune()


@runs(ast.Block, "decreasing_with")
def tac_decreasing_with(t: Tactics, stx: ast.Block) -> None:
    """`decreasing_with tacs`: the preparation of `decreasing_tactic`, then these tactics."""
    script = parse_tactics(WITH)
    *before, last = script.tactics
    assert isinstance(last, ast.First)
    alternatives = (last.alts[0], stx.block, *last.alts[1:])
    t.run_block(ast.TacSeq((*before, ast.First(alternatives))))
    t.prune()
