"""Whole files: messages with positions, recovery after errors, and the exit status."""

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
