"""Scripts of the tactics that prove that a measure decreases.

Source: Lean 4 `src/Init/WFTactics.lean` (4.34).
"""

from __future__ import annotations

_FAILED = (
    "failed to prove termination, possible solutions:\\n"
    "  - Use `have`-expressions to prove the remaining goals\\n"
    "  - Use `termination_by` to specify a different well-founded relation\\n"
    "  - Use `decreasing_by` to specify your own tactic for discharging this kind of goal"
)
TRIVIAL = "first | assumption | omega | (simp +arith -failIfUnchanged; done)"
"""`decreasing_trivial`."""

_PREPARE = """try simp
repeat (first | apply Prod.Lex.right | apply Prod.Lex.left)
repeat (first | apply PSigma.Lex.right | apply PSigma.Lex.left)
"""
WITH = f"""{_PREPARE}first
| done
| fail "{_FAILED}"
"""
"""`decreasing_with tacs`, where `tacs` are tried after `done`."""

DECREASING = f"""{_PREPARE}first
| done
| {TRIVIAL}
| (subst_vars; {TRIVIAL})
| fail "{_FAILED}"
"""
"""`decreasing_tactic`."""

SIMP_WF = "try simp [invImage, InvImage, sizeOfWFRel, measure, Nat.lt_wfRel]"
"""`simp_wf`, for goals in which the standard relations are not unfolded yet."""
