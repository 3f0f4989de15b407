"""`simp_all` with hypotheses that change by computation alone."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

ACCEPTED = [
    "example (a b c d : α) (h : (a, c).1 = (b, d).1) : b = a := by simp_all",
    "example (a b c d : α) (h : (a, c).1 = (b, d).1) (k : (a, c).2 = (b, d).2) : b = a ∧ d = c := by simp_all",
    "example (p q : Prop) (h : (p, q).1) (k : p → q) : q := by simp_all",
]
REFUSED = [
    "example (a b c d : α) (h : (a, c).1 = (b, d).1) : d = c := by simp_all",
    "example (p q : Prop) (h : (p, q).1) : q := by simp_all",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_it_proves(text: str) -> None:
    assert [m.text for m in check_text(text)] == []


@pytest.mark.parametrize("text", REFUSED)
def test_it_leaves_a_goal(text: str) -> None:
    assert "unsolved goals" in check_text(text)[0].text
