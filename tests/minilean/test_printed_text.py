"""Printed text can be encoded: goals, messages and errors hold no half of a surrogate pair, whatever the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import minilean
from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem, ProofError
from minilean.syntax.text_literals import char_of_code

HALVES = st.integers(0xD800, 0xDFFF)
CODES = st.one_of(st.integers(0, 0xFFFF), HALVES)
PLACES = {
    "a character": "have h : 'a' = '{}' := ?_",
    "a string": 'have h : "a" = "b{}c" := ?_',
    "a piece of an interpolated string": 'have h : s!"{{1}}{}" = "b" := ?_',
    "a message": 'fail "{}"',
    "a list": "have h : ['{}', 'b'] = [] := by simp",
    "a decision": "have h : '{}' = 'a' := by decide",
    "a rewriting": "have h : \"a\" ++ \"{}\" = \"b\" := by rw [String.append_comm]",
    "a false equation": "exact absurd (rfl : '{}' = 'a') id",
}  # fmt: skip


def printed(tactic: str, statement: str = "theorem t : True") -> Iterator[str]:
    """Yield all that a tactic lets minilean say."""
    try:
        problem = Problem.from_source(statement, library())
    except ProofError as error:
        yield str(error)
        return
    step = problem.apply(problem.start(), tactic)
    yield from step.messages
    if step.state is None:
        yield step.error or ""
    else:
        yield from problem.goal_texts(step.state)
        for target, hypotheses, tag in problem.goal_rows(step.state):
            yield from (target, tag, *(text or "" for row in hypotheses for text in row))


@given(code=CODES, place=st.sampled_from(sorted(PLACES)))
@example(code=0xD800, place="a character")
@example(code=0xDFFF, place="a message")
@settings(deadline=None, max_examples=150)
def test_no_escape_in_a_literal_makes_a_text_that_cannot_be_encoded(code: int, place: str) -> None:
    for text in printed(PLACES[place].format(f"\\u{code:04x}")):
        text.encode()


@given(tactic=st.text(st.one_of(HALVES.map(chr), st.sampled_from("'\"«»\\ h:=?_ax-/")), max_size=12))
@example(tactic="have «\ud800» : True := ?_")
@example(tactic='fail "\udfff"')
@example(tactic="exact '\ud83d'")
@example(tactic="trivial -- \ud800")
@example(tactic="rename_i \ud800")
@example(tactic="exact Nat.\ud800")
@example(tactic="exact (\ud800")
@settings(deadline=None, max_examples=150)
def test_no_source_with_half_a_pair_is_read(tactic: str) -> None:
    halves = any(0xD800 <= ord(char) < 0xE000 for char in tactic)
    for text in printed(tactic):
        text.encode()
        assert not halves or "half a surrogate pair" in text


@pytest.mark.parametrize(
    "statement", ["theorem \ud800 : True", "theorem t (\udc00 : Nat) : True", "theorem t : True --\ud800"]
)
def test_no_statement_with_half_a_pair_is_read(statement: str) -> None:
    with pytest.raises(ProofError, match=r"U\+D[8C]00 is half a surrogate pair"):
        Problem.from_source(statement, library())
    (message,) = check_text(f"{statement} := trivial")
    message.text.encode()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"'\uD800'", r"'\x00'"),
        (r"'\udfff'", r"'\x00'"),
        (r"'\uD7FF'", "'\ud7ff'"),
        (r"'\uE000'", "'\ue000'"),
        (r"'\xff'", "'ÿ'"),
        (r'"a\uD83D\uDE00"', r'"a\x00\x00"'),
        (r"Char.ofNat (nat_lit 0xD800)", r"'\x00'"),
        (r"Char.ofNat (nat_lit 0x110000)", r"'\x00'"),
        (r"Char.ofNat 0xD800", "Char.ofNat 55296"),
    ],
)
def test_numbers_without_a_character_are_shown_as_lean_shows_them(written: str, shown: str) -> None:
    assert f"⊢ {shown} = x" in "".join(printed(f"have h : ∀ x, {written} = x := fun x => ?_")).replace(
        "\n", " "
    )


def test_evaluation_shows_the_character_that_is_proved_about() -> None:
    text = "#eval '\\uD800'\n#eval \"\\uD800\"\n#reduce '\\uD800'\n#print axioms Nat.add_comm\n"
    for message in check_text(text):
        message.text.encode()
    source = "theorem t : '\\uD800' = '\\x00' := rfl\ntheorem u : \"\\uDC00\" = \"\\x00\" := by decide"
    assert check_text(source) == []


@given(st.integers(0, 1 << 40))
@example(0xD800)
@example(0x110000)
def test_every_number_stands_for_a_character_that_can_be_encoded(code: int) -> None:
    char_of_code(code).encode()


def test_characters_are_made_of_numbers_in_one_place() -> None:
    root = Path(minilean.__file__).parent
    made = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Name) and node.id == "chr"
    }
    # omega's names of atoms are the letters a to z
    assert made == {"syntax/text_literals.py", "tactics/omega/message.py"}
