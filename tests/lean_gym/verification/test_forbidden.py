"""Forbidden words are found wherever they stand as tokens, and nothing else is refused."""

from __future__ import annotations

import pytest

from lean_gym.verification.forbidden import (
    AUTOMATION,
    check_forbid,
    forbidden_head,
    refused_head,
    uses_automation,
)

SMUGGLED = [
    "simp",
    "simp?",
    "simp!",
    "simp only [h]",
    "  simp [*] at *",
    "first | exact h | simp",
    "constructor <;> simp",
    "constructor\n· simp\n· exact h",
    "constructor\n·simp",
    "constructor\n. simp",
    "constructor\n.simp",
    "case inl h => simp",
    "all_goals simp",
    "try simp",
    "try(simp)",
    "repeat' simp",
    "(simp)",
    "intros;simp",
    "conv => lhs; simp",
    "conv at h => rhs; arg 1; simp",
    "exact by simp",
    "exact ⟨by simp, h⟩",
    "exact (show p from by simp)",
    "have h : p := by\n  simp\nexact h",
    "refine fun x ↦by simp",
    "rw [show a = b by simp]",
    "induction n with\n| zero => simp\n| succ n ih => exact ih",
    "match h with | ⟨a, b⟩ => simp",
    "set_option maxRecDepth 10 in simp",
    "open Nat in simp",
    "rcases (by simp : p) with h",
    # text that only looks like a string or a comment
    "/- a -/ simp",
    "/- /- -/ -/ simp",
    '/- /- -/ " -/ simp -- "',
    "-- a comment\nsimp",
    'exact f "a" (by simp) "b"',
    "exact f '\"' (by simp) '\"'",
    'exact f "\\" (by simp) "\\""',
    'exact f r"\\" (by simp) r""',
    'exact s!"{(by simp : String)}"',
    'exact f "{" (by simp) "}"',
    'exact «a"» (by simp) «"»',
    # tokens that end where Lean ends them
    "exact 'a'simp",
    "exact 1simp",
    "exact h.1simp",
    "exact 0x1fsimp",
    "exact «x»simp",
]

PASSES = [
    "exact h",
    "exact simp_h",
    "exact hsimp",
    "exact h.simp",
    "exact (f x).simp",
    "exact ⟨a, b⟩.simp",
    "exact Nat.simp",
    "exact Lean.Parser.Tactic.simp",
    "rw [my.simp.lemma]",
    "exact «simp»",
    "exact h -- by simp",
    "exact h --by simp",
    "exact h /- by simp -/",
    "/-- simp -/ exact h",
    'fail "simp does not help"',
    "ѕimp",  # Cyrillic
    "ｓｉｍｐ",  # full width
    "si​mp",  # zero-width space
    "simp_all",
    "dsimp",
    "simpa using h",
    "exact simp'",
]


@pytest.mark.parametrize("tactic", SMUGGLED)
def test_a_forbidden_word_is_found_wherever_it_stands(tactic: str) -> None:
    assert (forbidden_head(tactic, ("simp",)) or "").rstrip("?!") == "simp"


@pytest.mark.parametrize("tactic", PASSES)
def test_other_tokens_pass(tactic: str) -> None:
    assert forbidden_head(tactic, ("simp",)) is None


def test_a_word_with_its_mark_stands_for_itself_alone() -> None:
    assert forbidden_head("exact?", ("exact?",)) == "exact?"
    assert forbidden_head("exact h", ("exact?",)) is None
    assert forbidden_head("exact?", ("exact",)) == "exact?"


def test_options_of_other_tactics_count() -> None:
    assert forbidden_head("simp +decide", ("decide",)) == "decide"
    assert forbidden_head("simp (config := {decide := true})", ("decide",)) == "decide"


def test_the_message_is_one_line_that_names_the_word() -> None:
    message = refused_head("intros\nsimp?", ("omega", "simp"))
    assert message == "`simp?` is forbidden in this environment (option forbid)"
    assert refused_head("exact h", ("simp",)) is None


def test_automation_is_a_list_of_heads() -> None:
    assert check_forbid("automation") == AUTOMATION
    assert check_forbid(["rw", "automation", "simp"]) == ("rw", *AUTOMATION)
    assert check_forbid(()) == ()
    assert check_forbid(["my_tactic", "simp", "my_tactic"]) == ("my_tactic", "simp")
    assert len(set(AUTOMATION)) == len(AUTOMATION)


@pytest.mark.parametrize(
    "forbid", ["", "simp", "simp,omega", None, 3, {"simp": 1}.items(), [3], [""], ["simp only"]]
)
def test_what_is_no_list_of_heads_is_one_line(forbid: object) -> None:
    with pytest.raises(ValueError, match=r"^forbid: got ") as caught:
        check_forbid(forbid)
    assert "\n" not in str(caught.value)


def test_scripts_that_use_automation() -> None:
    assert uses_automation(("intro h", "exact ⟨h, by omega⟩"))
    assert uses_automation(("simp_all",))
    assert not uses_automation(("intro h", "exact h", "rw [h]", "rfl", "cases h <;> assumption"))
    assert not uses_automation(())
