"""Blocks within `conv`: a nested `conv` returns to its place, premises of rules are proved where they arise."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


def test_a_nested_conv_comes_back() -> None:
    text = "example (x y z : Nat) : x + (y + z) = z + x + y := by\n  conv =>\n    lhs\n    conv =>\n      arg 2\n"
    text += (
        "      rw [Nat.add_comm]\n    trace_state\n    rw [← Nat.add_assoc]\n    arg 1\n    rw [Nat.add_comm]"
    )
    assert check(text) == ["7:4 trace x y z : Nat\n| x + (z + y)"]


CONDITIONAL = """example (g : Nat → Nat → Nat) (h : ∀ x, x ≠ 0 → g x x = 1) (hx : x ≠ 0) : g x x + x = 1 + x := by
  conv =>
    lhs
    arg 1
    rw [h]
    · skip
"""


@pytest.mark.parametrize("proof", ["apply hx", "tactic => exact hx"])
def test_a_premise_is_proved_in_place(proof: str) -> None:
    assert check(f"{CONDITIONAL}    · {proof}") == []


def test_no_tactic_of_proofs_stands_in_place() -> None:
    (said,) = check(f"{CONDITIONAL}    · exact hx")  # as in Lean
    assert said.endswith("unexpected identifier; expected '{' or conv")


@pytest.mark.parametrize("proof", ["skip", "apply h"])
def test_a_premise_is_not_forgotten(proof: str) -> None:
    assert any("error" in message for message in check(f"{CONDITIONAL}    · {proof}"))
    nested = CONDITIONAL.replace("    rw [h]\n    · skip\n", "    conv => rw [h]\n")
    assert any("error" in message for message in check(nested))
