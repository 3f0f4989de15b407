"""A tactic of proofs is no tactic of `conv`: an error of the parser, which no `#guard_msgs` can hold."""

from __future__ import annotations

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


CONDITIONAL = """example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
"""


def test_no_tactic_of_proofs_stands_in_place() -> None:
    (said,) = check(f"{CONDITIONAL}    · exact hx")  # as in Lean
    assert said.endswith("unexpected identifier; expected '{' or conv")
