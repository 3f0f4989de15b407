"""The `sorry`s of a file: which a search can fill, the tactics around them, and the text that takes their place."""

from __future__ import annotations

import pytest

from lean_gym.datasets.formats.lean_source import commands
from trainers.proving.editing.file_text import Edit, after_edits
from trainers.proving.editing.holes import Hole, LeftAlone, sorries


def kinds(source: str) -> list[str | int]:
    found = sorries(source, commands(source))
    return [each.reason if isinstance(each, LeftAlone) else each.before for each in found]


def test_the_structure_of_a_file_decides_about_its_sorries() -> None:
    inner, several = "it is inside a proof", "its theorem has 2 of them"
    statement, other = "it is in a statement", "it is in no proof of a theorem"
    for source, expected in {
        "theorem t : P := sorry": [""],
        "@[simp]\nprivate theorem t : P :=\n  sorry": [""],
        "open Nat in\ntheorem t : P := by -- sorry\n  sorry": [""],
        "theorem t : P := by\n  intro h\n  cases h with\n  | inl => simp\n  admit": [
            "intro h\ncases h with\n| inl => simp"
        ],
        "theorem t : P := by intro h\n  sorry": [inner],
        "theorem t : P := by intro h; sorry": [inner],
        "theorem t : P := fun h => sorry": [inner],
        "theorem t : P := f sorry": [inner],
        "theorem t : P := by /- x -/ sorry": [inner],
        "theorem t : P := by\n  constructor\n  · sorry\n  · sorry": [several],
        "theorem t : P := by\n  cases h with\n  | inl h => sorry\n  | inr h => simp": [inner],
        "theorem t : P := by\n  obtain ⟨x, h⟩ : Q := sorry\n  simp": [inner],
        "theorem t : P := by\n  exact f sorry\n  simp": [inner],
        "theorem t : P := by\n    skip\n  sorry": [inner],
        "theorem t : (sorry : Prop) := sorry": [statement],
        "theorem t : P\n  | 0 => sorry": [inner],
        "def f : P := sorry\ninstance : P := sorry": [other, other],
        'theorem t : "sorry" = x := by simp -- sorry\n/- sorry -/': [],
        "theorem t : sorry.x = foo.sorry ∧ «sorry» := rfl": [],
    }.items():
        assert kinds(source) == expected, source


def test_edits_at_one_place_stand_in_their_order() -> None:
    assert after_edits("abc", [Edit(1, 1, "x"), Edit(1, 2, "y"), Edit(3, 3, "z")]) == "axycz"


def test_a_hole_writes_tactics_of_several_lines() -> None:
    source = "theorem t : P := by\n    sorry\n"
    (hole,) = sorries(source, commands(source))
    assert isinstance(hole, Hole)
    text = after_edits(source, [hole.edit(["  constructor\n  · a\n\n  · b", "c"])])
    assert text == "theorem t : P := by\n    constructor\n    · a\n\n    · b\n    c\n"


@pytest.mark.parametrize(
    ("block", "before", "after"),
    [
        ("skip\n  sorry\n  simp", "skip", "simp"),
        ("have h : P :=\n    sorry\n  exact h", "refine have h : P := ?_; ?_", "exact h"),
        (
            "constructor\n  · intro x\n    have h : P := by\n      skip\n      sorry\n    exact h\n\n  -- b\n  · simp",
            "constructor\nintro x\nrefine have h : P := ?_; ?_\nskip",
            "exact h\n\n· simp",
        ),
        ("constructor\n  · sorry\n  · simp\n    rfl", "constructor", "· simp\n  rfl"),
    ],
)
def test_the_tactics_around_a_sorry(block: str, before: str, after: str) -> None:
    source = f"theorem t : P := by\n  {block}\n"
    (hole,) = sorries(source, commands(source))
    assert isinstance(hole, Hole)
    assert hole.before == before
    assert [line for line in hole.after.split("\n") if line] == [line for line in after.split("\n") if line]
