"""Characters and strings as patterns: they are compared, not taken apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

VOWELS = """
def vowel : Char → Nat
  | 'a' => 1
  | 'e' => 2
  | _ => 0
"""
BLANKS = """
def squeeze : List Char → List Char
  | [] => []
  | ' ' :: cs => squeeze cs
  | c :: cs => c :: squeeze cs
"""
COMMAND = """
def code (s : String) (b : Bool) : Nat :=
  match s, b with
  | "go", true => 1
  | "go", false => 2
  | "", _ => 3
  | _, _ => 4
"""


@pytest.mark.parametrize(
    "example",
    [
        f"{VOWELS}example : (vowel 'a', vowel 'e', vowel 'x') = (1, 2, 0) := rfl",
        f"{VOWELS}example : vowel 'e' = 2 := by simp [vowel]",
        f"{VOWELS}example : vowel 'y' = 0 := by decide",
        f"{VOWELS}example (c : Char) : vowel c < 3 := by unfold vowel; split <;> decide",
        f"{VOWELS}example (c : Char) (h : c = 'a') : vowel c = 1 := by subst h; rfl",
        f"{BLANKS}example : squeeze ['p', ' ', 'q'] = ['p', 'q'] := by decide",
        f"{BLANKS}example (cs) : squeeze (' ' :: cs) = squeeze cs := by simp [squeeze]",
        f"{BLANKS}example (cs) : squeeze ('-' :: cs) = '-' :: squeeze cs := by simp [squeeze]",
        f'{COMMAND}example : code "go" false = 2 := rfl',
        f'{COMMAND}example : code "stop" true = 4 := rfl',
    ],
)
def test_accepted(messages: Check, example: str) -> None:
    assert messages(example) == []


def test_the_last_equation_excludes_the_literals(messages: Check) -> None:
    (message,) = messages(f"{VOWELS}#check @vowel.eq_3")
    assert message.endswith("(x : Char), (x = 'a' → False) → (x = 'e' → False) → vowel x = 0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f : Char → Nat\n  | 'a' => 1", "Missing cases"),
        (f"{VOWELS}example (c : Char) : vowel c = 0 := rfl", "error"),
        (f"{VOWELS}example : vowel 'a' = 2 := rfl", "error"),
        (f"{VOWELS}example : False := by have : vowel 'a' = vowel 'e' := rfl; contradiction", "error"),
        (f'{COMMAND}example : code "go" true = code "stop" true := rfl', "error"),
    ],
)
def test_refused(messages: Check, text: str, expected: str) -> None:
    assert expected in "\n".join(messages(text))
