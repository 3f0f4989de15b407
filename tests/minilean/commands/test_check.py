"""Whole files: messages with positions, recovery after errors, scopes, queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from minilean.check_command import main

Check = Callable[[str], list[str]]


def test_a_file_without_errors_exits_with_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Good.lean"
    path.write_text("theorem t (p : Prop) (h : p) : p := h\n#check t\n", "utf-8")
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == "t (p : Prop) (h : p) : p\n"


def test_errors_have_positions_and_the_file_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Bad.lean"
    path.write_text(
        "theorem a : 1 = 1 := nope\ntheorem b : + := rfl\ntheorem c : 2 = 2 := rfl\n#check c\n", "utf-8"
    )
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path}:1:21: error: Unknown identifier `nope`",
        f"{path}:2:12: error: unexpected token '+'; expected term",
        "c : 2 = 2",
    ]


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "None.lean")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_namespaces_sections_variables_and_open(messages: Check) -> None:
    text = """
    namespace A
    section
    variable (p : Prop)
    def same : Prop := p
    end
    theorem t : same True := trivial
    end A
    #check A.same
    open A in
    #check same
    #check t
    open A (t)
    #check t
    """
    assert messages(text) == [
        "9:4 info A.same (p : Prop) : Prop",
        "10:4 info A.same (p : Prop) : Prop",
        "12:11 error Unknown identifier `t`",
        "14:4 info A.t : A.same True",
    ]


def test_queries(messages: Check) -> None:
    text = """
#eval 2 + 3 * 4
#eval [1, 2] ++ [3]
#eval decide (2 < 3)
#eval (7 / 2, 7 % 2)
theorem em' (p : Prop) : p ∨ ¬p := Classical.em p
#print axioms em'
theorem id' (p : Prop) (h : p) : p := h
#print axioms id'
set_option no.such.option true
"""
    assert [line.split(" ", 1)[1] for line in messages(text)] == [
        "info 14",
        "info [1, 2, 3]",
        "info true",
        "info (3, 1)",
        "info 'em'' depends on axioms: [propext, Classical.choice, Quot.sound]",
        "info 'id'' does not depend on any axioms",
        "warning unknown option `no.such.option`",
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "macro_rules | `(x) => `(y)",
            "unsupported: `macro_rules` for syntax which `syntax` has not declared",
        ),
        ("partial def f (n : Nat) : Nat := f n", "unsupported: `partial` of `f`"),
        ("unsafe def f (n : Nat) : Nat := n", "unsupported: `unsafe` of `f`"),
    ],
)
def test_what_is_not_supported_is_named(messages: Check, text: str, error: str) -> None:
    (message,) = messages(text)
    assert error in message


def test_structures_extend_and_update(messages: Check) -> None:
    text = """
structure Point where
  x : Nat
  y : Nat
structure Point3 extends Point where
  z : Nat
def p : Point3 := { x := 1, y := 2, z := 3 }
#eval p.x + p.z
#eval { p with z := 9 }.z
example (a b : Nat) : ({ x := a, y := b } : Point).y = b := rfl
example (q : Point) : { x := q.x, y := q.y } = q := rfl
"""
    assert messages(text) == ["8:0 info 4", "9:0 info 9"]


def test_classes_of_the_user(messages: Check) -> None:
    text = """
class Shape (α : Type u) where
  area : α → Nat
structure Square where
  side : Nat
instance : Shape Square where
  area s := s.side * s.side
instance [Shape α] [Shape β] : Shape (α × β) := ⟨fun p => Shape.area p.1 + Shape.area p.2⟩
#eval Shape.area (Square.mk 3, Square.mk 2)
#eval Shape.area 5
"""
    lines = messages(text)
    assert lines[0] == "9:0 info 13"
    assert "failed to synthesize" in lines[1] or "stuck" in lines[1]


@pytest.mark.parametrize(
    ("proof", "line", "column"),
    [
        ("  skip\n  rfl\n  exact rfl", 4, 2),
        ("  have h : n = n := by\n    rfl\n    rfl\n  exact h", 4, 4),
        ("  have h : n = n := by\n    skip\n  exact h", 2, 20),
        ("  by_cases h : n = 0\n  · rfl\n  · skip", 4, 2),
        ("  rw [← Nat.add_zero n, Nat.mul_zero]", 2, 24),
        ("  skip", 1, 29),
    ],
)
def test_errors_stand_at_the_tactic_that_fails(messages: Check, proof: str, line: int, column: int) -> None:
    (message,) = messages("example (n : Nat) : n = n := by\n" + proof)
    assert message.startswith(f"{line}:{column} error ")
