"""Characters and strings: literals, decidable properties, and the parts of their representation that stay hidden."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        'example : "ab" ++ "cd" = "abcd" := rfl',
        'example : "ab" ++ "cd" = "abcd" := by decide',
        'example : "ab" ++ "cd" = "abcd" := by simp',
        'example : "ab".append "c" = "abc" ∧ ("ab" == "a" ++ "b") = true := by decide',
        'example : "ab" ≠ "cd" := by decide',
        'example : "ab" ≠ "cd" := by simp',
        "example : 'a' ≠ 'b' := by decide",
        "example : 'a' ≠ 'b' := by simp",
        r"example : '\n'.toNat = 10 := rfl",
        "example : 'a'.isAlpha = true := by decide",
        "example : \"abc\" = String.ofList ['a', 'b', 'c'] := rfl",
        'example (h : "a" = "b") : False := by contradiction',
        'example (h : "a" = "b") : False := by simp at h',
        "example (s t : String) : (s ++ t).length = s.length + t.length := by simp",
        'example (s : String) : s ++ "" = s := by simp',
        'example (f : String → Nat) : (if "a" = "b" then f "a" else 3) = 3 := by simp',
        "structure P where\n  name : String\n  age : Nat\nderiving DecidableEq\n"
        'example : (⟨"Ann", 3⟩ : P) ≠ ⟨"Bob", 3⟩ := by decide',
        'def f (n : String) : String := "Hello, " ++ n\nexample : f "Bob" = "Hello, Bob" := rfl',
    ],
)
def test_proved(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ('#check "a\\"b"', '"a\\"b" : String'),
        ("#check 'x'", "'x' : Char"),
        ('#eval "ab" ++ "c"', '"abc"'),
        ('#eval "ab".toList', "['a', 'b']"),
        ('#eval "naïve".length', "5"),
        (r"#eval '\t'", r"'\t'"),
    ],
)
def test_shown(messages: Check, command: str, answer: str) -> None:
    assert messages(command) == [f"1:0 info {answer}"]


@pytest.mark.parametrize(
    "text",
    [
        "example (s t : String) : (s ++ t).toList = s.toList ++ t.toList := rfl",
        "example (s t : String) : (s ++ t).length = s.length + t.length := by rfl",
        "example (l : List Char) : (String.ofList l).toList = l := rfl",
        "example (s : String) : s.length = s.toList.length := rfl",
        'example (s : String) : "" ++ s = s := rfl',
        'example : "abc".length = 3 := rfl',
        "example : \"abc\".toList = ['a', 'b', 'c'] := by decide",
    ],
)
def test_how_strings_are_kept_is_not_to_be_seen(messages: Check, text: str) -> None:
    assert len(messages(text)) == 1


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("example (s : String) : s = s := by cases s; rfl", "the constructors of `String`"),
        ("example (s : String) : s = s := by induction s; rfl", "the constructors of `String`"),
        ("example (s : String) : True := by rcases s with ⟨l⟩; trivial", "the constructors of `String`"),
        ("example (s : String) : True := match s with | ⟨_⟩ => trivial", "the constructors of `String`"),
        ("example : String := ⟨['a']⟩", "the constructors of `String`"),
        ("example : String := by constructor; exact ['a']", "the constructors of `String`"),
        ("example : String := String.literal ['a']", "`String.literal`"),
        ("example : String := .ofChars ['a']", "`String.ofChars`"),
        ("example (s : String) : Nat := s.casesOn (motive := fun _ => Nat) List.length", "`String.casesOn`"),
        ("open String in\nexample : String := literal ['a']", "`String.literal`"),
        ("example (s : String) : s = s := by unfold String.literal", "`String.literal`"),
        (f'example : String := "{"a" * 1001}"', "a string literal of 1001 characters"),
    ],
)
def test_refused_by_name(messages: Check, text: str, hidden: str) -> None:
    (line,) = messages(text)
    assert f"unsupported: {hidden}" in line


@pytest.mark.parametrize(
    "text",
    [
        'theorem t : "a" = "b" := by decide',
        'theorem t : "a" = "b" := rfl',
        'theorem t : "a" = "a" ++ "b" := by simp',
        "theorem t : 'a' = 'b' := by decide",
        "theorem t : 'a' = 'b' := Char.ext rfl",
        # 0xD800 is a surrogate and stands for the character 0, as in Lean
        "theorem t : Char.ofNat 0xD800 ≠ Char.ofNat 0 := by decide",
        'theorem t : "é".length = 2 := rfl',
        'theorem t (h : "a" ≠ "a" ++ "") : "a" = "b" := by assumption',
    ],
)
def test_false_statements_stay_unproved(messages: Check, text: str) -> None:
    assert any(" error " in line for line in messages(text))


def test_a_type_of_ones_own_named_string_is_another_type(messages: Check) -> None:
    text = 'namespace A\ninductive String where | mk (n : Nat)\nexample : String := "a"\nend A'
    assert [line[:10] for line in messages(text)] == ["3:0 error "]
