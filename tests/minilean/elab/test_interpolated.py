"""`s!".."`: pieces of text with terms between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('s!"plain"', '"plain"'),
        ('s!""', '""'),
        ('s!"{2 + 3}"', '"5"'),
        ('s!"x = {1}, y = {[2, 3]}."', '"x = 1, y = [2, 3]."'),
        ('s!"a{s!"<{1}>"}b"', '"a<1>b"'),  # an interpolated string inside another one
        ('s!"{({ val := 1, isLt := by decide } : Fin 2)}"', '"1"'),  # braces of its own inside a term
        ('s!"\\{{7}}"', '"{7}"'),  # an escaped brace; a closing one needs no escape
        ('s!"tab\\t{"q\\""}"', '"tab\\tq\\""'),
    ],
)
def test_values(messages: Check, text: str, shown: str) -> None:
    assert messages(f"#eval {text}") == [f"1:0 info {shown}"]


def test_pieces_are_joined_by_append(messages: Check) -> None:
    """Empty pieces of the text are left out, those in braces are not."""
    (message,) = messages('#check fun n : Nat => s!"n = {n}{""}"')
    assert message == '1:0 info fun n => toString "n = " ++ toString n ++ toString "" : Nat → String'
    (message,) = messages('#check fun n : Nat => s!"{n} {n}"')
    assert message == '1:0 info fun n => toString n ++ toString " " ++ toString n : Nat → String'


def test_the_type_of_a_piece_needs_a_text(messages: Check) -> None:
    (message,) = messages('structure P where\n  x : Nat\ndef f (p : P) : String := s!"{p}"')
    assert "failed to synthesize instance of type class\n  ToString P" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('def a := s!"abc{1', "expected '}'"),
        ('def a := s!"abc{1}', "expected unterminated string literal"),
        ('def a := s!"{1 , 2}"', "expected '}'"),
        ('def a := s!"{}"', "unexpected token '}'; expected term"),
        ('def a := s!"\\q"', "invalid escape sequence"),
        ('def a := "\\{"', "invalid escape sequence"),  # only interpolated strings have this escape
    ],
)
def test_errors(messages: Check, text: str, expected: str) -> None:
    assert expected in "\n".join(messages(text))


def test_eval_writes_a_value_by_its_own_text(messages: Check) -> None:
    point = "structure P where\n  x : Nat\n"
    instance = 'instance : ToString P where\n  toString p := s!"at {p.x}"\n'
    assert messages(f"{point}{instance}#eval (⟨3⟩ : P)") == ["5:0 info at 3"]
    assert messages(f"{point}#eval (⟨3⟩ : P)") == ["3:0 info { x := 3 }"]
    # a derived `Repr` comes before `ToString`
    derived = point.rstrip() + "\nderiving Repr\n"
    assert messages(f"{derived}{instance}#eval (⟨3⟩ : P)") == ["6:0 info { x := 3 }"]
