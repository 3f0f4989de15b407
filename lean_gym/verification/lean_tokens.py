"""Tokens of Lean source, as far as a text can be cut into them without Lean's own token table.

Lean's lexer depends on the notations that are in scope. Where two readings of a text differ in what is a comment, a
string, a quoted name or a keyword, the text is refused. After white space `--` and `/-` begin comments for certain; a
comment, string or quoted name that is left open is refused, so texts that are joined later cannot open one another.

Source: Lean 4 `src/Lean/Parser/Basic.lean` (4.29).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LETTER: Final = "A-Za-z_α-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏𝒜-𝖟À-ÖØ-öø-ÿ"
"""First letters of Lean's identifiers, those that only some versions allow included."""
PART: Final = f"[{LETTER}][{LETTER}0-9'!?₀-₉ₐ-ₜᵢ-ᵪⱼ]*"
_ANY: Final = rf"(?:{PART}|«[^«»\n]*»)"
_NAME: Final = re.compile(rf"{_ANY}(?:\.{_ANY})*")
# Numerals end where Lean ends them: text after `0x1` or `1e5` without a space is a token of its own.
NUMERAL: Final = "0[xX][0-9a-fA-F]*|0[bB][01]*|0[oO][0-7]*|[0-9]+(?:[eE][+-]?[0-9]+)?"
_NUMBER: Final = re.compile(f"(?:{NUMERAL})(?:_[0-9]+)*")
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_STRING: Final = re.compile(r'"(?:[^"\\{]|\\[^{\n])*"')
_CHAR: Final = re.compile(r"'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^xu\n]))'")
_SYMBOL: Final = re.compile(r"<;>|:=|=>|\|\|\||\|\||\|>\.?|<\|>|<\||\.\.+|\S")
_COMMENT_ENDS: Final = re.compile("/-|-/")
_LETTERS: Final = re.compile(f"[{LETTER}]")
_KEYWORD: Final = re.compile("[a-z_]{2,}[?!]?|λ")
_OPENING: Final = "([{⟨,"
_MAX_PARTS: Final = 200
"""Parts of a name. Lean tries each beginning of an unknown one, which holds it for a minute at 9,000 parts."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: `"word"`, `"number"`, `"string"` (character literals included) or `"symbol"`.
        text: Its source; a word without the marks `«»`.
        start: Its place in the text.
        line: Its line, from 0.
        column: Its column, in characters from 0.
        first: Whether it is the first token of its line.
        quoted: Whether it is a word that is no keyword wherever it stands: a field behind a dot, or a quoted name.
    """

    kind: str
    text: str
    start: int
    line: int
    column: int
    first: bool
    quoted: bool = False


class Unclear(ValueError):
    """A text that Lean may cut into other tokens than this module does; the message is one line."""


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text, without comments.

    Raises:
        Unclear: The text can be read in several ways, or a comment, string or quoted name has no end.
    """
    found: list[Token] = []
    at = line = begin = 0
    first = True
    while at < len(text):
        end = _end_of_space(text, at)
        if end > at:
            newlines = text.count("\n", at, end)
            if newlines:
                line, begin, first = line + newlines, text.rfind("\n", at, end) + 1, True
            at = end
            continue
        kind, end = _token_end(text, at, found)
        source = text[at:end]
        quoted = kind == "word" and ("«" in source or _is_field(text, at, found))
        word = source.replace("«", "").replace("»", "") if kind == "word" else source
        found.append(Token(kind, word, at, line, at - begin, first, quoted))
        if "\n" in source:  # a string
            line, begin = line + source.count("\n"), at + source.rfind("\n") + 1
        at, first = end, False
    return found


def _end_of_space(text: str, at: int) -> int:
    """Return the end of the white space or comment at `at`, `at` itself where none stands."""
    space = _SPACE.match(text, at)
    if space is not None:
        return space.end()
    mark = text[at : at + 2]
    if mark not in ("--", "/-", "-/"):
        return at
    if mark == "-/" or (at and text[at - 1] not in " \t\r\n"):
        raise Unclear(f"got {text[max(0, at - 1) : at + 3]!r}, expected a space before a comment")
    if mark == "--":
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    depth = 0
    for each in _COMMENT_ENDS.finditer(text, at):
        depth += 1 if each[0] == "/-" else -1
        if not depth:
            return each.end()
    raise Unclear("a comment `/-` has no end, expected `-/`")


def _token_end(text: str, at: int, before: list[Token]) -> tuple[str, int]:
    char = text[at]
    after_space = not at or text[at - 1] in " \t\r\n" or text[at - 1] in _OPENING
    if char == '"':
        string = _STRING.match(text, at)
        if string is None or not after_space:
            raise Unclear(
                "a string has no end, a `{` inside or a letter in front, expected plain text in quotation marks "
                "after a space"
            )
        return "string", _alone(text, string.end())
    if char == "'":
        literal = _CHAR.match(text, at)
        if literal is not None:
            if not after_space:
                raise Unclear(f"got {text[at - 1 : literal.end()]!r}, expected a space before a character")
            return "string", _alone(text, literal.end())
        if text[at + 1 : at + 2] in ('"', "\\", "«"):
            raise Unclear(f"got {text[at : at + 2]!r}, expected a space between")
        return "symbol", at + 1
    if char in "«»" or _LETTERS.match(char):
        name = _NAME.match(text, at)
        if name is None:
            raise Unclear("a quoted name has no end, expected `«name»` on one line")
        if (
            at
            and text[at - 1] == "."
            and before
            and before[-1].text[-2:] == ".."
            and _KEYWORD.fullmatch(name[0])
        ):
            raise Unclear(f"got {'..' + name[0][:20]!r}, expected a space between")
        if name[0].count(".") >= _MAX_PARTS:
            raise Unclear(f"got a name of {name[0].count('.') + 1} parts, expected at most {_MAX_PARTS}")
        if text[name.end() : name.end() + 1] in ("«", '"'):
            raise Unclear(f"got {text[at : name.end() + 1][-20:]!r}, expected a space between")
        return "word", name.end()
    if char.isdigit() and char.isascii():
        number = _NUMBER.match(text, at)
        assert number is not None
        projection = bool(before) and before[-1].text == "." and text[at - 1] == "."
        glued = text[number.end() : number.end() + (1 if projection else 2)].lstrip(".")
        if text[number.end() : number.end() + 1] == "'" or (glued and _LETTERS.match(glued)):
            raise Unclear(f"got {text[at : number.end() + 2]!r}, expected a space after a number")
        return "number", number.end()
    if char == "`":
        raise Unclear("a quotation begins with '`', expected none")
    symbol = _SYMBOL.match(text, at)
    if symbol is None:
        raise Unclear(f"has the character U+{ord(char):04X}, expected Lean source")
    return "symbol", symbol.end()


def _alone(text: str, end: int) -> int:
    if end < len(text) and (_LETTERS.match(text[end]) or text[end] in "«'\"0123456789"):
        raise Unclear(f"got {text[max(0, end - 3) : end + 3]!r}, expected a space after a literal")
    return end


def _is_field(text: str, at: int, before: list[Token]) -> bool:
    return bool(at and text[at - 1] == "." and before and before[-1].text in (".", "|>."))
