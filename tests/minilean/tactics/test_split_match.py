"""`split` in several files that declare the same matcher."""

from __future__ import annotations

from minilean.check_command import check_text

FIRST = "def first (a b : Nat) : Nat :=\n  match a, b with\n  | 0, _ => 1\n  | _, 0 => 2\n  | _, _ => 3\n"


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


def test_a_splitter_belongs_to_the_matcher_of_its_file() -> None:
    """Matchers of two files may have one name."""
    proof = " > 0 := by\n  unfold first\n  split <;> decide\n"
    other = FIRST.replace("| 0, _ => 1\n  | _, 0 => 2", "| _, 0 => 1\n  | 1, _ => 2")
    for definition in (FIRST, other, FIRST):
        assert check(f"{definition}theorem t (a b : Nat) : first a b{proof}") == []
