from __future__ import annotations

import pytest

from minilean.syntax.lexer import (
    BAD,
    DOC,
    DOT_IDENT,
    EOF,
    FIELD,
    HASH,
    IDENT,
    NUM,
    STR,
    plain_name,
    split_name,
    tokenize,
)


def pieces(text: str) -> list[tuple[str, str]]:
    tokens = tokenize(text)
    spans = zip(tokens.kinds, tokens.starts, tokens.ends, strict=True)
    return [(kind, text[start:end]) for kind, start, end in spans][:-1]


@pytest.mark.parametrize(
    "name",
    [
        "x", "h'", "h₁", "α", "β'", "xs.head?", "get!", "Nat.add_comm", "h.left", "_x", "ℕ", "𝓞", "«a b».c",
        "ü", "left", "exact", "simp?", "Foo.at", "Γ",
    ],
)  # fmt: skip
def test_a_name_is_one_token(name: str) -> None:
    assert pieces(name) == [(IDENT, name)]


@pytest.mark.parametrize(
    "word", ["at", "with", "fun", "by", "using", "have", "theorem", "exists", "_", "Type"]
)
def test_reserved_words_are_their_own_kind(word: str) -> None:
    assert pieces(word) == [(word, word)]


@pytest.mark.parametrize(
    ("ascii_form", "kind"),
    [
        ("->", "→"), ("<-", "←"), ("<->", "↔"), ("/\\", "∧"), ("\\/", "∨"), ("<=", "≤"), (">=", "≥"),
        ("$", "<|"), ("λ", "fun"), ("forall", "∀"), ("!=", "!="),
    ],
)  # fmt: skip
def test_other_spellings(ascii_form: str, kind: str) -> None:
    assert pieces(ascii_form) == [(kind, ascii_form)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h.1.2", [(IDENT, "h"), (FIELD, ".1"), (FIELD, ".2")]),
        ("h.1.left", [(IDENT, "h"), (FIELD, ".1"), (DOT_IDENT, ".left")]),
        ("f .succ", [(IDENT, "f"), (DOT_IDENT, ".succ")]),
        ("f.{u}", [(IDENT, "f"), (".{", ".{"), (IDENT, "u"), ("}", "}")]),
        ("a<;>b", [(IDENT, "a"), ("<;>", "<;>"), (IDENT, "b")]),
        ("a:=b", [(IDENT, "a"), (":=", ":="), (IDENT, "b")]),
        ("x::xs", [(IDENT, "x"), ("::", "::"), (IDENT, "xs")]),
        ("?_ ?x", [("?", "?"), ("_", "_"), ("?", "?"), (IDENT, "x")]),
        ("λx", [("fun", "λ"), (IDENT, "x")]),
        ("¬p", [("¬", "¬"), (IDENT, "p")]),
        ("a|>.f", [(IDENT, "a"), ("|>.", "|>."), (IDENT, "f")]),
        ("0xfF 0b10 17", [(NUM, "0xfF"), (NUM, "0b10"), (NUM, "17")]),
        (r'"a \" b" c', [(STR, r'"a \" b"'), (IDENT, "c")]),
        ("#check x", [(HASH, "#check"), (IDENT, "x")]),
    ],
)  # fmt: skip
def test_tokens(text: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -- b\nc", [(IDENT, "a"), (IDENT, "c")]),
        ("a--b", [(IDENT, "a")]),
        ("a/- b /- c -/ d -/e", [(IDENT, "a"), (IDENT, "e")]),
        ("/--/ a", [(IDENT, "a")]),
        ("/-- doc -/ a", [(DOC, "/-- doc -/"), (IDENT, "a")]),
        ("/-! doc -/ a", [(DOC, "/-! doc -/"), (IDENT, "a")]),
        ("a\r\nb", [(IDENT, "a"), (IDENT, "b")]),
    ],
)
def test_comments_and_white_space(text: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb", "tabs are not allowed; please configure your editor to expand them"),
        ("a\rb", "isolated carriage returns are not allowed"),
        ("a /- b", "unterminated comment"),
        ('a "b', "unterminated string literal"),
        ("a «b", "unterminated identifier escape"),
        ("a \0", "expected token"),
        ("a ✝", "expected token"),
        ("a 1.5", "unsupported: decimal numerals"),
        ("a 3.succ", "unsupported: decimal numerals"),
        ("a 'xy'", "missing end of character literal"),
        ("a " + "7" * 78914, "unsupported: numerals of more than 78913 digits"),
        ("a." + "7" * 78914, "unsupported: numerals of more than 78913 digits"),
    ],
)
def test_what_is_no_token_ends_the_stream(text: str, message: str) -> None:
    tokens = tokenize(text)
    assert tokens.kinds == [IDENT, BAD]
    assert tokens.bad == message


def test_columns_count_code_points_from_the_line_start() -> None:
    tokens = tokenize("α b\n  c /- d\n -/ e\n\nf")
    assert tokens.kinds == [IDENT] * 5 + [EOF]
    assert tokens.columns == [0, 2, 2, 4, 0, 1]


def test_names_lose_marks_that_they_do_not_need() -> None:
    assert plain_name("«x».y") == "x.y"
    assert plain_name("«a b».c") == "«a b».c"
    assert split_name("a.«b.c».d") == ["a", "«b.c»", "d"]
