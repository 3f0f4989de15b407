"""Every place where Lean may begin a tactic, built from the grammar: what evaluates is refused in all of them.

A frame holds a tactic at `T`. Frames are put into one another, and lines are indented as Lean asks for.
"""

from __future__ import annotations

import random

import pytest

from lean_gym.verification.tactic_filter import refused_commands, refused_text

EVALUATE = [
    'trace "" ++ evil',
    'trace ""\n  evil',
    "trace evil",
    'trace s!"{evil}"',
    "evil",
    "evil (config := e)",
    "extract_lets (underBinder := evil)",
    "lift_lets (underBinder := evil)",
    "simp (config := evil)",
    "simp only (maxSteps := evil) [h]",
    "simp (config := .evil)",
    "rw (occs := .pos [evil]) [h]",
    "decide +native",
    "decide +«native»",
    "decide («native» := true)",
    "decide (config := {«native» := true})",
    "native_decide",
    "run_tac evil",
    "simp (disch := evil)",
    "exact by_elab evil",
    "exact eval% evil",
    "aesop (add safe tactic evil)",
    "simp? says evil",
    "let rec f := 1 decreasing_by evil",
    "exact .let; evil",
    "intro\n  | 0 => evil",
]
FRAMES = [
    "skip; T",
    "skip\nT",
    "T <;> skip",
    "skip <;> T",
    "skip <;> [skip, T]",
    "· T",
    ". T",
    "(T)",
    "{ T }",
    "try T",
    "iterate 3 T",
    "repeat' T",
    "all_goals T",
    "first | skip | T",
    "first\n  | skip\n  | T",
    "first | exact h |T",
    "case a => T",
    "case' inl h | inr h => T",
    "next => T",
    "on_goal 2 => T",
    "cases h with | inl h => T | inr h => skip",
    "cases h with\n| inl h => skip\n| inr h =>\n  T",
    "induction n using f with\n| zero => exact foo |x| h\n| succ n ih =>\n  T",
    "induction n with T\n| zero => skip",
    "match h with | a, b | c, d => T",
    "rcases h with a | b <;> T",
    "obtain ⟨a⟩ | b := h\nT",
    "exact by T",
    "exact f (by\n  T) h",
    "exact fun x => by T",
    "exact fun | 0 => h | x => by T",
    "exact match h with | 0 => h | x => by T",
    "exact ⟨by use 1, x, by T⟩",
    "have h : p := by\n  T\nskip",
    "have h : p := by\n    exact h\n    T",
    "calc a = b := by T\n  _ = c := by skip",
    "calc a = b := h\n  _ = c := by\n    T",
    "show p by T",
    "suffices h : p by T\nskip",
    "let f : Nat → Nat\n  | 0 => by T\nskip",
    "simp (disch := T)",
    "simp? says T",
    "conv => tactic => T",
    "conv => lhs; equals x => T",
    "open Nat in T",
    "set_option maxRecDepth 5 in\nT",
    "skip -- a comment\nT",
    "skip /- a /- b -/ -/\nT",
    "exact f --\n  x\nT",
    "exact a +\n  b\nT",
    "simp at *\nT",
    "simp at h ⊢\nT",
    "exact h.by\nT",
    "exact ‹p›\nT",
    "exact s ᶜ\nT",
    "have := f (g := x)\nT",
    "exact let x := by skip; T",
]
DEEPER = [
    # A line further left that still belongs to the deeper block, so that the block goes on.
    "have : p := by\n    exact a +\n  b\n    T",
    "have : p := by\n    exact a\n  + b\n    T",
    "have : p := by\n    exact\n  skip\n    T",
    "have : p := by\n    exact\nskip\n    T",
    "have : p := by\n      calc a = c := h\n  _ = d := h\n      T",
    "exact ⟨by exact ∃ x, p\n          T, y⟩",
    "exact ⟨by use 1,\n  x\n          T, y⟩",
    "have : p := by\n    simp\n  ; T",
    "have : p := by\n    induction n with\n  | zero => skip\n    T",
]


def _inside(frame: str, tactic: str) -> str:
    """Return the frame with the tactic in it, whose further lines stand at the column of its first."""
    if "\n" in tactic:
        tactic = "(" + tactic.replace("\n", "\n ") + ")"  # a block of its own
    before, _, after = frame.partition("T")
    column = len(before.rpartition("\n")[2])
    return before + tactic.replace("\n", "\n" + " " * column) + after


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_with_a_harmless_tactic_passes(frame: str) -> None:
    assert refused_text(_inside(frame, "simp only [h]")) is None


@pytest.mark.parametrize("frame", [*FRAMES, *DEEPER])
@pytest.mark.parametrize("tactic", EVALUATE)
def test_what_evaluates_is_refused_in_every_frame(frame: str, tactic: str) -> None:
    assert refused_text(_inside(frame, tactic)) is not None


def test_what_evaluates_is_refused_in_frames_inside_of_frames() -> None:
    pick = random.Random(0)
    for _ in range(4000):
        text = pick.choice(EVALUATE)
        for _ in range(pick.randint(1, 4)):
            text = _inside(pick.choice(FRAMES), text)
        assert refused_text(text) is not None, text
        assert refused_commands(f"theorem t : p := by\n  {_inside('  T', text).strip()}") is not None, text


def test_white_space_and_comments_hide_nothing() -> None:
    pick = random.Random(1)
    spaces = [" ", "  ", "\n", "\t", "\r\n", " /- x -/ ", " /- /- -/ -/ ", " -- x\n", "\n\n   ", " /- -- -/ "]
    # A frame of several lines would lose its columns.
    frames = [frame for frame in FRAMES if "\n" not in frame]
    tactics = [tactic for tactic in EVALUATE if "\n" not in tactic]
    for _ in range(3000):
        text = _inside(pick.choice(frames), pick.choice(tactics))
        parts = text.split(" ")
        mixed = parts[0] + "".join(pick.choice(spaces) + part for part in parts[1:])
        assert refused_text(mixed) is not None, mixed


def test_marks_put_anywhere_hide_nothing() -> None:
    pick = random.Random(2)
    marks = [
        '"',
        "«",
        "»",
        "'",
        "--",
        "/-",
        "-/",
        "\\",
        "`",
        "|",
        "(",
        ")",
        "fun ",
        "=>",
        "_",
        ";",
        ",",
        ".",
        "é",
        "λ",
    ]
    harmless = 0
    for _ in range(3000):
        # A mark in the middle of a name makes another name of it, so that these stand at spaces.
        text = f"skip\n{_inside(pick.choice(FRAMES), 'evil')}"
        at = pick.choice([place for place, char in enumerate(text) if char in " \n"])
        mixed = f"{text[:at]} {pick.choice(marks)}{text[at:]}"
        harmless += refused_text(mixed) is None
    assert harmless < 100  # those in which the mark makes an argument or a comment of the tactic


def test_letters_that_look_alike_are_other_tactics() -> None:
    for word in ("ѕimp", "ｓimp", "sіmp", "exаct h"):
        assert refused_text(word) is not None
