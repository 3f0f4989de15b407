"""The layout engine on documents small enough to lay out by hand."""

from __future__ import annotations

import random

import pytest

from minilean.printer.layout import LINE, Doc, Group, Nest, render


def words(*texts: str) -> Doc:
    """The texts with a soft line break between each two."""
    parts: list[Doc] = []
    for text in texts:
        parts += [LINE, text] if parts else [text]
    return tuple(parts)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (11, "aaa bbb ccc"),
        (10, "aaa\nbbb\nccc"),
    ],
)
def test_a_group_breaks_everywhere_or_nowhere(width: int, expected: str) -> None:
    assert render(Group(words("aaa", "bbb", "ccc")), width) == expected


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (11, "aaa bbb ccc"),
        (10, "aaa bbb\nccc"),
        (7, "aaa bbb\nccc"),
        (6, "aaa\nbbb\nccc"),
    ],
)
def test_a_fill_group_breaks_where_the_next_piece_does_not_fit(width: int, expected: str) -> None:
    assert render(Group(words("aaa", "bbb", "ccc"), fill=True), width) == expected


def test_outside_of_groups_every_line_breaks() -> None:
    assert render(words("a", "b"), 80) == "a\nb"


def test_indentation_adds_up_and_may_be_taken_back() -> None:
    inner = Nest(-2, (LINE, "c"))
    doc = Group(("a", Nest(2, (LINE, "b", Group((LINE, "bb"), indent=3), inner))))
    assert render(doc, 3) == "a\n  b\n     bb\nc"
    assert render(Group((Nest(-4, (LINE, "a")), "b")), 1) == "\nab"


def test_what_follows_a_group_up_to_the_next_break_is_measured_with_it() -> None:
    group = Group(words("a", "b"))
    assert render((group, "!!"), 5) == "a b!!"
    assert render((group, "!!"), 4) == "a\nb!!"
    assert render((group, LINE, "!!"), 4) == "a b\n!!"
    assert render((group, "\n!!"), 4) == "a b\n!!"


def test_a_piece_of_a_fill_group_that_does_not_fit_is_followed_by_a_break() -> None:
    doc = Group(("x ", Group(words("aaa", "bbb"), fill=True), LINE, "ccc"), fill=True)
    assert render(doc, 9) == "x aaa bbb\nccc"
    # `ccc` would fit after `bbb`, but the piece before it had to be broken itself
    assert render(doc, 8) == "x aaa\nbbb\nccc"


def test_a_group_with_a_hard_break_is_not_flat() -> None:
    assert render(Group(("a", LINE, "b\nc", LINE, "d")), 80) == "a\nb\nc d"
    assert render(Group(("f", LINE, Group("let;\nx")), fill=True, indent=2), 80) == "f\n  let;\n  x"


def test_text_after_a_hard_break_is_indented() -> None:
    assert render(Nest(2, "a\nb\nc"), 80) == "a\n  b\n  c"


def test_the_first_line_starts_at_a_column() -> None:
    doc = Group(words("aaa", "bbb"), indent=2)
    assert render(doc, 9, indent=2, column=2) == "aaa bbb"
    assert render(doc, 8, indent=2, column=2) == "aaa\n    bbb"
    assert render(doc, 8, indent=0, column=20) == "aaa\n  bbb"


def test_width_counts_letters_not_bytes() -> None:
    assert render(Group(words("∀∃∧", "αβγ")), 7) == "∀∃∧ αβγ"


def test_documents_may_be_deep() -> None:
    doc: Doc = "x"
    for _ in range(50_000):
        doc = Group(("(", doc, ")"), fill=True)
    assert render(doc, 10) == "(" * 50_000 + "x" + ")" * 50_000


def _random_doc(rng: random.Random, depth: int, lengths: bool) -> tuple[Doc, str]:
    """Return a document and its text on one line; groups know their length if `lengths`."""
    kind = rng.randrange(5 if depth else 2)
    if kind == 0:
        text = "x" * rng.randint(1, 6)
        return text, text
    if kind == 1:
        return LINE, " "
    if kind == 2:
        body, flat = _random_doc(rng, depth - 1, lengths)
        return Nest(rng.randint(-2, 4), body), flat
    if kind == 3:
        body, flat = _random_doc(rng, depth - 1, lengths)
        fill, indent = rng.random() < 0.5, rng.randint(0, 3)
        return Group(body, fill, indent, len(flat) if lengths else -1), flat
    parts = [_random_doc(rng, depth - 1, lengths) for _ in range(rng.randint(1, 5))]
    return tuple(doc for doc, _ in parts), "".join(flat for _, flat in parts)


def test_known_lengths_change_no_text() -> None:
    broken = 0
    for seed in range(400):
        plain, _ = _random_doc(random.Random(seed), 6, lengths=False)
        measured, _ = _random_doc(random.Random(seed), 6, lengths=True)
        for width in (5, 12, 30):
            text = render(Group(plain), width)
            broken += "\n" in text
            assert render(Group(measured), width) == text
    assert broken >= 100
